"""The table of a pile as it is seen: as wide as it needs, opened by Enter, set right by F2."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QPersistentModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHeaderView,
    QMenu,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from core.documents.pile.values import PileRow
from desktop import theme
from desktop.models.letter_pile_rows import COLUMNS
from desktop.models.letter_pile_table import PileTable
from desktop.widgets.safe_text import safe_line
from desktop.widgets.words import plural, tr

Index = QModelIndex | QPersistentModelIndex
ROW_HEIGHT = 34
LEAST_HEIGHT = 160  # header and a few rows; a page with less room scrolls
WIDTHS = {
    "file": 140, "person": 122, "occupation": 104, "group": 84, "agentic": 70, "communal": 86, "formality": 70,
    "positivity": 74, "doubt": 64, "unsupported": 92, "words": 62, "note": 110,
}  # fmt: skip
EDITABLE_WORDS = 80


class _Delegate(QStyledItemDelegate):
    """A group is chosen from a list; a name and an occupation are typed."""

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        table = index.model()
        assert isinstance(table, PileTable)
        if COLUMNS[index.column()] == "group":
            box = QComboBox(parent)
            box.addItem(tr("not known"), "")
            for key, label in table.labels.items():
                box.addItem(safe_line(label), key)
            return box
        editor = super().createEditor(parent, option, index)
        if hasattr(editor, "setMaxLength"):
            editor.setMaxLength(EDITABLE_WORDS)
        return editor

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        if isinstance(editor, QComboBox):
            editor.setCurrentIndex(max(0, editor.findData(index.data(Qt.ItemDataRole.EditRole))))
        else:
            super().setEditorData(editor, index)

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        if isinstance(editor, QComboBox):
            model.setData(index, editor.currentData() or "")
        else:
            super().setModelData(editor, model, index)


class PileList(QTableView):
    """`opened` carries the row that was double-clicked, or that Enter was pressed on."""

    opened = Signal(object)  # PileRow
    current_changed = Signal(object)  # PileRow, or None

    def __init__(self, table: PileTable) -> None:
        super().__init__()
        self.table = table
        self.setModel(table)
        self.setItemDelegate(_Delegate(self))
        self.setAccessibleName(tr("The letters of the pile"))
        self.setProperty("role", "clear")
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setStretchLastSection(True)
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        header.setSortIndicatorClearable(True)
        self.setSortingEnabled(True)
        self.doubleClicked.connect(lambda index: self.opened.emit(self.table.shown[index.row()]))
        self.selectionModel().currentRowChanged.connect(self._tell_current)
        self.customContextMenuRequested.connect(self.open_menu)
        self._dress()
        theme.signals.changed.connect(self._dress)

    def chosen(self) -> list[PileRow]:
        """The rows that are selected, or the current one."""
        rows = {index.row() for index in self.selectionModel().selectedRows()}
        if not rows and self.currentIndex().isValid():
            rows = {self.currentIndex().row()}
        return [self.table.shown[row] for row in sorted(rows)]

    def show_columns(self, without: Sequence[str]) -> None:
        """All columns but these."""
        for place, name in enumerate(COLUMNS):
            self.setColumnHidden(place, name in without)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        editing = self.state() == QAbstractItemView.State.EditingState
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if enter and not editing and self.currentIndex().isValid():
            self.opened.emit(self.table.shown[self.currentIndex().row()])
        else:
            super().keyPressEvent(event)

    def _tell_current(self, now: QModelIndex, _before: QModelIndex) -> None:
        self.current_changed.emit(self.table.shown[now.row()] if now.isValid() else None)

    def open_menu(self, place: QPoint) -> None:
        """What can be done with the selected rows."""
        rows = self.chosen()
        if not rows:
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(tr("Open the letter"), lambda: self.opened.emit(rows[0]))
        read = [row.path_in_pile for row in rows if row.read]
        menu.addSection(plural(len(read), "Group of this letter", "Group of these %n letters"))
        for key, label in (*self.table.labels.items(), ("", tr("not known"))):
            self._offer(menu, safe_line(label), key, read)
        menu.popup(self.viewport().mapToGlobal(place))
        self.menu = menu

    def _offer(self, menu: QMenu, words: str, key: str, paths: list[str]) -> None:
        action: Any = menu.addAction(words, lambda: self.table.set_text(paths, "group", key))
        action.setEnabled(bool(paths))

    def _dress(self, _tokens: object = None) -> None:
        tokens = theme.current()
        self.verticalHeader().setDefaultSectionSize(tokens.px(ROW_HEIGHT))
        self.setMinimumHeight(tokens.px(LEAST_HEIGHT))
        for place, name in enumerate(COLUMNS):
            self.setColumnWidth(place, tokens.px(WIDTHS[name]))
