"""Waiting for the window without idling: what is waited for is looked for again soon, and later less often.

The library looks a hundred times a second. A window test waits five times on average, mostly for a thread's answer of
a few milliseconds, and idled for a third of its time.
"""

from collections.abc import Callable
from time import monotonic

from pytestqt.exceptions import TimeoutError as WaitedTooLong
from pytestqt.qtbot import QtBot

SHORTEST, LONGEST = 1, 10  # milliseconds between two looks
SHARE = 4  # of what has been waited so far, the next look waits for a part of this size at most


class Bot(QtBot):
    """As the library's, but for the time between two looks."""

    def waitUntil(self, callback: Callable[[], bool | None], *, timeout: int = 5000) -> None:
        __tracebackhide__ = True
        start = monotonic()
        while True:
            missing: AssertionError | None = None
            try:
                done = callback()
            except AssertionError as error:
                done, missing = False, error
            if done is None or done:
                return
            waited = (monotonic() - start) * 1000
            if waited > timeout:
                raise WaitedTooLong(f"waitUntil timed out in {timeout} milliseconds") from missing
            self.wait(max(SHORTEST, min(LONGEST, int(waited / SHARE))))
