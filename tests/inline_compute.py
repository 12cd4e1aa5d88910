"""A compute process that is none: what it is asked for is done here and now, and crosses no pipe."""

import inspect
from collections.abc import Callable
from typing import Any

from biasprint.core.jobs import JobContext, Progress


class Inline:
    """Does in this process what the compute process does in its own; `calls` are the functions."""

    def __init__(self) -> None:
        self.calls: list[Callable[..., Any]] = []

    def call(
        self,
        function: Callable[..., Any],
        /,
        *args: Any,
        ctx: JobContext | None = None,
        on_report: Any = None,
        on_partial: Any = None,
        timeout: float | None = None,
    ) -> Any:
        self.calls.append(function)
        context = {}
        if "ctx" in inspect.signature(function).parameters:
            context["ctx"] = _child_of(ctx or JobContext(), on_partial)
        return function(*args, **context)


def _child_of(ctx: JobContext, on_partial: Any) -> JobContext:
    def listen(progress: Progress) -> None:
        if on_partial is not None and progress.partial is not None:
            on_partial(progress.partial)
        if ctx.cancelled:
            there.cancel()
        if ctx.paused:
            there.wind_down()

    there = JobContext(listen)
    return there
