"""Active time: what a person spent judging, not what passed while nobody was there."""

import time
from collections.abc import Callable

IDLE_SECONDS = 120.0


class ActiveClock:
    """Counts seconds between signs of life; a longer gap counts as `idle` seconds, a jump back as none."""

    def __init__(self, now: Callable[[], float] = time.monotonic, idle: float = IDLE_SECONDS) -> None:
        self._now = now
        self._idle = idle
        self._last = now()

    def lap(self) -> float:
        """Active seconds since the last lap."""
        before, self._last = self._last, self._now()
        return min(max(self._last - before, 0.0), self._idle)
