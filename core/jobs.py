"""A job is a plain function of a context: it reports, and it checks for cancel.

The command line runs it with a progress bar, the window from a thread, a test with a list.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from biasprint.core.errors import JobCancelled

REPORTS_PER_SECOND = 10
RATE_WINDOW_SECONDS = 10.0
LONGEST_REST = 0.1  # seconds that jobs rest for one key press


class Precedence:
    """Priority for whoever a person waits for: jobs pause at their next `check`, for a moment that ends on its own."""

    def __init__(self) -> None:
        self._over = threading.Event()
        self._until = self._taken_at = float("-inf")
        self._here = threading.local()

    def take(self, seconds: float = LONGEST_REST) -> None:
        """Make jobs rest from now on, until `give_back` or for so long at most."""
        self._over.clear()
        self._taken_at = time.monotonic()
        self._until = self._taken_at + seconds

    def give_back(self) -> None:
        self._until = float("-inf")
        self._over.set()

    @property
    def taken(self) -> bool:
        return time.monotonic() < self._until

    @property
    def idle_seconds(self) -> float:
        """Seconds since it was taken last: whoever has just pressed a key may soon press another."""
        return time.monotonic() - self._taken_at

    def rest(self) -> None:
        """Wait while somebody has precedence."""
        left = self._until - time.monotonic()
        if left > 0:
            self._over.wait(left)

    def give_way_here(self) -> None:
        """Mark this thread as a job's: it rests before it reads and writes too, as its checks may be far apart."""
        self._here.gives_way = True

    def rest_in_a_job(self) -> None:
        if getattr(self._here, "gives_way", False):
            self.rest()


precedence = Precedence()


@dataclass(frozen=True)
class Progress:
    """The progress of a job. `total` is None while unknown; `partial` is whatever the job shows early."""

    done: int
    total: int | None
    rate: float | None  # items a second over the last seconds
    seconds_left: float | None
    note: str = ""
    partial: object = None


LONG_SECONDS = 60.0


class LongJob:
    """Finds out early that a job will take more than a minute, by the pace of its first items.

    The wait before the first item, such as for a model that is loaded, says nothing about the pace.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._first: tuple[float, int] | None = None
        self._known = False

    def heard(self, progress: Progress) -> float | None:
        """Return the seconds that are left, once: when they are first known to be more than a minute."""
        if self._known or progress.total is None or not progress.done:
            return None
        now = self._clock()
        if self._first is None or progress.done < self._first[1]:  # the next part of the work
            self._first = now, progress.done
        began, done = self._first
        if now <= began or progress.done <= done:
            return None
        left = (progress.total - progress.done) * (now - began) / (progress.done - done)
        self._known = left > LONG_SECONDS
        return left if self._known else None


class JobContext:
    """The interface that a job has to the rest of the program.

    Safe to use from the job's own thread; `cancel` and `pause` from any thread.
    """

    def __init__(
        self, listener: Callable[[Progress], None] | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._listener = listener
        self._clock = clock
        self._cancelled = threading.Event()
        self._may_run = threading.Event()
        self._may_run.set()
        self._winding_down = threading.Event()
        self._history: deque[tuple[float, int]] = deque()
        self._last_report = float("-inf")

    def cancel(self) -> None:
        """Ask the job to stop; it does so at its next `check`."""
        self._cancelled.set()
        self._may_run.set()

    def pause(self) -> None:
        self._may_run.clear()

    def resume(self) -> None:
        self._may_run.set()

    def wind_down(self) -> None:
        """Ask the job to finish what it has begun and to begin nothing more: it ends early and without an error."""
        self._winding_down.set()

    @property
    def winding_down(self) -> bool:
        return self._winding_down.is_set()

    @property
    def cancelled(self) -> bool:
        return self._cancelled.is_set()

    @property
    def paused(self) -> bool:
        return not self._may_run.is_set()

    def check(self) -> None:
        """Raise `JobCancelled` if the person cancelled; wait here while paused, or while a key press is answered."""
        self._may_run.wait()
        precedence.rest()
        if self._cancelled.is_set():
            raise JobCancelled

    def report(self, done: int, total: int | None = None, *, note: str = "", partial: object = None) -> None:
        """Report how far the job is. Thinned to ten a second.

        The last item, the first of each new count and every partial result always pass.
        """
        now = self._clock()
        restarted = bool(self._history) and done < self._history[-1][1]
        if restarted:
            self._history.clear()  # the next part of the work
        self._history.append((now, done))
        # One from before the window stays: items that take longer than it have a rate too.
        while len(self._history) > 2 and now - self._history[1][0] > RATE_WINDOW_SECONDS:
            self._history.popleft()
        last = total is not None and done >= total
        if not (last or restarted) and partial is None and now - self._last_report < 1 / REPORTS_PER_SECOND:
            return
        self._last_report = now
        if self._listener is not None:
            rate = self._rate()
            left = (total - done) / rate if total is not None and rate else None
            self._listener(Progress(done, total, rate, left, note, partial))

    def step(self, done: int, total: int | None = None, *, note: str = "") -> None:
        """`check`, then `report`: one step of a job that can be stopped before each."""
        self.check()
        self.report(done, total, note=note)

    def _rate(self) -> float | None:
        (first_time, first_done), (last_time, last_done) = self._history[0], self._history[-1]
        if last_time <= first_time or last_done <= first_done:
            return None
        return (last_done - first_done) / (last_time - first_time)


Thing = TypeVar("Thing")


def in_halves(
    things: Sequence[Thing],
    together: Callable[[Sequence[Thing]], None],
    alone: Callable[[Thing, Exception], None],
    *,
    breaks: type[Exception] = Exception,
    stops: tuple[type[Exception], ...] = (),
) -> None:
    """Do `together` with all of them; where it fails, with each half, so that only one that fails alone is lost.

    `alone` is called with each one that fails alone, and the error. `breaks`: what counts as failing; `stops`: of
    that, what is raised all the same, such as a cancel.
    """
    try:
        together(things)
    except stops:
        raise
    except breaks as error:
        if len(things) == 1:
            alone(things[0], error)
            return
        middle = len(things) // 2
        for half in (things[:middle], things[middle:]):
            in_halves(half, together, alone, breaks=breaks, stops=stops)
