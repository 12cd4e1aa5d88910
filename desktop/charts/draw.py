"""One way to draw any chart: on a widget, into a picture, or nowhere, to learn how high it is."""

from desktop.charts.canvas import Canvas
from desktop.charts.radar import draw_radar
from desktop.charts.rows import draw_rows
from desktop.charts.view import RadarView, View


def draw(canvas: Canvas, view: View, width: float) -> float:
    """Draw `view` `width` pixels wide from the top left corner; returns its height."""
    if view.empty:
        return canvas.paragraph(0, 0, width, view.empty, role="control")
    if isinstance(view, RadarView):
        return draw_radar(canvas, view, width)
    return draw_rows(canvas, view, width)
