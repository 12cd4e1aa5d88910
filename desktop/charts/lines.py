"""Draws a `LineView`: a line per series with an interval at every point, and the noise floor at each."""

from itertools import pairwise

from PySide6.QtCore import QPointF, QRectF

from desktop.charts.axis import fitting_ticks
from desktop.charts.canvas import Canvas
from desktop.charts.legend import CHANCE_DASH, draw_legend, draw_notes, draw_undefined
from desktop.charts.view import LinePoint, LineSeries, LineView
from desktop.widgets.words import tr

HEIGHT = 260
MARGIN = 24  # between the axes and the outermost points
APART = 6  # what the points of several series at the same place are moved, so that none hides another
REACH = 9  # around a point, for the pointer


def draw_lines(canvas: Canvas, view: LineView, width: float) -> float:
    """Draw the chart `width` wide; returns its height."""
    t = canvas.tokens
    y = draw_legend(canvas, view.legend, 0, 0, width) + t.px(8)
    if view.lines:
        y = _Plot(canvas, view, y, width).draw()
    y += draw_undefined(canvas, tr("Not defined"), view.undefined, 0, y, width)
    y += t.px(8) if view.notes else 0
    return y + draw_notes(canvas, view.notes, 0, y, width)


class _Plot:
    """One drawing: where the axes stand, and where a point lies."""

    def __init__(self, canvas: Canvas, view: LineView, top: float, width: float) -> None:
        self._canvas, self._view = canvas, view
        t = canvas.tokens
        note = canvas.height_of("note")
        self._top = top + note + t.px(8)  # under the words for what goes up
        self._bottom = self._top + t.px(HEIGHT)
        self._left = max(canvas.width_of(text, "note") for _, text in view.up.ticks) + t.px(8)
        self._right = width - t.px(4)

    def draw(self) -> float:
        """The lowest line that is drawn on."""
        t, canvas = self._canvas.tokens, self._canvas
        across, up = self._view.captions
        canvas.text(
            0, self._top - canvas.height_of("note") / 2 - t.px(8), up, role="note", color=t.soft, room=self._right
        )
        self._axes()
        for series in self._view.lines:
            self._floors(series)
        if self._view.reference is not None:
            y = self._y(self._view.reference)
            canvas.line(self._left, y, self._right, y, t.ink, 1.0, CHANCE_DASH)
        for series in self._view.lines:
            self._series(series)
        middle = (self._left + self._right) / 2
        y = self._bottom + canvas.height_of("note") * 1.5 + t.px(8)
        canvas.text(middle, y, across, role="note", color=t.soft, align="center", room=self._right - self._left)
        return y + canvas.height_of("note")

    def _x(self, value: float, series: int = 0) -> float:
        t = self._canvas.tokens
        left, right = self._left + t.px(MARGIN), self._right - t.px(MARGIN)
        aside = t.px(APART) * (series - (len(self._view.lines) - 1) / 2) if len(self._view.lines) > 1 else 0.0
        return left + self._view.across.at(value) * (right - left) + aside

    def _y(self, value: float) -> float:
        place = min(max(self._view.up.at(value), 0.0), 1.0)
        return self._bottom - place * (self._bottom - self._top)

    def _axes(self) -> None:
        t, canvas = self._canvas.tokens, self._canvas
        for value, text in self._view.up.ticks:
            y = self._y(value)
            canvas.line(self._left, y, self._right, y, t.grid_line)
            canvas.text(self._left - t.px(6), y, text, role="note", color=t.soft, align="right")
        canvas.line(self._left, self._bottom, self._right, self._bottom, t.edge)
        y = self._bottom + canvas.height_of("note") / 2 + t.px(4)
        for value, text in fitting_ticks(canvas, self._view.across, self._middle):
            x = self._middle(value)
            canvas.line(x, self._bottom, x, self._bottom + t.px(4), t.edge)
            canvas.text(x, y, text, role="note", color=t.soft, align="center")

    def _middle(self, value: float) -> float:
        """Where a value lies, between the series."""
        return self._x(value, 0) + self._canvas.tokens.px(APART) * (len(self._view.lines) - 1) / 2

    def _floors(self, series: LineSeries) -> None:
        half = self._canvas.tokens.px(APART) / 2
        for point in series.points:
            if point.floor is not None:
                x, top = self._x(point.x, series.series), self._y(point.floor)
                self._canvas.floor_column(QRectF(x - half, top, 2 * half, self._y(0.0) - top))

    def _series(self, series: LineSeries) -> None:
        t, canvas = self._canvas.tokens, self._canvas
        look = t.series[series.series % len(t.series)]
        places = [QPointF(self._x(point.x, series.series), self._y(point.value)) for point in series.points]
        for one, other in pairwise(places):
            canvas.line(one.x(), one.y(), other.x(), other.y(), look.color, 1.5, look.dash)
        for point, at in zip(series.points, places, strict=True):
            self._point(point, at, series.series)

    def _point(self, point: LinePoint, at: QPointF, series: int) -> None:
        t, canvas = self._canvas.tokens, self._canvas
        color, reach = t.series[series % len(t.series)].color, t.px(4)
        if point.low is not None and point.high is not None:
            low, high = self._y(point.low), self._y(point.high)
            canvas.line(at.x(), low, at.x(), high, color, 2.0)
            for y in (low, high):
                canvas.line(at.x() - reach, y, at.x() + reach, y, color, 1.5)
        canvas.marker(at, series)
        for value in point.references:
            canvas.reference(QPointF(at.x(), self._y(value)))
        half = t.px(REACH)
        canvas.spot(QRectF(at.x() - half, at.y() - half, 2 * half, 2 * half), point.tip, point.finding)
