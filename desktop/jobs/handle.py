"""One job as the window sees it."""

import time
from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum
from typing import Any

from PySide6.QtCore import SIGNAL, QObject, Signal

from core.errors import AppError
from core.jobs import JobContext, Progress
from desktop.widgets.words import tr

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

    `changed` tells of a new state or progress, ten times a second at most.
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

    def conceal(self, keep: Keep) -> None:
        """Say nothing any more of what the job is about, and forget who listens: a rater is blind from now on."""
        title, result, result_text, error = self.title, self.result, self.result_text, self.error
        self.title, self.result, self.result_text, self.error = tr("A job"), None, "", None
        self.progress = bare(self.progress)
        if self.receivers(SIGNAL("changed()")):
            self.changed.disconnect()

        def restore() -> None:
            self.title, self.result, self.result_text, self.error = title, result, result_text, error

        keep(restore)


def bare(progress: Progress | None) -> Progress | None:
    """How far a job is, and nothing of what it does."""
    return None if progress is None else replace(progress, note="", partial=None)
