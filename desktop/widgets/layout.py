"""Layouts: pages that scroll, a column beside the work, rows that wrap, two parts side by side."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

from PySide6.QtCore import QEvent, QMargins, QObject, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QGuiApplication, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QDialog,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLayout,
    QLayoutItem,
    QPlainTextEdit,
    QScrollArea,
    QStackedWidget,
    QStyle,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from biasprint.desktop import theme
from biasprint.desktop.widgets.keys import FocusRing
from biasprint.desktop.widgets.words import tr

Box = TypeVar("Box", bound=QBoxLayout)
STRETCH = 1
SCROLL_BAR = 12  # pixels of the right margin that it may use
LARGEST_SHARE = 0.94  # that a dialog takes of the window it stands over


def fitting(over: QWidget, width: int, height: int) -> QSize:
    """Return the size of a dialog in text pixels, no larger than the window below it: a screen may be small."""
    tokens, room = theme.current(), over.size() * LARGEST_SHARE
    return QSize(tokens.px(width), tokens.px(height)).boundedTo(room)


def mirrored(widget: QWidget, box: QRect) -> QRect:
    """Return where a painted part is: `box`, or its mirror image where the layout runs from right to left."""
    return QStyle.visualRect(widget.layoutDirection(), widget.rect(), box)


def set_margins(inside: QLayout | QLabel, left: int, top: int, right: int, bottom: int) -> None:
    """Set the margins of a layout or label in a layout from left to right: Qt itself never mirrors them."""
    if QGuiApplication.layoutDirection() is Qt.LayoutDirection.RightToLeft:
        left, right = right, left
    inside.setContentsMargins(left, top, right, bottom)


def order_tabs(root: QWidget) -> None:
    """Have Tab follow the order of reading in all that shows of `root`, whatever was made or added when."""
    stops = [
        part for part in _in_reading_order(root)
        if part.focusPolicy() & Qt.FocusPolicy.TabFocus and part.focusProxy() is None
    ]  # fmt: skip
    for before, after in pairwise(stops):
        QWidget.setTabOrder(before, after)


def _in_reading_order(root: QWidget) -> Iterator[QWidget]:
    """Yield what shows in the order of the layouts; what is in none follows, line by line."""
    yield root
    laid_out = list(_laid_out(root.layout()))
    known = set(laid_out)
    others = [part for part in root.children() if isinstance(part, QWidget) and part not in known]
    for part in (*laid_out, *sorted(others, key=lambda part: (part.y(), part.x()))):
        if part.isVisibleTo(root) and not part.isWindow():
            yield from _in_reading_order(part)


def _laid_out(layout: QLayout | None) -> Iterator[QWidget]:
    if layout is None:
        return
    places = range(layout.count())
    if isinstance(layout, QGridLayout):
        places = sorted(places, key=lambda place: layout.getItemPosition(place)[:2])
    for place in places:
        item = layout.itemAt(place)
        if (part := item.widget()) is not None:
            yield part
        else:
            yield from _laid_out(item.layout())


class Dialog(QDialog):
    """A dialog over its window, deleted once it is closed; Tab follows the order of reading."""

    def __init__(self, parent: QWidget, title: str, *, modal: bool = True) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if modal:
            self.setWindowModality(Qt.WindowModality.WindowModal)

    def focusNextPrevChild(self, forward: bool) -> bool:
        order_tabs(self)
        return super().focusNextPrevChild(forward)


def clear_widget() -> QWidget:
    """Return a widget without a ground of its own."""
    widget = QWidget()
    widget.setProperty("role", "clear")
    return widget


@dataclass(frozen=True)
class Gap:
    """Free pixels between two parts of a row or column."""

    pixels: int


Item = QWidget | QLayout | Gap | int | tuple[QWidget, int | Qt.AlignmentFlag] | tuple[QLayout, int]
Margins = int | tuple[int, int, int, int]


def in_column(
    *items: Item, inside: QWidget | None = None, spacing: int | None = None, margins: Margins | None = None
) -> QVBoxLayout:
    """Return a column of widgets and layouts. A number stretches; paired with a part, it says how much that one does.

    A widget can be paired with its alignment. What is None stays as the style has it. `margins`: one for all sides, or
    left, top, right and bottom.
    """
    return add_to(QVBoxLayout(inside), *items, spacing=spacing, margins=margins)


def in_row(
    *items: Item, inside: QWidget | None = None, spacing: int | None = None, margins: Margins | None = None
) -> QHBoxLayout:
    """Return the same from left to right."""
    return add_to(QHBoxLayout(inside), *items, spacing=spacing, margins=margins)


def add_to(box: Box, *items: Item, spacing: int | None = None, margins: Margins | None = None) -> Box:
    """Add items to a row or column that is there, and return it."""
    if spacing is not None:
        box.setSpacing(spacing)
    if margins is not None:
        set_margins(box, *(margins if isinstance(margins, tuple) else 4 * (margins,)))
    for item in items:
        part, how = item if isinstance(item, tuple) else (item, 0)
        stretch, alignment = (0, how) if isinstance(how, Qt.AlignmentFlag) else (how, Qt.AlignmentFlag(0))
        if isinstance(part, Gap):
            box.addSpacing(part.pixels)
        elif isinstance(part, int):
            box.addStretch(part)
        elif isinstance(part, QWidget):
            box.addWidget(part, stretch, alignment)
        else:
            box.addLayout(part, stretch)
    return box


def clear_column(*items: Item, spacing: int | None = None, margins: Margins = 0) -> tuple[QWidget, QVBoxLayout]:
    """Return a widget without a ground of its own, and its column; without `spacing` the style's."""
    widget = clear_widget()
    return widget, in_column(*items, inside=widget, spacing=spacing, margins=margins)


def clear_row(*items: Item, spacing: int | None = None, margins: Margins = 0) -> tuple[QWidget, QHBoxLayout]:
    """Return the same with a row."""
    widget = clear_widget()
    return widget, in_row(*items, inside=widget, spacing=spacing, margins=margins)


def column_of(*items: Item, spacing: int | None = None, margins: Margins = 0) -> QWidget:
    """Return a widget without a ground of its own that holds a column."""
    return clear_column(*items, spacing=spacing, margins=margins)[0]


def row_of(*items: Item, spacing: int | None = None, margins: Margins = 0) -> QWidget:
    """Return the same with a row."""
    return clear_row(*items, spacing=spacing, margins=margins)[0]


def stack_of(*pages: QWidget) -> QStackedWidget:
    """Return pages of which one shows, at first the first."""
    stack = QStackedWidget()
    for page in pages:
        stack.addWidget(page)
    return stack


def grid_of(
    inside: QWidget | None = None, *, across: int | None = None, along: int | None = None, stretch: int | None = 1
) -> QGridLayout:
    """Return a grid without margins. `across` and `along`: pixels between its columns and rows, the usual gaps by
    default; `stretch`: the column that takes the room that is left."""
    grid = QGridLayout(inside)
    grid.setContentsMargins(0, 0, 0, 0)
    grid.setHorizontalSpacing(theme.current().gap if across is None else across)
    grid.setVerticalSpacing(theme.current().grid if along is None else along)
    if stretch is not None:
        grid.setColumnStretch(stretch, 1)
    return grid


class _Scaled(QObject):
    def __init__(self, owner: QObject, set_size: Callable[[int], object], pixels: int) -> None:
        super().__init__(owner)
        self._set_size, self._pixels = set_size, pixels
        theme.follow(self._dress)

    def _dress(self, _tokens: object = None) -> None:
        self._set_size(theme.current().px(self._pixels))


def scaled(owner: QObject, set_size: Callable[[int], object], pixels: int) -> None:
    """Set a size of so many text pixels, now and whenever the text becomes larger or smaller."""
    _Scaled(owner, set_size, pixels)


def empty(box: QLayout) -> None:
    """Take everything out of a layout, and delete it."""
    while (item := box.takeAt(0)) is not None:
        if (part := item.widget()) is not None:
            part.hide()
            part.deleteLater()


class Scroller(QScrollArea):
    """A part that scrolls up and down: its widget is as wide as there is room. Sideways only where that is too little.

    Tab stops at it where there is something to scroll, by the keys of a page; a ring shows that.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ring = FocusRing(self, 0)
        self.setAccessibleName(tr("Page that scrolls"))
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.verticalScrollBar().rangeChanged.connect(lambda _, last: self._stop_if_scrollable(last > 0))

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._ring.focus_changed(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._ring.focus_changed(event)

    def _stop_if_scrollable(self, scrollable: bool) -> None:
        if self.focusPolicy() != Qt.FocusPolicy.NoFocus:
            self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if scrollable else Qt.FocusPolicy.ClickFocus)


class _Page(QWidget):
    """A page as high as its width needs. Qt's own minimum adds up texts wrapped at their narrowest."""

    def minimumSizeHint(self) -> QSize:
        layout = self.layout()
        least = layout.minimumSize()
        return QSize(least.width(), 0 if layout.hasHeightForWidth() else least.height())


class Pages(QStackedWidget):
    """Pages one of which shows: it alone says how narrow they can be."""

    def __init__(self) -> None:
        super().__init__()
        self.currentChanged.connect(lambda _: self.updateGeometry())

    def minimumSizeHint(self) -> QSize:
        page, least = self.currentWidget(), super().minimumSizeHint()
        return least if page is None else QSize(page.minimumSizeHint().width(), least.height())


class Sheet(Scroller):
    """A page that scrolls. `box` is its column, with these items. The scroll bar is in the right margin."""

    def __init__(self, *items: Item, spacing: int | None = None, margins: Margins = (0, 0, SCROLL_BAR, 0)) -> None:
        super().__init__()
        page = _Page()
        page.setProperty("role", "clear")
        spacing = theme.current().gap if spacing is None else spacing
        self.box = in_column(*items, inside=page, spacing=spacing, margins=margins)
        self.setWidget(page)
        self.setFrameShape(QFrame.Shape.NoFrame)

    def put_in_the_middle(self, card: QWidget) -> None:
        """Make this card the whole page, a little above the middle; its own largest width holds."""
        middle = QWidget()
        middle.setProperty("role", "clear")
        row = QHBoxLayout(middle)
        row.setContentsMargins(0, 0, 0, 0)
        row.addStretch(1)
        row.addWidget(card, 100)
        row.addStretch(1)
        self.box.addStretch(2)
        self.box.addWidget(middle)
        self.box.addStretch(3)


class Room(Scroller):
    """Shows one widget at a usable minimum height, in text pixels; it scrolls where there is less room."""

    def __init__(self, inner: QWidget, least: int) -> None:
        super().__init__()
        self._page = _Bare(inner)
        self._least = least
        self.setWidget(self._page)
        self.setFrameShape(QFrame.Shape.NoFrame)
        theme.follow(self._dress)

    def need(self, least: int) -> None:
        """Set another least height."""
        self._least = least
        self._dress()

    def _dress(self, _tokens: object = None) -> None:
        self._page.set_least(theme.current().px(self._least))


class _Bare(QWidget):
    """A part without a layout: one would ask for the height that a table in it prefers, and scroll too early."""

    def __init__(self, inner: QWidget) -> None:
        super().__init__()
        self.setProperty("role", "clear")
        self._inner, self._least = inner, 0
        inner.setParent(self)

    def set_least(self, height: int) -> None:
        """Set the height below which the part scrolls; what is in it may need more."""
        self._least = height
        self._fit()

    def minimumSizeHint(self) -> QSize:
        return QSize(self._inner.layout().minimumSize().width(), self.minimumHeight())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._inner.setGeometry(self.rect())
        self._fit()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:  # something in it needs another size
            self.updateGeometry()
            self._fit()
        return super().event(event)

    def _fit(self) -> None:
        inside = self._inner.layout()
        needed = (
            inside.minimumHeightForWidth(self.width()) if inside.hasHeightForWidth() else inside.minimumSize().height()
        )
        self.setMinimumHeight(max(self._least, needed))


class _Upright(QWidget):
    """A page whose parts all have their least height, texts that wrap the one that its width asks for."""

    def minimumSizeHint(self) -> QSize:
        inside = self.layout()
        least = inside.totalMinimumSize()
        high = inside.totalMinimumHeightForWidth(self.width()) if inside.hasHeightForWidth() else least.height()
        return QSize(least.width(), high)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()


class Column(Scroller):
    """A column. `box` takes the widgets. None is squeezed below its least height: then everything scrolls."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        inside = _Upright()
        inside.setProperty("role", "clear")
        self.box = QVBoxLayout(inside)
        add_to(self.box, spacing=theme.current().grid, margins=(0, 0, theme.current().grid, 0))
        self.setWidget(inside)


class LowEdit(QPlainTextEdit):
    """A field that takes the remaining height, at least the given one, whatever it would prefer."""

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self.minimumHeight())


class RowOrColumn(QBoxLayout):
    """A row that becomes a column where its parts, in whatever language, have no room beside each other.

    It is also a column in less room than `least`, in text pixels. `turned` says whether it is a row now.
    """

    turned = Signal(bool)

    def __init__(
        self,
        *items: Item,
        inside: QWidget | None = None,
        spacing: int | None = None,
        margins: Margins = 0,
        least: int = 0,
    ) -> None:
        super().__init__(QBoxLayout.Direction.LeftToRight, inside)
        add_to(self, *items, spacing=theme.current().gap if spacing is None else spacing, margins=margins)
        self._least = least

    def minimumSize(self) -> QSize:
        margins = self.contentsMargins()
        widest = max(self._least_widths(), default=0) + margins.left() + margins.right()
        return QSize(widest, super().minimumSize().height())

    def setGeometry(self, rect: QRect) -> None:
        room, widths = rect.marginsRemoved(self.contentsMargins()).width(), self._least_widths()
        before = self.direction()
        beside = room >= max(theme.current().px(self._least), sum(widths) + self.spacing() * (len(widths) - 1))
        self.setDirection(QBoxLayout.Direction.LeftToRight if beside else QBoxLayout.Direction.TopToBottom)
        super().setGeometry(rect)
        if self.direction() != before:
            self.turned.emit(beside)

    def _least_widths(self) -> list[int]:
        items = [self.itemAt(place) for place in range(self.count())]
        return [item.minimumSize().width() for item in items if not item.isEmpty()]


class FlowLayout(QLayout):
    """Rows of widgets, as many in each as fit; `centred` aligns those of a row by their middle.

    `last_at_end`: the last of several widgets is at the end of its row. `wide`: it would best have one row.
    """

    def __init__(
        self,
        *widgets: QWidget,
        inside: QWidget | None = None,
        spacing: int = 8,
        centred: bool = False,
        last_at_end: bool = False,
        wide: bool = False,
    ) -> None:
        super().__init__(inside)
        self._items: list[QLayoutItem] = []
        self._heights: dict[int, int] = {}  # by width: layouts in layouts ask for the same again and again
        self._centred, self._last_at_end, self._wide = centred, last_at_end, wide
        self.setContentsMargins(QMargins())
        self.setSpacing(spacing)
        for widget in widgets:
            self.addWidget(widget)

    def invalidate(self) -> None:
        self._heights.clear()
        super().invalidate()

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)
        self._heights.clear()

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        self._heights.clear()
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        if width not in self._heights:
            self._heights[width] = self._arrange(QRect(0, 0, width, 0), move=False)
        return self._heights[width]

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        if self._wide:  # in a room of its own, such as a header: in the middle of it
            rect = rect.adjusted(0, max(0, rect.height() - self.heightForWidth(rect.width())) // 2, 0, 0)
        self._arrange(rect, move=True)
        if self._centred:
            self._centre()

    def _centre(self) -> None:
        """Move each item of a row to the middle of its highest one."""
        rows: dict[int, list[QLayoutItem]] = {}
        for item in self._items:
            if not item.isEmpty():
                rows.setdefault(item.geometry().y(), []).append(item)
        for items in rows.values():
            highest = max(item.geometry().height() for item in items)
            for item in items:
                item.setGeometry(item.geometry().translated(0, (highest - item.geometry().height()) // 2))

    def sizeHint(self) -> QSize:
        least = self.minimumSize()
        sizes = [item.sizeHint() for item in self._items if not item.isEmpty()] if self._wide else []
        if not sizes:
            return least
        width = sum(size.width() for size in sizes) + self.spacing() * (len(sizes) - 1)
        return QSize(max(width, least.width()), least.height())

    def minimumSize(self) -> QSize:
        size = QSize()
        for item in self._items:
            if not item.isEmpty():
                size = size.expandedTo(item.minimumSize())
        return size.grownBy(self.contentsMargins())

    def _arrange(self, rect: QRect, *, move: bool) -> int:
        """Place the items in `rect`; return the height that they need."""
        inner = rect.marginsRemoved(self.contentsMargins())
        x, y, row_height = inner.x(), inner.y(), 0
        shown = [item for item in self._items if not item.isEmpty()]
        direction = (
            self.parentWidget().layoutDirection() if self.parentWidget() is not None else Qt.LayoutDirection.LeftToRight
        )
        for item in shown:
            size = self._size_in(item, inner.width())
            if x > inner.x() and x + size.width() > inner.right() + 1:
                x, y, row_height = inner.x(), y + row_height + self.spacing(), 0
            if self._last_at_end and item is shown[-1] and len(shown) > 1:
                x = max(x, inner.right() + 1 - size.width())
            if move:
                item.setGeometry(QStyle.visualRect(direction, inner, QRect(QPoint(x, y), size)))
            x += size.width() + self.spacing()
            row_height = max(row_height, size.height())
        return y + row_height - rect.y() + self.contentsMargins().bottom()

    @staticmethod
    def _size_in(item: QLayoutItem, width: int) -> QSize:
        """Return the size of an item in a row so wide; one that is wider is as narrow, and as high as that needs."""
        size = item.sizeHint()
        if size.width() <= width:
            return size
        height = item.heightForWidth(width) if item.hasHeightForWidth() else size.height()
        return QSize(max(width, item.minimumSize().width()), height)


UNLIMITED = 16_777_215  # Qt's own largest width


class Beside(QWidget):
    """A part `main` beside the pages of `side`. The owner adds the pages, and says when there is no room beside it."""

    narrow_changed = Signal(bool)

    def __init__(self, main: QWidget, *, title: str, name: str, side_width: int) -> None:
        """`title`: of the tab that `main` gets in a narrow window; `name`: of the tabs, to be read aloud."""
        super().__init__()
        self.setProperty("role", "clear")
        self._main, self._title, self._side_width = main, title, side_width
        self._narrow = False
        self.tabs, self.side = QTabBar(drawBase=False, expanding=False), QStackedWidget()
        self.tabs.setProperty("role", "beside")
        self.tabs.setAccessibleName(name)
        self._side_box = QWidget()
        self._side_box.setProperty("role", "clear")
        self._beside = QVBoxLayout(self._side_box)
        self._beside.setContentsMargins(0, 0, 0, 0)
        self._beside.setSpacing(8)
        self._beside.addWidget(self.tabs)
        self._beside.addWidget(self.side, 1)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(8)
        row = QHBoxLayout()
        row.setSpacing(theme.current().gap)
        self._column.addLayout(row, 1)
        row.addWidget(main, 1)
        row.addWidget(self._side_box)
        self.tabs.currentChanged.connect(self._show_tab)

    def add_page(self, title: str, page: QWidget) -> None:
        self.side.addWidget(page)
        self.tabs.addTab(title)

    @property
    def is_narrow(self) -> bool:
        return self._narrow

    def set_narrow(self, narrow: bool) -> None:
        """Show `main` as a page among the others where there is no room beside it."""
        if narrow == self._narrow:
            return
        page = self.side.currentIndex()
        self._narrow = narrow
        if narrow:
            self.tabs.insertTab(0, self._title)
            self._column.insertWidget(0, self.tabs)
            self.tabs.setCurrentIndex(0)
        else:
            self.tabs.removeTab(0)
            self._beside.insertWidget(0, self.tabs)
            self.tabs.setCurrentIndex(page)
        self._dress()
        self._show_tab(self.tabs.currentIndex())
        self.narrow_changed.emit(narrow)

    def _show_tab(self, tab: int) -> None:
        on_main = self._narrow and tab == 0
        self._main.setVisible(on_main or not self._narrow)
        self._side_box.setVisible(not on_main)
        if not on_main and tab >= 0:
            self.side.setCurrentIndex(tab - self._narrow)

    def _dress(self, _tokens: object = None) -> None:
        width = theme.current().px(self._side_width)
        self._side_box.setMinimumWidth(0 if self._narrow else width)
        self._side_box.setMaximumWidth(UNLIMITED if self._narrow else width)
