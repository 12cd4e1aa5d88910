"""One way to draw any chart: on a widget, into a picture, or nowhere, to learn how high it is."""

from desktop.charts.canvas import Canvas
from desktop.charts.grid import draw_grid
from desktop.charts.lines import draw_lines
from desktop.charts.radar import draw_radar
from desktop.charts.rows import draw_rows
from desktop.charts.view import GridView, LineView, RadarView, View


def draw(canvas: Canvas, view: View, width: float) -> float:
    """Draw `view` `width` pixels wide from the top left corner; returns its height."""
    if view.empty:
        return canvas.paragraph(0, 0, width, view.empty, role="control")
    top = 0.0
    if view.subtitle:
        top = canvas.paragraph(0, 0, width, view.subtitle, role="control") + canvas.tokens.px(8)
    return top + canvas.within(top, lambda inner: _draw(inner, view, width))


def _draw(canvas: Canvas, view: View, width: float) -> float:
    if isinstance(view, RadarView):
        return draw_radar(canvas, view, width)
    if isinstance(view, GridView):
        return draw_grid(canvas, view, width)
    if isinstance(view, LineView):
        return draw_lines(canvas, view, width)
    return draw_rows(canvas, view, width)
