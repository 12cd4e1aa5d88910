"""The heading over a block of rows."""

from core.report.figures.canvas import Canvas
from core.report.figures.legend import PAD
from core.report.figures.lines import wrap

SIZE, LINE, ROOM = 13, 17.0, 29.0


def heading_height(section: str, wide: float) -> float:
    """How high the heading is on a canvas this wide; 0 where a block has none."""
    return ROOM + LINE * (len(_lines(section, wide)) - 1) if section else 0.0


def draw_heading(canvas: Canvas, section: str, y: float) -> float:
    """From `y` on; gives where the first row begins."""
    for place, line in enumerate(_lines(section, canvas.width) if section else ()):
        canvas.text(PAD, y + ROOM - 10 + LINE * place, line, size=SIZE, bold=True)
    return y + heading_height(section, canvas.width)


def _lines(section: str, wide: float) -> list[str]:
    return wrap(section, SIZE, wide - 2 * PAD, bold=True)
