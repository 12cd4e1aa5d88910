"""Who may use the compute process next: first come, first served."""

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

from core.errors import JobCancelled
from core.jobs import JobContext

POLL_SECONDS = 0.05


class Turns:
    """A lock that is fair: with a plain one, a job that calls in a loop could keep a person's request waiting."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._queue: deque[object] = deque()

    @contextmanager
    def take(self, ctx: JobContext | None) -> Iterator[None]:
        """Wait for the turn, hold it for the block; raises `JobCancelled` if `ctx` is cancelled before it comes."""
        ticket = object()
        with self._changed:
            self._queue.append(ticket)
        try:
            self._wait(ticket, ctx)
            yield
        finally:
            with self._changed:
                self._queue.remove(ticket)
                self._changed.notify_all()

    def _wait(self, ticket: object, ctx: JobContext | None) -> None:
        with self._changed:
            while self._queue[0] is not ticket:
                self._changed.wait(POLL_SECONDS)
                if ctx is not None and ctx.cancelled:
                    raise JobCancelled
