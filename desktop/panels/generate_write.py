"""Writing texts: the form, the run while it is written, and the runs there are."""

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QVBoxLayout

from core.errors import AppError
from desktop import theme
from desktop.jobs import JobHandle
from desktop.operations.generating import RunLine, WriteRequest, backends, mark, running, write_outputs
from desktop.panels.base import Shell
from desktop.panels.generate_contents import Contents
from desktop.panels.generate_form import GenerateForm
from desktop.panels.generate_progress import ProgressCard
from desktop.panels.generate_runs import RunsCard
from desktop.panels.home_sheet import Sheet
from desktop.widgets import tr

SIDE_BY_SIDE_FROM = 820  # text pixels
WRITING = "writing"  # what its jobs are found again by
LEAST_HEIGHT = 470  # text pixels of a column of cards


class WritePage(Sheet):
    """One run at a time is written from here; it goes on while other panels are seen."""

    def __init__(self, shell: Shell) -> None:
        super().__init__()
        self._shell = shell
        self._writable = False
        self._wanted_set: int | None = None
        self.form, self.progress, self.runs = GenerateForm(), ProgressCard(), RunsCard()
        self._lay_out()
        self.form.started.connect(self._start)
        self.form.prompts_wanted.connect(lambda: shell.show_panel("prompts"))
        self.runs.picked.connect(self._pick)
        theme.signals.changed.connect(self._fit)
        shell.jobs.start(tr("Generators"), backends, on_done=self.form.show_backends, quiet=True)

    def show_contents(self, contents: Contents) -> None:
        if contents.studies:
            self._pick_up()
        self.form.show_sets(contents.sets, contents.refused)
        self.form.show_runs(contents.runs)
        self.runs.show_runs(contents.runs)
        self._choose_wanted()

    def choose_set(self, set_id: int | None) -> None:
        """Choose a prompt set, as soon as it is there to be chosen."""
        self._wanted_set = set_id
        self._choose_wanted()

    def allow(self, writable: bool) -> None:
        self._writable = writable
        self.form.allow(writable and not self.progress.running)

    def let_go(self) -> None:
        """Another project: a run of the last one stops, and nothing of it is left to see."""
        if self.progress.handle is not None:
            self.progress.handle.cancel()
        self.progress.forget()
        self.show_contents(Contents())

    def _start(self, request: WriteRequest, retry_failures: bool) -> None:
        project = self._shell.project
        if project is None:
            return

        shell = self._shell  # not this page: it may be gone when the run ends, and its error is to be seen all the same

        # A project that was closed meanwhile took its run with it: what that still says is not for this one.
        def fail(error: AppError) -> None:
            if project is shell.project:
                shell.show_error(error)

        writing = write_outputs(project=project, request=request, retry_failures=retry_failures)
        handle = writing.start(shell.jobs, on_error=fail)
        mark(handle, WRITING, project)
        self._follow(handle)

    def _pick_up(self) -> None:
        """A run that was started before this page was made anew, as after a blind rating."""
        if not self.progress.running:
            handle = running(self._shell.jobs, WRITING, self._shell.project)
            if handle is not None and not handle.cancelling:
                self._follow(handle)

    def _follow(self, handle: JobHandle) -> None:
        self.progress.follow(handle)
        handle.changed.connect(self._allow_again)
        self._allow_again()

    def _allow_again(self) -> None:
        self.allow(self._writable)

    def _pick(self, run: RunLine) -> None:
        if run.can_go_on and not self.progress.running:
            self.form.choose(run.request)

    def _choose_wanted(self) -> None:
        if self._wanted_set is not None and self.form.prompt_set.findData(self._wanted_set) >= 0:
            self.form.choose_set(self._wanted_set)
            self._wanted_set = None

    def _lay_out(self) -> None:
        right = QVBoxLayout()
        right.addWidget(self.progress, 3)
        right.addWidget(self.runs, 2)
        self._columns = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._columns.addWidget(self.form, 4)
        self._columns.addLayout(right, 5)
        for box in (right, self._columns):
            box.setSpacing(theme.current().gap)
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
