"""The parts of the program that are still being installed, as the window knows them.

One job installs them, started once the window is up. It is quiet: closing the window ends it without a question, and
the next start resumes it.
"""

import importlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QObject, Qt, Signal

from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext, Progress
from biasprint.desktop.jobs import JobHandle, JobRunner, Keep
from biasprint.desktop.operations.writers import Connections
from biasprint.desktop.widgets.words import tr

if TYPE_CHECKING:
    from biasprint.core.machine.installation import PartState

Stage = Literal["unknown", "ready", "working", "paused", "offline", "stopped"]
States = tuple["PartState", ...]


class Preparation(QObject):
    """The installation. Call `begin` once; `pause` and `resume` as a person wants.

    `states` are the parts in the order in which they come, empty until they were read. `trouble` says why everything
    stopped, if it did. `changed` reports each step, `part_ready` that another part can be used.
    """

    changed = Signal()
    part_ready = Signal()
    finished = Signal()  # the last part has come while the window was open
    goes_on = Signal(str)  # an earlier start had begun; this part is next
    _told = Signal(object)  # PartState, from the job's thread
    _over = Signal(object, object)  # AppError or None, States, from the job's thread

    def __init__(self, jobs: JobRunner, connections: Connections, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.states: States = ()
        self.progress: Progress | None = None
        self.trouble: AppError | None = None
        self._jobs, self._connections = jobs, connections
        self._job: JobHandle | None = None
        # `wanted`: run.py opened the window and asked for the parts, or a person did.
        self.wanted = self._paused = self._concealed = False
        self._lacks = False  # also while a rater is blind and `states` shows nothing
        self._again = False  # when what is being ended has ended
        # Ids of parts that the light edition leaves out and a person asked for; those of them that the job knows of.
        self._asked: set[str] = set()
        self._given: set[str] = set()
        self._told.connect(self._take, Qt.ConnectionType.QueuedConnection)
        self._over.connect(self._ended, Qt.ConnectionType.QueuedConnection)
        connections.changed.connect(self._go_on)

    @property
    def stage(self) -> Stage:
        if not self.states:
            return "unknown"
        if not _lacks(self.states):
            return "ready"
        if self._paused:
            return "paused"
        if self._job is not None:
            return "working"
        return "offline" if self.wanted and self._connections.offline else "stopped"

    def begin(self, *_: object) -> None:
        """Install the missing parts, if the program was started in a way that allows it."""

        def show(unasked: bool, states: States) -> None:
            self.wanted = self.wanted or unasked
            self._show(states)
            next_one = next((each.part.title for each in states if each.is_due), "")
            if unasked and next_one and any(each.begun or each.state == "ready" for each in states[1:]):
                self.goes_on.emit(next_one)
            self._go_on()

        self._read(show)

    def look(self) -> None:
        """Read again which parts are there."""
        self._read(lambda _, states: self._show(states))

    def pause(self) -> None:
        """Stop, also the part being installed; downloaded files are kept."""
        self._paused = True
        if self._job is not None:
            self._job.cancel()
        self.changed.emit()

    def resume(self) -> None:
        """Install the missing parts, including those that failed before."""
        self.wanted, self._paused, self.trouble = True, False, None
        self._go_on()
        self.changed.emit()

    def add(self, part: str) -> None:
        """Install also a part that the light edition leaves out; `part` is its id. The program remembers the choice."""
        self._asked.add(part)
        self._show(self.states)
        self.resume()

    def conceal(self, keep: Keep) -> None:
        """Hide the parts, since they name a model and a rater is blind from now on. The work goes on."""
        self._concealed, self.states, self.progress = True, (), None
        self.changed.emit()

        def restore() -> None:
            self._concealed = False
            self.look()

        keep(restore)

    # inside

    def _read(self, then: Callable[[bool, States], object]) -> None:
        def work(ctx: JobContext) -> tuple[bool, States]:
            from biasprint.core.machine import installation

            return installation.goes_on_unasked(), installation.status()

        self._jobs.start(tr("What is installed"), work, on_done=lambda found: then(*found), quiet=True)

    def _go_on(self) -> None:
        """Start the job if there is work to do and nothing prevents it; end it if something does."""
        if self._connections.offline:
            self.trouble = None
        if self._job is not None:
            if self._connections.offline:
                self._job.cancel()
            # Not `cancelling`: the job may be known to be over before what it left behind has been told.
            self._again = self._job.context.cancelled and not self._paused
        elif self.wanted and self._lacks and not self._paused and not self.trouble and self._connections.by == "":
            self._given = set(self._asked)
            work = partial(self._work, add=tuple(self._given))
            self._job = self._jobs.start(
                tr("Preparing the rest of the program"), work, on_progress=self._report, quiet=True
            )
        self.changed.emit()

    def _work(self, ctx: JobContext, add: Sequence[str]) -> None:
        """Install in the job's thread. A signal reports the end, so that it arrives while a rater is blind, too."""
        from biasprint.core.machine import installation

        trouble: AppError | None = None
        try:
            installation.prepare(ctx, self._told.emit, add=add)
        except AppError as error:
            trouble = error
        finally:
            with suppress(RuntimeError):  # the window is gone
                self._over.emit(trouble, installation.status())

    def _report(self, progress: Progress) -> None:
        self.progress = progress
        self.changed.emit()

    def _take(self, told: "PartState") -> None:
        if told.state == "ready":
            _look_again()
        if not self._concealed:
            states = tuple(told if each.part.id == told.part.id else each for each in self.states)
            self._show(states)

    def _ended(self, trouble: AppError | None, states: States) -> None:
        self._job, self.trouble, self.progress = None, trouble, None
        self._asked &= {each.part.id for each in states if each.state == "left out"}
        states = self._with_asked(states)
        self._lacks = _lacks(states)
        if not self._concealed:
            self._show(states)
        again, self._again = self._again or not self._asked <= self._given, False
        if again:
            self._go_on()

    def _with_asked(self, states: States) -> States:
        """Return the states with the parts that a person asked for as waiting."""
        return tuple(
            replace(each, state="waiting", sentence="")
            if each.state == "left out" and each.part.id in self._asked
            else each
            for each in states
        )

    def _show(self, states: States) -> None:
        states = self._with_asked(states)
        self._lacks = _lacks(states)
        before = {each.part.id for each in self.states if each.state == "ready"} if self.states else None
        self.states = () if self._concealed else states
        now = {each.part.id for each in self.states if each.state == "ready"}
        self.changed.emit()
        if before is not None and now - before:
            self.part_ready.emit()
            if self.stage == "ready":
                self.finished.emit()


def _lacks(states: States) -> bool:
    return any(each.is_due for each in states)


def _look_again() -> None:
    """Make newly installed packages importable, here and in the child processes, without a restart."""
    from biasprint.core.compute import models, quick, shared

    importlib.invalidate_caches()
    for process in (shared(), models(), quick()):
        process.renew()
