"""A heat map: a value per row and column as a colour, and as a number wherever it has room."""

from collections.abc import Callable, Sequence

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QPainter, QTransform
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from biasprint.core.draw import digits
from biasprint.desktop import theme
from biasprint.desktop.plots.item import Columns, PlotBounds, PlotItem, font, pen
from biasprint.desktop.theme import Tokens

GAP = 1.0  # pixels between cells
MOST_FOR_DECIMAL = 100.0  # how wide a scale around a middle is at most
STRONGEST = 0.85  # how much of the colour an extreme value has


class HeatCells(PlotItem):
    """The cells. `set_values`: a row per name, upwards from 0. Not a number: a hatched cell.

    With a `middle` each side has its own colour, equally strong at equal distance; without it, one colour grows with
    the value.
    """

    def __init__(self, name: str = "", unit: str = "") -> None:
        super().__init__(name)
        self.unit = unit
        self.row_names: tuple[str, ...] = ()
        self.column_names: tuple[str, ...] = ()
        self.words: Callable[[int, int], str] = lambda row, column: ""
        """Return the tip of a cell."""
        self._values = np.empty((0, 0))
        self._counts = np.empty((0, 0), dtype=int)
        self._middle: float | None = None
        self.dress(theme.current())

    def set_values(
        self,
        values: np.ndarray,
        counts: np.ndarray,
        rows: Sequence[str],
        columns: Sequence[str],
        *,
        middle: float | None = None,
    ) -> None:
        """Show these values; `counts`: the number of texts behind each, shape as `values`."""
        self._values, self._counts, self._middle = np.asarray(values, dtype=float), np.asarray(counts), middle
        self.row_names, self.column_names = tuple(rows), tuple(columns)
        empty = not self._values.size
        self.set_bounds(None if empty else PlotBounds(-0.5, len(columns) - 0.5, -0.5, len(rows) - 0.5))
        self.update()

    def dress(self, tokens: Tokens) -> None:
        self._tokens = tokens
        super().dress(tokens)

    def cell_at(self, x: float, y: float) -> tuple[int, int] | None:
        """Return row and column of a place; None outside the cells."""
        row, column = round(y), round(x)
        rows, columns = self._values.shape
        return (row, column) if 0 <= row < rows and 0 <= column < columns else None

    def scale(self) -> tuple[float, float]:
        """Return the values of the strongest colours, the lower first."""
        known = self._values[np.isfinite(self._values)]
        if not len(known):
            return 0.0, 1.0
        if self._middle is None:
            low, high = float(known.min()), float(known.max())
            return (low, high) if high > low else (low - 1.0, high)
        reach = float(np.abs(known - self._middle).max()) or 1.0
        return self._middle - reach, self._middle + reach

    def color_of(self, value: float) -> QColor:
        low, high = self.scale()
        if self._middle is None:
            return self._mixed(self._tokens.series[0].color, (value - low) / (high - low))
        strength = (value - self._middle) / (high - self._middle)
        return self._mixed(self._tokens.series[1 if strength > 0 else 0].color, abs(strength))

    def _mixed(self, color: str, strength: float) -> QColor:
        own, ground, part = QColor(color), QColor(self._tokens.surface), 0.05 + STRONGEST * strength
        pairs = zip(own.getRgb()[:3], ground.getRgb()[:3], strict=True)
        return QColor(*(round(part * a + (1 - part) * b) for a, b in pairs))

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        to_pixels, view = painter.worldTransform(), self.viewRect()
        rows, columns = self._values.shape
        painter.save()
        painter.setWorldTransform(QTransform())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setFont(font(self._tokens))
        shown = QFontMetricsF(font(self._tokens))
        for row in range(max(0, round(view.top())), min(rows, round(view.bottom()) + 1)):
            for column in range(max(0, round(view.left())), min(columns, round(view.right()) + 1)):
                area = to_pixels.mapRect(QRectF(column - 0.5, row - 0.5, 1, 1)).adjusted(GAP, GAP, -GAP, -GAP)
                self._paint_cell(painter, area, float(self._values[row, column]), shown)
        painter.restore()

    def _paint_cell(self, painter: QPainter, area: QRectF, value: float, metrics: QFontMetricsF) -> None:
        tokens = self._tokens
        if not np.isfinite(value):
            painter.fillRect(area, QBrush(QColor(tokens.edge), Qt.BrushStyle.BDiagPattern))
            return
        color = self.color_of(value)
        painter.fillRect(area, color)
        text = self._written(value)
        width = metrics.horizontalAdvance(text)
        if width + 6 > area.width() or metrics.height() > area.height():
            return
        # Black or white, whichever stands out more from the cell.
        painter.setPen(pen("#000000" if _lightness(color) > 0.18 else "#FFFFFF"))
        baseline = area.center().y() + (metrics.ascent() - metrics.descent()) / 2
        painter.drawText(QPointF(area.center().x() - width / 2, baseline), text)

    def _written(self, value: float) -> str:
        """Format with as many decimals as the cells' differences deserve."""
        factor = 100 if digits.is_proportion(self.unit) else 1
        low, high = self.scale()
        places = digits.places(value, low * factor, high * factor)
        if self._middle is not None and high - low < MOST_FOR_DECIMAL:
            places = max(1, places)  # which side of a mark such as 2 it lies on
        return digits.fixed(value * factor, places) + digits.sign(self.unit)

    def columns(self) -> Columns:
        rows, columns = self._values.shape
        return {
            "row": [name for name in self.row_names for _ in range(columns)],
            "column": list(self.column_names) * rows,
            "value": self._values.ravel(),
            "n": self._counts.ravel(),
        }

    def told(self, x: float, y: float, near: tuple[float, float]) -> str:
        cell = self.cell_at(x, y)
        return "" if cell is None else self.words(*cell)


def _lightness(color: QColor) -> float:
    """Return the relative luminance of WCAG, from 0 to 1; at 0.18 black and white contrast equally."""
    parts = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in color.getRgbF()[:3])
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), parts, strict=True))
