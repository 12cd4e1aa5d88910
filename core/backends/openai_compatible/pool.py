"""Addresses of an endpoint: which one takes the next request, which ones rest, and which are left out.

All of it belongs to the thread of one event loop; other threads read its state and change nothing.

An address rests for all requests, not only for the one that failed there:
- where it asked for a time (Retry-After), for so long; after a 429 without one for a growing time. Where every address
  asks for more than a request may take in all, no request waits for that: a server answers each one itself;
- where nobody answered, for 0.5 · 2ⁿ seconds after n such tries before, at most 30, half of it left to chance. Then one
  request tries it; the others follow once it has answered.
"""

import asyncio
import math
from dataclasses import dataclass
from functools import partial

from biasprint.core.backends.openai_compatible.failures import Clock, Trouble, wait_before_next
from biasprint.core.errors import AppError
from biasprint.core.machine.endpoints import Endpoint

# Tries in a row at each address without any answer, after which a run ends: about six seconds for a server that was
# not there from the start, two minutes for one that was, as a restart may take.
MISSES_AT_FIRST = 5
MISSES_LATER = 10
# What every further request would meet at the same address, where it is not to be asked again.
_OF_THE_ADDRESS = ("key", "model", "redirect", "credit", "connection")
_LONG_AGO = -math.inf


class NobodyAnswers(AppError):
    """Error where no address of an endpoint answers, so that a run ends and its other requests stay open."""


@dataclass(eq=False)
class PooledAddress:
    """An address and what is known of it. Times are the clock's; `misses` and `limited` count tries in a row."""

    base_url: str
    limit: int
    running: int = 0
    rests_until: float = _LONG_AGO
    limited: int = 0
    limited_at: float = _LONG_AGO
    away_until: float = _LONG_AGO
    misses: int = 0
    missed_at: float = _LONG_AGO
    left_out: str = ""

    @property
    def room(self) -> int:
        """Number of further requests it takes; one in all while it is not known to answer again."""
        return (1 if self.misses else self.limit) - self.running


@dataclass(frozen=True)
class Lent:
    """An address that was handed out for one try, and when."""

    address: PooledAddress
    since: float


@dataclass(eq=False)
class _Waiting:
    """A request that waits for an address: not for `failed` before `earliest`, where it has just failed."""

    failed: PooledAddress | None
    earliest: float
    lent: "asyncio.Future[Lent]"

    def may_from(self, address: PooledAddress, ready: float) -> float:
        return max(ready, self.earliest) if address is self.failed else ready


class AddressPool:
    """Hands out the addresses of an endpoint, and learns from what comes of it."""

    def __init__(self, endpoint: Endpoint, clock: Clock) -> None:
        self.addresses = tuple(PooledAddress(address.base_url, address.concurrency) for address in endpoint.addresses)
        self._endpoint = endpoint
        self._clock = clock
        self._queue: list[_Waiting] = []
        self._alarm: asyncio.Task[None] | None = None
        self._slept_to = _LONG_AGO
        self._answered = False
        self._nobody: NobodyAnswers | None = None

    @property
    def in_service(self) -> list[PooledAddress]:
        return [address for address in self.addresses if not address.left_out]

    @property
    def left_out(self) -> tuple[str, ...]:
        """A sentence for each address that is left out."""
        return tuple(address.left_out for address in self.addresses if address.left_out)

    @property
    def nobody_answers(self) -> bool:
        return self._nobody is not None

    def begin(self) -> None:
        """Give every address another chance, before further requests. What a server asked for stays."""
        self._answered = self._answered and not self.nobody_answers
        self._nobody = None
        for address in self.addresses:
            address.left_out, address.misses, address.away_until = "", 0, _LONG_AGO

    # ---- Handing out

    async def take(self, failed: PooledAddress | None = None, wait: float = 0.0) -> Lent:
        """The address with most room of those that do not rest, as soon as there is one.

        `failed` is where the last try for the same text was: it is taken again only after `wait` seconds and where no
        other is free.
        """
        lent: asyncio.Future[Lent] = asyncio.get_running_loop().create_future()
        waiting = _Waiting(failed, self._now() + wait, lent)
        self._queue.append(waiting)
        self._hand_out()
        try:
            return await lent
        except asyncio.CancelledError:
            if waiting in self._queue:
                self._queue.remove(waiting)
                self._hand_out()
            else:
                self.give_back(lent.result())
            raise

    def give_back(self, lent: Lent) -> None:
        lent.address.running -= 1
        self._hand_out()

    def seconds_to_ready(self, failed: PooledAddress, wait: float) -> float:
        """Until some address no longer rests, `failed` not before `wait` seconds; room for the request aside."""
        now, ready = self._now(), self._ready_at()
        return min(max(at - now, wait if address is failed else 0.0) for address, at in ready.items())

    def _hand_out(self) -> None:
        """To those who wait, in the order in which they came; and again when the next address no longer rests."""
        now, ready = self._now(), self._ready_at()
        wanting = [] if self.nobody_answers else [waiting for waiting in self._queue if not waiting.lent.cancelled()]
        for waiting in wanting:
            free = [
                address for address, at in ready.items() if address.room > 0 and waiting.may_from(address, at) <= now
            ]
            if free:
                best = max(free, key=partial(_preference, waiting.failed))
                best.running += 1
                self._queue.remove(waiting)
                waiting.lent.set_result(Lent(best, now))
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        ends = [
            waiting.may_from(address, at)
            for waiting in self._queue
            for address, at in ready.items()
            if address.room > 0
        ]
        if ends and not self.nobody_answers:
            self._alarm = asyncio.create_task(self._hand_out_after(min(ends) - now))

    async def _hand_out_after(self, seconds: float) -> None:
        end = self._now() + seconds
        await self._clock.sleep(seconds)
        self._alarm = None
        self._slept_to = max(self._slept_to, end)
        self._hand_out()

    def _ready_at(self) -> dict[PooledAddress, float]:
        """Return the time at which each address in service stops resting."""
        soonest = min(address.rests_until for address in self.in_service)
        too_long = soonest - self._now() >= self._endpoint.deadline_seconds
        return {
            address: address.away_until if too_long else max(address.rests_until, address.away_until)
            for address in self.in_service
        }

    def _now(self) -> float:
        # A sleep may end a hair before the clock says so, and would be begun again and again.
        return max(self._clock.now(), self._slept_to)

    # ---- Learning

    def learn(self, lent: Lent, trouble: Trouble | None) -> None:
        """Record the outcome of a try: its trouble, or None for a text."""
        address = lent.address
        if trouble is not None and trouble.away:
            self._missed(lent, trouble)
            return
        self._answered = True
        address.misses, address.away_until = 0, _LONG_AGO
        if trouble is None:
            address.limited = 0
        elif trouble.retry and (trouble.failure == "rate_limit" or trouble.wait is not None):
            self._asked_to_wait(lent, trouble)

    def leaves_out(self, address: PooledAddress, trouble: Trouble) -> bool:
        """Leave out an address for trouble that every request would meet there, and return True. The last one stays."""
        if trouble.retry or trouble.failure not in _OF_THE_ADDRESS:
            return False
        if not [other for other in self.in_service if other is not address]:
            return False
        self.leave_out(address, trouble.sentence)
        return True

    def leave_out(self, address: PooledAddress, why: str) -> None:
        address.left_out = f"{address.base_url} was left out: {why}"

    def require_somebody(self) -> None:
        """Raise `NobodyAnswers` where no address has answered for too long; none is handed out any more by then."""
        if self._nobody is not None:
            raise self._nobody

    def _missed(self, lent: Lent, trouble: Trouble) -> None:
        address, now = lent.address, self._now()
        if lent.since <= address.missed_at:
            return  # it was on its way when the one before missed: the same absence
        address.missed_at = now
        address.away_until = now + wait_before_next(address.misses, None, self._clock.chance)
        address.misses += 1
        most = MISSES_LATER if self._answered else MISSES_AT_FIRST
        if all(each.misses >= most for each in self.in_service):
            self._nobody = self._nobody_answers(most, trouble)

    def _nobody_answers(self, tries: int, trouble: Trouble) -> NobodyAnswers:
        name, count = self._endpoint.name, len(self.in_service)
        sentence = f"The endpoint “{name}” does not answer"
        who = sentence if count == 1 else f"None of the {count} addresses of the endpoint “{name}” answers"
        return NobodyAnswers(
            f"{who}, {tries} tries in a row. {trouble.sentence}",
            kept="Every text that was written is kept, and what is missing stays open.",
            hint="Start the server or mend its address; then start the run again, and it goes on where it stopped.",
        )

    def _asked_to_wait(self, lent: Lent, trouble: Trouble) -> None:
        address, now = lent.address, self._now()
        if trouble.wait is None and lent.since <= address.limited_at:
            return  # it was on its way when the one before was sent back
        address.limited_at = now
        seconds = wait_before_next(address.limited, trouble.wait, self._clock.chance)
        address.limited += 1
        address.rests_until = max(address.rests_until, now + seconds)


def _preference(failed: PooledAddress | None, address: PooledAddress) -> tuple[bool, int]:
    return address is not failed, address.room
