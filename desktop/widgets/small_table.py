"""A small table of plain texts: its columns and rows, the item model, and a view as high as its words."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QEvent,
    QLocale,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QHelpEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QSizePolicy,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QToolTip,
)

from biasprint.core.language import InLanguage, tr
from biasprint.desktop import theme
from biasprint.desktop.widgets.safe_text import isolated, safe_tip


def as_rows(view: QTableView) -> None:
    """Make a large table look and scroll as a list of rows, chosen whole; no row is ever measured."""
    view.setProperty("role", "clear")
    view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    view.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    view.setShowGrid(False)
    view.setWordWrap(False)
    view.setTabKeyNavigation(False)
    view.setCornerButtonEnabled(False)
    view.verticalHeader().hide()
    view.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)


# ---- The item model

Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()
# Absolute: the digits of figures stand below each other whichever way the layout runs.
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignAbsolute
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True)
class TableColumn:
    """A column. `width` in text pixels; 0: it takes the rest, and is cut or wrapped there. `help` is its tooltip."""

    title: str
    width: int = 0
    number: bool = False
    help: str = ""


@dataclass(frozen=True)
class TableRow:
    """A row. `key` identifies its subject; `cells` are short safe texts, one for each column."""

    key: str
    cells: tuple[str, ...]


class TextTableModel(QAbstractTableModel):
    """The model. A screen reader gets a cell with its column's name."""

    def __init__(self, columns: Sequence[TableColumn], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.columns = tuple(columns)
        self.rows: tuple[TableRow, ...] = ()
        self._folded: tuple[int, ...] = ()

    def fold(self, columns: Sequence[int]) -> None:
        """Show the cells of these columns, which have no room, below the first one's words."""
        if tuple(columns) != self._folded:
            self._folded = tuple(columns)
            if self.rows:
                self.dataChanged.emit(self.index(0, 0), self.index(len(self.rows) - 1, 0))

    def _cell(self, row: int, column: int) -> str:
        cells = self.rows[row].cells
        under = (cells[place] for place in self._folded) if column == 0 else ()
        return InLanguage("\n".join(tr(part) for part in (cells[column], *under) if part))

    def set_rows(self, rows: Sequence[TableRow]) -> bool:
        """Set the rows; return False, and change nothing, where they are the same."""
        if tuple(rows) == self.rows:
            return False
        self.beginResetModel()
        self.rows = tuple(rows)
        self.endResetModel()
        return True

    def place(self, key: str) -> int | None:
        """Return the row of a key."""
        return next((place for place, row in enumerate(self.rows) if row.key == key), None)

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        text, column = self._cell(index.row(), index.column()), self.columns[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return text
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{tr(column.title)}: {text}" if text else ""
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if column.number else LEFT
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Vertical:
            return section + 1 if role == Qt.ItemDataRole.DisplayRole else None
        column = self.columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return tr(column.title)
        if role == Qt.ItemDataRole.ToolTipRole:
            return tr(column.help) or None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if column.number else LEFT
        return None


# ---- The view

ROW_HEIGHT = 36
STRETCH_WIDTH = 180  # text pixels that a column without a width has at least, before another is left out
# Rows, and characters in all of them; beyond, measuring each would hold the window up.
MOST_WRAPPED, MOST_WRAPPED_CHARACTERS = 400, 60_000
PADDING = 8  # text pixels around the words of a cell
WRAPPED = Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeft
MOST_SHOWN = 8  # rows that a table is high before it scrolls by itself


class TextDelegate(QStyledItemDelegate):
    """Draws each text in the direction of its own letters."""

    def displayText(self, value: object, locale: QLocale) -> str:
        return isolated(super().displayText(value, locale))


class WrapDelegate(TextDelegate):
    """Gives a cell as many lines as its words need: Qt's own measure ignores the padding, and cuts the last one."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        view, beside = self.parent(), 2 * theme.current().px(PADDING) + 8
        assert isinstance(view, QTableView)
        width = max(view.columnWidth(index.column()) - beside, 1)
        box = option.fontMetrics.boundingRect(QRect(0, 0, width, 10_000), int(WRAPPED), isolated(index.data() or ""))
        return QSize(width, box.height() + 2 * theme.current().px(PADDING))


class TextTable(QTableView):
    """The view. `chosen` carries the key of the row that became current; `opened` that of one opened by a person.

    A row is opened by a double click or Enter.

    Columns without room are hidden, the last of `keep` first; the words of those in `fold` are then shown below the
    first column's. With `tall` the table is as high as its rows.
    """

    chosen = Signal(str)
    opened = Signal(str)

    def __init__(
        self,
        name: str,
        columns: Sequence[TableColumn],
        *,
        keep: Sequence[int] = (),
        fold: Sequence[int] = (),
        wrap: bool = False,
        tall: bool = False,
    ) -> None:
        super().__init__()
        self.table = TextTableModel(columns, self)
        self._keep = tuple(keep) or tuple(range(len(columns)))
        self._fold, self._wrap, self._tall = tuple(fold), wrap, tall
        self._filling = False
        self.setModel(self.table)
        self.setAccessibleName(name)
        self.setProperty("role", "clear")
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setShowGrid(False)
        self.setWordWrap(wrap)
        self.setItemDelegate(WrapDelegate(self) if wrap else TextDelegate(self))
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        if tall:
            self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        for place, column in enumerate(columns):
            stretch = QHeaderView.ResizeMode.Fixed if column.width else QHeaderView.ResizeMode.Stretch
            header.setSectionResizeMode(place, stretch)
        self._measure = QTimer(self, singleShot=True, interval=0)
        self._measure.timeout.connect(self._fit_rows)
        self.selectionModel().selectionChanged.connect(self._tell)
        self.doubleClicked.connect(lambda _: self._open())
        theme.follow(self.fit)

    @property
    def current_key(self) -> str:
        """The key of the current row; empty without one."""
        place = self.currentIndex().row()
        return self.table.rows[place].key if 0 <= place < len(self.table.rows) else ""

    def show_rows(self, rows: Sequence[TableRow]) -> None:
        """Show other rows; the current row stays current where it still exists, without another `chosen`."""
        before = self.current_key
        self._filling = True
        if self.table.set_rows(rows):
            self.select(before)
            self._fit_rows()
        self._filling = False

    def select(self, key: str) -> None:
        """Make a row the current one."""
        place = self.table.place(key)
        if place is not None:
            self.setCurrentIndex(self.table.index(place, 0))

    def fit(self, _tokens: object = None) -> None:
        """Show as many columns as there is room for."""
        tokens = theme.current()
        self.verticalHeader().setDefaultSectionSize(tokens.px(ROW_HEIGHT))
        room = self.viewport().width()
        for place in self._keep:
            self.setColumnHidden(place, False)  # the title of a hidden one needs no room
            own = self.table.columns[place].width
            width = max(tokens.px(own), self.horizontalHeader().sectionSizeHint(place)) if own else 0
            room -= width or tokens.px(STRETCH_WIDTH)
            self.setColumnHidden(place, room < 0 and place != self._keep[0])
            if width:
                self.setColumnWidth(place, width)
        self.table.fold([place for place in self._fold if self.isColumnHidden(place)])
        self._measure.start()

    def sizeHint(self) -> QSize:
        rows = [self.rowHeight(place) for place in range(min(len(self.table.rows), MOST_SHOWN))]
        header = self.horizontalHeader()
        above = 0 if header.isHidden() else header.sizeHint().height()
        height = above + sum(rows) + 2 * self.frameWidth() + 2
        return QSize(super().sizeHint().width(), height)

    def minimumSizeHint(self) -> QSize:
        least = super().minimumSizeHint()
        return QSize(least.width(), self.sizeHint().height()) if self._tall else least

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self._open()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.fit()

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip:
            return True if self._tip(event) else super().viewportEvent(event)
        return super().viewportEvent(event)

    def _tip(self, event: QEvent) -> bool:
        """Return the whole text of a cell that is cut."""
        assert isinstance(event, QHelpEvent)
        index = self.indexAt(event.pos())
        text = index.data() if index.isValid() else ""
        cut = bool(text) and self.fontMetrics().horizontalAdvance(text) > self.visualRect(index).width() - 16
        QToolTip.showText(event.globalPos(), safe_tip(text) if cut and not self._wrap else "", self)
        return True

    def _fit_rows(self) -> None:
        rows = self.table.rows
        few = (
            len(rows) <= MOST_WRAPPED and sum(len(cell) for row in rows for cell in row.cells) < MOST_WRAPPED_CHARACTERS
        )
        if self._wrap and few:
            for place in range(len(self.table.rows)):
                wanted = max(self.sizeHintForRow(place), theme.current().px(ROW_HEIGHT))
                self.verticalHeader().resizeSection(place, wanted)
        if self._tall:
            self.updateGeometry()

    def _tell(self, *_: object) -> None:
        if not self._filling and self.selectionModel().hasSelection():
            self.chosen.emit(self.current_key)

    def _open(self) -> None:
        if self.current_key:
            self.opened.emit(self.current_key)


def focus_first(view: QTableView) -> None:
    """Bring the keyboard to a table, on its first row where none is current."""
    if not view.currentIndex().isValid():
        view.setCurrentIndex(view.model().index(0, 0) if view.model().rowCount() else QModelIndex())
    view.setFocus()
