"""Draws a `RadarView`: a spoke per identity, chance as a circle of its own, the noise floor as a shaded ring."""

import math

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor

from desktop.charts.canvas import Align, Canvas, stroke
from desktop.charts.legend import CHANCE_DASH, draw_legend, draw_notes
from desktop.charts.view import RadarSeries, RadarView

FILL = 0.14
MAX_RADIUS = 210
LABEL_GAP = 10
LONG_LABEL = 90  # wider ones take two lines where they have a blank: the radar itself needs the room
ASIDE = 0.2  # labels of spokes that point more sideways than this stand beside them, the others above or below


def draw_radar(canvas: Canvas, view: RadarView, width: float) -> float:
    """Draw the radar `width` wide; returns its height."""
    t = canvas.tokens
    y = draw_legend(canvas, view.legend, 0, 0, width)
    if view.spokes:
        y = _Radar(canvas, view, y + t.px(8), width).draw()
    y += t.px(8) if view.notes else 0
    return y + draw_notes(canvas, view.notes, 0, y, width)


class _Radar:
    """One drawing: where the centre is, and how far a value lies from it."""

    def __init__(self, canvas: Canvas, view: RadarView, top: float, width: float) -> None:
        self._canvas, self._view = canvas, view
        self._several_axes = len({spoke.axis for spoke in view.spokes}) > 1
        t = canvas.tokens
        self._labels_of = [_in_lines(canvas, spoke.label) for spoke in view.spokes]
        most = max(len(lines) for lines in self._labels_of)
        self._lines = most * canvas.height_of() + (canvas.height_of("note") if self._several_axes else 0) + t.px(6)
        self._radius = min(max(self._room(width), t.px(60)), t.px(MAX_RADIUS))
        self._center = QPointF(width / 2, top + t.px(8) + self._lines + self._radius)
        self._bottom = self._center.y() + self._radius + self._lines

    def _room(self, width: float) -> float:
        """The largest radius at which every label fits beside its spoke."""
        room = math.inf
        for index, spoke in enumerate(self._view.spokes):
            across = abs(math.sin(2 * math.pi * index / len(self._view.spokes)))
            widths = [self._canvas.width_of(line) for line in self._labels_of[index]]
            label = max(*widths, self._canvas.width_of(spoke.axis, "note"))
            if across >= ASIDE:
                room = min(room, (width / 2 - label) / across - self._canvas.tokens.px(LABEL_GAP))
        return room

    def draw(self) -> float:
        t = self._canvas.tokens
        for ring in self._rings():
            self._canvas.polygon(self._circle(ring), outline=stroke(t.grid_line, 1.0))
        self._floor()
        for index in range(len(self._view.spokes)):
            tip = self._at(index, self._view.limit)
            self._canvas.line(self._center.x(), self._center.y(), tip.x(), tip.y(), t.grid_line)
        self._canvas.polygon(self._circle(1.0), outline=stroke(t.ink, 1.25, CHANCE_DASH))
        for series in reversed(self._view.series):  # the first voice lies on top
            self._draw_series(series, first=series is self._view.series[0])
        self._labels()
        return self._bottom

    def _rings(self) -> list[float]:
        step = 0.5 if self._view.limit <= 3 else 1.0
        return [step * number for number in range(1, math.floor(self._view.limit / step) + 1)]

    def _at(self, spoke: int, value: float) -> QPointF:
        angle = 2 * math.pi * spoke / len(self._view.spokes) - math.pi / 2
        distance = self._radius * min(max(value / self._view.limit, 0.0), 1.0)
        return self._center + QPointF(math.cos(angle) * distance, math.sin(angle) * distance)

    def _circle(self, value: float) -> list[QPointF]:
        return [self._at(spoke, value) for spoke in range(len(self._view.spokes))]

    def _floor(self) -> None:
        floors = [spoke.floor or (1.0, 1.0) for spoke in self._view.spokes]
        inner = [self._at(spoke, low) for spoke, (low, _) in enumerate(floors)]
        outer = [self._at(spoke, high) for spoke, (_, high) in enumerate(floors)]
        self._canvas.floor_ring(outer, inner)

    def _draw_series(self, series: RadarSeries, *, first: bool) -> None:
        t = self._canvas.tokens
        look = t.series[series.series % len(t.series)]
        places = {index: self._at(index, point.value) for index, point in enumerate(series.points) if point}
        fill = QColor(look.color)
        fill.setAlphaF(FILL)
        whole = len(places) == len(self._view.spokes)
        line = stroke(look.color, 2.0 if first else 1.5, look.dash)
        if whole:
            self._canvas.polygon(list(places.values()), outline=line, fill=fill if first else None)
        for index, point in enumerate(series.points):
            if point is None:
                continue
            if first and point.low is not None and point.high is not None:
                low, high = self._at(index, point.low), self._at(index, point.high)
                self._canvas.line(low.x(), low.y(), high.x(), high.y(), look.color, 1.5)
            self._canvas.marker(places[index], series.series, hollow=not first)
            reach = t.px(9)
            area = QRectF(places[index].x() - reach, places[index].y() - reach, 2 * reach, 2 * reach)
            self._canvas.spot(area, point.tip, point.finding)

    def _labels(self) -> None:
        t = self._canvas.tokens
        note = self._canvas.height_of("note")
        for index, spoke in enumerate(self._view.spokes):
            edge = self._at(index, self._view.limit)
            away = edge - self._center
            across, down = away.x() / self._radius, away.y() / self._radius
            align: Align = "center" if abs(across) < ASIDE else ("left" if across > 0 else "right")
            middle = edge.y() + down * self._lines / 2
            x = edge.x() + across * t.px(LABEL_GAP)
            lines, height = self._labels_of[index], self._canvas.height_of()
            top = middle - (len(lines) * height + (note if self._several_axes else 0)) / 2
            for place, line in enumerate(lines):
                self._canvas.text(x, top + (place + 0.5) * height, line, align=align)
            if self._several_axes:
                below = top + len(lines) * height + note / 2 + t.px(1)
                self._canvas.text(x, below, spoke.axis, role="note", color=t.soft, align=align)


def _in_lines(canvas: Canvas, label: str) -> list[str]:
    """The label, in two lines of about the same width where one would be long."""
    blanks = [place for place, letter in enumerate(label) if letter == " "]
    if not blanks or canvas.width_of(label) <= canvas.tokens.px(LONG_LABEL):
        return [label]
    halves = ((label[:place], label[place + 1 :]) for place in blanks)
    return list(min(halves, key=lambda pair: max(map(canvas.width_of, pair))))
