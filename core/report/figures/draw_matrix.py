"""Rows × series as coloured cells: the kind `matrix`. Every cell holds its number, so that no one depends on colour."""

from dataclasses import dataclass
from itertools import groupby

from core.report.figures import value_text
from core.report.figures.canvas import Canvas
from core.report.figures.heading import draw_heading
from core.report.figures.legend import PAD
from core.report.figures.lines import width, wrap
from core.report.figures.spec import Figure, Mark

MOST_LABEL, MOST_CELL = 200.0, 128.0
CELL, HEAD_LINE = 36.0, 14.0
STRONGEST = 0.55  # of the colour, so that ink stays readable on it
SMALL = 9.5


@dataclass(frozen=True)
class _Shades:
    """From values to colours: the farther from `middle`, the stronger."""

    middle: float
    farthest: float

    def of(self, value: float) -> tuple[str, float]:
        """The colour's name and how strong it is."""
        share = (value - self.middle) / self.farthest if self.farthest else 0.0
        return ("above" if share >= 0 else "below"), STRONGEST * min(1.0, abs(share))


def draw(canvas: Canvas, figure: Figure, top: float) -> float:
    """From `top` on; gives where the next begins."""
    columns = figure.series
    label = min(MOST_LABEL, max(width(row, 13) for _, row in figure.rows) + 4)
    left = PAD + label + 12
    cell = min(MOST_CELL, (canvas.width - PAD - left) / len(columns))
    heads = [wrap(name or figure.axis, 12, cell - 8) for name in columns]
    y = top + HEAD_LINE * max(map(len, heads)) + 10
    for place, lines in enumerate(heads):
        for number, line in enumerate(reversed(lines)):
            x = left + (place + 0.5) * cell
            canvas.text(x, y - 8 - HEAD_LINE * number, line, color="soft", anchor="middle")
    shades = _shades(figure)
    for section, rows in groupby(figure.rows, key=lambda row: row[0]):
        y = draw_heading(canvas, section, y)
        for _, row in rows:
            lines = wrap(row, 13, label, most=2)
            for number, line in enumerate(lines):
                canvas.text(PAD, y + CELL / 2 + 4.5 + 15 * (number - (len(lines) - 1) / 2), line, size=13)
            for mark in figure.at(section, row):
                x = left + columns.index(mark.series) * cell
                _cell(canvas, figure, mark, shades, (x, y, cell))
            y += CELL
    return _scale(canvas, figure, shades, y + 14, left)


def _shades(figure: Figure) -> _Shades:
    values = [mark.value for mark in figure.marks if mark.value is not None]
    middle = figure.null if figure.null is not None else 0.0
    return _Shades(middle, max((abs(value - middle) for value in values), default=0.0))


def _cell(canvas: Canvas, figure: Figure, mark: Mark, shades: _Shades, place: tuple[float, float, float]) -> None:
    x, y, wide = place
    told = value_text.told(figure, mark)
    if mark.value is None:
        canvas.rect(x + 1, y + 1, wide - 2, CELL - 2, color="sunk", told=told)
        canvas.text(x + wide / 2, y + CELL / 2 + 4, "–", color="soft", anchor="middle")
        return
    color, strength = shades.of(mark.value)
    canvas.rect(x + 1, y + 1, wide - 2, CELL - 2, color=color, opacity=max(0.02, strength), told=told)
    below = _below(figure, mark, wide - 6)
    canvas.text(x + wide / 2, y + CELL / 2 + (-1 if below else 4), value_text.estimate(figure, mark), anchor="middle")
    if below:
        canvas.text(x + wide / 2, y + CELL / 2 + 12, below, size=SMALL, anchor="middle")


def _below(figure: Figure, mark: Mark, room: float) -> str:
    """Interval and n, or as much of it as the cell holds."""
    interval, n = value_text.interval(figure, mark), f"n {mark.n:,}"
    both = f"{interval} · {n}" if interval else n
    return next((text for text in (both, interval or n) if width(text, SMALL) <= room), "")


def _scale(canvas: Canvas, figure: Figure, shades: _Shades, y: float, left: float) -> float:
    """The colours and what they stand for."""
    steps, wide = 9, 22.0
    values = [mark.value for mark in figure.marks if mark.value is not None]
    least, most = min(values, default=0.0), max(values, default=0.0)
    for step in range(steps):
        color, strength = shades.of(least + (most - least) * step / (steps - 1))
        canvas.rect(left + step * wide, y, wide - 1, 10, color=color, opacity=max(0.02, strength))
    for value, x, anchor in ((least, left, "start"), (most, left + steps * wide, "end")):
        canvas.text(x, y + 24, value_text.number(figure, value), size=11, color="soft", anchor=anchor)
    intervals = "95 % interval, " if any(mark.low is not None for mark in figure.marks) else ""
    told = f"{figure.axis}; below each: {intervals}n"
    for number, line in enumerate(wrap(told, 11, canvas.width - PAD - left - steps * wide - 14)):
        canvas.text(left + steps * wide + 14, y + 9 + 14 * number, line, size=11, color="soft")
        last = y + 14 * number
    return max(y + 38, last + 24)
