"""Progress of a job where no bar can move: one line at a time, as a log or a file shows it.

The first line comes once the job is known to take more than a minute, else after `EVERY_SECONDS`, so that a job that is
done before has none.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from biasprint.core.jobs import LongJob, Progress

EVERY_SECONDS = 30.0
MINUTE, HOUR = 60, 3600


class ProgressLog:
    """Progress of one job, reported when asked for, and once unasked: when it is known to take more than a minute,
    then with the `way_out` of it. `heard` may be called from any thread.
    """

    def __init__(
        self, title: str, say: Callable[[str], None], clock: Callable[[], float] = time.monotonic, way_out: str = ""
    ) -> None:
        self._title, self._say, self._clock, self._way_out = title, say, clock, way_out
        self._long = LongJob(clock)
        self._began = clock()
        self._last: tuple[float, Progress] | None = None

    def heard(self, progress: Progress) -> None:
        left = self._long.heard(progress)
        if left is not None and progress.total is not None:
            progress = replace(progress, seconds_left=left, rate=(progress.total - progress.done) / left)
        self._last = self._clock(), progress
        if left is not None:
            self.tell(self._way_out)

    def tell(self, *more: str) -> None:
        """Say one line: title, what of how many, rate, time left, and for how long it has been at work."""
        now = self._clock()
        parts = [self._title, *self._known(now), f"{duration(now - self._began)} so far", *filter(None, more)]
        self._say(" · ".join(parts))

    def _known(self, now: float) -> Iterator[str]:
        if self._last is None:
            return
        heard, progress = self._last
        if progress.note:
            yield progress.note
        if progress.total is not None:
            yield f"{progress.done:,} of {progress.total:,}"
        elif progress.done:
            yield f"{progress.done:,}"
        if progress.rate:
            yield rate_in_words(progress.rate)
        if progress.seconds_left and progress.seconds_left > now - heard:
            yield f"about {duration(progress.seconds_left - (now - heard))} left"


@contextmanager
def told_in_lines(log: ProgressLog, every: float = EVERY_SECONDS) -> Iterator[None]:
    """Say a line of the job's progress every so many seconds, also while the job says nothing."""
    over = threading.Event()

    def tell() -> None:
        while not over.wait(every):
            log.tell()

    teller = threading.Thread(target=tell, name="progress log", daemon=True)
    teller.start()
    try:
        yield
    finally:
        over.set()
        teller.join()


def rate_in_words(per_second: float) -> str:
    """Items a second, or a minute where that is less than one."""
    if per_second < 1:
        return f"{per_second * MINUTE:.1f} a minute"
    return f"{per_second:,.0f} a second" if per_second >= 10 else f"{per_second:.1f} a second"


def duration(seconds: float) -> str:
    """Return a duration in its two largest units: "40 s", "3 min 20 s", "2 h 5 min"."""
    whole = max(0, round(seconds))
    if whole < MINUTE:
        return f"{whole} s"
    if whole < HOUR:
        return f"{whole // MINUTE} min {whole % MINUTE} s"
    return f"{whole // HOUR:,} h {whole % HOUR // MINUTE} min"
