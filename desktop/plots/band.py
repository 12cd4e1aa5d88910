"""Items of a plot: what all of them share, lines with their bands, which grow with the data, and regions such as the
noise floor.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPaintEngine, QPainter, QPainterPath, QPen, QPolygonF, QTransform
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from biasprint.core.draw import digits
from biasprint.core.draw.canvas import DASHES, MARKERS, outline
from biasprint.desktop import theme
from biasprint.desktop.plots.library import pg
from biasprint.desktop.theme import Tokens, equal_digits
from biasprint.desktop.widgets import tr

# ---- Colours and pens

LINE_WIDTH = 1.75
BAND_OPACITY = 0.22
CROWDED_OPACITY = 0.13  # of bands in a crowd: every line stands out 3:1 from all of them together in high contrast
DRAWN_OPACITY = 0.1  # of the same in a drawing or on a page, where they add up
OTHERS_SIGN, OTHERS_DASH = MARKERS[-1], DASHES[-1]  # of what has no series of its own


def series_color(tokens: Tokens, place: int) -> QColor:
    """Return the colour of a series by its place; for the others, the soft ink."""
    return QColor(tokens.soft if place < 0 else tokens.series[place % len(tokens.series)].color)


def marker(place: int) -> str:
    """Return the name of a series' sign, its second cue."""
    return OTHERS_SIGN if place < 0 else MARKERS[place % len(MARKERS)]


def dashes(place: int) -> Sequence[float]:
    """Return the dashes of a series' line, its second cue."""
    return OTHERS_DASH if place < 0 else DASHES[place % len(DASHES)]


def pen(color: QColor | str, width: float = 1, dash: Sequence[float] = ()) -> QPen:
    """Return a pen whose width and dashes are pixels at every zoom."""
    made = QPen(QColor(color), width)
    made.setCosmetic(True)
    made.setCapStyle(Qt.PenCapStyle.FlatCap)
    made.setJoinStyle(Qt.PenJoinStyle.BevelJoin)  # others take several times as long where points are many
    if dash:
        made.setDashPattern([length / width for length in dash])  # Qt counts dashes in pen widths
    return made


def series_pen(tokens: Tokens, place: int, width: float = LINE_WIDTH) -> QPen:
    """Return a pen for items that paint in the window's pixels: equally wide on a screen of higher resolution."""
    made = pen(series_color(tokens, place), tokens.scale * width, dashes(place))
    made.setCosmetic(False)
    return made


def faded(color: QColor | str, opacity: float) -> QColor:
    made = QColor(color)
    made.setAlphaF(opacity)
    return made


def mixed(ground: QColor | str, color: QColor, share: float) -> QColor:
    """Return a colour as it looks on a ground with so much opacity."""
    under = QColor(ground)
    return QColor(*(round(a + (b - a) * share) for a, b in zip(under.toTuple()[:3], color.toTuple()[:3], strict=True)))


def font(tokens: Tokens) -> QFont:
    """Return the font of an axis's texts."""
    made = QFont(tokens.family)
    made.setPixelSize(tokens.note)
    made.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    equal_digits(made)
    return made


@lru_cache(maxsize=64)
def marker_path(kind: str, size: float) -> QPainterPath:
    """Return the path of a sign about `size` pixels wide around the origin."""
    path = QPainterPath()
    path.addPolygon(QPolygonF([QPointF(x * size / 11, y * size / 11) for x, y in outline(kind)]))
    path.closeSubpath()
    return path


Columns = Mapping[str, Sequence[Any] | np.ndarray]


@dataclass(frozen=True)
class PlotBounds:
    """The bounds of an item, in the plot's own values."""

    left: float
    right: float
    low: float
    high: float

    @classmethod
    def around(cls, x: np.ndarray, *ys: np.ndarray) -> "PlotBounds | None":
        """Return the bounds of points; those that are not finite do not count. None without any."""
        x = x[np.isfinite(x)]
        y = np.concatenate([each[np.isfinite(each)] for each in ys]) if ys else x
        if not len(x) or not len(y):
            return None
        return cls(float(x.min()), float(x.max()), float(y.min()), float(y.max()))

    def with_(self, other: "PlotBounds | None") -> "PlotBounds":
        """Return the bounds of both."""
        if other is None:
            return self
        return PlotBounds(
            min(self.left, other.left), max(self.right, other.right), min(self.low, other.low),
            max(self.high, other.high),
        )  # fmt: skip


class PlotItem(pg.GraphicsObject):
    """An item on a plot. Subclasses paint and give their bounds. `name` and `place` are those of a series."""

    def __init__(self, name: str = "", place: int = 0) -> None:
        super().__init__()
        self.name, self.place = name, place
        self._bounds: PlotBounds | None = None
        self._box = QRectF()

    @property
    def bounds(self) -> PlotBounds | None:
        """Return the bounds of its values; None where it has none, or does not affect the view."""
        return self._bounds

    def set_bounds(self, bounds: PlotBounds | None) -> None:
        if bounds == self._bounds:
            return
        self.prepareGeometryChange()
        self._bounds = bounds
        if bounds is None:
            self._box = QRectF()
        else:
            self._box = QRectF(bounds.left, bounds.low, bounds.right - bounds.left, bounds.high - bounds.low)

    def boundingRect(self) -> QRectF:
        return self._box

    def dress(self, tokens: Tokens) -> None:
        """Take the colours and sizes of a theme."""
        self.update()

    def columns(self) -> Columns:
        """Return the values drawn, as a table with columns of equal length."""
        return {}

    def told(self, x: float, y: float, near: tuple[float, float]) -> str:
        """Return a description of the values at a place, `near` wide and high around it; empty for none."""
        return ""

    def tokens(self) -> Tokens:
        """Return the theme of the plot that holds the item."""
        plot = self.getViewWidget()
        return plot.tokens if isinstance(plot, QWidget) and hasattr(plot, "tokens") else theme.current()


# ---- Lines and regions

DOT = 3.0  # pixels: of a point alone
BESIDE = 6.0  # pixels from one to that of the next series
PIXELS_A_POINT = 2  # a line that is painted through more points takes many times as long, and looks the same


class LiveBand(PlotItem):
    """An estimate over n with the band around it: one series. A gap where the estimate is not finite.

    `stepped`: each value holds until the next, as of a distribution.
    """

    def __init__(self, name: str, place: int = 0, unit: str = "", *, stepped: bool = False) -> None:
        super().__init__(name, place)
        self.unit, self.stepped = unit, stepped
        self.opacity = BAND_OPACITY  # of the band: many that overlap need less
        self.crowded = False  # True: bands over each other are no darker together than the darkest alone
        self.words: Callable[[int], str] = self._words
        """Return the tip of a point, by its index."""
        self.column_names = ("x", "estimate", "low", "high")
        self._x = self._y = self._low = self._high = np.empty(0)
        self._pen, self._fill = QPen(), faded("#000000", 0)
        self.dress(theme.current())

    def set_data(
        self, x: np.ndarray, y: np.ndarray, low: np.ndarray | None = None, high: np.ndarray | None = None
    ) -> None:
        """Show these points; `x` ascending. Without `low` and `high` there is no band."""
        x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
        nothing = np.full(len(x), np.nan)
        self._x, self._y = x, y
        self._low = nothing if low is None else np.asarray(low, dtype=float)
        self._high = nothing if high is None else np.asarray(high, dtype=float)
        self.set_bounds(PlotBounds.around(x, y, self._low, self._high))
        self.update()

    def dress(self, tokens: Tokens) -> None:
        self._pen = series_pen(tokens, self.place)
        color = series_color(tokens, self.place)
        self._fill, self._tint = faded(color, self.opacity), mixed(tokens.surface, color, CROWDED_OPACITY)
        super().dress(tokens)

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        to_pixels = painter.worldTransform()
        shown = self._shown(to_pixels)
        x = to_pixels.m11() * self._x[shown] + to_pixels.dx()
        y, low, high = (to_pixels.m22() * each[shown] + to_pixels.dy() for each in (self._y, self._low, self._high))
        painter.save()
        # In pixels, and the band with plain edges: under a scaling, and smoothed, it takes several times as long.
        painter.setWorldTransform(QTransform())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        self._paint_band(painter, self._around(x, low, high))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(self._pen)
        painter.drawPath(_path(*(_steps(x, y) if self.stepped else (x, y))))
        if len(self._x) == 1 and len(x):
            self._paint_one(painter, float(x[0]), float(y[0]), float(low[0]), float(high[0]))
        painter.restore()

    def _paint_band(self, painter: QPainter, band: QPainterPath) -> None:
        if not self.crowded:
            painter.fillPath(band, self._fill)
        elif painter.paintEngine().type() is QPaintEngine.Type.Raster:
            mode = QPainter.CompositionMode
            painter.setCompositionMode(
                mode.CompositionMode_Lighten if self.tokens().dark else mode.CompositionMode_Darken
            )
            painter.fillPath(band, self._tint)
            painter.setCompositionMode(mode.CompositionMode_SourceOver)
        else:
            painter.fillPath(band, faded(self._fill, DRAWN_OPACITY))

    def _paint_one(self, painter: QPainter, x: float, y: float, low: float, high: float) -> None:
        """Paint a single point, not a line yet: its band is vertical, beside those of others at the same place."""
        x += BESIDE * self.place * self.tokens().scale
        if np.isfinite(low) and np.isfinite(high):
            painter.drawLine(QPointF(x, low), QPointF(x, high))
        if np.isfinite(y):
            painter.setBrush(self._pen.color())
            painter.drawEllipse(QPointF(x, y), DOT, DOT)

    def _shown(self, to_pixels: QTransform) -> np.ndarray:
        """Return the indices of the points to paint: those in view and one beside, as many as the pixels can show."""
        view = self.viewRect()
        first, last = np.searchsorted(self._x, (view.left(), view.right()))
        first, last = max(0, int(first) - 1), min(len(self._x), int(last) + 1)
        most = max(2, int(abs(to_pixels.m11()) * view.width() / PIXELS_A_POINT))
        if last - first <= most:
            return np.arange(first, last)
        stride = -(-(last - first) // most)
        # Counted from the first point, not from the edge of the view: panning must not make a line tremble.
        places = np.arange(first - first % stride, last, stride)
        return places if places[-1] == last - 1 else np.append(places, last - 1)

    def _around(self, x: np.ndarray, low: np.ndarray, high: np.ndarray) -> QPainterPath:
        band = QPainterPath()
        for start, end in _runs(np.isfinite(low) & np.isfinite(high)):
            below, above = (x[start:end], low[start:end]), (x[start:end], high[start:end])
            if self.stepped:
                below, above = _steps(*below), _steps(*above)
            corners = np.concatenate([below[0], above[0][::-1]]), np.concatenate([below[1], above[1][::-1]])
            band.addPath(_path(*corners))
            band.closeSubpath()
        return band

    def columns(self) -> Columns:
        drawn = zip(self.column_names, (self._x, self._y, self._low, self._high), strict=True)
        return {"series": [self.name] * len(self._x), **dict(drawn)}

    def told(self, x: float, y: float, near: tuple[float, float]) -> str:
        if not len(self._x):
            return ""
        place = int(np.clip(np.searchsorted(self._x, x, side="right") - 1, 0, len(self._x) - 1))
        return self.words(place) if np.isfinite(self._y[place]) else ""

    def _words(self, place: int) -> str:
        value, low, high = (float(each[place]) for each in (self._y, self._low, self._high))
        ends = (low, high) if np.isfinite(low) and np.isfinite(high) else (None, None)
        shown = digits.whole(value, *ends, unit=self.unit)
        return tr("{name}: {value} at {x}").format(
            name=self.name, value=shown, x=digits.count(round(float(self._x[place])))
        )


class Region(PlotItem):
    """A stretch of the upright axis across the whole plot: the noise floor; or a line, where both ends are equal.

    It does not affect the view unless it is given bounds; other items do.
    """

    def __init__(self, name: str, low: float, high: float) -> None:
        super().__init__(name)
        self.low, self.high = low, high
        self.setZValue(-500)
        self.dress(theme.current())

    def set_ends(self, low: float, high: float) -> None:
        self.low, self.high = low, high
        self.update()

    def boundingRect(self) -> QRectF:
        return self.viewRect() or QRectF()

    def viewTransformChanged(self) -> None:
        self.prepareGeometryChange()

    def dress(self, tokens: Tokens) -> None:
        self._fill = faded(tokens.floor, 0.8)
        self._edge = pen(tokens.edge, tokens.scale, (4, 3))
        super().dress(tokens)

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        view = self.boundingRect()
        area = QRectF(view.left(), self.low, view.width(), self.high - self.low)
        painter.fillRect(area, self._fill)
        painter.setPen(self._edge)
        painter.drawLine(area.bottomLeft(), area.bottomRight())

    def columns(self) -> Columns:
        return {"series": [self.name], "low": [self.low], "high": [self.high]}


def _steps(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the corners of a line that holds each value until the next."""
    return np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]


def _path(x: np.ndarray, y: np.ndarray) -> QPainterPath:
    return pg.arrayToQPath(x, y, connect="finite") if len(x) else QPainterPath()


def _runs(good: np.ndarray) -> list[tuple[int, int]]:
    """Return the stretches of a mask, as (first, one after the last)."""
    turns = np.flatnonzero(np.diff(np.concatenate([[False], good, [False]]).astype(np.int8)))
    return [(int(start), int(end)) for start, end in zip(turns[::2], turns[1::2], strict=True)]
