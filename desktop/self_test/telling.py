"""What the self-test tells of its steps."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from core.cli.console import say
from core.errors import AppError


class Failed(AppError):
    """Something did not come out as it must."""


@contextmanager
def step(title: str) -> Iterator[list[str]]:
    """Tells of a step when it is over: its seconds, its title, and what was put into the list."""
    begun = time.monotonic()
    facts: list[str] = []
    try:
        yield facts
    except BaseException:
        say(f"{time.monotonic() - begun:6.1f} s  {title}: FAILED")
        raise
    say(f"{time.monotonic() - begun:6.1f} s  {title}: {', '.join(facts)}")
