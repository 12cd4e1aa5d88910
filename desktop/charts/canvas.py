"""The canvas of figures on a QPainter: on a widget, into a picture, or nowhere, only to measure the height."""

from collections.abc import Callable, Sequence
from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPainterPath, QPen, QPolygonF

from biasprint.core.draw.canvas import BOLD, SIZES, Anchor, Canvas, Point, TextStyle
from biasprint.core.language import InLanguage, tr
from biasprint.desktop.theme import equal_digits
from biasprint.desktop.theme.tokens import Tokens
from biasprint.desktop.widgets.safe_text import safe_line


class PaintCanvas(Canvas):
    """A canvas that only measures when it has no painter. Colours and typeface are the theme's."""

    def __init__(self, painter: QPainter | None, tokens: Tokens, width: float) -> None:
        super().__init__(width)
        self._painter = painter
        if painter is not None:
            painter.setLayoutDirection(Qt.LayoutDirection.LeftToRight)  # figures and intervals are never mirrored
        self._family = tokens.family
        self._colors = roles(tokens)
        self._widths: dict[tuple[str, TextStyle], float] = {}

    def measure(self, text: str, style: TextStyle) -> float:
        if (text, style) not in self._widths:
            self._widths[text, style] = _metrics(self._family, style).horizontalAdvance(safe_line(tr(text)))
        return self._widths[text, style]

    def text(
        self, x: float, y: float, text: str, style: TextStyle = "note", color: str = "soft", anchor: Anchor = "start"
    ) -> None:
        if self._painter is not None:
            text = InLanguage(safe_line(tr(text)))
            width = 0.0 if anchor == "start" else self.measure(text, style)
            self._painter.setFont(_font(self._family, style))
            self._painter.setPen(self._colors[color])
            self._painter.drawText(QPointF(x - (width / 2 if anchor == "middle" else width), y), text)

    def rect(
        self, x: float, y: float, width: float, height: float, fill: str = "", edge: str = "", opacity: float = 1,
        radius: float = 0,
    ) -> None:  # fmt: skip
        if self._painter is not None:
            self._painter.setPen(self._pen(edge, 1, ()))
            self._painter.setBrush(self._brush(fill, opacity))
            self._painter.drawRoundedRect(QRectF(x, y, width, height), radius, radius)

    def path(
        self,
        points: Sequence[Point],
        *,
        color: str = "",
        fill: str = "",
        width: float = 1,
        dash: Sequence[float] = (),
        closed: bool = False,
        opacity: float = 1,
    ) -> None:
        if self._painter is None:
            return
        path = QPainterPath()
        path.addPolygon(QPolygonF([QPointF(x, y) for x, y in points]))
        if closed and points:
            path.closeSubpath()
        self._painter.setPen(self._pen(color, width, dash))
        self._painter.setBrush(self._brush(fill, opacity))
        self._painter.drawPath(path)

    def _pen(self, color: str, width: float, dash: Sequence[float]) -> QPen:
        if not color:
            return QPen(Qt.PenStyle.NoPen)
        pen = QPen(self._colors[color], width)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        if dash:
            pen.setDashPattern([length / width for length in dash])  # Qt counts dashes in pen widths
        return pen

    def _brush(self, fill: str, opacity: float) -> QColor:
        if not fill:
            return QColor(Qt.GlobalColor.transparent)
        color = QColor(self._colors[fill])
        color.setAlphaF(opacity)
        return color


def below(
    painter: QPainter | None, tokens: Tokens, top: float, width: float, drawing: Callable[[PaintCanvas], float]
) -> tuple[float, PaintCanvas]:
    """Draw something from `top` on at the reader's size of type; return where it ends, and its canvas."""
    canvas = PaintCanvas(painter, tokens, width / tokens.scale)
    if painter is None:
        return top + drawing(canvas) * tokens.scale, canvas
    painter.save()
    painter.translate(0, top)
    painter.scale(tokens.scale, tokens.scale)
    height = drawing(canvas)
    painter.restore()
    return top + height * tokens.scale, canvas


def roles(tokens: Tokens) -> dict[str, QColor]:
    """Return the theme's colours by the names that figures use."""
    named = {
        "ink": tokens.ink,
        "soft": tokens.soft,
        "line": tokens.grid_line,
        "edge": tokens.edge,
        "surface": tokens.surface,
        "floor": tokens.floor,
        "warn": tokens.warn,
        "warn-soft": tokens.warn_soft,
        "above": tokens.series[0].color,
        "below": tokens.series[1].color,
        **{f"series-{place}": series.color for place, series in enumerate(tokens.series, 1)},
    }
    return {name: QColor(color) for name, color in named.items()}


@lru_cache(maxsize=32)
def _font(family: str, style: TextStyle) -> QFont:
    font = QFont(family)
    font.setPixelSize(round(SIZES[style]))
    font.setWeight(QFont.Weight.DemiBold if style in BOLD else QFont.Weight.Normal)
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    equal_digits(font)
    return font


@lru_cache(maxsize=32)
def _metrics(family: str, style: TextStyle) -> QFontMetricsF:
    return QFontMetricsF(_font(family, style))
