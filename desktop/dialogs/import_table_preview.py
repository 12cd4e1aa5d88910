"""What reading a table gives: its first rows, and every row that is not as it should be."""

from collections.abc import Sequence

from PySide6.QtCore import QAbstractTableModel, QModelIndex, Qt
from PySide6.QtWidgets import QHBoxLayout, QHeaderView, QStackedWidget, QTabBar, QTableView, QVBoxLayout, QWidget

from desktop import theme
from desktop.operations.importing import Reading
from desktop.widgets import PlainText, plural, tr
from desktop.widgets.safe_text import safe_line

ROW_HEIGHT = 30
TEXT_SHARE = 3  # a text column is so many times as wide as others
LONG = 60  # characters


class PreviewModel(QAbstractTableModel):
    """A few rows of plain text."""

    def __init__(self) -> None:
        super().__init__()
        self._fields: Sequence[str] = ()
        self._rows: Sequence[Sequence[str]] = ()

    def show(self, fields: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        self.beginResetModel()
        self._fields, self._rows = tuple(fields), [[safe_line(cell) for cell in row] for row in rows]
        self.endResetModel()

    def rowCount(self, parent: QModelIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: QModelIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._fields)

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        return self._rows[index.row()][index.column()] if role == Qt.ItemDataRole.DisplayRole else None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            return self._fields[section].replace("_", " ").capitalize()
        return None

    def long_columns(self) -> list[int]:
        """The columns that hold long texts."""
        return [n for n in range(len(self._fields)) if any(len(row[n]) > LONG for row in self._rows)]


class Preview(QWidget):
    """First rows and problems, as two tabs; `head` is the row of the tabs."""

    def __init__(self) -> None:
        super().__init__()
        self.model = PreviewModel()
        self.table = QTableView()
        self.table.setModel(self.model)
        self.table.setAccessibleName(tr("First rows, as they would be read"))
        self.table.setEditTriggers(QTableView.EditTrigger.NoEditTriggers)
        self.table.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        self.table.setShowGrid(False)
        self.table.setWordWrap(False)
        self.table.setTabKeyNavigation(False)
        self.table.verticalHeader().hide()
        self.table.verticalHeader().setDefaultSectionSize(theme.current().px(ROW_HEIGHT))
        self.table.horizontalHeader().setHighlightSections(False)
        self.table.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.problems = PlainText(name=tr("Rows that are not as they should be"))
        self.tabs = QTabBar()
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.setAccessibleName(tr("What reading gives"))
        self.stack = QStackedWidget()
        for widget in (self.table, self.problems):
            self.tabs.addTab("")
            self.stack.addWidget(widget)
        self.tabs.currentChanged.connect(self.stack.setCurrentIndex)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(theme.current().grid)
        self.head = QHBoxLayout()
        self.head.addWidget(self.tabs, 1)
        box.addLayout(self.head)
        box.addWidget(self.stack, 1)
        self.show_reading(None)

    def show_reading(self, reading: Reading | None) -> None:
        """Show what was read; None: nothing yet."""
        problems = reading.problems if reading is not None else ()
        self.model.show(tuple(reading.mapping) if reading else (), reading.first if reading else ())
        self.problems.set_text("\n".join(problems))
        self.tabs.setTabText(0, tr("First rows"))
        self.tabs.setTabText(1, plural(len(problems), "1 row to look at", "%n rows to look at"))
        self.tabs.setTabVisible(1, bool(problems))
        if not problems:
            self.tabs.setCurrentIndex(0)
        self._share_width()

    def _share_width(self) -> None:
        header, long = self.table.horizontalHeader(), self.model.long_columns()
        for column in range(self.model.columnCount()):
            mode = QHeaderView.ResizeMode.Stretch if column in long else QHeaderView.ResizeMode.ResizeToContents
            header.setSectionResizeMode(column, mode)
        header.setStretchLastSection(not long)
