"""Operations: one small function per thing a person does; each returns an operation that runs as a job."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext, Progress
from biasprint.desktop.jobs import SHOWN_AFTER_MILLISECONDS, JobHandle, JobRunner

T = TypeVar("T")


@dataclass(frozen=True)
class Operation(Generic[T]):
    """An operation. `work` runs off the window's thread.

    A `quiet` operation is not shown among the jobs, another one once it has taken `shown_after` milliseconds.
    """

    title: str
    work: Callable[[JobContext], T]
    done_text: str | Callable[[T], str] = ""
    quiet: bool = False
    shown_after: int = SHOWN_AFTER_MILLISECONDS

    def start(
        self,
        runner: JobRunner,
        *,
        on_done: Callable[[T], object] | None = None,
        on_error: Callable[[AppError], object] | None = None,
        on_progress: Callable[[Progress], object] | None = None,
        on_partial: Callable[[Sequence[Any]], object] | None = None,
    ) -> JobHandle:
        """Start the operation; the callables run on the window's thread. Without `on_error` the window shows errors."""
        return runner.start(
            self.title,
            self.work,
            on_done=on_done,
            on_error=on_error,
            on_progress=on_progress,
            on_partial=on_partial,
            done_text=self.done_text,
            quiet=self.quiet,
            shown_after=self.shown_after,
        )


__all__ = ["Operation"]
