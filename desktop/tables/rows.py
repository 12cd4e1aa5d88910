"""A small table of plain texts: its columns, its rows, and the item model over them. Everything is at hand."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True)
class Column:
    """`width` in text pixels; 0: it takes what is left, and is cut or wrapped there. `help` is its tooltip."""

    title: str
    width: int = 0
    number: bool = False
    help: str = ""


@dataclass(frozen=True)
class Row:
    """`key` says which thing it is about; `cells` are short safe texts, one for each column."""

    key: str
    cells: tuple[str, ...]


class RowsTable(QAbstractTableModel):
    """Who hears a cell hears its column's name with it."""

    def __init__(self, columns: Sequence[Column], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.columns = tuple(columns)
        self.rows: tuple[Row, ...] = ()
        self._folded: tuple[int, ...] = ()

    def fold(self, columns: Sequence[int]) -> None:
        """Let what stands in these columns, which have no room, stand under the first one's words."""
        if tuple(columns) != self._folded:
            self._folded = tuple(columns)
            if self.rows:
                self.dataChanged.emit(self.index(0, 0), self.index(len(self.rows) - 1, 0))

    def _cell(self, row: int, column: int) -> str:
        cells = self.rows[row].cells
        under = (cells[place] for place in self._folded) if column == 0 else ()
        return "\n".join(part for part in (cells[column], *under) if part)

    def set_rows(self, rows: Sequence[Row]) -> bool:
        """Other rows. False, and nothing is touched, where they are the same."""
        if tuple(rows) == self.rows:
            return False
        self.beginResetModel()
        self.rows = tuple(rows)
        self.endResetModel()
        return True

    def place(self, key: str) -> int | None:
        """The row of a key."""
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
            return f"{column.title}: {text}" if text else ""
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if column.number else LEFT
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Vertical:
            return section + 1 if role == Qt.ItemDataRole.DisplayRole else None
        column = self.columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return column.title
        if role == Qt.ItemDataRole.ToolTipRole:
            return column.help or None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if column.number else LEFT
        return None
