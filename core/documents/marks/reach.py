"""What denies or weakens an entry: the words before it, as far as they reach, and those right after it."""

import re
from typing import Literal, NamedTuple

from core.documents.marks.categories import Scope, scope
from core.documents.marks.page import Page


class Turned(NamedTuple):
    """How an entry is turned, and where the words that do it and the entry begin and end together."""

    how: Literal["denied", "weakened"]
    start: int
    end: int


def turned(page: Page, start: int, end: int) -> Turned | None:
    """What denies the entry at `start` to `end`, else what weakens it; `None` where it stands as it is said."""
    reach = scope()
    near = _within_reach(page.before(start), reach)
    offset = start - len(near)
    window = page.before(start)
    denied = _nearest(reach.negations, reach.no_negations, near, window)
    if denied is not None:
        return Turned("denied", offset + denied, end)
    after = reach.denied_after.match(page.after(end).lstrip())
    if after is not None:
        skipped = len(page.after(end)) - len(page.after(end).lstrip())
        return Turned("denied", start, end + skipped + after.end())
    weakened = _nearest(reach.hedges, reach.no_hedges, near, window)
    return None if weakened is None else Turned("weakened", offset + weakened, end)


def _within_reach(before: str, reach: Scope) -> str:
    """The end of what stands before an entry: a few words, and nothing on the other side of a “but”."""
    last = 0
    for found in reach.ends.finditer(before):
        last = found.end()
    near = before[last:]
    words = list(re.finditer(r"\S+", near))
    return near[words[-reach.reach].start() :] if len(words) >= reach.reach else near


def _nearest(pattern: re.Pattern[str], exceptions: re.Pattern[str], near: str, window: str) -> int | None:
    """Where the nearest such word begins in `near`; `None` where there is none, or one that only looks like it.

    The exceptions are looked for in the whole window: they may begin before the reach does.
    """
    offset = len(window) - len(near)
    not_meant = [found.span() for found in exceptions.finditer(window)]
    places = [
        found.start()
        for found in pattern.finditer(near)
        if not any(low <= offset + found.start() < high for low, high in not_meant)
    ]
    return places[-1] if places else None
