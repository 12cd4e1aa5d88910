"""Reads again when asked, at most about ten times a second, one reading at a time, never on the window's thread."""

import time
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, Qt, QTimer

from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.desktop.jobs import JobHandle, JobRunner

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
