"""Who wants to hear of a job. A widget that is gone hears nothing more of the jobs it started."""

from collections.abc import Callable, Sequence
from functools import partial
from types import FunctionType, MethodType
from typing import Any

from PySide6.QtCore import QObject
from shiboken6 import isValid

from core.errors import AppError
from core.jobs import Progress
from desktop.jobs.handle import JobHandle, Keep, bare


class Watch:
    """A running job with what its starter wants to hear."""

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
        """Put what its starter wants to hear, which leads to what the job is about, out of reach."""
        self.handle.conceal(keep)
        heard = (self.on_done, self.on_error, self.on_progress, self.on_partial, self.done_text)
        self.on_done = self.on_error = self.on_progress = self.on_partial = None
        self.done_text, self.latest, self.partials = "", bare(self.latest), []
        self.concealed = True

        def restore() -> None:
            self.on_done, self.on_error, self.on_progress, self.on_partial, self.done_text = heard
            self.concealed = False

        keep(restore)

    def take(self, progress: Progress) -> None:
        self.latest = progress
        if progress.partial is not None:
            self.partials.append(progress.partial)

    def flush(self) -> None:
        """Hand on what has come since the last time: the newest progress, and every partial result."""
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
    """False where the listener is a method of, or a function made by, something of Qt's that has been deleted."""
    seen: set[int] = set()
    waiting: list[object] = [listener]
    while waiting:
        one = waiting.pop()
        if isinstance(one, QObject) and not isValid(one):
            return False
        if id(one) not in seen:
            seen.add(id(one))
            waiting.extend(_made_with(one))
    return True


def _made_with(one: object) -> list[object]:
    """What a callable carries with it."""
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
