"""The findings table as it is seen: as many columns as leave the findings room to be read."""

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from desktop import theme
from desktop.models.finding_delegate import FindingDelegate
from desktop.models.finding_lines import COLUMNS
from desktop.models.findings_table import FindingsTable
from desktop.widgets import tr

ROW_HEIGHT = 46  # two lines: what it is, and on what part of the data
TITLE_WIDTH = 285  # what the first column has at least, before a column is left out
# In the order in which they are given room: the last are left out first.
WIDTHS = {
    "estimate": 190,
    "n": 64,
    "p_adjusted": 90,
    "groups": 150,
    "p": 64,
    "floor": 72,
    "variant": 104,
    "study": 130,
}


class FindingsView(QTableView):
    """`opened` says that the texts of the current row are wanted; `focused` that the keyboard came or went."""

    opened = Signal()
    focused = Signal(bool)

    def __init__(self, table: FindingsTable, several_studies: Callable[[], bool]) -> None:
        super().__init__()
        self._table, self._several_studies = table, several_studies
        self.setModel(table)
        self.setItemDelegate(FindingDelegate(self))
        self.setAccessibleName(tr("Findings"))
        self.setProperty("role", "clear")
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        rows = self.verticalHeader()
        rows.hide()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)  # no row is ever measured
        columns = self.horizontalHeader()
        columns.setHighlightSections(False)
        columns.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        columns.setSortIndicatorClearable(True)
        columns.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self.setSortingEnabled(True)
        self.doubleClicked.connect(lambda _: self.opened.emit())
        self.fit()
        theme.signals.changed.connect(self.fit)

    def order_by(self, column: str) -> None:
        """Sort by a column, whether it has room or not; again: the other way round."""
        header, place = self.horizontalHeader(), COLUMNS.index(column)
        again = header.sortIndicatorSection() == place
        up = not again or header.sortIndicatorOrder() == Qt.SortOrder.DescendingOrder
        self.sortByColumn(place, Qt.SortOrder.AscendingOrder if up else Qt.SortOrder.DescendingOrder)

    def keep_in_sight(self, row: int) -> None:
        """Make a row the current one again, after the rows around it changed."""
        self.setCurrentIndex(self.model().index(row, 0))
        self.scrollTo(self.model().index(row, 0), QAbstractItemView.ScrollHint.EnsureVisible)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.opened.emit()
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.focused.emit(True)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.focused.emit(False)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()

    def fit(self, _tokens: object = None) -> None:
        """As many columns as there is room for; the card has what is left out."""
        tokens = theme.current()
        self.verticalHeader().setDefaultSectionSize(tokens.px(ROW_HEIGHT))
        room = self.viewport().width() - tokens.px(TITLE_WIDTH)
        for name, width in WIDTHS.items():
            empty = name in self._table.without or (name == "study" and not self._several_studies())
            room -= 0 if empty else tokens.px(width)
            self.setColumnHidden(COLUMNS.index(name), empty or room < 0)
            self.setColumnWidth(COLUMNS.index(name), tokens.px(width))
