"""The one file of looks: colours, sizes and the series of a chart. Stylesheet and charts read them from here.

Pure data, no Qt. Colours are "#RRGGBB"; lengths are device-independent pixels.
"""

from dataclasses import dataclass, replace

MIN_SCALE, MAX_SCALE = 0.8, 2.0
THEMES = ("light", "dark", "contrast")
FONT_FAMILY = "Inter"


@dataclass(frozen=True)
class Series:
    """One series of a chart: a colour-blind-safe colour (Okabe and Ito), and a pattern for areas as the second cue.

    `pattern` is the name of a `Qt.BrushStyle`. The markers and dashes of series are the figures': `core.draw.canvas`.
    """

    name: str
    color: str
    pattern: str


@dataclass(frozen=True)
class Tokens:
    """Everything that a stylesheet, a painted widget or a chart may read. `scale` is the reader's font scale."""

    name: str
    dark: bool
    # surfaces
    ground: str  # behind everything
    surface: str  # cards, fields
    sunk: str  # rail, tracks, chips
    hover: str  # a control under the pointer
    track: str  # what a bar or slider runs in
    line: str  # hairlines
    quiet_edge: str  # the border of chips and notices: needed only where tints cannot be told apart
    edge: str  # borders of controls that must be seen (3:1 on surface)
    # text
    ink: str
    soft: str
    faint: str  # disabled; never for text that must be read
    # meaning
    accent: str
    accent_ink: str  # text on accent
    accent_hover: str
    accent_soft: str  # a tint for what is selected
    focus: str
    ok: str
    ok_soft: str
    warn: str
    warn_soft: str
    danger: str
    danger_soft: str
    # charts
    floor: str  # the noise-floor band
    grid_line: str
    series: tuple[Series, ...]
    # sizes
    scale: float = 1.0
    reading_scale: float = 1.0  # of texts that are read side by side or checked, beyond `scale`
    family: str = FONT_FAMILY
    grid: int = 8
    gap: int = 16
    margin: int = 24
    radius: int = 12
    radius_small: int = 8
    hairline: int = 1
    line_height: float = 1.65

    def px(self, size: float) -> int:
        """Return a length that follows the font scale."""
        return max(1, round(size * self.scale))

    @property
    def reading(self) -> int:
        return self.px(16 * self.reading_scale)

    @property
    def control(self) -> int:
        return self.px(14)

    @property
    def note(self) -> int:
        return self.px(12)

    @property
    def heading(self) -> int:
        return self.px(15)

    @property
    def title(self) -> int:
        return self.px(18)

    @property
    def display(self) -> int:
        return self.px(26)

    @property
    def icon(self) -> int:
        # Icons grow more slowly than text, so that a rail at 200 % still leaves room for the work.
        return round(20 * (1 + (self.scale - 1) * 0.6))


_PATTERNS = (
    "SolidPattern", "BDiagPattern", "Dense5Pattern", "FDiagPattern", "CrossPattern", "HorPattern", "VerPattern",
    "DiagCrossPattern",
)  # fmt: skip

OKABE_ITO = {
    "black": "#000000",
    "orange": "#E69F00",
    "sky blue": "#56B4E9",
    "bluish green": "#009E73",
    "yellow": "#F0E442",
    "blue": "#0072B2",
    "vermilion": "#D55E00",
    "reddish purple": "#CC79A7",
}


def _series(*names: str, white_for_black: bool = False) -> tuple[Series, ...]:
    colors = {**OKABE_ITO, "black": "#FFFFFF" if white_for_black else OKABE_ITO["black"]}
    return tuple(Series(name, colors[name], pattern) for name, pattern in zip(names, _PATTERNS, strict=True))


# Per ground, the colours that stand out most come first; the pale ones are only needed from the seventh series on.
SERIES = _series("blue", "vermilion", "bluish green", "reddish purple", "orange", "black", "sky blue", "yellow")
_SERIES_ON_DARK = _series(
    "sky blue",
    "orange",
    "bluish green",
    "reddish purple",
    "yellow",
    "black",
    "vermilion",
    "blue",
    white_for_black=True,
)

_LIGHT = Tokens(
    name="light",
    dark=False,
    ground="#F6F5F2",
    surface="#FFFFFF",
    sunk="#EFEDE8",
    hover="#E8E5DE",
    track="#E4E1DA",
    line="#DEDBD3",
    quiet_edge="transparent",
    edge="#87847C",
    ink="#1F2328",
    soft="#5C6370",
    faint="#A3A29D",
    accent="#2F5DA8",
    accent_ink="#FFFFFF",
    accent_hover="#274E8E",
    accent_soft="#E6EDF8",
    focus="#2F5DA8",
    ok="#1A7544",
    ok_soft="#E2F1E8",
    warn="#A84708",
    warn_soft="#FBEADB",
    danger="#B3261E",
    danger_soft="#FBE6E4",
    floor="#E4E1DA",
    grid_line="#DEDBD3",
    series=SERIES,
)

_DARK = Tokens(
    name="dark",
    dark=True,
    ground="#1B1D21",
    surface="#24272D",
    sunk="#1F2227",
    hover="#2C3037",
    track="#343941",
    line="#363B44",
    quiet_edge="transparent",
    edge="#7C8492",
    ink="#E8E9EB",
    soft="#9AA2AF",
    faint="#666D79",
    accent="#7FA8EE",
    accent_ink="#14181F",
    accent_hover="#99BAF2",
    accent_soft="#2B3850",
    focus="#7FA8EE",
    ok="#6CCB93",
    ok_soft="#203A2D",
    warn="#F0A45D",
    warn_soft="#432F1D",
    danger="#F28B82",
    danger_soft="#472724",
    floor="#343941",
    grid_line="#3C424C",
    series=_SERIES_ON_DARK,
)

_CONTRAST = Tokens(
    name="contrast",
    dark=True,
    ground="#000000",
    surface="#000000",
    sunk="#000000",
    hover="#2A2A2A",
    track="#6E6E6E",
    line="#FFFFFF",
    quiet_edge="#FFFFFF",
    edge="#FFFFFF",
    ink="#FFFFFF",
    soft="#E6E6E6",
    faint="#9E9E9E",
    accent="#FFD60A",
    accent_ink="#000000",
    accent_hover="#FFE566",
    accent_soft="#3D3300",
    focus="#00E5FF",
    ok="#5CFF9D",
    ok_soft="#00331A",
    warn="#FFB55C",
    warn_soft="#3D2200",
    danger="#FF9D94",
    danger_soft="#470A06",
    floor="#3A3A3A",
    grid_line="#8A8A8A",
    series=_SERIES_ON_DARK,
)

_BY_NAME = {tokens.name: tokens for tokens in (_LIGHT, _DARK, _CONTRAST)}


def tokens_for(name: str, scale: float = 1.0, reading: float = 1.0) -> Tokens:
    """Return the tokens of a theme ("light", "dark", "contrast") at a font scale, clamped to 0.8 to 2.0.

    `reading`: a further factor for texts to be read, from 1 to 2.
    """
    return replace(
        _BY_NAME[name], scale=min(MAX_SCALE, max(MIN_SCALE, scale)), reading_scale=min(MAX_SCALE, max(1.0, reading))
    )
