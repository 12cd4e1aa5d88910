"""The list of runs: the queue and the project's runs with their counts, and the actions on the chosen one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QSize, Qt, Signal
from PySide6.QtWidgets import QHeaderView, QStyleOptionViewItem, QTableView, QWidget

from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.scorers.refusal import REFUSAL
from biasprint.desktop import theme
from biasprint.desktop.jobs import JobState
from biasprint.desktop.operations.measuring import ScorerLine, read_scorers
from biasprint.desktop.operations.prompts import StoredSet, stored_sets
from biasprint.desktop.operations.queue import Entry, generator_words, lane
from biasprint.desktop.operations.runs import (
    HOW,
    RunLine,
    Tally,
    author_words,
    cut_sentence,
    failure_words,
    parameter_words,
    read_runs,
    run_words,
    tally_words,
)
from biasprint.desktop.operations.studies import StudyFacts, study_facts
from biasprint.desktop.operations.writers import refusals
from biasprint.desktop.widgets import Card, Label, LinkButton, QuietButton, hairline, number, tr
from biasprint.desktop.widgets.labels import show_if, tipped
from biasprint.desktop.widgets.layout import STRETCH, add_to, empty, in_column, in_row
from biasprint.desktop.widgets.safe_text import safe_line, safe_tip
from biasprint.desktop.widgets.small_table import TextDelegate


@dataclass(frozen=True)
class RunListRow:
    """A run, its place in the queue, or both. `state` is a word or two; `waits` while it can be moved in the queue."""

    run: RunLine | None
    entry: Entry | None
    prompt_set: str
    generator: str
    state: str
    waits: bool = False

    @property
    def key(self) -> tuple[str, int]:
        """The key of the run while the list changes."""
        if self.run is not None:
            return ("run", self.run.id)
        assert self.entry is not None
        return ("ticket", self.entry.ticket.number)

    def known_as(self, key: tuple[str, int] | None) -> bool:
        """Return whether it has this key: a run in the queue gets its own number later, and keeps its ticket's."""
        return key == self.key or (self.entry is not None and key == ("ticket", self.entry.ticket.number))

    @property
    def active(self) -> bool:
        return self.entry is not None and self.entry.handle.active

    @property
    def held(self) -> bool:
        """True while it waits or is being written, so that nothing more can be asked of it. Scoring does not count."""
        return self.active and self.entry is not None and not self.entry.ticket.written

    @property
    def can_resume(self) -> bool:
        """True if texts are missing that nobody is writing."""
        return self.run is not None and self.run.can_go_on and self.run.missing > 0 and not self.held

    @property
    def cells(self) -> tuple[str, ...]:
        """The cells: prompts, generator, seed, present texts, state. An imported table has no seed."""
        run, entry = self.run, self.entry
        seed = str(run.request.seed if run else entry.ticket.seed if entry else "")
        if run is not None and not run.can_go_on:
            seed = "–"
        done = number(run.done) if run is not None else "–"
        author = safe_line(self.generator).replace(", ", "\n", 1)  # the model, and below it what distinguishes it
        return (safe_line(self.prompt_set), author, seed, done, self.state.replace(", ", ",\n", 1))

    @property
    def parameters(self) -> str:
        return parameter_words(self.run.request) if self.run is not None else ""


def rows_of(runs: Sequence[RunLine], entries: Sequence[Entry], sets: Mapping[int, str]) -> tuple[RunListRow, ...]:
    """Return the rows. `entries`: those in the queue in order, and ended ones; `sets`: names by id."""
    by_id = {run.id: run for run in runs}
    rows: list[RunListRow] = []
    ended: dict[int, Entry] = {}
    asked_again = {entry.ticket.run_id for entry in entries if entry.handle.active and not entry.ticket.written}
    for entry in sorted(entries, key=lambda entry: not entry.handle.active):
        run = by_id.get(entry.ticket.run_id or 0)
        if run is not None and entry.handle.active and entry.ticket.written and run.id in asked_again:
            continue  # still scored, and to be written on: one row
        if run is not None and not entry.handle.active:
            ended[run.id] = entry  # the latest is what counts
        else:
            rows.append(_row(run, entry, sets))
    shown = {row.run.id for row in rows if row.run is not None}
    rows += [_row(run, ended.get(run.id), sets) for run in runs if run.id not in shown]
    return tuple(rows)


def _row(run: RunLine | None, entry: Entry | None, sets: Mapping[int, str]) -> RunListRow:
    state, waits = (run_words(run) if run is not None else ""), False
    if entry is not None:
        words, waits = _entry_words(entry)
        state = words or state
    if run is not None:
        return RunListRow(run, entry, run.prompt_set, author_words(run.request), state, waits)
    assert entry is not None
    name = sets.get(entry.ticket.prompt_set_id, "")
    return RunListRow(None, entry, name, generator_words(entry.handle), state, waits)


def _entry_words(entry: Entry) -> tuple[str, bool]:
    """Return the state of a queued run, and whether it waits; empty for one that ended well."""
    handle = entry.handle
    writes = lane().writes(entry.ticket)
    if not handle.active:
        ends = {JobState.CANCELLED: tr("stopped"), JobState.FAILED: tr("stopped by an error")}
        if entry.ticket.written:  # its texts are all there
            ends = {JobState.CANCELLED: tr("scoring stopped"), JobState.FAILED: tr("scoring failed")}
        return ends.get(handle.state, ""), False
    if handle.cancelling:
        return tr("stopping"), False
    if handle.state is JobState.PAUSED:
        return tr("paused"), not (writes or entry.ticket.written)
    if entry.ticket.written:
        return tr("scoring"), False
    if writes:
        return (tr("writing") if handle.progress is not None and handle.progress.total else tr("opening")), False
    return tr("waiting"), True


class RunDetails(QWidget):
    """The details of a run. Its signals carry the `Row`. Hidden while there is nothing to show or do."""

    resume_wanted = Signal(object)
    retry_wanted = Signal(object, object)  # the kinds of failure
    move_wanted = Signal(object, int)
    remove_wanted = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._row: RunListRow | None = None
        self._allowed = False
        self._shown: object = None
        self.tally = tipped(Label("", "note", wrap=True), tr(HOW))
        self.error = Label("", "note", wrap=True)
        self.failures: dict[str, LinkButton] = {}
        self.resume = QuietButton(tr("Resume"), icon="play", act=lambda: self.resume_wanted.emit(self._row))
        self.retry_all = QuietButton(tr("Retry all failures"))
        self.up, self.down = QuietButton(tr("Up")), QuietButton(tr("Down"))
        self.remove = QuietButton("", act=lambda: self.remove_wanted.emit(self._row))
        self._failures = in_column(spacing=2)
        self._lay_out()
        self.retry_all.clicked.connect(lambda: self.retry_wanted.emit(self._row, frozenset(self.failures) - {REFUSAL}))
        self.up.clicked.connect(lambda: self.move_wanted.emit(self._row, -1))
        self.down.clicked.connect(lambda: self.move_wanted.emit(self._row, 1))
        self.show_row(None)

    def show_row(self, row: RunListRow | None, *, first: bool = True, last: bool = True) -> None:
        """Show a row. `first` and `last`: its place among those that wait."""
        if row is None or self._row is None or row.key != self._row.key:
            self.tally.setText("")
        self._row = row
        failures = dict(row.run.failures) if row is not None and row.run is not None and row.run.can_go_on else {}
        cut = row.run.cut if row is not None and row.run is not None else 0
        if (failures, cut) != self._shown:
            self._shown = (failures, cut)
            self._make_failures(failures)
            if cut:
                self._failures.addWidget(Label(cut_sentence(cut), "", wrap=True))
        ended = row is not None and row.run is None and not row.active
        error = row.entry.handle.error if row is not None and row.entry is not None else None
        self.error.setText(safe_line(str(error)) if error is not None else "")
        self.remove.set_text(tr("Remove from the list") if ended else tr("Remove from the queue"))
        shown = (
            (self.error, error is not None),
            (self.resume, row is not None and row.can_resume),
            (self.retry_all, len(failures.keys() - {REFUSAL}) > 1),
            (self.up, row is not None and row.waits),
            (self.down, row is not None and row.waits),
            (self.remove, row is not None and (row.waits or ended)),
        )
        for widget, wanted in shown:
            show_if(widget, wanted)
        self.up.setEnabled(not first)
        self.down.setEnabled(not last)
        self._actions.setVisible(any(wanted for _, wanted in shown[1:]))
        self._allow()
        self._fit()

    def show_tally(self, tally: Tally, study: str) -> None:
        self.tally.setText(tally_words(tally, study))
        self._fit()

    def allow(self, allowed: bool) -> None:
        self._allowed = allowed
        self._allow()

    def _allow(self) -> None:
        row = self._row
        free = self._allowed and row is not None and not row.held
        for button in (self.resume, self.retry_all, *self.failures.values()):
            button.setEnabled(free)

    def _make_failures(self, failures: dict[str, int]) -> None:
        empty(self._failures)
        self.failures = {}
        for kind, count in sorted(failures.items()):
            line = QWidget()
            words = failure_words(kind, count)
            retry = LinkButton(tr("Retry these"))
            retry.setAccessibleName(tr(f"{retry.text()}: {words}"))
            retry.clicked.connect(lambda _=False, kind=kind: self.retry_wanted.emit(self._row, frozenset({kind})))
            in_row((Label(words, "", wrap=True), 1), retry, inside=line, spacing=theme.current().grid, margins=0)
            self._failures.addWidget(line)
            self.failures[kind] = retry

    def _lay_out(self) -> None:
        box = in_column(
            hairline(), self.tally, self._failures, self.error, inside=self, spacing=theme.current().grid, margins=0
        )
        self._actions = QWidget()
        line = in_row(inside=self._actions, margins=0)
        add_to(
            line, self.resume, self.retry_all, self.up, self.down, self.remove, STRETCH, spacing=theme.current().grid
        )
        box.addWidget(self._actions)

    def _fit(self) -> None:
        show_if(self.tally, bool(self.tally.text()))
        something = bool(
            self.tally.text() or self._failures.count() or self.error.text() or not self._actions.isHidden()
        )
        show_if(self, something)


ROW_HEIGHT = 44  # text pixels: two lines
ROWS_IN_VIEW = 3
GENERATOR = 1
NAMES = (0, GENERATOR)  # the columns that hold names


class RunsModel(QAbstractTableModel):
    """One row per run."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: tuple[RunListRow, ...] = ()
        self._cells: list[tuple[str, ...]] = []

    @property
    def runs(self) -> tuple[RunLine, ...]:
        """Return the project's runs among the rows."""
        return tuple(row.run for row in self.rows if row.run is not None)

    def show(
        self, runs: Sequence[RunLine], entries: Sequence[Entry] = (), sets: Mapping[int, str] | None = None
    ) -> bool:
        """Show these rows; return False if only the text of cells has changed."""
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
            return tr(cell)
        if role == Qt.ItemDataRole.ToolTipRole and index.column() in NAMES:  # in a narrow column a name is cut off
            more = self.rows[index.row()].parameters if index.column() == GENERATOR else ""
            return safe_tip(f"{cell}\n{more}".strip())
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            titles = (tr("Prompts"), tr("Generator"), tr("Seed"), tr("There"), tr("State"))
            return titles[section]
        return None


class _Cells(TextDelegate):
    """Wraps the names of prompt sets; a generator's lines are its own."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        super().initStyleOption(option, index)
        if index.column() == 0:
            option.features |= QStyleOptionViewItem.ViewItemFeature.WrapText


class _Table(QTableView):
    """A table that takes the rest of the room, and needs only a few rows."""

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), (ROWS_IN_VIEW + 1) * self.verticalHeader().defaultSectionSize())


class RunsCard(Card):
    """The list. Picking a run puts it into the form, to continue it; other actions are below the list."""

    picked = Signal(object)  # RunLine
    chosen = Signal(object)  # Row or None: whose details are shown

    def __init__(self) -> None:
        super().__init__(padding=20)
        self.model = RunsModel()
        self.details = RunDetails()
        self.table = _table(self.model)
        self.nothing = Label(
            tr("None yet. A run is one generator over one prompt set with one seed; several wait for each other."),
            "soft",
            wrap=True,
        )
        self._key: tuple[str, int] | None = None
        add_to(self.box, Label(tr("Queue and runs"), "heading"), self.nothing, (self.table, 1), self.details, 0)
        self.table.clicked.connect(self._pick)
        self.table.activated.connect(self._pick)
        self.table.selectionModel().currentRowChanged.connect(lambda now, _: self._choose(now))
        theme.follow(self._dress)
        self.show_runs((), (), {})

    def show_runs(self, runs: Sequence[RunLine], entries: Sequence[Entry], sets: Mapping[int, str]) -> None:
        key = self._key
        if self.model.show(runs, entries, sets):
            self._select(key)
        self.table.setVisible(bool(self.model.rows))
        self.nothing.setVisible(not self.model.rows)
        self._tell()

    @property
    def row(self) -> RunListRow | None:
        """The row with its details shown: the chosen one, else the one being written or the last one."""
        rows = self.model.rows
        shown = next((row for row in rows if row.known_as(self._key)), None) or next(
            (row for row in rows if row.active), None
        )
        queued = [row for row in rows if row.entry is not None]
        return shown or max(queued, key=lambda row: row.entry.ticket.number if row.entry else 0, default=None)

    def choose(self, place: int) -> None:
        """Choose a row, as a click does."""
        self.table.setCurrentIndex(self.model.index(place, 0))

    def _tell(self) -> None:
        row = self.row
        waiting = [listed.key for listed in self.model.rows if listed.waits]
        place = waiting.index(row.key) if row is not None and row.waits else 0
        self.details.show_row(row, first=place == 0, last=place == len(waiting) - 1)
        self.chosen.emit(row)

    def _choose(self, index: QModelIndex) -> None:
        if index.isValid():
            self._key = self.model.rows[index.row()].key
            self._tell()

    def _select(self, key: tuple[str, int] | None) -> None:
        """Choose the same run again after the list was made again, though it may have got its number meanwhile."""
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
    table.setItemDelegate(_Cells(table))
    table.setAccessibleName(tr("Queue and runs"))
    table.setEditTriggers(QTableView.EditTrigger.NoEditTriggers)
    table.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
    table.setSelectionMode(QTableView.SelectionMode.SingleSelection)
    table.setShowGrid(False)
    table.setWordWrap(False)
    table.setTextElideMode(Qt.TextElideMode.ElideMiddle)  # names are told apart by their beginning and their end
    table.setTabKeyNavigation(False)
    table.verticalHeader().hide()
    columns = table.horizontalHeader()
    columns.setHighlightSections(False)
    columns.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    columns.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
    columns.setResizeContentsPrecision(0)  # by the rows that are seen: of thousands all would be measured
    for column in NAMES:
        columns.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)
    return table


@dataclass(frozen=True)
class Contents:
    """The content of the panel. `refused`: set and backend → the reason it cannot write it. `kinds`: by set."""

    sets: tuple[StoredSet, ...] = ()
    refused: Mapping[tuple[int, str], str] = field(default_factory=dict)
    runs: tuple[RunLine, ...] = ()
    scorers: tuple[ScorerLine, ...] = ()
    studies: tuple[StudyFacts, ...] = ()
    kinds: Mapping[int, str] = field(default_factory=dict)


def read_contents(ctx: JobContext, project: Project) -> Contents:
    sets = stored_sets(ctx, project)
    refused = refusals(ctx, project, sets)
    studies = {row.id: row.kind for row in project.studies.all()}
    kinds = {row.id: studies[row.study_id] for row in project.prompts.sets()}
    return Contents(
        sets, refused, read_runs(ctx, project), read_scorers(ctx, project), study_facts(ctx, project), kinds
    )
