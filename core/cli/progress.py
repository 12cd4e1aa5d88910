"""A job on the command line: a bar on stderr, and Ctrl+C cancels it as the window's button would."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn

from core.jobs import JobContext
from core.jobs import Progress as JobProgress


@contextmanager
def job(title: str) -> Iterator[JobContext]:
    """A context whose reports move a bar on stderr; nothing is drawn where stderr is no terminal."""
    console = Console(stderr=True, markup=False, emoji=False)
    columns = (
        SpinnerColumn(), TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(),
        TimeRemainingColumn(), TextColumn("{task.fields[rate]}"),
    )  # fmt: skip
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(title, total=None, rate="")

        def listen(progress: JobProgress) -> None:
            rate = f"{progress.rate:.1f}/s" if progress.rate else ""
            bar.update(task, completed=progress.done, total=progress.total, rate=rate)

        ctx = JobContext(listen)
        with _interrupt_cancels(ctx):
            yield ctx


@contextmanager
def _interrupt_cancels(ctx: JobContext) -> Iterator[None]:
    """The first Ctrl+C asks the job to stop, the second one insists."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def cancel(number: int, frame: Any) -> None:
        if ctx.cancelled:
            raise KeyboardInterrupt
        ctx.cancel()

    before = signal.signal(signal.SIGINT, cancel)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
