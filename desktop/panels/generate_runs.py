"""The project's runs with their counts, newest first."""

from collections.abc import Sequence

from PySide6.QtCore import QAbstractTableModel, QModelIndex, Qt, Signal
from PySide6.QtWidgets import QHeaderView, QTableView

from desktop import theme
from desktop.operations.generating import RunLine, author_words
from desktop.widgets import Card, Label, tr
from desktop.widgets.safe_text import safe_line, safe_tip

ROW_HEIGHT = 30
NAMES = (0, 1)  # the columns that hold names


class RunsModel(QAbstractTableModel):
    """One row per run."""

    def __init__(self) -> None:
        super().__init__()
        self.runs: tuple[RunLine, ...] = ()

    def show(self, runs: Sequence[RunLine]) -> None:
        if tuple(runs) == self.runs:
            return
        same_rows = [run.id for run in runs] == [run.id for run in self.runs]
        if same_rows:  # only counts changed: what is chosen stays chosen
            self.runs = tuple(runs)
            self.dataChanged.emit(self.index(0, 0), self.index(len(runs) - 1, self.columnCount() - 1))
            return
        self.beginResetModel()
        self.runs = tuple(runs)
        self.endResetModel()

    def rowCount(self, parent: QModelIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.runs)

    def columnCount(self, parent: QModelIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else 6

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        cell = self._cell(self.runs[index.row()], index.column())
        if role == Qt.ItemDataRole.DisplayRole:
            return cell
        if role == Qt.ItemDataRole.ToolTipRole and index.column() in NAMES:
            return safe_tip(cell)  # in a narrow column a name is cut off
        return None

    def _cell(self, run: RunLine, column: int) -> str:
        """Of an imported table, nothing is missing, and no seed made it."""
        ours = run.can_go_on
        seed, missing = (str(run.request.seed), f"{run.missing:,}") if ours else ("–", "–")
        names = safe_line(run.prompt_set), safe_line(author_words(run.request))
        return (*names, seed, f"{run.done:,}", missing, f"{run.failed:,}")[column]

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            titles = (tr("Prompts"), tr("Generator"), tr("Seed"), tr("There"), tr("Missing"), tr("Failed"))
            return titles[section]
        return None


class RunsCard(Card):
    """A run that is picked is put into the form, to go on with it."""

    picked = Signal(object)  # RunLine

    def __init__(self) -> None:
        super().__init__()
        self.set_padding(20)
        self.model = RunsModel()
        self.table = QTableView()
        self.table.setProperty("role", "clear")
        self.table.setModel(self.model)
        self.table.setAccessibleName(tr("Runs"))
        self.table.setEditTriggers(QTableView.EditTrigger.NoEditTriggers)
        self.table.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        self.table.setShowGrid(False)
        self.table.setWordWrap(False)
        self.table.setTabKeyNavigation(False)
        self.table.verticalHeader().hide()
        columns = self.table.horizontalHeader()
        columns.setHighlightSections(False)
        columns.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        columns.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        columns.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.nothing = Label(
            tr("None yet. A run is one generator over one prompt set with one seed."), "soft", wrap=True
        )
        self.box.addWidget(Label(tr("Runs"), "heading"))
        self.box.addWidget(self.nothing)
        self.box.addWidget(self.table, 1)
        self.box.addStretch(0)
        self.table.clicked.connect(self._pick)
        self.table.activated.connect(self._pick)
        self._dress()
        theme.signals.changed.connect(self._dress)
        self.show_runs(())

    def show_runs(self, runs: Sequence[RunLine]) -> None:
        self.model.show(runs)
        self.table.setVisible(bool(runs))
        self.nothing.setVisible(not runs)

    def _pick(self, index: QModelIndex) -> None:
        self.picked.emit(self.model.runs[index.row()])

    def _dress(self, _tokens: object = None) -> None:
        self.table.verticalHeader().setDefaultSectionSize(theme.current().px(ROW_HEIGHT))
