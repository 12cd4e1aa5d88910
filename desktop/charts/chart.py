"""The chart widget: draws a view, tells the figure under the pointer or the focus, and opens it."""

import html

from PySide6.QtCore import QEvent, QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QColor,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from desktop import theme
from desktop.charts.canvas import Canvas, Spot
from desktop.charts.draw import draw
from desktop.charts.view import View
from desktop.charts.words import describe, stand_in_lines
from desktop.widgets.safe_text import safe_line
from desktop.widgets.words import tr

MIN_WIDTH = 320
NEXT_KEYS = (Qt.Key.Key_Down, Qt.Key.Key_Right)
PREVIOUS_KEYS = (Qt.Key.Key_Up, Qt.Key.Key_Left)
OPEN_KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
MOST_WIDTHS = 8


class Chart(QWidget):
    """Shows one view. Arrow keys go from figure to figure, Enter opens one, like a click."""

    opened = Signal(object, str, bool)  # the Finding to open, the chart's words, and whether tests may be shown

    def __init__(self, view: View, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._view = view
        self._spots: list[Spot] = []
        self._pointed: int | None = None
        self._heights: dict[int, int] = {}  # by width: a layout asks for several in turn, and each has to be drawn
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        theme.signals.changed.connect(self._restyle)
        self._describe()

    @property
    def view(self) -> View:
        return self._view

    @property
    def spots(self) -> tuple[Spot, ...]:
        """The places that stand for a number, in reading order, as last drawn."""
        return tuple(self._spots)

    def set_view(self, view: View) -> None:
        """Show other figures; nothing happens when they are the same."""
        if view == self._view:
            return
        self._view = view
        self._restyle()
        self._describe()

    def _restyle(self, _tokens: object = None) -> None:
        self._heights.clear()
        self.updateGeometry()
        self.update()

    def _describe(self) -> None:
        self.setAccessibleName(self._view.title)
        self.setAccessibleDescription("\n".join(safe_line(line) for line in describe(self._view).splitlines()))

    # size: as wide as there is room, as high as that needs

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        if width not in self._heights:
            if len(self._heights) >= MOST_WIDTHS:
                self._heights.clear()  # the window is being resized
            self._heights[width] = round(draw(Canvas(None, theme.current()), self._view, width)) + 1
        return self._heights[width]

    def sizeHint(self) -> QSize:
        width = max(self.width(), theme.current().px(MIN_WIDTH))
        return QSize(width, self.heightForWidth(width))

    def minimumSizeHint(self) -> QSize:
        return QSize(MIN_WIDTH, 0)

    # drawing

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._highlight(painter)
        canvas = Canvas(painter, theme.current())
        draw(canvas, self._view, self.width())
        self._spots = canvas.spots
        painter.end()
        if self._pointed is not None and self._pointed >= len(self._spots):
            self._pointed = None  # there are fewer figures now

    def _highlight(self, painter: QPainter) -> None:
        """The figure under the pointer lies on a tint; with the keyboard it also gets the focus ring."""
        if self._pointed is None or self._pointed >= len(self._spots):
            return
        tokens = theme.current()
        area = self._spots[self._pointed].area.adjusted(-4, 0, 4, 0).intersected(QRectF(self.rect()))
        painter.setBrush(QColor(tokens.hover))
        painter.setPen(QPen(QColor(tokens.focus), 2) if self.hasFocus() else Qt.PenStyle.NoPen)
        painter.drawRoundedRect(area.adjusted(1, 1, -1, -1), 4, 4)

    # pointing and opening

    def _spot_at(self, x: float, y: float) -> int | None:
        # What was drawn last lies on top.
        return next((i for i in reversed(range(len(self._spots))) if self._spots[i].area.contains(x, y)), None)

    def _open(self, index: int) -> None:
        self.opened.emit(self._spots[index].finding, self._spots[index].tip, self._view.complete)

    def _point_at(self, index: int | None) -> None:
        if index != self._pointed:
            self._pointed = index
            self.setCursor(Qt.CursorShape.ArrowCursor if index is None else Qt.CursorShape.PointingHandCursor)
            self.update()

    def _tip(self, index: int) -> str:
        lines = (*self._spots[index].tip.splitlines(), *stand_in_lines(self._view), tr("Click for what is behind it"))
        return "\n".join(safe_line(line) for line in lines)

    def tooltip_at(self, index: int) -> str:
        """The tooltip of a figure. Labels come from files: they are escaped, so that it never renders them."""
        return f"<p style='white-space:pre'>{html.escape(self._tip(index))}</p>"

    def _show_tip(self, index: int, at: QPoint) -> None:
        QToolTip.showText(self.mapToGlobal(at), self.tooltip_at(index), self, self._spots[index].area.toRect())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        index = self._spot_at(event.position().x(), event.position().y())
        if index is not None and index != self._pointed:
            self._show_tip(index, event.position().toPoint())
        self._point_at(index)

    def leaveEvent(self, event: QEvent) -> None:
        self._point_at(None)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        index = self._spot_at(event.position().x(), event.position().y())
        if event.button() == Qt.MouseButton.LeftButton and index is not None:
            self._open(index)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if self._spots and key in (*NEXT_KEYS, *PREVIOUS_KEYS):
            self._step(1 if key in NEXT_KEYS else -1)
        elif self._pointed is not None and key in OPEN_KEYS:
            self._open(self._pointed)
        else:
            super().keyPressEvent(event)

    def _step(self, by: int) -> None:
        before = self._pointed if self._pointed is not None else (-1 if by > 0 else 0)
        self._point_at((before + by) % len(self._spots))
        assert self._pointed is not None
        self._show_tip(self._pointed, self._spots[self._pointed].area.bottomLeft().toPoint())
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, self._tip(self._pointed)))

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._point_at(None)
        super().focusOutEvent(event)
