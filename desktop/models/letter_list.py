"""The entries of a letter's side list as a model: headings of sections, and the entries under them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt

from desktop.models.letter_items import STRENGTH, WARMTH, LetterItem, section_title
from desktop.widgets.safe_text import safe_line
from desktop.widgets.words import plural, tr

Index = QModelIndex | QPersistentModelIndex
ROW = Qt.ItemDataRole.UserRole
FOLDED_AT_FIRST = frozenset({WARMTH, STRENGTH})


@dataclass(frozen=True)
class ListRow:
    """A heading (without an item) or an entry."""

    section: int
    item: LetterItem | None = None
    count: int = 0
    folded: bool = False

    @property
    def spoken(self) -> str:
        if self.item is not None:
            return safe_line(self.item.spoken)
        state = tr("folded") if self.folded else tr("unfolded")
        return f"{section_title(self.section)}: {plural(self.count, '1 entry', '%n entries')}, {state}"


class LetterList(QAbstractListModel):
    """`show` takes what is left of a reading's entries; a section can be folded."""

    def __init__(self) -> None:
        super().__init__()
        self._items: tuple[LetterItem, ...] = ()
        self._folded = set(FOLDED_AT_FIRST)
        self.rows: tuple[ListRow, ...] = ()

    @property
    def items(self) -> tuple[LetterItem, ...]:
        return self._items

    def show(self, items: Sequence[LetterItem]) -> None:
        self._items = tuple(items)
        self._lay_out()

    def start_anew(self) -> None:
        """Another letter: sections are folded as at first."""
        self._folded = set(FOLDED_AT_FIRST)
        self.show(())

    def toggle(self, section: int) -> None:
        self._folded ^= {section}
        self._lay_out()

    def place_of(self, key: str) -> QModelIndex:
        """Where the entry with this key stands; its section is unfolded for it."""
        item = next((item for item in self._items if item.key == key), None)
        if item is None:
            return QModelIndex()
        if item.section in self._folded:
            self.toggle(item.section)
        return self.index(next(place for place, row in enumerate(self.rows) if row.item is item))

    def row_at(self, index: Index) -> ListRow | None:
        return self.rows[index.row()] if index.isValid() and index.row() < len(self.rows) else None

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = self.row_at(index)
        if row is None:
            return None
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return row.spoken
        return row if role == ROW else None

    def _lay_out(self) -> None:
        self.beginResetModel()
        rows: list[ListRow] = []
        for section in sorted({item.section for item in self._items}):
            own = [item for item in self._items if item.section == section]
            rows.append(ListRow(section, count=len(own), folded=section in self._folded))
            if section not in self._folded:
                rows += [ListRow(section, item) for item in own]
        self.rows = tuple(rows)
        self.endResetModel()
