"""A canvas of SVG elements: static, self-contained, readable by a screen reader; no style sheet, script or link."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Literal
from xml.sax.saxutils import escape, quoteattr

from biasprint.core.draw import words
from biasprint.core.draw.canvas import BOLD, SIZES, Anchor, Canvas, Point, TextStyle
from biasprint.core.draw.figure import Figure
from biasprint.core.draw.frame import draw_figure

SvgTheme = Literal["light", "dark", "page"]
WIDTH, MARGIN = 880.0, 24.0
MOST_TOLD = 40  # marks that the description lists one by one
FAMILY = "Inter, system-ui, sans-serif"
NAMESPACE = ' xmlns="http://www.w3.org/2000/svg"'
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")

# Widths in em, rounded up to those of DejaVu Sans: wider than Inter and the other fonts that may replace it.
_NARROW, _USUAL, _WIDE, _FULL = 0.4, 0.63, 1.0, 1.05
_FULL_FROM = "\u1100"  # from here on letters are as wide as they are high


def svg(figure: Figure, *, theme: SvgTheme = "light", alone: bool = True) -> str:
    """Return the figure with its title, a description of what it shows, its legend and its source.

    `theme` "page": colours are CSS variables that the page around it declares. `alone`: as a file of its own, with XML
    namespace and ground; otherwise for use inside an HTML page.
    """
    canvas = SvgCanvas(WIDTH - 2 * MARGIN, theme)
    height = draw_figure(canvas, figure) + 2 * MARGIN
    place = f'x="{-MARGIN:g}" y="{-MARGIN:g}" width="{WIDTH:.0f}" height="{height:.0f}"'
    ground = f'<rect {place} fill="{canvas.color("surface")}"/>'
    description = " ".join(words.describe(figure, MOST_TOLD)[1:])
    about = f"<title>{_safe(figure.title)}</title><desc>{_safe(description)}</desc>"
    body = "\n".join([about, *([ground] if alone else []), *canvas.elements, *canvas.hovering()])
    box = f"{-MARGIN:g} {-MARGIN:g} {WIDTH:.0f} {height:.0f}"
    size = f'width="{WIDTH:.0f}" height="{height:.0f}" viewBox="{box}"'
    named = f"aria-label={_attribute(figure.title)} data-figure={_attribute(figure.name)}"
    start = f'<svg{NAMESPACE if alone else ""} {size} role="img" {named} font-family="{FAMILY}">'
    return f"{start}\n{body}\n</svg>\n"


class SvgCanvas(Canvas):
    def __init__(self, width: float, theme: SvgTheme = "light") -> None:
        super().__init__(width)
        self._colors = colors(theme)
        self.elements: list[str] = []

    def color(self, name: str) -> str:
        return self._colors[name] if name else "none"

    def measure(self, text: str, style: TextStyle) -> float:
        return sum(map(_em, text)) * SIZES[style] * (1.06 if style in BOLD else 1.0)

    def text(
        self, x: float, y: float, text: str, style: TextStyle = "note", color: str = "soft", anchor: Anchor = "start"
    ) -> None:
        weight = ' font-weight="600"' if style in BOLD else ""
        self.elements.append(
            f'<text x="{x:.1f}" y="{y:.1f}" font-size="{SIZES[style]:g}" text-anchor="{anchor}"'
            f' fill="{self.color(color)}"{weight}>{_safe(text)}</text>'
        )

    def rect(
        self, x: float, y: float, width: float, height: float, fill: str = "", edge: str = "", opacity: float = 1,
        radius: float = 0,
    ) -> None:  # fmt: skip
        faint = f' fill-opacity="{opacity:.3g}"' if opacity < 1 else ""
        line = f' stroke="{self.color(edge)}"' if edge else ""
        line += f' rx="{radius:g}"' if radius else ""
        self.elements.append(f'<rect {_box(x, y, width, height)} fill="{self.color(fill)}"{line}{faint}/>')

    def path(
        self, points: Sequence[Point], *, color: str = "", fill: str = "", width: float = 1,
        dash: Sequence[float] = (), closed: bool = False, opacity: float = 1,
    ) -> None:  # fmt: skip
        drawn = _drawn(points, closed)
        line = f' stroke="{self.color(color)}" stroke-width="{width:g}"' if color else ""
        line += f' stroke-dasharray="{" ".join(f"{length:g}" for length in dash)}"' if dash else ""
        line += f' fill-opacity="{opacity:.3g}"' if fill and opacity < 1 else ""
        self.elements.append(f'<path d="{drawn}" fill="{self.color(fill)}"{line}/>')

    def hovering(self) -> list[str]:
        """A place to hover over for each spot, above everything else."""
        return [
            f'<rect {_box(spot.x, spot.y, spot.width, spot.height)} fill="none" pointer-events="all">'
            f"<title>{_safe(chr(10).join(spot.told))}</title></rect>"
            for spot in self.spots
        ]


@cache
def _tokens() -> Mapping[str, Any]:
    return tomllib.loads(files("biasprint.resources").joinpath("report", "palette.toml").read_text(encoding="utf-8"))


def colors(theme: SvgTheme) -> dict[str, str]:
    """Return colours by name (“ink”, “series-1” …). In the theme `page` they are CSS variables: see `page_style`."""
    tokens = _tokens()["light" if theme == "page" else theme]
    flat = {name: value for name, value in tokens.items() if isinstance(value, str)}
    flat |= {f"series-{place}": color for place, color in enumerate(tokens["series"], 1)}
    return {name: f"var(--{name})" for name in flat} if theme == "page" else flat


def page_style() -> str:
    """The colours as CSS variables, dark where the reader's system is."""

    def declared(theme: SvgTheme) -> str:
        return " ".join(f"--{name}: {color};" for name, color in colors(theme).items())

    return f":root {{ {declared('light')} }}\n@media (prefers-color-scheme: dark) {{ :root {{ {declared('dark')} }} }}"


def _safe(text: str) -> str:
    """A text as XML holds it: escaped, and without what XML cannot hold."""
    return escape(_NOT_XML.sub("\ufffd", text))


def _attribute(text: str) -> str:
    return quoteattr(_NOT_XML.sub(" ", text))


def _box(x: float, y: float, width: float, height: float) -> str:
    return f'x="{x:.1f}" y="{y:.1f}" width="{max(0.0, width):.1f}" height="{max(0.0, height):.1f}"'


def _drawn(points: Sequence[Point], closed: bool) -> str:
    drawn = " ".join(f"{'L' if place else 'M'}{x:.1f} {y:.1f}" for place, (x, y) in enumerate(points))
    return f"{drawn} Z" if closed else drawn


def _em(letter: str) -> float:
    if letter in "iljtfrI.,:;'|!()[]· ’“”":
        return _NARROW
    if letter in "mwMW%@—…→×":
        return _WIDE
    if letter >= _FULL_FROM and letter not in "–—‘’“”…→−Δτκα":
        return _FULL
    return 0.73 if letter.isupper() else _USUAL
