"""A figure as SVG text, without Qt or a plotting library: static, self-contained, readable by a screen reader."""

from collections.abc import Callable, Mapping

from core.report.figures import draw_intervals, draw_line, draw_matrix, draw_table, value_text
from core.report.figures.canvas import Canvas
from core.report.figures.legend import PAD
from core.report.figures.lines import width as text_width
from core.report.figures.lines import wrap
from core.report.figures.palette import Theme
from core.report.figures.spec import Figure, Kind

WIDTH = 880.0
MOST_TOLD = 40  # marks that the description lists one by one

DRAW: Mapping[Kind, Callable[[Canvas, Figure, float], float]] = {
    "intervals": draw_intervals.draw,
    "grouped": draw_intervals.draw,
    "matrix": draw_matrix.draw,
    "line": draw_line.draw,
    "table": draw_table.draw,
}


def svg(figure: Figure, *, theme: Theme = "light", alone: bool = True, width: float = WIDTH) -> str:
    """The figure with its title, what one sees, its legend and its source.

    `theme` "page": colours are CSS variables that the page around it declares. `alone`: as a file of its own, with XML
    namespace and ground; otherwise to stand inside an HTML page. A figure without marks says that there is nothing.
    """
    canvas = Canvas(width, theme)
    y = _heading(canvas, figure)
    if figure.marks:
        y = DRAW[figure.kind](canvas, figure, y)
    else:
        canvas.text(PAD, y + 20, "There is nothing to show yet.", color="soft")
        y += 36
    y = _foot(canvas, figure, y + 4)
    return canvas.finish(y, figure.title, _description(figure), figure.name, alone=alone)


def _heading(canvas: Canvas, figure: Figure) -> float:
    room, y = canvas.width - 2 * PAD, 34.0
    for line in wrap(figure.title, 17, room, bold=True):
        canvas.text(PAD, y, line, size=17, bold=True)
        y += 22
    for line in wrap(figure.subtitle, 12.5, room):
        canvas.text(PAD, y, line, size=12.5, color="soft")
        y += 17
    return _badges(canvas, figure, y)


def _badges(canvas: Canvas, figure: Figure, y: float) -> float:
    """A stand-in scorer is named wherever its number appears."""
    uses = {use for mark in figure.marks for use in mark.finding.scorers if use.stand_in}
    x = PAD
    for text in sorted({f"stand-in for {use.role}: {use.name}".replace("_", " ") for use in uses}):
        (line,) = wrap(text, 11, canvas.width - 2 * PAD - 20, most=1)
        wide = text_width(line, 11) + 16
        if x > PAD and x + wide > canvas.width - PAD:
            x, y = PAD, y + 24
        canvas.path([(x, y - 6), (x + wide, y - 6), (x + wide, y + 13), (x, y + 13)], color="edge")
        canvas.text(x + 8, y + 7.5, line, size=11, color="soft")
        x += wide + 8
    return y + 22 if uses else y


def _foot(canvas: Canvas, figure: Figure, y: float) -> float:
    for text in (figure.note, figure.source):
        for line in wrap(text, 11, canvas.width - 2 * PAD) if text else ():
            canvas.text(PAD, y + 8, line, size=11, color="soft")
            y += 15
    return y + 14


def _description(figure: Figure) -> str:
    """What a screen reader says: what one sees, and the values where they are few enough to be listened to."""
    marks = [value_text.told(figure, mark) for mark in figure.marks if not mark.text]
    listed = ". ".join(marks) if len(marks) <= MOST_TOLD else f"{len(marks)} values, in the table beside it"
    return f"{figure.subtitle} {listed}.".strip()
