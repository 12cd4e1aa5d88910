"""Writing texts: the form, the run while it is written, and the queue with the runs there are."""

from collections.abc import Collection
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QBoxLayout, QSizePolicy, QVBoxLayout

from core.errors import AppError
from desktop import theme
from desktop.operations.generating_queue import Entry, lane, put_in_queue, queued, tell_state
from desktop.operations.generating_runs import RunLine, WriteRequest
from desktop.operations.generating_writers import read_writers
from desktop.panels.base import Shell
from desktop.panels.generate.contents import Contents
from desktop.panels.generate.form import GenerateForm
from desktop.panels.generate.picker import show_models
from desktop.panels.generate.progress import ProgressCard
from desktop.panels.generate.rows import Row
from desktop.panels.generate.runs import RunsCard
from desktop.panels.generate.tally import Tallies
from desktop.widgets import tr
from desktop.widgets.sheet import Sheet

if TYPE_CHECKING:
    pass

SIDE_BY_SIDE_FROM = 820  # text pixels
LEAST_HEIGHT = 520  # text pixels of a column of cards
LOOK_MILLISECONDS = 250  # at the queue, while somebody waits in it: who waits has nothing to report


class WritePage(Sheet):
    """Runs are queued from here, and go on while other panels are seen."""

    def __init__(self, shell: Shell) -> None:
        super().__init__()
        self._shell = shell
        self._writable = False
        self._wanted_set: int | None = None
        self._contents = Contents()
        self._entries: dict[int, Entry] = {}  # by ticket: those in the queue, and those that ended while this was here
        self.form, self.progress, self.runs = GenerateForm(shell), ProgressCard(), RunsCard()
        self.tallies = Tallies(shell, self.runs.details.show_tally)
        self._look = QTimer(self, interval=LOOK_MILLISECONDS)
        self._look.timeout.connect(self._show_queue)
        self._lay_out()
        self._connect()

    def _connect(self) -> None:
        details = self.runs.details
        self.form.started.connect(self._start)
        self.form.prompts_wanted.connect(lambda: self._shell.show_panel("prompts"))
        self.form.picker.models_wanted.connect(lambda page: show_models(self._shell, page))
        self.runs.picked.connect(self._pick)
        self.runs.chosen.connect(lambda row: self.tallies.follow(row.run if row is not None else None))
        details.resume_wanted.connect(lambda row: self._go_on(row, ()))
        details.retry_wanted.connect(self._go_on)
        details.move_wanted.connect(self._move)
        details.remove_wanted.connect(self._remove)
        theme.signals.changed.connect(self._fit)

    # the page's life

    def showEvent(self, event: QShowEvent) -> None:
        """What can write may have changed while another panel was seen."""
        super().showEvent(event)
        self._shell.jobs.start(tr("Generators"), read_writers, on_done=self.form.show_writers, quiet=True)

    def show_contents(self, contents: Contents) -> None:
        self._contents = contents
        if contents.studies:
            self._pick_up()
        self.form.show_sets(contents.sets, contents.refused, contents.kinds)
        self._show_queue()
        self._choose_wanted()

    def choose_set(self, set_id: int | None) -> None:
        """Choose a prompt set, as soon as it is there to be chosen."""
        self._wanted_set = set_id
        self._choose_wanted()

    def allow(self, writable: bool) -> None:
        self._writable = writable
        self.form.allow(writable)
        self.runs.details.allow(writable)

    def let_go(self) -> None:
        """Another project: the runs of the last one stop, and nothing of it is left to see."""
        for entry in self._entries.values():
            entry.handle.cancel()
        self._entries = {}
        self.tallies.forget()
        self.form.estimate.forget()
        self.progress.forget()
        self.show_contents(Contents())

    # the queue

    def _start(self, request: WriteRequest, retry_failures: bool) -> None:
        run = self.form.run()
        if run is None:
            self._queue(request)
        else:
            self._queue(request, resumes=run.id, retry=tuple(run.failures) if retry_failures else ())

    def _go_on(self, row: Row, kinds: Collection[str]) -> None:
        """With a stored run as it is: for what is missing, and for these kinds of failure."""
        if row.run is not None and not row.active:
            self._queue(row.run.request, resumes=row.run.id, as_it_was=True, retry=kinds)

    def _queue(
        self,
        request: WriteRequest,
        *,
        resumes: int | None = None,
        as_it_was: bool = False,
        retry: Collection[str] = (),
    ) -> None:
        project = self._shell.project
        if project is None:
            return
        shell = self._shell  # not this page: it may be gone when the run ends, and its error is to be seen all the same

        # A project that was closed meanwhile took its run with it: what that still says is not for this one.
        def fail(error: AppError) -> None:
            if project is shell.project:
                shell.show_error(error)

        self._add(
            put_in_queue(shell.jobs, project, request, resumes=resumes, as_it_was=as_it_was, retry=retry, on_error=fail)
        )
        self._show_queue()

    def _pick_up(self) -> None:
        """Runs that were queued before this page was made anew, as after a blind rating."""
        for entry in queued(self._shell.jobs, self._shell.project):
            if entry.ticket.number not in self._entries and not entry.handle.cancelling:
                self._add(entry)

    def _add(self, entry: Entry) -> None:
        self._entries[entry.ticket.number] = entry
        entry.handle.changed.connect(self._show_queue)

    def _show_queue(self) -> None:
        """Who writes, who waits, and how far the project's runs are."""
        order = [ticket.number for ticket in lane().tickets()]
        active = [entry for entry in self._entries.values() if entry.handle.active]
        active.sort(key=lambda entry: order.index(entry.ticket.number) if entry.ticket.number in order else -1)
        ended = [entry for entry in self._entries.values() if not entry.handle.active]
        if active and (not self.progress.running or self.progress.handle is not active[0].handle):
            self.progress.follow(active[0].handle)
        contents = self._contents
        sets = {one.id: tr("{name} v{n}").format(name=one.name, n=one.version) for one in contents.sets}
        self.form.show_runs(contents.runs, active)
        self.runs.show_runs(contents.runs, [*active, *ended], sets)
        if active and not self._look.isActive():
            self._look.start()
        elif not active and self._look.isActive():
            self._look.stop()
            self.form.estimate.time_anew()
        for entry in active:
            tell_state(entry)

    def _move(self, row: Row, by: int) -> None:
        if row.entry is not None:
            lane().move(row.entry.ticket, by)
            self._show_queue()

    def _remove(self, row: Row) -> None:
        """Out of the queue, or, where it never got a run, out of the list."""
        if row.entry is None:
            return
        row.entry.handle.cancel()
        if row.run is None:
            self._entries.pop(row.entry.ticket.number, None)
        self._show_queue()

    # inside

    def _pick(self, run: RunLine) -> None:
        if run.can_go_on:
            self.form.choose(run.request)

    def _choose_wanted(self) -> None:
        if self._wanted_set is not None and self.form.prompt_set.findData(self._wanted_set) >= 0:
            self.form.choose_set(self._wanted_set)
            self._wanted_set = None

    def _lay_out(self) -> None:
        right = QVBoxLayout()
        right.addWidget(self.progress, 1)
        right.addWidget(self.runs, 1)
        self._columns = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._columns.addWidget(self.form, 4)
        self._columns.addLayout(right, 5)
        for box in (right, self._columns):
            box.setSpacing(theme.current().gap)
        for card in (self.form, self.progress, self.runs):  # a column is as wide as its share, whatever is in it
            card.setSizePolicy(QSizePolicy.Policy.Ignored, card.sizePolicy().verticalPolicy())
        self.box.addLayout(self._columns)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self, _tokens: object = None) -> None:
        """Side by side where there is room, else under each other; a low window scrolls."""
        tokens = theme.current()
        wide = self.width() >= tokens.px(SIDE_BY_SIDE_FROM)
        self._columns.setDirection(QBoxLayout.Direction.LeftToRight if wide else QBoxLayout.Direction.TopToBottom)
        self.widget().setMinimumHeight(tokens.px(LEAST_HEIGHT * (1 if wide else 2)))
