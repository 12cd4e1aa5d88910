"""A whole figure: heading, legend and notes around what its kind draws; the same on every canvas."""

from collections.abc import Callable, Mapping

from core.draw import digits, words
from core.draw.canvas import BAND_DASH, DASHES, NULL_DASH, Canvas, series_color
from core.draw.digits import tr
from core.draw.figure import Figure, FigureKind
from core.draw.grid import draw_grid
from core.draw.plots import draw_line, draw_radar, draw_rows, printed_by

LAYOUTS: Mapping[FigureKind, Callable[[Canvas, Figure, float], float]] = {
    "intervals": draw_rows,
    "grouped": draw_rows,
    "bars": draw_rows,
    "matrix": draw_grid,
    "table": draw_grid,
    "line": draw_line,
    "radar": draw_radar,
}
WIDE, NARROW, APART, LINE = 24.0, 10.0, 16.0, 19.0  # signs of the legend, what lies between two of its words, its lines

# Words, the room of the sign before them, and how the sign is drawn with its left end at x and its middle at y.
LegendKey = tuple[str, float, Callable[[float, float], None]]


def draw_figure(canvas: Canvas, figure: Figure, *, titled: bool = True) -> float:
    """Draw it from the top left corner of the canvas; gives its height. `titled`: with its title above."""
    y = _heading(canvas, figure, titled)
    if not figure.marks:
        return canvas.paragraph(0, y, canvas.width, tr(figure.empty), "label")
    y = _legend(canvas, figure, y)
    return _foot(canvas, figure, LAYOUTS[figure.kind](canvas, figure, y))


def _heading(canvas: Canvas, figure: Figure, titled: bool) -> float:
    y = canvas.paragraph(0, 0, canvas.width, figure.title, "title", "ink") + 4 if titled else 0.0
    if figure.subtitle:
        y = canvas.paragraph(0, y, canvas.width, figure.subtitle, "label") + 6
    return _badges(canvas, figure, y)


def _badges(canvas: Canvas, figure: Figure, y: float) -> float:
    """A stand-in scorer is named wherever its number appears."""
    x, tall = 0.0, 20.0
    for text in figure.stand_ins:
        shown = canvas.cut(text, "note", canvas.width - 16)
        wide = canvas.measure(shown, "note") + 16
        if x and x + wide > canvas.width:
            x, y = 0.0, y + tall + 4
        canvas.rect(x, y, wide, tall, "warn-soft", radius=6)
        canvas.text(x + 8, y + 14, shown, color="warn")
        x += wide + 8
    return y + tall + 8 if figure.stand_ins else y


def _foot(canvas: Canvas, figure: Figure, y: float) -> float:
    notes = words.notes(figure)
    y += 10 if notes else 0
    for note in notes:
        y = canvas.paragraph(0, y, canvas.width, note) + 3
    return y + 2


def _legend(canvas: Canvas, figure: Figure, top: float) -> float:
    keys = [*_series(canvas, figure), *_signs(canvas, figure)]
    x, y = 0.0, top + 4
    for text, wide, sign in keys:
        lines = canvas.wrap(text, "note", canvas.width - wide - 6)
        needed = wide + 6 + max(canvas.measure(line, "note") for line in lines)
        if x and x + needed > canvas.width:
            x, y = 0.0, y + LINE
        sign(x, y + LINE / 2)
        for number, line in enumerate(lines):
            canvas.text(x + wide + 6, y + LINE / 2 + 4 + 15 * number, line)
        x, y = x + needed + APART, y + 15 * (len(lines) - 1)
    return y + LINE + 4 if keys else top


def _series(canvas: Canvas, figure: Figure) -> list[LegendKey]:
    if figure.kind in ("matrix", "table") or len(figure.series) < 2:
        return []
    joined = figure.kind in ("line", "radar")

    def key(place: int, name: str) -> LegendKey:
        def sign(x: float, y: float) -> None:
            if joined:
                canvas.line(x, y, x + WIDE, y, series_color(place), 2, DASHES[place % len(DASHES)])
            canvas.marker(place, x + (WIDE if joined else NARROW) / 2, y, hollow=figure.kind == "radar" and place > 0)

        return words.series_title(figure, name), WIDE if joined else NARROW, sign

    return [key(place, name) for place, name in enumerate(figure.series)]


def _signs(canvas: Canvas, figure: Figure) -> list[LegendKey]:
    """A sign for whatever else is drawn, and nothing more."""
    if figure.kind == "table":
        return []
    if figure.kind == "matrix":
        return _tints(canvas, figure)
    marks = [mark for mark in figure.marks if mark.value is not None]
    keys: list[LegendKey] = []
    levels = {mark.finding.interval.level for mark in marks if mark.low is not None and not mark.band
              and mark.finding.interval}  # fmt: skip
    for level in sorted(levels):
        text = tr("{level} % interval").format(level=f"{100 * level:g}")
        keys.append((text, WIDE, lambda x, y: canvas.line(x, y, x + WIDE, y, "ink", 2)))
    if any(mark.band for mark in marks):
        keys.append((figure.band_words, WIDE, lambda x, y: canvas.line(x, y, x + WIDE, y, "ink", 2, BAND_DASH)))
    if any(mark.floor for mark in marks):
        text = tr("noise floor (95 of 100 cases without any bias) and its mean")
        keys.append((text, WIDE, lambda x, y: canvas.floor(x, y - 6, WIDE, 12, x + WIDE / 2)))
    if figure.kind == "radar" and any(mark.chance for mark in marks):
        text = tr("what choosing at random gives 95 times in 100")
        keys.append((text, WIDE, lambda x, y: canvas.rect(x, y - 6, WIDE, 12, "floor", "edge")))
    if figure.null is not None:
        keys.append((_null(figure), NARROW, lambda x, y: canvas.line(x + 5, y - 7, x + 5, y + 7, "ink", 1, NULL_DASH)))
    if printed := printed_by(figure):
        named = ", ".join(f"{letter} {name}" if letter else name for name, letter in printed.items())
        text = tr("printed in the paper: {named}").format(named=named)
        keys.append((text, NARROW + 4, lambda x, y: canvas.printed(x + 7, y)))
    return keys


def _null(figure: Figure) -> str:
    assert figure.null is not None
    null = f"{figure.null:g}" if figure.null in (0, 1) else digits.number(figure.null, figure.unit)
    return f"{null}: {tr(figure.null_words)}"


def _tints(canvas: Canvas, figure: Figure) -> list[LegendKey]:
    def key(text: str, color: str, opacity: float) -> LegendKey:
        return text, WIDE, lambda x, y: canvas.rect(x, y - 6, WIDE, 12, color, "edge", opacity)

    if figure.null is None:
        return [key(tr("the deeper, the higher"), "above", 0.5)]
    return [
        key(tr("below"), "below", 0.5),
        key(_null(figure), "surface", 1),
        key(tr("above"), "above", 0.5),
    ]
