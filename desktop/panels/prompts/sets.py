"""The prompt sets that the project has, newest first."""

from collections.abc import Sequence

from PySide6.QtCore import QAbstractTableModel, QModelIndex, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QHeaderView, QTableView

from desktop import theme
from desktop.operations.prompts import StoredSet
from desktop.widgets import Card, Label, QuietButton, tr
from desktop.widgets.safe_text import safe_line, safe_tip

ROW_HEIGHT = 30
MOST_ROWS = 4  # seen at once; more scroll


class SetsModel(QAbstractTableModel):
    """One row per version of a set."""

    def __init__(self) -> None:
        super().__init__()
        self.sets: tuple[StoredSet, ...] = ()

    def show(self, sets: Sequence[StoredSet]) -> None:
        self.beginResetModel()
        self.sets = tuple(sets)
        self.endResetModel()

    def rowCount(self, parent: QModelIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.sets)

    def columnCount(self, parent: QModelIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else 4

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self.sets[index.row()]
        cells = (safe_line(row.name), row.version, f"{row.prompts:,}", safe_line(row.study))
        if role == Qt.ItemDataRole.DisplayRole:
            return cells[index.column()]
        if role == Qt.ItemDataRole.ToolTipRole:  # in a narrow column a name is cut off
            return safe_tip(str(cells[index.column()]))
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            return (tr("Set"), tr("Version"), tr("Prompts"), tr("Study"))[section]
        return None


class SetsCard(Card):
    """A table, and the way on to generating from the chosen set."""

    generate_wanted = Signal(int)  # the set's id

    def __init__(self) -> None:
        super().__init__()
        self.set_padding(20)
        self.model = SetsModel()
        self.table = QTableView()
        self.table.setProperty("role", "clear")
        self.table.setModel(self.model)
        self.table.setAccessibleName(tr("Prompt sets in this project"))
        self.table.setEditTriggers(QTableView.EditTrigger.NoEditTriggers)
        self.table.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        self.table.setShowGrid(False)
        self.table.setTabKeyNavigation(False)
        self.table.verticalHeader().hide()
        columns = self.table.horizontalHeader()
        columns.setHighlightSections(False)
        columns.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        columns.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        columns.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.nothing = Label(tr("None yet: choose prompts and add them."), "soft", wrap=True)
        self.generate = QuietButton(tr("Generate outputs…"))
        self.generate.clicked.connect(lambda: self.generate_wanted.emit(self._chosen()))
        head = QHBoxLayout()
        head.addWidget(Label(tr("In this project"), "heading"))
        head.addStretch(1)
        head.addWidget(self.generate)
        self.box.addLayout(head)
        self.box.addWidget(self.nothing)
        self.box.addWidget(self.table, 1)
        theme.signals.changed.connect(self._dress)
        self.show_sets(())

    def show_sets(self, sets: Sequence[StoredSet]) -> None:
        """List the sets; the newest is chosen."""
        self.model.show(sets)
        for widget in (self.table, self.generate):
            widget.setVisible(bool(sets))
        self.nothing.setVisible(not sets)
        self._dress()
        if sets:
            self.table.selectRow(0)

    def _chosen(self) -> int:
        return self.model.sets[max(0, self.table.currentIndex().row())].id

    def _dress(self, _tokens: object = None) -> None:
        height = theme.current().px(ROW_HEIGHT)
        self.table.verticalHeader().setDefaultSectionSize(height)
        rows = min(self.model.rowCount(), MOST_ROWS)
        self.table.setFixedHeight(self.table.horizontalHeader().sizeHint().height() + rows * height + 4)
