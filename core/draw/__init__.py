"""Figures and how they are drawn: one layout, on any canvas.

`figure` is what is drawn, as data; `draw_figure` lays it out on a `Canvas` and leaves there the spots that stand for
its marks; `svg` gives it as SVG text. `digits` and `words` write its numbers and say it to whoever cannot see it.
"""

from core.draw.canvas import Canvas, Spot
from core.draw.figure import Figure, FigureMark, Printed
from core.draw.frame import draw_figure

__all__ = ["Canvas", "Figure", "FigureMark", "Printed", "Spot", "draw_figure"]
