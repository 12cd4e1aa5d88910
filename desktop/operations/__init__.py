"""Operations: one small function per thing a person does; each returns an operation that runs as a job."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext, Progress
from biasprint.core.language import tr
from biasprint.desktop.jobs import SHOWN_AFTER_MILLISECONDS, JobHandle, JobRunner

P = ParamSpec("P")
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


def saved_as(path: Path) -> str:
    """Return that a file was saved, by its name."""
    return tr("Saved as “{name}”").format(name=path.name)


def operation(
    title: str, done_text: str | Callable[[T], str] = "", *, quiet: bool = False
) -> Callable[[Callable[Concatenate[JobContext, P], T]], Callable[P, Operation[T]]]:
    """Make an operation of a function: called without its context, it returns the operation with these arguments.

    `title` and a `done_text` are English: they are put into the language when the operation is made.
    """

    def made(work: Callable[Concatenate[JobContext, P], T]) -> Callable[P, Operation[T]]:
        @wraps(work)
        def with_arguments(*args: P.args, **kwargs: P.kwargs) -> Operation[T]:
            done = tr(done_text) if isinstance(done_text, str) else done_text
            return Operation(tr(title), lambda ctx: work(ctx, *args, **kwargs), done, quiet)

        return with_arguments

    return made
