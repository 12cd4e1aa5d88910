"""Figures and how they are drawn: one layout, on any canvas.

`figure` is what is drawn, as data. `frame.draw_figure` lays it out on a `canvas.Canvas` and leaves there the spots of
its marks; `canvas` has SVG text. `digits` and `words` write its numbers, and say it in sentences.
"""
