"""The items on a plot: each paints itself, takes a theme, describes its values, and is saved as columns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainterPath, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from biasprint.core.draw.canvas import DASHES, MARKERS, outline
from biasprint.desktop import theme
from biasprint.desktop.plots.library import pg
from biasprint.desktop.theme import Tokens, equal_digits

# ---- Colours and pens

LINE_WIDTH = 1.75
BAND_OPACITY = 0.22
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
