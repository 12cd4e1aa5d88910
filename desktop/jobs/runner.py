"""Runs core jobs in threads. Everything that the window hears of them arrives on the window's thread."""

import threading
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from enum import StrEnum
from queue import SimpleQueue
from typing import Any

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from core.errors import AppError, JobCancelled
from core.jobs import REPORTS_PER_SECOND, JobContext, Progress
from desktop.widgets.words import tr

JobFunction = Callable[[JobContext], Any]
FLUSH_MILLISECONDS = 1000 // REPORTS_PER_SECOND


class JobState(StrEnum):
    RUNNING = "running"
    PAUSED = "paused"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class JobHandle(QObject):
    """One job as the window sees it; use it on the window's thread only.

    `changed` tells of a new state or progress, ten times a second at most.
    """

    changed = Signal()

    def __init__(self, title: str, *, quiet: bool = False, context: JobContext | None = None) -> None:
        super().__init__()
        self.title = title
        self.quiet = quiet
        self.context = context or JobContext()
        self.state = JobState.RUNNING
        self.progress: Progress | None = None
        self.result: Any = None
        self.result_text = ""
        self.error: AppError | None = None
        self.started = time.monotonic()
        self.ended: float | None = None

    @property
    def active(self) -> bool:
        return self.state in (JobState.RUNNING, JobState.PAUSED)

    @property
    def seconds(self) -> float:
        return (self.ended if self.ended is not None else time.monotonic()) - self.started

    def cancel(self) -> None:
        """Ask the job to stop. Silent: it ends as cancelled, and nobody is told of an error."""
        self.context.cancel()
        self.changed.emit()

    @property
    def cancelling(self) -> bool:
        return self.active and self.context.cancelled

    def pause(self) -> None:
        if self.state is JobState.RUNNING:
            self.context.pause()
            self.state = JobState.PAUSED
            self.changed.emit()

    def resume(self) -> None:
        if self.state is JobState.PAUSED:
            self.context.resume()
            self.state = JobState.RUNNING
            self.changed.emit()


class _Watch:
    """A running job with what its starter wants to hear."""

    def __init__(
        self,
        handle: JobHandle,
        on_done: Callable[[Any], object] | None,
        on_error: Callable[[AppError], object] | None,
        on_progress: Callable[[Progress], object] | None,
        on_partial: Callable[[Sequence[Any]], object] | None,
        done_text: str | Callable[[Any], str],
    ) -> None:
        self.handle = handle
        self.on_done = on_done
        self.on_error = on_error
        self.on_progress = on_progress
        self.on_partial = on_partial
        self.done_text = done_text
        self.latest: Progress | None = None
        self.partials: list[Any] = []

    def take(self, progress: Progress) -> None:
        self.latest = progress
        if progress.partial is not None:
            self.partials.append(progress.partial)

    def flush(self) -> None:
        """Hand on what has come since the last time: the newest progress, and every partial result."""
        if self.latest is None:
            return
        progress, self.latest = self.latest, None
        partials, self.partials = self.partials, []
        self.handle.progress = progress
        self.handle.changed.emit()
        if self.on_progress is not None:
            self.on_progress(progress)
        if partials and self.on_partial is not None:
            self.on_partial(partials)


class JobRunner(QObject):
    """Starts jobs and hears of them. `failed` carries the error of a job whose starter does not take errors."""

    started = Signal(object)  # JobHandle
    ended = Signal(object)  # JobHandle
    failed = Signal(object)  # AppError
    idle = Signal()  # the last running job has ended
    _arrived = Signal()

    def __init__(self, parent: QObject | None = None, *, prepare: Callable[[], object] | None = None) -> None:
        """`prepare` runs in each job's thread before the job itself."""
        super().__init__(parent)
        self._prepare = prepare
        self._watches: list[_Watch] = []
        self._threads: list[threading.Thread] = []
        self._inbox: SimpleQueue[tuple[_Watch, Progress | None, Callable[[], None] | None]] = SimpleQueue()
        self._woken = threading.Event()
        self._closed = False
        self._flush_timer = QTimer(self, interval=FLUSH_MILLISECONDS, singleShot=True)
        self._flush_timer.timeout.connect(self._flush)
        self._arrived.connect(self._empty_inbox, Qt.ConnectionType.QueuedConnection)

    def start(
        self,
        title: str,
        fn: JobFunction,
        *,
        on_done: Callable[[Any], object] | None = None,
        on_error: Callable[[AppError], object] | None = None,
        on_progress: Callable[[Progress], object] | None = None,
        on_partial: Callable[[Sequence[Any]], object] | None = None,
        done_text: str | Callable[[Any], str] = "",
        quiet: bool = False,
    ) -> JobHandle:
        """Run `fn(context)` in a thread; the callables run on the window's thread.

        `on_progress` hears at most ten times a second, `on_partial` gets every partial result in lists.
        `done_text` is the one notice at the end. A `quiet` job is not shown in the drawer.
        Without `on_error`, an error goes to `failed`, where the window shows it.
        """
        handle = JobHandle(title, quiet=quiet)
        watch = _Watch(handle, on_done, on_error, on_progress, on_partial, done_text)
        handle.context = JobContext(lambda progress: self._post(watch, progress, None))
        self._watches.append(watch)
        self.started.emit(handle)
        # A daemon: a job that never checks for cancel must not keep a closed program alive.
        thread = threading.Thread(target=self._run, args=(watch, fn), name=f"job: {title}", daemon=True)
        self._threads = [other for other in self._threads if other.is_alive()] + [thread]
        thread.start()
        return handle

    def active(self) -> list[JobHandle]:
        """The jobs that have not ended, quiet ones too."""
        return [watch.handle for watch in self._watches]

    def cancel_all(self) -> None:
        for handle in self.active():
            handle.cancel()

    def close(self, seconds: float = 2.0) -> bool:
        """Cancel everything and wait, at most so long; nothing is delivered any more. False if a thread is still on."""
        self._closed = True
        self.cancel_all()
        deadline = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads)

    # in the job's thread

    def _run(self, watch: _Watch, fn: JobFunction) -> None:
        handle = watch.handle
        try:
            if self._prepare is not None:
                self._prepare()
            result = fn(handle.context)
        except JobCancelled:
            self._post(watch, None, lambda: self._end(watch, JobState.CANCELLED))
        except Exception as raised:
            error = raised if isinstance(raised, AppError) else unexpected(handle.title, raised)
            self._post(watch, None, lambda: self._end(watch, JobState.FAILED, error=error))
        else:
            self._post(watch, None, lambda: self._end(watch, JobState.DONE, result=result))

    def _post(self, watch: _Watch, progress: Progress | None, end: Callable[[], None] | None) -> None:
        self._inbox.put((watch, progress, end))
        self._wake()

    def _wake(self) -> None:
        # One wake-up until the inbox is emptied: a busy job must not fill the event queue.
        if not self._woken.is_set() and not self._closed:
            self._woken.set()
            with suppress(RuntimeError):  # the runner is gone with its window: nobody listens
                self._arrived.emit()

    # on the window's thread

    def _empty_inbox(self) -> None:
        self._woken.clear()
        try:
            while not self._closed and not self._inbox.empty():
                self._take(*self._inbox.get())
        finally:
            if not self._inbox.empty():  # what a callable raised must not hold up the others
                self._wake()

    def _take(self, watch: _Watch, progress: Progress | None, end: Callable[[], None] | None) -> None:
        if progress is not None:
            watch.take(progress)
            if not self._flush_timer.isActive():
                self._flush_timer.start()
        if end is not None:
            watch.flush()
            end()

    def _flush(self) -> None:
        for watch in list(self._watches):
            watch.flush()

    def _end(self, watch: _Watch, state: JobState, *, result: Any = None, error: AppError | None = None) -> None:
        handle = watch.handle
        handle.state, handle.result, handle.error = state, result, error
        handle.ended = time.monotonic()
        self._watches.remove(watch)
        if state is JobState.DONE:
            handle.result_text = watch.done_text if isinstance(watch.done_text, str) else watch.done_text(result)
        handle.changed.emit()
        self.ended.emit(handle)
        try:
            if state is JobState.DONE and watch.on_done is not None:
                watch.on_done(result)
            elif error is not None and watch.on_error is not None:
                watch.on_error(error)
            elif error is not None:
                self.failed.emit(error)
        finally:
            if not self._watches:
                self.idle.emit()


def unexpected(title: str, error: BaseException) -> AppError:
    """An error nobody foresaw, in the form of those that were."""
    return AppError(
        tr("“{title}” stopped because of an unexpected error.").format(title=title),
        kept=tr("What was finished before is kept."),
        hint=tr("Copy the details into a report, then start it again."),
        details="".join(traceback.format_exception(error)),
    )
