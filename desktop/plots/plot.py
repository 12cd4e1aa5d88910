"""The plot widget: a themed view with axes, zoom, pan, a crosshair, marking, and a key for every pointer action."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAction,
    QContextMenuEvent,
    QFocusEvent,
    QKeyEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPolygonF,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QGraphicsPathItem, QMenu

from biasprint.desktop import theme
from biasprint.desktop.plots.axis import PlotAxis
from biasprint.desktop.plots.band import PlotBounds, PlotItem, faded, pen
from biasprint.desktop.plots.library import pg
from biasprint.desktop.theme import Tokens
from biasprint.desktop.widgets import Label, announce, tr
from biasprint.desktop.widgets.keys import is_fresh
from biasprint.desktop.widgets.labels import hidden, show_words
from biasprint.desktop.widgets.safe_text import safe_line

MIN_SIZE = QSize(280, 150)
ZOOM, PAN, STEP = 0.8, 0.1, 0.02  # by a key: of the view
PADDING = 0.04
NEAR = 12  # pixels: how far from the crosshair something still is told
DEEPEST = 1e-6  # zoom: of what there is
FRAME_MILLISECONDS = 16
OUTSIDE = 1.0  # how far one can pan beyond it, in views of all
ARROWS = {
    Qt.Key.Key_Left: (-1, 0), Qt.Key.Key_Right: (1, 0), Qt.Key.Key_Up: (0, 1), Qt.Key.Key_Down: (0, -1),
}  # fmt: skip
OPEN_KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)


class View(pg.ViewBox):
    """The area with the items. Dragging pans, or marks: with Shift held, or while the plot's marking is on."""

    def __init__(self) -> None:
        super().__init__(enableMenu=False)
        self.marking = False
        self.marks: Callable[[QPointF, bool, bool], None] = lambda at, begins, ends: None
        self._dragging_mark = False

    def mouseDragEvent(self, event: "pg.GraphicsScene.mouseEvents.MouseDragEvent", axis: int | None = None) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            event.ignore()
            return
        if event.isStart():
            shifted = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self._dragging_mark = axis is None and (self.marking or shifted)
        if not self._dragging_mark:
            super().mouseDragEvent(event, axis)
            return
        event.accept()
        if event.isStart():
            self.marks(self.mapToView(event.buttonDownPos()), True, False)
        self.marks(self.mapToView(event.pos()), False, event.isFinish())


class Plot(pg.PlotWidget):
    """Items on two axes. It fits them until somebody zooms or pans; `0` fits them again.

    Arrows pan, `+` and `−` zoom. `C` turns the crosshair on for the keyboard: arrows move it, Shift and arrows draw a
    box from it, Enter marks the box, or opens what is under the crosshair, like a click; Esc leaves it.
    """

    picked = Signal(float, float)  # a click, or Enter at the crosshair
    marked = Signal(object)  # the corners that were drawn around something, shape (n, 2)
    pointed = Signal(str)  # what is told at the crosshair
    fitted = Signal(bool)  # whether everything is in view

    def __init__(self, title: str, x: str = "", y: str = "", *, x_unit: str = "", y_unit: str = "") -> None:
        self.tokens = theme.current()
        self.view = View()
        self.x_axis, self.y_axis = PlotAxis("bottom", x, x_unit), PlotAxis("left", y, y_unit)
        super().__init__(viewBox=self.view, axisItems={"bottom": self.x_axis, "left": self.y_axis})
        for part in (self, self.plotItem):  # axes and figures are never mirrored
            part.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        self.box_only = False  # marks are boxes, not drawn by hand
        self.wheel_needs_focus = False  # on a page that scrolls
        self.full_height = False  # marks take the whole height: a stretch of the x axis
        self.menu_entries: Callable[[], Sequence[QAction]] = tuple  # what the card around adds to the menu
        self._items: list[PlotItem] = []
        self.touched = False  # whether somebody zoomed or panned since everything was in view
        self._crosshair: QPointF | None = None  # in the plot's own values
        self._keyed = False  # the crosshair is moved by the keyboard
        self._anchor: QPointF | None = None  # of a box that is drawn by the keyboard
        self._corners: list[QPointF] = []
        self._laid_out = QTimer(self, singleShot=True, interval=FRAME_MILLISECONDS)
        self._laid_out.timeout.connect(lambda: self.setUpdatesEnabled(True))
        self._make_view()
        self._make_signs()
        self.describe(title, "")
        self.dress(self.tokens)
        theme.signals.changed.connect(self.dress)

    def close(self) -> bool:
        theme.signals.changed.disconnect(self.dress)  # pyqtgraph takes its items apart
        super().close()
        return True

    # what there is

    def items_drawn(self) -> tuple[PlotItem, ...]:
        return tuple(self._items)

    def show_items(self, items: Iterable[PlotItem], *, fit: bool = False) -> None:
        """Draw only these items. Those already drawn stay; `fit` brings everything into view."""
        wanted = list(items)
        for item in [item for item in self._items if item not in wanted]:
            self.view.removeItem(item)
        for item in [item for item in wanted if item not in self._items]:
            item.dress(self.tokens)
            self.view.addItem(item, ignoreBounds=True)
        self._items = wanted
        self.say_nothing("" if wanted else self.nothing.text())
        self.touched = self.touched and not fit
        self.follow()

    def say_nothing(self, sentence: str) -> None:
        """Show a sentence in place of curves; an empty one removes it."""
        show_words(self.nothing, sentence)
        self.plotItem.setVisible(not sentence)
        self._place_labels()

    def paint_later(self) -> None:
        """Postpone painting until the layout has settled: else many points are painted at each size on the way."""
        self.setUpdatesEnabled(False)
        self._laid_out.start()

    def describe(self, title: str, sentence: str) -> None:
        """Set the screen reader's name and description: a title, and in a sentence what is shown."""
        self.setAccessibleName(safe_line(tr(title)))
        self.viewport().setAccessibleName(safe_line(tr(title)))
        self.setAccessibleDescription(tr(f"{safe_line(sentence)} {_keys_told()}".strip()))

    def set_words(self, *, x: tuple[str, str, Sequence[str]], y: tuple[str, str, Sequence[str]]) -> None:
        """Set the axes' titles, units and names."""
        for axis, words in ((self.x_axis, x), (self.y_axis, y)):
            axis.set_words(*words)
            axis.dress(self.tokens)

    # the view

    def follow(self) -> None:
        """Bring everything into view, unless somebody looks at a part of it."""
        if not self.touched:
            self.fit()

    def fit(self) -> None:
        bounds = self._bounds()
        self.touched = False
        if bounds is not None:
            wide, high = _span(bounds.left, bounds.right), _span(bounds.low, bounds.high)
            self.view.setLimits(
                xMin=wide[0] - OUTSIDE * (wide[1] - wide[0]), xMax=wide[1] + OUTSIDE * (wide[1] - wide[0]),
                yMin=high[0] - OUTSIDE * (high[1] - high[0]), yMax=high[1] + OUTSIDE * (high[1] - high[0]),
                minXRange=DEEPEST * (wide[1] - wide[0]), minYRange=DEEPEST * (high[1] - high[0]),
            )  # fmt: skip
            self.view.setRange(xRange=wide, yRange=high, padding=PADDING, disableAutoRange=True)
        self.fitted.emit(True)

    def zoom(self, factor: float) -> None:
        """Scale the visible ranges by `factor`, around the crosshair or the middle."""
        self._touch()
        self.view.scaleBy((factor, factor), center=self._crosshair if self._keyed else None)

    def pan(self, across: float, up: float) -> None:
        """Move the view by these parts of its width and height."""
        self._touch()
        area = self.view.viewRect()
        self.view.translateBy(x=across * area.width(), y=up * area.height())

    def link_x(self, other: "Plot") -> None:
        """Keep the same stretch of the x axis as another plot, whichever of them is moved.

        pyqtgraph's own link uses the views' places on the screen, and is wrong while they are still laid out.
        """
        self.view.sigXRangeChanged.connect(partial(self._lead, other))
        other.view.sigXRangeChanged.connect(partial(other._lead, self))

    def _lead(self, other: "Plot", _view: View, stretch: Sequence[float]) -> None:
        if self.touched and not other.touched:
            other._touch()
        other.view.setXRange(*stretch, padding=0)

    def _touch(self) -> None:
        self.touched = True
        self.fitted.emit(False)

    def _bounds(self) -> PlotBounds | None:
        bounds: PlotBounds | None = None
        for item in self._items:
            bounds = item.bounds if bounds is None else bounds.with_(item.bounds)
        return bounds

    # making and dressing

    def _make_view(self) -> None:
        self.plotItem.hideButtons()
        for axis in (self.x_axis, self.y_axis):
            axis.setZValue(-1000)  # the grid lies below what is drawn
        self.plotItem.setMenuEnabled(False)
        self.view.marks = self._draw_mark
        self.view.disableAutoRange()
        self.view.sigRangeChangedManually.connect(lambda _: self._touch())
        self.setMinimumSize(MIN_SIZE)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFrameShape(self.Shape.NoFrame)
        self.scene().sigMouseMoved.connect(self._follow_pointer)
        self.scene().sigMouseClicked.connect(self._click)
        self.scene().contextMenu = []  # pyqtgraph's own "Export…"

    def _make_signs(self) -> None:
        self._lines = [pg.InfiniteLine(angle=angle, movable=False) for angle in (90, 0)]
        for line in self._lines:
            line.setZValue(900)
            line.hide()
            self.view.addItem(line, ignoreBounds=True)
        self._outline = QGraphicsPathItem()
        self._outline.hide()
        self._outline.setZValue(800)
        self.view.addItem(self._outline, ignoreBounds=True)
        self.nothing = hidden(Label("", "soft", wrap=True, parent=self.viewport()))
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.readout = hidden(Label("", "note", parent=self.viewport()))
        self.readout.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def dress(self, tokens: Tokens) -> None:
        """Take every colour, font and line of a theme."""
        self.tokens = tokens
        self.setBackground(tokens.surface)
        for axis in (self.x_axis, self.y_axis):
            axis.dress(tokens)
        for line in self._lines:
            line.setPen(pen(tokens.soft, tokens.hairline, (3, 3)))
        self._outline.setPen(pen(tokens.accent, 1.5 * tokens.scale, (5, 3)))
        self._outline.setBrush(faded(tokens.accent, 0.12))
        self.readout.setStyleSheet(
            f"background: {tokens.surface}; border: 1px solid {tokens.edge}; border-radius: {tokens.px(4)}px;"
            f" padding: {tokens.px(4)}px {tokens.px(6)}px; color: {tokens.ink};"
        )
        for item in self._items:
            item.dress(tokens)
        self.plotItem.layout.setContentsMargins(tokens.px(4), tokens.px(8), tokens.px(12), tokens.px(4))
        self._place_labels()

    def _place_labels(self) -> None:
        room = self.viewport().rect()
        margin = self.tokens.px(24)
        self.nothing.setGeometry(room.adjusted(margin, 0, -margin, 0))
        self.readout.adjustSize()
        # At the corner that is away from the crosshair.
        at = self._crosshair
        left = at is not None and at.x() > self.view.viewRect().center().x()
        inside = self.view.mapRectToScene(self.view.boundingRect()).toRect()
        gap = self.tokens.px(8)
        x = inside.left() + gap if left else inside.right() - gap - self.readout.width()
        self.readout.move(max(gap, x), inside.top() + gap)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if hasattr(self, "readout"):  # pyqtgraph sizes itself while it is being made
            self._place_labels()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.hasFocus():
            painter = QPainter(self.viewport())
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(pen(self.tokens.focus, 2))
            painter.drawRoundedRect(QRectF(self.viewport().rect()).adjusted(1, 1, -1, -1), 6, 6)

    # the crosshair

    def _follow_pointer(self, at: QPointF) -> None:
        if self._keyed or not self._items or not self.nothing.isHidden():
            return
        inside = self.view.sceneBoundingRect().contains(at)
        self._point_at(self.view.mapSceneToView(at) if inside else None)

    def _point_at(self, at: QPointF | None) -> None:
        self._crosshair = at
        for line in self._lines:
            line.setVisible(at is not None)
        readout = ""
        if at is not None:
            self._lines[0].setPos(at.x())
            self._lines[1].setPos(at.y())
            readout = self.told_at(at.x(), at.y())
        self.readout.setText("\n".join(safe_line(line) for line in readout.splitlines()))
        self.readout.setVisible(bool(readout))
        self._place_labels()
        self.pointed.emit(readout)

    def told_at(self, x: float, y: float) -> str:
        """Return the items' descriptions of a place, one line each, the topmost first."""
        across, up = self.view.viewPixelSize()
        near = NEAR * across, NEAR * up
        return "\n".join(words for item in reversed(self._items) if (words := item.told(x, y, near)))

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        if not self._keyed:
            self._point_at(None)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._leave_crosshair()
        super().focusOutEvent(event)
        self.viewport().update()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.viewport().update()

    def take_crosshair(self) -> None:
        """Let the keyboard move the crosshair, from its place or from the middle."""
        self._keyed = True
        self._point_at(self._crosshair or self.view.viewRect().center())

    def _leave_crosshair(self) -> None:
        self._keyed = False
        self.clear_mark()
        self._point_at(None)

    def _move_crosshair(self, across: int, up: int, *, boxed: bool) -> None:
        if not self._keyed:
            self.take_crosshair()
        assert self._crosshair is not None
        area = self.view.viewRect()
        if boxed and self._anchor is None:
            self._anchor = self._crosshair
        if not boxed:
            self._anchor = None
        x = min(max(self._crosshair.x() + STEP * across * area.width(), area.left()), area.right())
        y = min(max(self._crosshair.y() + STEP * up * area.height(), area.top()), area.bottom())
        self._point_at(QPointF(x, y))
        self._show_mark([] if self._anchor is None else [self._anchor, QPointF(x, y)])
        announce(self, self.readout.text())

    # marking

    def set_marking(self, on: bool) -> None:
        """Set whether dragging marks instead of panning; with Shift held it always marks."""
        self.view.marking = on
        self.viewport().setCursor(Qt.CursorShape.CrossCursor if on else Qt.CursorShape.ArrowCursor)

    def _draw_mark(self, at: QPointF, begins: bool, ends: bool) -> None:
        if begins:
            self._corners = []
        if self.box_only or self.full_height:
            self._corners = [*self._corners[:1], at]
        else:
            self._corners.append(at)
        self._show_mark(self._corners)
        if ends:
            self._finish_mark(self._corners)

    def _show_mark(self, corners: Sequence[QPointF]) -> None:
        path = QPainterPath()
        if len(corners) > 1:
            path.addPolygon(QPolygonF(self._outlined(corners)))
            path.closeSubpath()
        self._outline.setPath(path)
        self._outline.setVisible(not path.isEmpty())

    def _outlined(self, corners: Sequence[QPointF]) -> list[QPointF]:
        """Return the corners of the area enclosed by two opposite ones, or by many."""
        if len(corners) > 2:
            return list(corners)
        (left, right), (low, high) = (
            sorted(ends) for ends in ((corners[0].x(), corners[1].x()), (corners[0].y(), corners[1].y()))
        )
        if self.full_height:
            area = self.view.viewRect()
            low, high = area.top(), area.bottom()
        return [QPointF(left, low), QPointF(right, low), QPointF(right, high), QPointF(left, high)]

    def _finish_mark(self, corners: Sequence[QPointF]) -> None:
        if len(corners) > 1:
            drawn = self._outlined(corners)
            self.marked.emit(np.array([(point.x(), point.y()) for point in drawn]))

    def clear_mark(self) -> None:
        """Remove the mark."""
        self._anchor = None
        self._show_mark(())

    # pointer, keys, menu

    def _click(self, event: "pg.GraphicsScene.mouseEvents.MouseClickEvent") -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.view.sceneBoundingRect().contains(event.scenePos()):
            at = self.view.mapSceneToView(event.scenePos())
            self.picked.emit(at.x(), at.y())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, shifted = event.key(), bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if key in ARROWS and (self._keyed or shifted):
            self._move_crosshair(*ARROWS[Qt.Key(key)], boxed=shifted)
        elif key in ARROWS:
            across, up = ARROWS[Qt.Key(key)]
            self.pan(PAN * across, PAN * up)
        elif key in OPEN_KEYS and self._keyed:
            self._open()
        elif key == Qt.Key.Key_Escape and self._keyed:
            self._leave_crosshair()
        elif (act := self._acts().get(Qt.Key(key))) is not None and not event.modifiers() & NOT_WITH:
            if is_fresh(event) or key != Qt.Key.Key_C:
                act()
        else:
            event.ignore()

    def _acts(self) -> dict[Qt.Key, Callable[[], object]]:
        closer, farther = partial(self.zoom, ZOOM), partial(self.zoom, 1 / ZOOM)
        return {
            Qt.Key.Key_Plus: closer, Qt.Key.Key_Equal: closer, Qt.Key.Key_Minus: farther, Qt.Key.Key_0: self.fit,
            Qt.Key.Key_C: self._leave_crosshair if self._keyed else self.take_crosshair,
        }  # fmt: skip

    def _open(self) -> None:
        assert self._crosshair is not None
        if self._anchor is not None:
            self._finish_mark([self._anchor, self._crosshair])
        else:
            self.picked.emit(self._crosshair.x(), self._crosshair.y())

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.wheel_needs_focus and not self.hasFocus():
            event.ignore()  # the page around it scrolls
        else:
            super().wheelEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = self.menu()
        menu.exec(event.globalPos())
        menu.deleteLater()

    def menu(self) -> QMenu:
        """Build the menu: zoom, reset and the crosshair, and what the card around it adds."""
        menu = QMenu(self)
        for words, keys, act in (
            (tr("Zoom in"), "+", partial(self.zoom, ZOOM)),
            (tr("Zoom out"), "−", partial(self.zoom, 1 / ZOOM)),
            (tr("Show everything"), "0", self.fit),
            (tr("Crosshair by keys"), "C", self.take_crosshair),
        ):
            menu.addAction(f"{words}\t{keys}").triggered.connect(lambda _=False, act=act: act())
        if entries := self.menu_entries():
            menu.addSeparator()
            menu.addActions(list(entries))
        return menu

    def sizeHint(self) -> QSize:
        return QSize(self.tokens.px(520), self.tokens.px(190))


NOT_WITH = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier


def _keys_told() -> str:
    return tr(
        "Arrows pan, plus and minus zoom, 0 shows everything, C moves a crosshair, Shift with arrows draws a box, "
        "Enter opens what is there."
    )


def _span(low: float, high: float) -> tuple[float, float]:
    """Return a stretch that is never empty."""
    if high - low > 1e-12 * max(abs(low), abs(high), 1e-300):
        return low, high
    half = abs(low) * 0.1 or 0.5
    return low - half, high + half
