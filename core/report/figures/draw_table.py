"""Rows × series as texts: the kind `table`, for what mixes units or is made of words."""

from itertools import groupby

from core.report.figures import value_text
from core.report.figures.canvas import Canvas
from core.report.figures.heading import draw_heading
from core.report.figures.legend import PAD
from core.report.figures.lines import width, wrap
from core.report.figures.spec import Figure, Mark

MOST_LABEL, GAP, LINE = 220.0, 16.0, 16.0


def draw(canvas: Canvas, figure: Figure, top: float) -> float:
    """From `top` on; gives where the next begins."""
    label = min(MOST_LABEL, max(width(text, 13) for text in [figure.rows_title, *(row for _, row in figure.rows)]) + 4)
    left = PAD + label + GAP
    columns = _columns(figure, canvas.width - PAD - left)
    places = [left + sum(columns[:place]) for place in range(len(columns))]
    where = {name: (x, room) for name, x, room in zip(figure.series, places, columns, strict=True)}
    heads = [wrap(name, 12, room - GAP) for name, room in zip(figure.series, columns, strict=True)]
    y = top + 14
    for x, lines in zip([PAD, *places], [wrap(figure.rows_title, 12, label), *heads], strict=True):
        for number, line in enumerate(lines):
            canvas.text(x, y + LINE * number, line, color="soft")
    y += LINE * max(map(len, heads)) - 6
    for section, rows in groupby(figure.rows, key=lambda row: row[0]):
        y = draw_heading(canvas, section, y)
        for _, row in rows:
            canvas.line(PAD, y, canvas.width - PAD, y)
            y = _row(canvas, figure, (section, row), y, label, where)
    canvas.line(PAD, y, canvas.width - PAD, y)
    return y + 10


def _columns(figure: Figure, room: float) -> list[float]:
    """Widths by the longest text of each column, but a third of an even share for everyone."""
    wanted = [
        max(width(text, 12) for text in [name, *(_text(figure, one) for one in figure.marks if one.series == name)])
        + GAP
        for name in figure.series
    ]
    if sum(wanted) <= room:
        return wanted
    least = room / len(wanted) / 3
    narrow = [min(want, max(least, room * want / sum(wanted))) for want in wanted]
    left = room - sum(narrow)
    most = max(range(len(wanted)), key=lambda place: wanted[place])
    return [wide + (left if place == most else 0.0) for place, wide in enumerate(narrow)]


def _row(
    canvas: Canvas,
    figure: Figure,
    row: tuple[str, str],
    y: float,
    label: float,
    columns: dict[str, tuple[float, float]],
) -> float:
    cells = [(PAD, wrap(row[1], 13, label))]
    for mark in figure.at(*row):
        x, room = columns[mark.series]
        cells.append((x, wrap(_text(figure, mark), 12, room - GAP)))
    for x, lines in cells:
        for number, line in enumerate(lines):
            canvas.text(x, y + 18 + LINE * number, line, size=13 if x == PAD else 12)
    return y + 10 + LINE * max(len(lines) for _, lines in cells)


def _text(figure: Figure, mark: Mark) -> str:
    return mark.text or (value_text.whole(figure, mark) if mark.value is not None else f"undefined: {mark.reason}")
