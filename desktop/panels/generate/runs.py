"""The list of runs: the queue and the project's runs with their counts, and what can be done with the chosen one."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QSize, Qt, Signal
from PySide6.QtWidgets import QHeaderView, QTableView

from desktop import theme
from desktop.operations.generating_queue import Entry
from desktop.operations.generating_runs import RunLine
from desktop.panels.generate.rows import Row, rows_of
from desktop.panels.generate.run_details import RunDetails
from desktop.widgets import Card, Label, tr
from desktop.widgets.safe_text import safe_tip

ROW_HEIGHT = 30
ROWS_IN_VIEW = 3
GENERATOR = 1
NAMES = (0, GENERATOR)  # the columns that hold names


class RunsModel(QAbstractTableModel):
    """One row per run."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: tuple[Row, ...] = ()
        self._cells: list[tuple[str, ...]] = []

    @property
    def runs(self) -> tuple[RunLine, ...]:
        """The project's runs among them."""
        return tuple(row.run for row in self.rows if row.run is not None)

    def show(
        self, runs: Sequence[RunLine], entries: Sequence[Entry] = (), sets: Mapping[int, str] | None = None
    ) -> bool:
        """Show these; False where the rows are as before but for what their cells say."""
        before, self.rows = self.rows, rows_of(runs, entries, sets or {})
        cells = [row.cells for row in self.rows]
        if [row.key for row in before] == [row.key for row in self.rows]:
            if cells != self._cells:  # only words changed: what is chosen stays chosen
                self._cells = cells
                self.dataChanged.emit(self.index(0, 0), self.index(len(cells) - 1, self.columnCount() - 1))
            return False
        self.beginResetModel()
        self._cells = cells
        self.endResetModel()
        return True

    def rowCount(self, parent: QModelIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._cells)

    def columnCount(self, parent: QModelIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else 5

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        cell = self._cells[index.row()][index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return cell
        if role == Qt.ItemDataRole.ToolTipRole and index.column() in NAMES:  # in a narrow column a name is cut off
            more = self.rows[index.row()].parameters if index.column() == GENERATOR else ""
            return safe_tip(f"{cell}\n{more}".strip())
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            titles = (tr("Prompts"), tr("Generator"), tr("Seed"), tr("There"), tr("State"))
            return titles[section]
        return None


class _Table(QTableView):
    """It takes the room that is left, and asks for a few rows."""

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), (ROWS_IN_VIEW + 1) * self.verticalHeader().defaultSectionSize())


class RunsCard(Card):
    """A run that is picked is put into the form, to go on with it; what else can be done stands under the list."""

    picked = Signal(object)  # RunLine
    chosen = Signal(object)  # Row or None: whose details are shown

    def __init__(self) -> None:
        super().__init__()
        self.set_padding(20)
        self.model = RunsModel()
        self.details = RunDetails()
        self.table = _table(self.model)
        self.nothing = Label(
            tr("None yet. A run is one generator over one prompt set with one seed; several wait for each other."),
            "soft",
            wrap=True,
        )
        self._key: tuple[str, int] | None = None
        self.box.addWidget(Label(tr("Queue and runs"), "heading"))
        self.box.addWidget(self.nothing)
        self.box.addWidget(self.table, 1)
        self.box.addWidget(self.details)
        self.box.addStretch(0)
        self.table.clicked.connect(self._pick)
        self.table.activated.connect(self._pick)
        self.table.selectionModel().currentRowChanged.connect(lambda now, _: self._choose(now))
        self._dress()
        theme.signals.changed.connect(self._dress)
        self.show_runs((), (), {})

    def show_runs(self, runs: Sequence[RunLine], entries: Sequence[Entry], sets: Mapping[int, str]) -> None:
        key = self._key
        if self.model.show(runs, entries, sets):
            self._select(key)
        self.table.setVisible(bool(self.model.rows))
        self.nothing.setVisible(not self.model.rows)
        self._tell()

    @property
    def row(self) -> Row | None:
        """The row whose details are shown: the chosen one, else the one that is being written or was last."""
        rows = self.model.rows
        found = next((row for row in rows if row.known_as(self._key)), None) or next(
            (row for row in rows if row.active), None
        )
        queued = [row for row in rows if row.entry is not None]
        return found or max(queued, key=lambda row: row.entry.ticket.number if row.entry else 0, default=None)

    def choose(self, place: int) -> None:
        """Choose a row, as a click does."""
        self.table.setCurrentIndex(self.model.index(place, 0))

    def _tell(self) -> None:
        row = self.row
        waiting = [one.key for one in self.model.rows if one.waits]
        place = waiting.index(row.key) if row is not None and row.waits else 0
        self.details.show_row(row, first=place == 0, last=place == len(waiting) - 1)
        self.chosen.emit(row)

    def _choose(self, index: QModelIndex) -> None:
        if index.isValid():
            self._key = self.model.rows[index.row()].key
            self._tell()

    def _select(self, key: tuple[str, int] | None) -> None:
        """After the list was made anew: choose the same run again, though it may have got its number meanwhile."""
        place = next((n for n, row in enumerate(self.model.rows) if row.known_as(key)), None)
        if place is not None:
            self.choose(place)

    def _pick(self, index: QModelIndex) -> None:
        run = self.model.rows[index.row()].run
        if run is not None:
            self.picked.emit(run)

    def _dress(self, _tokens: object = None) -> None:
        height = theme.current().px(ROW_HEIGHT)
        self.table.verticalHeader().setDefaultSectionSize(height)
        self.table.setMinimumHeight((ROWS_IN_VIEW + 1) * height)


def _table(model: RunsModel) -> QTableView:
    table = _Table()
    table.setProperty("role", "clear")
    table.setModel(model)
    table.setAccessibleName(tr("Queue and runs"))
    table.setEditTriggers(QTableView.EditTrigger.NoEditTriggers)
    table.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
    table.setSelectionMode(QTableView.SelectionMode.SingleSelection)
    table.setShowGrid(False)
    table.setWordWrap(False)
    table.setTabKeyNavigation(False)
    table.verticalHeader().hide()
    columns = table.horizontalHeader()
    columns.setHighlightSections(False)
    columns.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    columns.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
    for column in NAMES:
        columns.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)
    return table
