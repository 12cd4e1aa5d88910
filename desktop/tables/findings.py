"""The item model of the findings table: all rows at hand, those that the filter leaves, in the order asked for."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from desktop.widgets.words import tr
from desktop.wording.finding_lines import COLUMNS, NUMERIC, FindingFilter, FindingLine

Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()
CUT = ("finding", "groups", "variant", "study")  # columns whose texts can be longer than their room
UNSORTED = -1  # the order of the measurement: pooled findings first
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class FindingsTable(QAbstractTableModel):
    """`show` narrows, `sort` orders; both look at every row at once, which thousands of rows bear."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._all: Sequence[FindingLine] = ()
        self._without: frozenset[str] = frozenset()
        self._shown: list[FindingLine] = []
        self._where = FindingFilter()
        self._sorted_by = (UNSORTED, Qt.SortOrder.AscendingOrder)

    # the rows

    @property
    def lines(self) -> Sequence[FindingLine]:
        """Every finding, shown or not."""
        return self._all

    @property
    def shown(self) -> Sequence[FindingLine]:
        """The findings that are shown, from above."""
        return self._shown

    @property
    def without(self) -> frozenset[str]:
        """The columns that no finding has anything in."""
        return self._without

    @property
    def where(self) -> FindingFilter:
        return self._where

    def set_lines(self, lines: Sequence[FindingLine]) -> None:
        """Other findings, under the same filter and in the same order."""
        self._all = lines
        self._without = frozenset(name for name in COLUMNS if not any(getattr(line.shown, name) for line in lines))
        self._arrange()

    def show(self, where: FindingFilter) -> None:
        """Other ones of the same findings."""
        self._where = where
        self._arrange()

    def row_of(self, same: tuple[Any, ...]) -> int | None:
        """The row that a finding (`FindingLine.same`) has now; None if it is not shown."""
        return next((row for row, line in enumerate(self._shown) if line.same == same), None)

    def _arrange(self) -> None:
        self.beginResetModel()
        self._shown = _sorted(self._where.matching(self._all), *self._sorted_by)
        self.endResetModel()

    # what Qt asks

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self._sorted_by = (column, order)
        self._arrange()

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._shown)

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(COLUMNS)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        line, column = self._shown[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return line.shown[column]
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return accessible_text(line, column)
        if role == Qt.ItemDataRole.ToolTipRole and COLUMNS[column] in CUT:
            return " · ".join(part for part in (line.shown[column], line.about if column == 0 else "") if part)
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Vertical:
            return section + 1 if role == Qt.ItemDataRole.DisplayRole else None
        name = COLUMNS[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return column_title(name)
        if role == Qt.ItemDataRole.ToolTipRole:
            return column_help(name)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return alignment(name)
        return None


def _sorted(lines: list[FindingLine], column: int, order: Qt.SortOrder) -> list[FindingLine]:
    """By a column, what it does not have last in both directions; equal ones stay in the measurement's order."""
    if column == UNSORTED:
        return lines
    with_key = [line for line in lines if line.keys[column] is not None]
    without = [line for line in lines if line.keys[column] is None]
    with_key.sort(key=lambda line: line.keys[column], reverse=order == Qt.SortOrder.DescendingOrder)
    return with_key + without


def alignment(column: str) -> Qt.AlignmentFlag:
    """Figures stand under each other at the right; texts at the left."""
    return RIGHT if column in NUMERIC - {"estimate"} else LEFT


def accessible_text(line: FindingLine, column: int) -> str:
    """A cell for who hears it: with the column's name, and what only the eye would see beside it."""
    if column > 0:
        unit = f" {line.unit}" if COLUMNS[column] == "estimate" and line.unit else ""
        return f"{column_title(COLUMNS[column])}: {line.shown[column]}{unit}" if line.shown[column] else ""
    marked = (tr("stand-in scorer"),) if line.stand_in else ()
    return ", ".join(part for part in (line.shown.finding, line.about, *marked) if part)


def column_title(column: str) -> str:
    return {
        "finding": tr("Finding"),
        "groups": tr("Groups"),
        "estimate": tr("Estimate (interval)"),
        "n": tr("n"),
        "p": tr("p"),
        "p_adjusted": tr("Adjusted p"),
        "floor": tr("Floor"),
        "variant": tr("Variant"),
        "study": tr("Study"),
    }[column]


def column_help(column: str) -> str:
    return {
        "finding": tr("What was measured, and on which part of the data"),
        "groups": tr("The first is the numerator of a ratio, or the first term of a difference"),
        "estimate": tr("With its 95 % interval; — where the number is not defined"),
        "n": tr("How many items the number rests on"),
        "p": tr("How often chance alone would give this much"),
        "p_adjusted": tr("p after allowing for the other tests of its family; bold at 0.05 and below"),
        "floor": tr("Noise floor: what comes up without any bias stays below it in 95 of 100 cases"),
        "variant": tr("“default” is for decisions, “as published” to compare with the paper"),
        "study": tr("The study it belongs to"),
    }[column]
