"""Long work: core jobs run in threads, each with a handle; all their reports arrive on the window's own thread.

`Refresher` reads something again whenever it is asked to; `drawer` shows the jobs.
"""

import threading
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from enum import StrEnum
from functools import partial
from queue import SimpleQueue
from types import FunctionType, MethodType
from typing import Any

from PySide6.QtCore import SIGNAL, QObject, Qt, QTimer, Signal
from shiboken6 import isValid

from biasprint.core.errors import AppError, JobCancelled, ProjectClosed
from biasprint.core.jobs import REPORTS_PER_SECOND, JobContext, Progress, precedence
from biasprint.core.machine.storage import refused
from biasprint.desktop.widgets.words import tr

# Has something done when names may be seen again; False where they may be seen already. See desktop.blindfold.
Keep = Callable[[Callable[[], object]], bool]
SHOWN_AFTER_MILLISECONDS = 600  # shorter jobs end before anybody could read of them


class JobState(StrEnum):
    RUNNING = "running"
    PAUSED = "paused"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class JobHandle(QObject):
    """One job as the window sees it; use it on the window's thread only.

    `changed` reports a new state or progress, ten times a second at most.
    """

    changed = Signal()

    def __init__(self, title: str, *, quiet: bool = False, shown_after: int = SHOWN_AFTER_MILLISECONDS) -> None:
        super().__init__()
        self.title = title
        self.quiet = quiet
        self.shown_after = shown_after  # milliseconds; the drawer is not bothered with shorter jobs
        self.context = JobContext()
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
        """Ask the job to stop. It ends as cancelled, and no error is reported."""
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

    def conceal(self, keep: Keep) -> None:
        """Report nothing more of the job's subject, and forget the listeners: a rater is blind from now on."""
        title, result, result_text, error = self.title, self.result, self.result_text, self.error
        self.title, self.result, self.result_text, self.error = tr("A job"), None, "", None
        self.progress = progress_only(self.progress)
        if self.receivers(SIGNAL("changed()")):
            self.changed.disconnect()

        def restore() -> None:
            self.title, self.result, self.result_text, self.error = title, result, result_text, error

        keep(restore)


def progress_only(progress: Progress | None) -> Progress | None:
    """Return the progress without its note and partial result."""
    return None if progress is None else replace(progress, note="", partial=None)


class RunningJob:
    """A running job with its starter's callables. None is called for a widget that is gone."""

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
        self.concealed = False

    def conceal(self, keep: Keep) -> None:
        """Put the starter's callables out of reach: they lead to what the job is about."""
        self.handle.conceal(keep)
        heard = (self.on_done, self.on_error, self.on_progress, self.on_partial, self.done_text)
        self.on_done = self.on_error = self.on_progress = self.on_partial = None
        self.done_text, self.latest, self.partials = "", progress_only(self.latest), []
        self.concealed = True

        def restore() -> None:
            self.on_done, self.on_error, self.on_progress, self.on_partial, self.done_text = heard
            self.concealed = False

        keep(restore)

    def take(self, progress: Progress) -> None:
        # What was sent a moment before a rater became blind arrives after it.
        self.latest = progress_only(progress) if self.concealed else progress
        if progress.partial is not None and not self.concealed:
            self.partials.append(progress.partial)

    def flush(self) -> None:
        """Deliver what has come since the last time: the newest progress, and every partial result."""
        if self.latest is None:
            return
        progress, self.latest = self.latest, None
        partials, self.partials = self.partials, []
        self.handle.progress = progress
        self.handle.changed.emit()
        tell(self.on_progress, progress)
        if partials:
            tell(self.on_partial, partials)


def tell(listener: Callable[[Any], object] | None, what: object) -> None:
    if listener is not None and is_there(listener):
        listener(what)


def is_there(listener: Callable[..., Any]) -> bool:
    """Return False if the listener is a method of, or a function made by, a Qt object that has been deleted."""
    seen: set[int] = set()
    waiting: list[object] = [listener]
    while waiting:
        item = waiting.pop()
        if isinstance(item, QObject) and not isValid(item):
            return False
        if id(item) not in seen:
            seen.add(id(item))
            waiting.extend(_made_with(item))
    return True


def _made_with(one: object) -> list[object]:
    """Return the objects that a callable refers to."""
    if isinstance(one, MethodType):
        return [one.__self__]
    if isinstance(one, partial):
        return [one.func, *one.args]
    if isinstance(one, FunctionType):
        return [content for cell in one.__closure__ or () if (content := _content(cell)) is not None]
    return []


def _content(cell: Any) -> object:
    try:
        return cell.cell_contents
    except ValueError:  # named in the function, and not there yet
        return None


JobFunction = Callable[[JobContext], Any]
FLUSH_MILLISECONDS = 1000 // REPORTS_PER_SECOND


class JobRunner(QObject):
    """Starts jobs and listens to them. `failed` carries the error of a job whose starter does not handle errors."""

    started = Signal(object)  # JobHandle
    ended = Signal(object)  # JobHandle
    failed = Signal(object)  # AppError
    idle = Signal()  # the last running job has ended
    _arrived = Signal()

    def __init__(self, parent: QObject | None = None, *, prepare: Callable[[], object] | None = None) -> None:
        """`prepare` runs in each job's thread before the job itself."""
        super().__init__(parent)
        self._prepare = prepare
        self._watches: list[RunningJob] = []
        self._threads: list[threading.Thread] = []
        self._inbox: SimpleQueue[tuple[RunningJob, Progress | None, Callable[[], None] | None]] = SimpleQueue()
        self._woken = threading.Event()
        self._closed = False
        self._keep: Keep = lambda later: False
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
        shown_after: int = SHOWN_AFTER_MILLISECONDS,
        at_once: bool = False,
    ) -> JobHandle:
        """Run `fn(context)` in a thread; the callables run on the window's thread.

        `on_progress` is called at most ten times a second, `on_partial` gets every partial result in lists. `done_text`
        is the one notice at the end. A `quiet` job is not shown in the drawer, others are once they have taken
        `shown_after` milliseconds. A callable of a deleted widget is not called. `at_once`: the job does not need
        `prepare`, and does not wait for it. Without `on_error`, an error goes to `failed`, where the window shows it.
        """
        handle = JobHandle(title, quiet=quiet, shown_after=shown_after)
        watch = RunningJob(handle, on_done, on_error, on_progress, on_partial, done_text)
        handle.context = JobContext(lambda progress: self._post(watch, progress, None))
        self._watches.append(watch)
        self.started.emit(handle)
        work: SimpleQueue[JobFunction] = SimpleQueue()
        work.put(fn)  # handed over: no attribute of the thread leads to what the job works on
        # A daemon: a job that never checks for cancel must not keep a closed program alive.
        thread = threading.Thread(target=self._run, args=(watch, work, at_once), name="job", daemon=True)
        self._threads = [other for other in self._threads if other.is_alive()] + [thread]
        thread.start()
        return handle

    def active(self) -> list[JobHandle]:
        """The jobs that have not ended, including quiet ones."""
        return [watch.handle for watch in self._watches]

    def conceal(self, keep: Keep) -> None:
        """Put the subjects and results of running jobs into `keep`: a rater is blind from now on.

        A job that ends meanwhile is reported twice by `ended`: that it is over, and later its result.
        """
        self._empty_inbox()
        self._keep = keep
        for watch in self._watches:
            watch.conceal(keep)

    def cancel_all(self) -> None:
        for handle in self.active():
            handle.cancel()

    def close(self, seconds: float = 2.0) -> bool:
        """Cancel everything and wait, at most so long; deliver nothing more. Return False if a thread still runs."""
        self._closed = True
        self.cancel_all()
        deadline = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads)

    # in the job's thread

    def _run(self, watch: RunningJob, work: "SimpleQueue[JobFunction]", at_once: bool) -> None:
        title = watch.handle.title
        precedence.give_way_here()
        try:
            if self._prepare is not None and not at_once:
                self._prepare()
            result = work.get()(watch.handle.context)
        except JobCancelled:
            self._ending(watch, JobState.CANCELLED, None)
        except Exception as raised:
            if isinstance(raised, ProjectClosed) and watch.handle.context.cancelled:
                # Asked to stop because its project closes, it met the closed project before it looked.
                self._ending(watch, JobState.CANCELLED, None)
                return
            error = raised if isinstance(raised, AppError) else unexpected(title, raised)
            self._ending(watch, JobState.FAILED, lambda: self._tell_error(watch, error))
        else:
            self._ending(watch, JobState.DONE, lambda: self._tell_result(watch, result))

    def _ending(self, watch: RunningJob, state: JobState, telling: Callable[[], None] | None) -> None:
        if telling is not None and self._waits(watch, telling):
            telling = None
        self._post(watch, None, lambda: self._end(watch, state, telling))

    def _waits(self, watch: RunningJob, telling: Callable[[], None]) -> bool:
        """Return whether a job's result has to wait because a rater is blind."""
        return watch.concealed and self._keep(lambda: self._post(watch, None, telling))

    def _post(self, watch: RunningJob, progress: Progress | None, then: Callable[[], None] | None) -> None:
        self._inbox.put((watch, progress_only(progress) if watch.concealed else progress, then))
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

    def _take(self, watch: RunningJob, progress: Progress | None, then: Callable[[], None] | None) -> None:
        if progress is not None:
            watch.take(progress)
            if not self._flush_timer.isActive():
                self._flush_timer.start()
        if then is not None:
            watch.flush()
            then()

    def _flush(self) -> None:
        for watch in list(self._watches):
            watch.flush()

    def _end(self, watch: RunningJob, state: JobState, telling: Callable[[], None] | None) -> None:
        handle = watch.handle
        handle.state, handle.ended = state, time.monotonic()
        self._watches.remove(watch)
        try:
            if telling is not None and not self._waits(watch, telling):
                telling()
            else:
                self._show_end(watch)
        finally:
            if not self._watches:
                self.idle.emit()

    def _tell_result(self, watch: RunningJob, result: Any) -> None:
        handle = watch.handle
        handle.result = result
        handle.result_text = watch.done_text if isinstance(watch.done_text, str) else watch.done_text(result)
        self._show_end(watch)
        tell(watch.on_done, result)

    def _tell_error(self, watch: RunningJob, error: AppError) -> None:
        watch.handle.error = error
        self._show_end(watch)
        if watch.on_error is None:
            self.failed.emit(error)
        else:
            tell(watch.on_error, error)

    def _show_end(self, watch: RunningJob) -> None:
        watch.handle.changed.emit()
        self.ended.emit(watch.handle)


def unexpected(title: str, error: BaseException) -> AppError:
    """Return an unexpected error in the form of the expected ones; a package not installed yet is expected."""
    from biasprint.core.machine.installation import explained

    if known := explained(error) or refused(error):
        return known
    return AppError(
        tr("“{title}” stopped because of an unexpected error.").format(title=title),
        kept=tr("What was finished before is kept."),
        hint=tr("Copy the details into a report, then start it again."),
        details="".join(traceback.format_exception(error)),
    )


SHORTEST_SECONDS = 0.095  # ten times a second, with what a timer comes late


class Refresher(QObject):
    """The refresher. Call `ask` any number of times: requests during a reading are answered by the next one."""

    def __init__(
        self,
        runner: JobRunner,
        title: str,
        on_done: Callable[[Any], object],
        on_error: Callable[[AppError], object],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._runner, self._title = runner, title
        self._on_done, self._on_error = on_done, on_error
        self._read: Callable[[JobContext], Any] | None = None
        self._running: JobHandle | None = None
        self._again = False
        self._due = float("-inf")  # not read before
        self._wait = QTimer(self, singleShot=True, timerType=Qt.TimerType.PreciseTimer)
        self._wait.timeout.connect(self._start)

    def read_with(self, read: Callable[[JobContext], Any] | None) -> None:
        """Read with another function from now on; drop the result of an earlier one."""
        self._read = read
        self._again = False
        self._wait.stop()
        if self._running is not None:
            self._running.cancel()
            self._running = None

    def ask(self) -> None:
        if self._read is None:
            return
        if self._running is not None:
            self._again = True
        elif not self._wait.isActive():
            self._wait.start(round(1000 * max(0.0, self._due - time.monotonic())))

    def _start(self) -> None:
        read = self._read
        if read is None:
            return
        # Counted from when it was due: being late each time must not make it less often.
        self._due = max(self._due, time.monotonic() - SHORTEST_SECONDS / 2) + SHORTEST_SECONDS
        self._running = self._runner.start(
            self._title,
            read,
            quiet=True,
            on_done=lambda result: self._finish(read, result, None),
            on_error=lambda error: self._finish(read, None, error),
        )

    def _finish(self, read: Callable[[JobContext], Any], result: Any, error: AppError | None) -> None:
        if read is not self._read:
            return
        self._running = None
        if error is None:
            self._on_done(result)
        else:
            self._on_error(error)
        if self._again:
            self._again = False
            self.ask()
