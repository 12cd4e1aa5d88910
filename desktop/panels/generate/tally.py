"""Counting what a run's texts turned out to be, a few at a time, while they come."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from desktop.jobs import JobHandle
from desktop.operations.generating_runs import IMPORTED, RunLine
from desktop.operations.generating_tally import Tally, add_to_tally
from desktop.panels.base import Shell
from desktop.widgets import tr

if TYPE_CHECKING:
    from core.errors import AppError

PAUSE_MILLISECONDS = 500  # between two looks: counting is beside the point of whoever waits for texts


class Tallies(QObject):
    """One run at a time is looked at; what was counted of the others is remembered. `show` gets each new tally."""

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
        """Look at this run's texts from now on."""
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
        """Another project."""
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
            """It stays uncounted: what was written is not touched by that, and the run says its own errors."""

        self._job = self._shell.jobs.start(
            tr("Looking at the texts"),
            lambda ctx: add_to_tally(ctx, project, run.id, run.study, before),
            on_done=done,
            on_error=failed,
            quiet=True,
        )
