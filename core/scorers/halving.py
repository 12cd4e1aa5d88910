"""Work on many things together that goes on although one of them breaks it."""

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
    """Do `together` with all of them; where it breaks, with each half, so that one that breaks it costs itself alone.

    `alone` is told of a thing on which it broke by itself, and why. `breaks`: what counts as breaking; `stops`: of
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
