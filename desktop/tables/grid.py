"""A small table that people type or paste: its first row names the columns. `GridEdit` edits a `Grid` of texts."""

import csv
import io
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QItemSelectionModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QColor, QFont, QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from biasprint.desktop import theme
from biasprint.desktop.widgets import FlowLayout, Label, QuietButton, tr
from biasprint.desktop.widgets.keys import is_fresh
from biasprint.desktop.widgets.labels import hidden, show_if, show_words
from biasprint.desktop.widgets.layout import in_column
from biasprint.desktop.widgets.safe_text import as_given, safe_line
from biasprint.desktop.widgets.small_table import TextDelegate

Index = QModelIndex | QPersistentModelIndex
Cells = list[list[str]]
_NOWHERE = QModelIndex()
ROWS, COLUMNS = 4, 3  # of an empty table
MOST_CELLS = 20_000  # more is for a file
MOST_UNDONE = 50
COLUMN_WIDTH, LEAST_HEIGHT = 128, 150  # text pixels


def read_pasted(text: str) -> Cells:
    """Return the cells copied from a spreadsheet or text editor: tabs between them, else semicolons or commas."""
    first = text.partition("\n")[0]
    separator = next((sign for sign in "\t;," if sign in first), "\t")
    return [list(row) for row in csv.reader(io.StringIO(text.strip("\r\n")), delimiter=separator)]


class Grid(QAbstractTableModel):
    """Texts in rows of equal length. Every change can be undone."""

    def __init__(self) -> None:
        super().__init__()
        self.cells: Cells = blank(ROWS, COLUMNS)
        self._before: list[Cells] = []

    @property
    def filled(self) -> Cells:
        """The cells without empty rows, and without empty columns at the end."""
        rows = [[cell.strip() for cell in row] for row in self.cells]
        wide = max((place + 1 for row in rows for place, cell in enumerate(row) if cell), default=0)
        return [row[:wide] for row in rows if any(row)]

    def change(self, cells: Cells) -> None:
        """Replace these cells with others, in one step that can be undone."""
        self._before = [*self._before[-MOST_UNDONE:], self.cells]
        self._show(cells)

    def start_with(self, cells: Cells) -> None:
        """Set the first cells: nothing before them can be undone."""
        self._before = []
        self._show(cells)

    def undo(self) -> bool:
        """Undo the last change; return False where there is none."""
        if not self._before:
            return False
        self._show(self._before.pop())
        return True

    def _show(self, cells: Cells) -> None:
        wide = max(COLUMNS, *(len(row) for row in cells)) if cells else COLUMNS
        short = max(0, 2 - len(cells))
        self.beginResetModel()
        self.cells = [*([*row, *[""] * (wide - len(row))] for row in cells), *blank(short, wide)]
        self.endResetModel()

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.cells)

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.cells[0])

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        text, first = self.cells[index.row()][index.column()], index.row() == 0
        if role == Qt.ItemDataRole.EditRole:
            return text
        if role == Qt.ItemDataRole.DisplayRole:
            return safe_line(text) if text or not first else tr("column {n}").format(n=index.column() + 1)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            number = tr("column {n}").format(n=index.column() + 1)
            name = tr("Name of {column}").format(column=number) if first else self.cells[0][index.column()] or number
            return safe_line(f"{name}: {text}")
        if role == Qt.ItemDataRole.FontRole and first:
            font = QFont()
            font.setBold(True)
            return font
        if role == Qt.ItemDataRole.ForegroundRole and first and not text:
            return QColor(theme.current().faint)
        if role == Qt.ItemDataRole.BackgroundRole and first:
            return QColor(theme.current().sunk)
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role != Qt.ItemDataRole.EditRole or str(value) == self.cells[index.row()][index.column()]:
            return False
        self._before = [*self._before[-MOST_UNDONE:], [list(row) for row in self.cells]]
        self.cells[index.row()][index.column()] = str(value)
        self.dataChanged.emit(index, index)
        return True

    def flags(self, index: Index) -> Qt.ItemFlag:
        return super().flags(index) | Qt.ItemFlag.ItemIsEditable

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Vertical and role == Qt.ItemDataRole.DisplayRole:
            return str(section) if section else ""
        return None


def blank(rows: int, columns: int) -> Cells:
    return [[""] * columns for _ in range(rows)]


class _View(QTableView):
    """The view: copies, pastes, empties and undoes by the usual keys."""

    pasted, emptied, undone = Signal(), Signal(), Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        for key, heard, repeats in (
            (QKeySequence.StandardKey.Paste, self.pasted.emit, False),
            (QKeySequence.StandardKey.Undo, self.undone.emit, True),
            (QKeySequence.StandardKey.Copy, self._copy, False),
        ):
            if event.matches(key):
                if repeats or is_fresh(event):
                    heard()
                return
        if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.emptied.emit()
        else:
            super().keyPressEvent(event)

    def _copy(self) -> None:
        rows: dict[int, list[str]] = {}
        for index in sorted(self.selectedIndexes(), key=lambda one: (one.row(), one.column())):
            rows.setdefault(index.row(), []).append(str(index.data(Qt.ItemDataRole.EditRole)))
        made = io.StringIO()
        csv.writer(made, delimiter="\t", lineterminator="\n").writerows(rows.values())
        QGuiApplication.clipboard().setText(made.getvalue().removesuffix("\n"))


class GridEdit(QWidget):
    """A table with buttons for rows and columns. `changed` reports a person's change; `trouble` says what failed."""

    changed = Signal()

    def __init__(self, name: str, example: Sequence[Sequence[str]] = ()) -> None:
        """`example`: a table that a button inserts, while the table is empty."""
        super().__init__()
        self.grid, self.view, self._example = Grid(), _View(), [list(row) for row in example]
        self.view.setItemDelegate(TextDelegate(self.view))
        self.trouble = hidden(Label("", "problem", wrap=True))
        view = self.view
        view.setModel(self.grid)
        view.setAccessibleName(tr(name))
        view.setSelectionMode(QAbstractItemView.SelectionMode.ContiguousSelection)
        view.setTabKeyNavigation(False)
        view.setCornerButtonEnabled(False)
        view.setWordWrap(False)
        view.horizontalHeader().hide()
        view.horizontalHeader().setStretchLastSection(True)
        view.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.paste_here = QuietButton(tr("Paste"), icon="copy")
        self.show_example = QuietButton(tr("Example"))
        self.add_row, self.add_column = QuietButton(tr("Add a row")), QuietButton(tr("Add a column"))
        self.remove_row, self.remove_column = QuietButton(tr("Remove row")), QuietButton(tr("Remove column"))
        self.buttons = QWidget()
        flow = FlowLayout(inside=self.buttons)
        for button, step in (
            (self.paste_here, self.paste),
            (self.show_example, lambda: self._change(self._example)),
            (self.add_row, lambda: self._put_row()),
            (self.add_column, lambda: self._put_column()),
            (self.remove_row, lambda: self._take_rows()),
            (self.remove_column, lambda: self._take_columns()),
        ):
            button.clicked.connect(lambda _=False, step=step: step())
            flow.addWidget(button)
        box = in_column(inside=self, spacing=theme.current().grid, margins=0)
        for widget in (view, self.buttons, self.trouble):
            box.addWidget(widget, int(widget is view))
        view.pasted.connect(self.paste)
        view.emptied.connect(self._empty)
        view.undone.connect(lambda: self.grid.undo() and self._tell())
        self.grid.dataChanged.connect(lambda *_: self._tell())
        theme.follow(self._dress)
        self._tell(changed=False)

    def rows(self) -> Cells:
        """The filled rows, the names of the columns first."""
        return self.grid.filled

    def text(self) -> str:
        """Return the same as csv; empty where the table is empty."""
        made = io.StringIO()
        csv.writer(made, lineterminator="\n").writerows(self.rows())
        return made.getvalue()

    def clear(self) -> None:
        """Empty the table without a report to anybody."""
        self.grid.start_with(blank(ROWS, COLUMNS))
        self._tell(changed=False)

    def paste(self) -> None:
        """Paste the copied cells at the cursor, adding the rows and columns they need."""
        self.take(QGuiApplication.clipboard().text())

    def take(self, text: str) -> None:
        """Insert cells as a spreadsheet copies them, at the cursor, else at the beginning."""
        try:
            pasted = read_pasted(text)
        except csv.Error:
            pasted = []
        if not any(map(any, pasted)):
            self._say(tr("Nothing to paste was copied: copy cells of a spreadsheet, or lines with commas."))
            return
        if sum(map(len, pasted)) > MOST_CELLS:
            self._say(tr("That is too much to be typed: save it as a file, and choose that."))
            return
        at = self.view.currentIndex()
        top, left = (at.row(), at.column()) if at.isValid() and self.rows() else (0, 0)
        cells = [list(row) for row in self.grid.cells]
        wide = max(len(cells[0]), left + max(map(len, pasted)))
        cells = [[*row, *[""] * (wide - len(row))] for row in cells]
        cells += blank(max(0, top + len(pasted) - len(cells)), wide)
        for down, row in enumerate(pasted):
            cells[top + down][left : left + len(row)] = row
        self._change(cells)

    def _change(self, cells: Cells) -> None:
        at = self.view.currentIndex()
        place = (at.row(), at.column())
        self.grid.change(cells)
        self._go_to(*place)
        self._tell()

    def _go_to(self, row: int, column: int) -> None:
        index = self.grid.index(
            max(0, min(row, self.grid.rowCount() - 1)), max(0, min(column, self.grid.columnCount() - 1))
        )
        self.view.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)

    def _put_row(self) -> None:
        at = self.view.currentIndex().row()
        place = at + 1 if at >= 0 else self.grid.rowCount()
        self._change([*self.grid.cells[:place], [""] * self.grid.columnCount(), *self.grid.cells[place:]])
        self._go_to(place, 0)

    def _put_column(self) -> None:
        self._change([[*row, ""] for row in self.grid.cells])
        self._go_to(0, self.grid.columnCount() - 1)

    def _take_rows(self) -> None:
        gone = self._chosen(rows=True)
        self._change([row for place, row in enumerate(self.grid.cells) if place not in gone])

    def _take_columns(self) -> None:
        gone = self._chosen(rows=False)
        self._change([[cell for place, cell in enumerate(row) if place not in gone] for row in self.grid.cells])

    def _chosen(self, *, rows: bool) -> set[int]:
        return {index.row() if rows else index.column() for index in self.view.selectedIndexes()}

    def _empty(self) -> None:
        gone = {(index.row(), index.column()) for index in self.view.selectedIndexes()}
        self._change(
            [
                ["" if (down, across) in gone else cell for across, cell in enumerate(row)]
                for down, row in enumerate(self.grid.cells)
            ]
        )

    def _tell(self, *, changed: bool = True) -> None:
        rows = self.rows()
        show_if(self.show_example, bool(self._example) and not rows)
        self._say(self._wrong(rows))
        if changed:
            self.changed.emit()

    def _wrong(self, rows: Cells) -> str:
        """Return why this is no valid table, in a sentence; empty where it is valid, or still empty."""
        if not rows:
            return ""
        names = [name.casefold() for name in rows[0]]
        nameless = [place for place in range(len(names)) if not names[place]]
        if nameless:
            return tr("Column {n} has no name: write it into the first row.").format(n=nameless[0] + 1)
        if twice := next((name for name in rows[0] if names.count(name.casefold()) > 1), ""):
            return tr("Two columns are called “{name}”: rename one of them.").format(name=as_given(twice))
        return tr("Below the names of the columns, write at least one row.") if len(rows) < 2 else ""

    def _say(self, words: str) -> None:
        show_words(self.trouble, words)

    def _dress(self, _tokens: object = None) -> None:
        tokens = theme.current()
        self.view.horizontalHeader().setDefaultSectionSize(tokens.px(COLUMN_WIDTH))
        self.view.verticalHeader().setDefaultSectionSize(tokens.px(28))
        self.view.setMinimumHeight(tokens.px(LEAST_HEIGHT))
