"""The one layer that asks again: how often, how long it waits, and when it gives up."""

import asyncio
import math
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import TypeVar

from core.backends.openai_compatible.failures import Trouble, late

FIRST_WAIT = 0.5
LONGEST_WAIT = 30.0
Result = TypeVar("Result")


@dataclass(frozen=True)
class Clock:
    """Time and chance, so that tests can stand in for both. `now` and `sleep` are in seconds."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    chance: random.Random = field(default_factory=random.Random)


async def with_retries(
    attempt: Callable[[], Awaitable[Result]], *, retries: int, deadline_seconds: float, clock: Clock
) -> Result:
    """What `attempt` returns, tried at most 1 + `retries` times, all within the deadline. Raises `Trouble`.

    Only trouble that says so is tried again. A wait that would go past the deadline is not begun: the request fails
    at once, of the kind that made it wait.
    """
    end = clock.now() + deadline_seconds
    try:
        async with asyncio.timeout(deadline_seconds):
            for tries in range(retries + 1):
                try:
                    return await attempt()
                except Trouble as trouble:
                    if not trouble.retry or tries == retries:
                        raise
                    seconds = wait_before_next(tries, trouble.wait, clock.chance)
                    if clock.now() + seconds >= end:
                        raise _too_long(trouble, seconds, deadline_seconds) from None
                await clock.sleep(seconds)
    except TimeoutError:
        raise late(deadline_seconds) from None
    raise AssertionError("the last try returns or raises")


def wait_before_next(tries: int, asked: float | None, chance: random.Random) -> float:
    """Seconds to wait after this many earlier tries: what the server asked for, or 0.5 · 2ᵗʳⁱᵉˢ, at most 30.

    Half of our own wait is left to chance, and up to a quarter second is added to the server's: requests that failed
    together must not come back together.
    """
    if asked is not None:
        return asked + chance.uniform(0.0, 0.25)
    longest = min(LONGEST_WAIT, FIRST_WAIT * 2.0**tries)
    return longest * chance.uniform(0.5, 1.0)


def asked_wait(headers: Mapping[str, str], wall: float | None = None) -> float | None:
    """Seconds that `Retry-After` (or `retry-after-ms`) asks for; None where it is absent or makes no sense.

    A date is taken against the reply's own `Date` where it has one, so that a wrong clock here does no harm.
    """
    thousandths = _number(headers.get("retry-after-ms"))
    if thousandths is not None:
        return thousandths / 1000
    asked = headers.get("retry-after")
    seconds = _number(asked)
    if seconds is not None or asked is None:
        return seconds
    when = _date(asked)
    if when is None:
        return None
    now = _date(headers.get("date", "")) or (time.time() if wall is None else wall)
    return max(0.0, when - now)


def _number(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None


def _date(text: str) -> float | None:
    try:
        return parsedate_to_datetime(text).timestamp()
    except (ValueError, TypeError, OverflowError):
        return None


def _too_long(trouble: Trouble, seconds: float, deadline_seconds: float) -> Trouble:
    if trouble.wait is None:
        return trouble
    sentence = (
        f"The endpoint asked to wait {seconds:,.0f} seconds, "
        f"which is more than the {deadline_seconds:g} that a request may take leave."
    )
    return Trouble(trouble.failure, sentence)
