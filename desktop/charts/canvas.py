"""A thin layer over QPainter: text in the theme's sizes, marks with a second cue, and spots that can be pointed at.

Without a painter it only measures, so that a chart is laid out by the same code that draws it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetricsF, QPainter, QPainterPath, QPen, QPolygonF

from core.findings import Finding
from desktop.theme.tokens import Tokens
from desktop.widgets.safe_text import safe_line

Role = Literal["note", "control", "strong"]
Align = Literal["left", "center", "right"]
DEEPEST_TINT = 0.5


@dataclass(frozen=True)
class Spot:
    """A place on the chart that stands for a number."""

    area: QRectF
    tip: str
    finding: Finding


class Canvas:
    """What charts draw on. Coordinates are device-independent pixels."""

    def __init__(self, painter: QPainter | None, tokens: Tokens) -> None:
        self._painter = painter
        self.tokens = tokens
        self.spots: list[Spot] = []
        self._fonts = {
            "note": _font(tokens, tokens.note, QFont.Weight.Normal),
            "control": _font(tokens, tokens.control, QFont.Weight.Normal),
            "strong": _font(tokens, tokens.control, QFont.Weight.DemiBold),
        }
        self._metrics = {role: QFontMetricsF(font) for role, font in self._fonts.items()}

    def within(self, top: float, drawing: Callable[["Canvas"], float]) -> float:
        """Let `drawing` draw below `top` as if it were the top; its answer."""
        before = len(self.spots)
        if self._painter is not None:
            self._painter.save()
            self._painter.translate(0, top)
        answer = drawing(self)
        if self._painter is not None:
            self._painter.restore()
        self.spots[before:] = [replace(spot, area=spot.area.translated(0, top)) for spot in self.spots[before:]]
        return answer

    def width_of(self, text: str, role: Role = "control") -> float:
        return self._metrics[role].horizontalAdvance(text)

    def height_of(self, role: Role = "control") -> float:
        return self._metrics[role].height()

    def text(
        self,
        x: float,
        middle: float,
        text: str,
        *,
        role: Role = "control",
        color: str = "",
        align: Align = "left",
        room: float | None = None,
    ) -> float:
        """One line, centred on `middle`, cut with an ellipsis where it is wider than `room`; returns its width."""
        metrics = self._metrics[role]
        text = safe_line(text)
        if room is not None:
            text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, max(room, 0))
        width = metrics.horizontalAdvance(text)
        if self._painter is not None:
            left = x - width * {"left": 0.0, "center": 0.5, "right": 1.0}[align]
            self._painter.setFont(self._fonts[role])
            self._painter.setPen(QColor(color or self.tokens.ink))
            self._painter.drawText(QPointF(left, middle + (metrics.ascent() - metrics.descent()) / 2), text)
        return width

    def paragraph(
        self,
        x: float,
        top: float,
        width: float,
        text: str,
        *,
        role: Role = "note",
        color: str = "",
        centred: bool = False,
    ) -> float:
        """Wrapped text; returns the height it takes."""
        across = Qt.AlignmentFlag.AlignHCenter if centred else Qt.AlignmentFlag.AlignLeft
        flags = Qt.TextFlag.TextWordWrap | across | Qt.AlignmentFlag.AlignTop
        text = safe_line(text)
        box = self._metrics[role].boundingRect(QRectF(0, 0, width, 10_000), int(flags), text)
        if self._painter is not None:
            self._painter.setFont(self._fonts[role])
            self._painter.setPen(QColor(color or self.tokens.soft))
            self._painter.drawText(QRectF(x, top, width, box.height() + 1), int(flags), text)
        return box.height()

    def line(
        self, x1: float, y1: float, x2: float, y2: float, color: str, width: float = 1.0, dash: Sequence[float] = ()
    ) -> None:
        if self._painter is not None:
            self._painter.setPen(stroke(color, width, dash))
            self._painter.drawLine(QPointF(x1, y1), QPointF(x2, y2))

    def floor(self, area: QRectF) -> None:
        """A piece of noise floor; its right end, the 95th percentile, is a line that can be seen in every theme."""
        self._shade(area)
        self.line(area.right(), area.top(), area.right(), area.bottom(), self.tokens.edge)

    def floor_column(self, area: QRectF) -> None:
        """The same upright, its 95th percentile at the top."""
        self._shade(area)
        self.line(area.left(), area.top(), area.right(), area.top(), self.tokens.edge)

    def _shade(self, area: QRectF) -> None:
        if self._painter is not None:
            self._painter.fillRect(area, QColor(self.tokens.floor))

    def tint(self, area: QRectF, tint: float) -> None:
        """A cell's colour, from the second series' (−1) over none (0) to the first's (1); text stays readable on it."""
        if self._painter is not None:
            color = QColor(self.tokens.series[0 if tint >= 0 else 1].color)
            color.setAlphaF(DEEPEST_TINT * min(abs(tint), 1.0))
            self._painter.fillRect(area, QColor(self.tokens.surface))
            self._painter.fillRect(area, color)

    def bar(self, area: QRectF, series: int) -> None:
        """A bar in the series' colour, with its pattern as the second cue."""
        if self._painter is None:
            return
        look = self.tokens.series[series % len(self.tokens.series)]
        color, pattern = QColor(look.color), Qt.BrushStyle[look.pattern]
        tint = QColor(color)
        tint.setAlphaF(0.6 if pattern == Qt.BrushStyle.SolidPattern else 0.2)
        self._painter.setPen(stroke(look.color, 1.0))
        self._painter.setBrush(tint)
        self._painter.drawRect(area)
        if pattern != Qt.BrushStyle.SolidPattern:
            self._painter.setBrush(QBrush(color, pattern))
            self._painter.drawRect(area)

    def polygon(self, points: Sequence[QPointF], *, outline: QPen | None = None, fill: QColor | None = None) -> None:
        if self._painter is not None:
            self._painter.setPen(outline or QPen(Qt.PenStyle.NoPen))
            self._painter.setBrush(fill or QBrush(Qt.BrushStyle.NoBrush))
            self._painter.drawPolygon(QPolygonF(list(points)))

    def floor_ring(self, outer: Sequence[QPointF], inner: Sequence[QPointF]) -> None:
        """The noise floor between two polygons, outlined so that it can be seen in every theme."""
        if self._painter is not None:
            path = QPainterPath()
            path.addPolygon(QPolygonF([*outer, outer[0]]))
            path.addPolygon(QPolygonF([*inner, inner[0]]))
            self._painter.setPen(stroke(self.tokens.edge, 1.0, (1, 2)))
            self._painter.setBrush(QColor(self.tokens.floor))
            self._painter.drawPath(path)

    def marker(self, at: QPointF, series: int, *, hollow: bool = False) -> None:
        """The series' sign; hollow for a second variant of the same number."""
        if self._painter is None:
            return
        look = self.tokens.series[series % len(self.tokens.series)]
        self._painter.setPen(stroke(look.color, 2.0))
        self._painter.setBrush(QColor(self.tokens.surface if hollow else look.color))
        self._painter.drawPath(marker_path(look.marker, self.tokens.px(4)).translated(at))

    def reference(self, at: QPointF) -> None:
        """A value that a paper prints: an open diamond, through which an estimate in the same place can be seen."""
        if self._painter is not None:
            self._painter.setPen(stroke(self.tokens.ink, 1.25))
            self._painter.setBrush(Qt.BrushStyle.NoBrush)
            self._painter.drawPath(marker_path("d", self.tokens.px(4)).translated(at))

    def spot(self, area: QRectF, tip: str, finding: Finding) -> None:
        self.spots.append(Spot(area, tip, finding))


def _font(tokens: Tokens, size: int, weight: QFont.Weight) -> QFont:
    font = QFont(tokens.family)
    font.setPixelSize(size)
    font.setWeight(weight)
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    return font


def stroke(color: str, width: float, dash: Sequence[float] = ()) -> QPen:
    pen = QPen(QColor(color), width)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    if dash:
        # Qt counts dashes in pen widths; the tokens in pixels of a hairline.
        pen.setDashPattern([length / width for length in dash])
    return pen


_Point = tuple[float, float]
_POLYGONS: dict[str, tuple[_Point, ...]] = {
    "s": ((-1, -1), (1, -1), (1, 1), (-1, 1)),
    "t1": ((0, -1.2), (1.1, 0.9), (-1.1, 0.9)),
    "d": ((0, -1.35), (1.35, 0), (0, 1.35), (-1.35, 0)),
    "p": ((0, -1.2), (1.14, -0.37), (0.7, 0.97), (-0.7, 0.97), (-1.14, -0.37)),
}
_UPRIGHT: tuple[tuple[_Point, _Point], ...] = (((-1.2, 0), (1.2, 0)), ((0, -1.2), (0, 1.2)))
_SLANTED: tuple[tuple[_Point, _Point], ...] = (((-0.9, -0.9), (0.9, 0.9)), ((-0.9, 0.9), (0.9, -0.9)))
_STROKES = {"x": _SLANTED, "+": _UPRIGHT, "star": (*_UPRIGHT, *_SLANTED)}


def marker_path(sign: str, r: float) -> QPainterPath:
    """The outline of a marker of radius r around the origin, by the tokens' name for it; a circle for "o"."""
    path = QPainterPath()
    if sign in _POLYGONS:
        path.addPolygon(QPolygonF([QPointF(x * r, y * r) for x, y in _POLYGONS[sign]]))
        path.closeSubpath()
    elif sign in _STROKES:
        for start, end in _STROKES[sign]:
            path.moveTo(start[0] * r, start[1] * r)
            path.lineTo(end[0] * r, end[1] * r)
    else:
        path.addEllipse(QPointF(0, 0), r, r)
    return path
