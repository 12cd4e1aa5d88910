"""An axis with hairlines, a faint grid, and ticks in our digits."""

import html
import math
from collections.abc import Sequence
from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFontMetricsF

from biasprint.core.draw import digits
from biasprint.desktop.plots.library import pg
from biasprint.desktop.plots.look import font, pen
from biasprint.desktop.theme import Tokens
from biasprint.desktop.widgets.safe_text import safe_line

MOST_PLACES = 9
LONGEST_NAME = 28  # characters of a group at a tick
GRID = 110  # of 255
FEWEST_LETTERS = 2  # lines high, that a name across has as room at least
SEPARATOR = " · "  # of an axis and its identity
GAP = 6  # pixels between two names
COUNT = "count"  # a unit of whole numbers


class PlotAxis(pg.AxisItem):
    """`unit`: a proportion is written in per cent, a count has whole ticks.

    `names`: texts for the values 0, 1, 2 … in place of numbers.
    """

    def __init__(self, side: str, title: str, unit: str = "", names: Sequence[str] = ()) -> None:
        super().__init__(side)
        self.title, self.unit, self.names = title, unit, tuple(names)
        self._room = 100.0  # pixels from one name to the next
        self.enableAutoSIPrefix(False)

    def set_words(self, title: str, unit: str = "", names: Sequence[str] = ()) -> None:
        """What it shows from now on."""
        self.title, self.unit, self.names = title, unit, tuple(names)
        self.picture = None
        self.update()

    def dress(self, tokens: Tokens) -> None:
        size = f"{tokens.note}px"
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
        self.setGrid(False if self.names else 255 if tokens.name == "contrast" else GRID)

    def tickSpacing(self, low: float, high: float, size: float) -> list[tuple[float, float]]:
        found = super().tickSpacing(low, high, size)
        return [(max(1.0, spacing), offset) for spacing, offset in found] if self.unit == COUNT else list(found)

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
        return [digits.fixed(value * factor, places) + digits.sign(self.unit) for value in values]

    def _cut(self, name: str, room: float) -> str:
        """A name as long as its place allows: across, up to the next one."""
        name = safe_line(name)
        if self.orientation == "left":
            return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"
        metrics = QFontMetricsF(self.style["tickFont"])
        # "Gender · Man" on two lines: what names have in common would take the room of what tells them apart.
        lines = name.split(SEPARATOR, 1) if metrics.horizontalAdvance(name) > room - GAP else [name]
        return "\n".join(metrics.elidedText(line, Qt.TextElideMode.ElideRight, room - GAP) for line in lines)
