"""Batch work that goes on although some items fail."""

from collections.abc import Callable, Sequence
from typing import TypeVar

Thing = TypeVar("Thing")


def in_halves(
    things: Sequence[Thing],
    together: Callable[[Sequence[Thing]], None],
    alone: Callable[[Thing, Exception], None],
    *,
    breaks: type[Exception] = Exception,
    stops: tuple[type[Exception], ...] = (),
) -> None:
    """Do `together` with all of them; where it fails, with each half, so that only one that fails alone is lost.

    `alone` is called with each one that fails alone, and the error. `breaks`: what counts as failing; `stops`: of
    that, what is raised all the same, such as a cancel.
    """
    try:
        together(things)
    except stops:
        raise
    except breaks as error:
        if len(things) == 1:
            alone(things[0], error)
            return
        middle = len(things) // 2
        for half in (things[:middle], things[middle:]):
            in_halves(half, together, alone, breaks=breaks, stops=stops)
