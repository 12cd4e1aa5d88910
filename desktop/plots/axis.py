"""An axis with hairlines, a faint grid, and ticks in our digits."""

import html
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from biasprint.core.draw import digits
from biasprint.core.draw.canvas import LABEL_LINE, outline, series_color
from biasprint.core.language import tr
from biasprint.desktop import theme
from biasprint.desktop.charts.chart import PaintCanvas, below
from biasprint.desktop.plots.band import OTHERS_SIGN, dashes, font, marker, pen
from biasprint.desktop.plots.library import pg
from biasprint.desktop.theme import Tokens
from biasprint.desktop.widgets.safe_text import safe_line
from biasprint.desktop.widgets.words import number

# ---- Legend

SIGN, BETWEEN = 24.0, 18.0  # pixels: of a sign with its gap, and between two entries


@dataclass(frozen=True)
class LegendEntry:
    """A series by its name and place; `kind`: how it is drawn."""

    name: str
    place: int
    kind: Literal["sign", "line", "floor", "color", "shape"] = "sign"


def draw_legend(canvas: PaintCanvas, entries: Sequence[LegendEntry], top: float = 0) -> float:
    """Draw the entries from `top` on; return where the next thing begins."""
    x, y = 0.0, top
    for entry in entries:
        name = canvas.cut(safe_line(entry.name), "note", canvas.width - SIGN)
        width = SIGN + canvas.measure(name, "note")
        if x and x + width > canvas.width:
            x, y = 0.0, y + LABEL_LINE
        _draw_sign(canvas, entry, x + 8, y + LABEL_LINE / 2)
        canvas.text(x + SIGN, y + LABEL_LINE / 2 + 4, name, "note", "ink")
        x += width + BETWEEN
    return y + LABEL_LINE if entries else top


def _draw_sign(canvas: PaintCanvas, entry: LegendEntry, x: float, y: float) -> None:
    if entry.kind == "floor":
        canvas.rect(x - 8, y - 5, 16, 10, "floor", "edge")
    elif entry.kind == "line":
        color = series_color(entry.place) if entry.place >= 0 else "soft"
        canvas.rect(x - 10, y - 5, 20, 10, color, opacity=0.22)
        canvas.line(x - 10, y, x + 10, y, color, 2, dashes(entry.place))
    elif entry.kind == "color":
        canvas.rect(x - 6, y - 6, 12, 12, series_color(entry.place) if entry.place >= 0 else "soft")
    elif entry.kind == "shape":
        canvas.path([(x + dx, y + dy) for dx, dy in outline(marker(entry.place))], fill="ink", closed=True)
    elif entry.place < 0:
        canvas.path([(x + dx, y + dy) for dx, dy in outline(OTHERS_SIGN)], color="surface", fill="soft", closed=True)
    else:
        canvas.marker(entry.place, x, y)


class Legend(QWidget):
    """A widget with the entries, as high as they need at its width."""

    def __init__(self) -> None:
        super().__init__()
        self.entries: tuple[LegendEntry, ...] = ()
        self._tokens: Tokens | None = None
        self.setLayoutDirection(Qt.LayoutDirection.LeftToRight)  # as the plot it belongs to
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        theme.signals.changed.connect(self._restyle)

    def show_entries(self, entries: Sequence[LegendEntry]) -> None:
        if tuple(entries) != self.entries:
            self.entries = tuple(entries)
            self.setAccessibleName(tr(", ".join(safe_line(entry.name) for entry in entries)))
            self._restyle()
        self.setVisible(bool(entries))

    def set_tokens(self, tokens: Tokens) -> None:
        """Use tokens of its own from now on, such as larger ones."""
        self._tokens = tokens
        self._restyle()

    def _restyle(self, _tokens: object = None) -> None:
        self.updateGeometry()
        self.update()

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return round(self._draw(None, self._tokens or theme.current(), width)) + 2

    def sizeHint(self) -> QSize:
        return QSize(200, self.heightForWidth(max(200, self.width())))

    def minimumSizeHint(self) -> QSize:
        return QSize(120, self.heightForWidth(max(120, self.width())))

    def _draw(self, painter: QPainter | None, tokens: Tokens, width: float) -> float:
        return below(painter, tokens, 0, width, lambda canvas: draw_legend(canvas, self.entries))[0]

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._draw(painter, self._tokens or theme.current(), self.width())
        painter.end()


MOST_PLACES = 9
LONGEST_NAME = 28  # characters of a group at a tick
GRID = 110  # of 255
FEWEST_LETTERS = 2  # lines high, that a name across has as room at least
SEPARATOR = " · "  # of an axis and its identity
GAP = 6  # pixels between two names
COUNT = "count"  # a unit of whole numbers


class PlotAxis(pg.AxisItem):
    """An axis. `unit`: a proportion is written in per cent, a count has whole ticks.

    `names`: texts for the values 0, 1, 2 …, in place of numbers.
    """

    # pyqtgraph sizes an axis while it is being made.
    _length = 0  # in which the title has been laid out
    _ends = 12  # pixels by which the first and the last label may stand out

    def __init__(self, side: str, title: str, unit: str = "", names: Sequence[str] = ()) -> None:
        super().__init__(side)
        self.title, self.unit, self.names = title, unit, tuple(names)
        self._room = 100.0  # pixels from one name to the next
        self.enableAutoSIPrefix(False)

    def set_words(self, title: str, unit: str = "", names: Sequence[str] = ()) -> None:
        """Set the title, unit and names of the axis."""
        self.title, self.unit, self.names = title, unit, tuple(names)
        self.picture = None
        self.update()

    def dress(self, tokens: Tokens) -> None:
        self._ends, size = tokens.px(12), f"{tokens.note}px"
        self.setLabel(html.escape(safe_line(self.title)), **{"color": tokens.soft, "font-size": size})
        self.showLabel(bool(self.title))
        self.setTickFont(font(tokens))
        self.setPen(pen(tokens.edge, tokens.hairline))
        self.setTickPen(pen(tokens.grid_line, tokens.hairline))
        self.setTextPen(QColor(tokens.soft))
        self.setStyle(
            tickLength=0,
            tickTextOffset=tokens.px(6),
            maxTickLevel=0,
            maxTextLevel=0,
            hideOverlappingLabels=True,
            autoExpandTextSpace=True,
        )
        if self.orientation == "bottom":
            # pyqtgraph takes several lines for less high than they are.
            two_lines = math.ceil(2 * QFontMetricsF(font(tokens)).height()) + tokens.px(6)
            self.setHeight(two_lines if any(SEPARATOR in name for name in self.names) else None)
        self._fit_title()
        self.setGrid(False if self.names else 255 if tokens.name == "contrast" else GRID)

    def boundingRect(self) -> QRectF:
        """Return its room, with what half a label at either end needs: labels outside are not drawn."""
        return super().boundingRect().adjusted(-self._ends, -self._ends, self._ends, self._ends)

    def labelString(self) -> str:
        return f"<center>{super().labelString()}</center>"

    def resizeEvent(self, event: object = None) -> None:
        if self.label is not None and round(self._along()) != self._length:
            self._fit_title()
        super().resizeEvent(event)

    def _along(self) -> float:
        return float(self.size().height() if self.orientation == "left" else self.size().width())

    def _fit_title(self) -> None:
        """Give the title as many lines as it needs along the axis."""
        self._length = round(self._along())
        self.label.setTextWidth(-1)
        self.label.setTextWidth(min(self.label.boundingRect().width(), max(self._length, 1)))
        self._adjustSize()

    def tickSpacing(self, low: float, high: float, size: float) -> list[tuple[float, float]]:
        spacings = super().tickSpacing(low, high, size)
        return [(max(1.0, spacing), offset) for spacing, offset in spacings] if self.unit == COUNT else list(spacings)

    def tickValues(self, low: float, high: float, size: float) -> list[tuple[float, list[float]]]:
        if self.names:
            self._room = size / max(high - low, 1e-9)
            line = 1.2 * self.style["tickFont"].pixelSize()
            stride = max(1, math.ceil((line if self.orientation == "left" else FEWEST_LETTERS * line) / self._room))
            shown = range(max(0, math.ceil(low)), min(len(self.names) - 1, math.floor(high)) + 1)
            return [(1.0, [float(place) for place in shown if place % stride == 0])]
        return list(super().tickValues(low, high, size))[:1]

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        if self.names:
            stride = max(1.0, min((b - a for a, b in pairwise(values)), default=1.0))
            return [self._cut(self.names[round(value)], stride * self._room) for value in values]
        factor = 100 if digits.is_proportion(self.unit) else 1
        step = abs(spacing * factor) or 1.0
        places = min(MOST_PLACES, max(0, math.ceil(-math.log10(step) - 1e-9)))
        if not math.isclose(round(step, places), step, rel_tol=1e-6):
            places += 1  # a step of 2.5
        return [number(value * factor, places) + tr(digits.sign(self.unit)) for value in values]

    def _cut(self, name: str, room: float) -> str:
        """Shorten a name to the room it has: across, up to the next one."""
        name = safe_line(tr(name))
        if self.orientation == "left":
            return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"
        metrics = QFontMetricsF(self.style["tickFont"])
        # "Gender · Man" on two lines: what names have in common would take the room of what tells them apart.
        lines = name.split(SEPARATOR, 1) if metrics.horizontalAdvance(name) > room - GAP else [name]
        return "\n".join(metrics.elidedText(line, Qt.TextElideMode.ElideRight, room - GAP) for line in lines)
