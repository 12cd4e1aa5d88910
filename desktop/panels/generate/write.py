"""Writing texts: the form, the run being written, and the queue with the project's runs."""

import time
from collections.abc import Callable, Collection

from PySide6.QtCore import QObject, QSize, QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QSizePolicy

from biasprint.core.errors import AppError
from biasprint.core.scorers.refusal import REFUSAL
from biasprint.desktop import theme
from biasprint.desktop.jobs import JobHandle, JobState
from biasprint.desktop.operations.queue import Entry, lane, only_scored, put_in_queue, queued, tell_state
from biasprint.desktop.operations.runs import IMPORTED, RunLine, Tally, WriteRequest, add_to_tally
from biasprint.desktop.operations.writers import read_writers
from biasprint.desktop.panels.generate.form import GenerateForm
from biasprint.desktop.panels.generate.runs import Contents, RunListRow, RunsCard
from biasprint.desktop.panels.generate.writers import show_models
from biasprint.desktop.shell import Shell
from biasprint.desktop.widgets import Card, Label, PlainText, ProgressThin, QuietButton, number, spelled_seconds, tr
from biasprint.desktop.widgets.labels import show_if
from biasprint.desktop.widgets.layout import STRETCH, RowOrColumn, Sheet, add_to, in_column, in_row

PAUSE_MILLISECONDS = 500  # between two looks: counting is beside the point of whoever waits for texts


class Tallies(QObject):
    """The tallies. One run at a time is counted; earlier counts are remembered. `show` gets each new tally."""

    def __init__(self, shell: Shell, show: Callable[[Tally, str], object]) -> None:
        super().__init__()
        self._shell = shell
        self._show = show
        self._tallies: dict[int, Tally] = {}
        self._run: RunLine | None = None
        self._job: JobHandle | None = None
        self._again = QTimer(self, interval=PAUSE_MILLISECONDS, singleShot=True)
        self._again.timeout.connect(self._look)

    def follow(self, run: RunLine | None) -> None:
        """Count this run's texts from now on."""
        if run is not None and run.request.backend == IMPORTED:
            run = None
        self._run = run
        if run is None:
            return
        tally = self._tallies.get(run.id, Tally())
        self._show(tally, run.study)
        if tally.texts != run.done and not self._again.isActive() and not self._busy:
            self._again.start()

    def forget(self) -> None:
        """Forget the tallies: another project was opened."""
        if self._job is not None:
            self._job.cancel()
        self._run, self._job, self._tallies = None, None, {}
        self._again.stop()

    @property
    def _busy(self) -> bool:
        return self._job is not None and self._job.active

    def _look(self) -> None:
        run, project = self._run, self._shell.project
        if run is None or project is None or self._busy:
            return
        before = self._tallies.get(run.id, Tally())

        def done(found: tuple[Tally, bool]) -> None:
            if project is not self._shell.project:
                return
            self._tallies[run.id], more = found
            if self._run is not None and self._run.id == run.id:
                self._show(self._tallies[run.id], run.study)
            if more or (self._run is not None and self._run.id != run.id):
                self._again.start()

        def failed(error: "AppError") -> None:
            """Leave the rest uncounted after an error: the texts are unaffected, and the run reports its own errors."""

        self._job = self._shell.jobs.start(
            tr("Looking at the texts"),
            lambda ctx: add_to_tally(ctx, project, run.id, run.study, before),
            on_done=done,
            on_error=failed,
            quiet=True,
        )


HOLD_SECONDS = 1.0  # endpoints write several texts at once, and quick writers many a second
LONG_CHARACTERS = 20_000  # a text is laid out again each time it grows; a long one less often
LONG_SECONDS = 1.0
NEAR_END = 4  # pixels
HEIGHT = 96  # text pixels


class LatestText(PlainText):
    """The newest text. It takes every text, at most ten a second, and shows one until it has ended."""

    def __init__(self, name: str) -> None:
        super().__init__(name=name)
        self._since = float("-inf")
        self._waiting = ""

    def sizeHint(self) -> QSize:
        """Return a small size: it takes the rest of the room."""
        return QSize(super().sizeHint().width(), theme.current().px(HEIGHT))

    def take(self, text: str) -> None:
        """Take a text as far as it is written: the shown one grown, or another, which waits while that is new."""
        shown, now = self.text(), time.monotonic()
        grown = bool(shown) and text.startswith(shown)
        hold = (LONG_SECONDS if len(shown) > LONG_CHARACTERS else 0.0) if grown else HOLD_SECONDS
        self._waiting = text
        if shown and (text == shown or now - self._since < hold):
            return
        self._show(text, grown=grown)
        self._since = now

    def show_last(self) -> None:
        """Show the last text of a run that has ended."""
        if self._waiting and self._waiting != self.text():
            self._show(self._waiting, grown=self._waiting.startswith(self.text()))

    def forget(self) -> None:
        self._since, self._waiting = float("-inf"), ""
        self.set_text("")

    def _show(self, text: str, *, grown: bool) -> None:
        """Show a growing text and scroll to its end, unless somebody reads further up."""
        bar = self.verticalScrollBar()
        before, at_end = bar.value(), bar.value() >= bar.maximum() - NEAR_END
        self.set_text(text)
        if grown:
            bar.setValue(bar.maximum() if at_end else before)


class ProgressCard(Card):
    """The progress of one job at a time; the last text stays when it has ended."""

    def __init__(self) -> None:
        super().__init__(padding=20)
        self.handle: JobHandle | None = None
        self.words = Label("", "note")
        self.pause = QuietButton(tr("Pause"), icon="pause", act=self._toggle)
        self.pause.setToolTip(tr("What is being written is finished; the runs that wait in the queue wait on."))
        self.cancel = QuietButton(tr("Cancel"), icon="stop")
        self.bar = ProgressThin(tr("Progress of the run"))
        self.text = LatestText(tr("The latest text"))
        self.nothing = Label(tr("Texts appear here while they are written."), "soft", wrap=True)
        head = in_row(spacing=theme.current().grid)
        add_to(head, Label(tr("Latest text"), "heading"), self.words, STRETCH, self.pause, self.cancel)
        self.box.addLayout(head)
        for widget, stretch in ((self.bar, 0), (self.nothing, 0), (self.text, 1)):
            self.box.addWidget(widget, stretch)
        self.box.addStretch(0)
        self.cancel.clicked.connect(lambda: self.handle.cancel() if self.handle is not None else None)
        self.forget()

    def follow(self, handle: JobHandle) -> None:
        """Follow this job from now on."""
        if handle is self.handle:
            return
        self.forget()
        self.handle = handle
        handle.changed.connect(self._show)
        self._show()

    def forget(self) -> None:
        """Remove everything of the closed project."""
        self.handle = None
        self.text.forget()
        self.text.hide()
        self.nothing.show()
        self._show()

    @property
    def running(self) -> bool:
        return self.handle is not None and self.handle.active

    def _toggle(self) -> None:
        if self.handle is None:
            return
        if self.handle.state is JobState.PAUSED:
            self.handle.resume()
        else:
            self.handle.pause()

    def _show(self) -> None:
        handle = self.handle
        for widget in (self.bar, self.pause, self.cancel):
            widget.setVisible(self.running)
        if handle is None:
            self.words.setText("")
            return
        paused = handle.state is JobState.PAUSED
        self.pause.set_text(tr("Resume") if paused else tr("Pause"))
        self.pause.set_icon("play" if paused else "pause")
        self.pause.setEnabled(not handle.cancelling)
        self.cancel.setEnabled(not handle.cancelling)
        progress = handle.progress
        if progress is not None and isinstance(progress.partial, str) and progress.partial:
            self.nothing.hide()
            show_if(self.text, True)
            self.text.take(progress.partial)
        if not handle.active:
            self.text.show_last()
        self.bar.set_progress(progress.done if progress else 0, progress.total if progress else None)
        self.words.setText(_words(handle))


def _words(handle: JobHandle) -> str:
    if handle.cancelling:
        return tr("Cancelling…")
    if handle.state is JobState.CANCELLED:
        return tr("Cancelled; what was written is kept.")
    if not handle.active:
        return handle.result_text
    if handle.progress is None or handle.progress.total is None:
        return handle.progress.note if handle.progress is not None and handle.progress.note else tr("Starting…")
    parts = [
        tr("{done} of {total}").format(done=number(handle.progress.done), total=number(handle.progress.total or 0))
    ]
    if handle.state is JobState.PAUSED:
        parts.append(tr("paused"))
    elif only_scored(handle):
        parts.append(tr("scoring"))
    elif handle.progress.seconds_left is not None:
        if handle.progress.rate:
            parts.append(_rate(handle.progress.rate))
        parts.append(tr("{time} left").format(time=spelled_seconds(handle.progress.seconds_left)))
    return " · ".join(parts)


def _rate(texts_a_second: float) -> str:
    """Return texts a second, or a minute where they are slow."""
    if texts_a_second >= 1:
        return tr("{n} texts a second").format(n=number(texts_a_second, 0 if texts_a_second >= 10 else 1))
    return tr("{n} texts a minute").format(n=number(60 * texts_a_second, 1))


SIDE_BY_SIDE_FROM = 964  # text pixels
LEAST_HEIGHT = 500  # text pixels of a column of cards
LOOK_MILLISECONDS = 250  # at the queue, while somebody waits in it: who waits has nothing to report


class WritePage(Sheet):
    """The page from which runs are queued; they go on while other panels are shown."""

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
        self.form.writers_changed.connect(self.look)
        self.form.picker.models_wanted.connect(lambda page: show_models(self._shell, page))
        self.runs.picked.connect(self._pick)
        self.runs.chosen.connect(lambda row: self.tallies.follow(row.run if row is not None else None))
        details.resume_wanted.connect(lambda row: self._go_on(row, ()))
        details.retry_wanted.connect(self._go_on)
        details.move_wanted.connect(self._move)
        details.remove_wanted.connect(self._remove)
        theme.follow(self._fit)

    # the page's life

    def showEvent(self, event: QShowEvent) -> None:
        """Look again at the generators, which may have changed while the page was hidden."""
        super().showEvent(event)
        self.look()

    def look(self) -> None:
        """Read again which generators can write."""
        self._shell.jobs.start(tr("Generators"), read_writers, on_done=self.form.show_writers, quiet=True)

    def show_contents(self, contents: Contents) -> None:
        self._contents = contents
        if contents.studies:
            self._pick_up()
        self.form.show_sets(contents.sets, contents.refused, contents.kinds)
        self.form.show_studies(contents.studies)
        self._show_queue()
        self._choose_wanted()

    def choose_set(self, set_id: int | None) -> None:
        """Choose a prompt set, as soon as it is on offer."""
        self._wanted_set = set_id
        self._choose_wanted()

    def allow(self, writable: bool) -> None:
        self._writable = writable
        self.form.allow(writable)
        self.runs.details.allow(writable)

    def let_go(self) -> None:
        """Stop the runs of the closed project, and remove everything of it."""
        for entry in self._entries.values():
            entry.handle.cancel()
        self._entries = {}
        self.tallies.forget()
        self.form.estimate.forget()
        self.form.next.forget()
        self.progress.forget()
        self.show_contents(Contents())

    # the queue

    def _start(self, request: WriteRequest, retry_failures: bool) -> None:
        run = self.form.run()
        if run is None:
            self._queue(request)
        else:
            self._queue(request, resumes=run.id, retry=set(run.failures) - {REFUSAL} if retry_failures else ())

    def _go_on(self, row: RunListRow, kinds: Collection[str]) -> None:
        """Continue a stored run as it is: for missing texts, and for these kinds of failure."""
        if row.run is not None and not row.held:
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

        scores = bool(shell.settings.get("score_at_once"))
        entry = put_in_queue(
            shell.jobs,
            project,
            request,
            resumes=resumes,
            as_it_was=as_it_was,
            retry=retry,
            scores=scores,
            on_error=fail,
        )
        self._add(entry)
        self._show_queue()

    def _pick_up(self) -> None:
        """Follow runs that were queued before this page was made again, as after a blind rating."""
        for entry in queued(self._shell.jobs, self._shell.project):
            if entry.ticket.number not in self._entries and not entry.handle.cancelling:
                self._add(entry)

    def _add(self, entry: Entry) -> None:
        self._entries[entry.ticket.number] = entry
        entry.handle.changed.connect(self._show_queue)

    def _show_queue(self) -> None:
        """Show which run writes, which ones wait, and the progress of the project's runs."""
        order = [ticket.number for ticket in lane().tickets()]
        active = [entry for entry in self._entries.values() if entry.handle.active]
        active.sort(key=lambda entry: order.index(entry.ticket.number) if entry.ticket.number in order else -1)
        ended = [entry for entry in self._entries.values() if not entry.handle.active]
        if active and (not self.progress.running or self.progress.handle is not active[0].handle):
            self.progress.follow(active[0].handle)
        contents = self._contents
        sets = {
            prompt_set.id: tr("{name} v{n}").format(name=prompt_set.name, n=prompt_set.version)
            for prompt_set in contents.sets
        }
        self.form.show_runs(contents.runs, active)
        self.runs.show_runs(contents.runs, [*active, *ended], sets)
        if active and not self._look.isActive():
            self._look.start()
        elif not active and self._look.isActive():
            self._look.stop()
            self.form.estimate.time_anew()
        for entry in active:
            tell_state(entry)

    def _move(self, row: RunListRow, by: int) -> None:
        if row.entry is not None:
            lane().move(row.entry.ticket, by)
            self._show_queue()

    def _remove(self, row: RunListRow) -> None:
        """Remove a run from the queue, or, if it never got a run, from the list."""
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
        right = in_column((self.progress, 1), (self.runs, 1), spacing=theme.current().gap)
        columns = RowOrColumn((self.form, 1), (right, 1), least=SIDE_BY_SIDE_FROM)
        # under each other the form is as high as it is
        columns.turned.connect(lambda beside: columns.setStretchFactor(self.form, int(beside)))
        for card in (self.form, self.progress, self.runs):  # a column is as wide as its share, whatever is in it
            card.setSizePolicy(QSizePolicy.Policy.Ignored, card.sizePolicy().verticalPolicy())
        self.box.addLayout(columns)

    def _fit(self, _tokens: object = None) -> None:
        """Let a low window scroll."""
        tokens = theme.current()
        for card in (self.progress, self.runs):
            card.setMinimumHeight(tokens.px(LEAST_HEIGHT // 2))
