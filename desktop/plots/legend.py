"""The legend of a plot: each series' sign or line with its name, in as many lines as that takes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from biasprint.core.draw.canvas import LABEL_LINE, outline, series_color
from biasprint.desktop import theme
from biasprint.desktop.charts.canvas import PaintCanvas, below
from biasprint.desktop.plots.look import OTHERS_SIGN, dashes, marker
from biasprint.desktop.theme import Tokens
from biasprint.desktop.widgets.safe_text import safe_line

SIGN, BETWEEN = 24.0, 18.0  # pixels: of a sign with its gap, and between two entries


@dataclass(frozen=True)
class LegendEntry:
    """A series by its name and place; `kind`: how it is drawn."""

    name: str
    place: int
    kind: Literal["sign", "line", "floor", "color", "shape"] = "sign"


def draw_legend(canvas: PaintCanvas, entries: Sequence[LegendEntry], top: float = 0) -> float:
    """Draw the entries from `top` on; where the next thing begins."""
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
    """Shows the entries; as high as they need at its width."""

    def __init__(self) -> None:
        super().__init__()
        self._entries: tuple[LegendEntry, ...] = ()
        self._tokens: Tokens | None = None
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        theme.signals.changed.connect(self._restyle)

    @property
    def entries(self) -> tuple[LegendEntry, ...]:
        return self._entries

    def show_entries(self, entries: Sequence[LegendEntry]) -> None:
        if tuple(entries) != self._entries:
            self._entries = tuple(entries)
            self.setAccessibleName(", ".join(safe_line(entry.name) for entry in entries))
            self._restyle()
        self.setVisible(bool(entries))

    def set_tokens(self, tokens: Tokens) -> None:
        """From now on its own, such as larger ones."""
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
        return below(painter, tokens, 0, width, lambda canvas: draw_legend(canvas, self._entries))[0]

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._draw(painter, self._tokens or theme.current(), self.width())
        painter.end()
