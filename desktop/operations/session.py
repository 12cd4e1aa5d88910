"""Which project is open in this window; it is opened, closed and listened to off the window's thread."""

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from core.errors import AppError
from desktop.jobs import JobRunner
from desktop.jobs.runner import Keep
from desktop.operations.base import Operation
from desktop.operations.packets import Opened, looked_into
from desktop.operations.projects import close_project, create_project, open_project

if TYPE_CHECKING:
    from core.judging.packets.inside import PacketInfo
    from core.project.changes import Changes
    from core.project.project import Project

REFRESH_MILLISECONDS = 100


class ProjectSession(QObject):
    """The open project, or none. `changed` tells of writes, gathered to ten times a second at most.

    `packet` is what the project says of itself where it is a rating packet.
    """

    leaving = Signal()  # another project, or none, is about to take the place
    opened = Signal(object)  # Project
    closed = Signal()
    changed = Signal(object)  # Changes
    failed = Signal(object, object)  # AppError, Path
    _heard = Signal()

    def __init__(self, runner: JobRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.project: Project | None = None
        self.packet: PacketInfo | None = None
        self._runner = runner
        self._wanted = 0
        self._unsubscribe: Callable[[], None] | None = None
        self._lock = threading.Lock()
        self._gathered: Changes | None = None
        self._timer = QTimer(self, interval=REFRESH_MILLISECONDS, singleShot=True)
        self._timer.timeout.connect(self._tell)
        self._heard.connect(self._start_timer, Qt.ConnectionType.QueuedConnection)

    def open(self, path: Path, *, read_only: bool = False) -> None:
        """Open a project instead of the one that is open, which stays if this fails."""
        if self.project is not None and self.project.path.resolve() == path.resolve():
            self.opened.emit(self.project)
            return
        self.take(open_project(path=path, read_only=read_only), path)

    def create(self, path: Path) -> None:
        """Make a new project and open it."""
        self.take(create_project(path=path), path)

    def take(self, operation: "Operation[Project]", path: Path) -> None:
        """Open what an operation gives. If several are under way, the one asked for last stays."""
        self._wanted += 1
        mine = self._wanted
        looking: Operation[Opened] = replace(operation, work=lambda ctx: looked_into(operation.work(ctx)))
        looking.start(
            self._runner,
            on_done=lambda opened: self._put(opened) if mine == self._wanted else self._let_go(opened.project),
            on_error=lambda error: self.failed.emit(error, path),
        )

    def close(self, then: Callable[[], object] | None = None) -> None:
        """Let go of the project; `then` runs when the file is free."""
        self._wanted += 1
        self.leaving.emit()
        project, self.project, self.packet = self.project, None, None
        if project is None:
            if then is not None:
                then()
            return
        self._stop_listening()
        self.closed.emit()
        self._let_go(project, then)

    def conceal(self, keep: Keep) -> None:
        """A rater is blind from now on: for everybody here there is no project. Its writes are still heard of."""
        project, unsubscribe = self.project, self._unsubscribe
        self.project = self._unsubscribe = None

        def restore() -> None:
            self.project, self._unsubscribe = project, unsubscribe

        keep(restore)

    def _put(self, opened: Opened) -> None:
        self.leaving.emit()
        old, project = self.project, opened.project
        if old is not None:
            self._stop_listening()
        self.project, self.packet = project, opened.packet
        self._unsubscribe = project.subscribe(self._hear)
        self.opened.emit(project)
        if old is not None:
            self._let_go(old)  # last: a note that was still being typed has gone into it

    def _let_go(self, project: "Project", then: Callable[[], object] | None = None) -> None:
        def ended(error: AppError | None = None) -> None:
            if error is not None:
                self.failed.emit(error, project.path)
            if then is not None:
                then()

        close_project(project=project).start(self._runner, on_done=lambda _: ended(), on_error=ended)

    def _stop_listening(self) -> None:
        if self._unsubscribe is not None:
            self._unsubscribe()
            self._unsubscribe = None
        self._timer.stop()
        with self._lock:
            self._gathered = None

    def _hear(self, changes: "Changes") -> None:
        """On the writer's thread: gather, and wake the window once."""
        with self._lock:
            first = self._gathered is None
            self._gathered = changes if self._gathered is None else self._gathered | changes
        if first:
            self._heard.emit()

    def _start_timer(self) -> None:
        if not self._timer.isActive():
            self._timer.start()

    def _tell(self) -> None:
        with self._lock:
            changes, self._gathered = self._gathered, None
        if changes is not None:
            self.changed.emit(changes)
