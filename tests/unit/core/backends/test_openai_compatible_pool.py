"""Which address takes the next request: the one with most room, none that rests, and none that is left out."""

import asyncio
import random
from collections.abc import Awaitable, Callable

import pytest

from biasprint.core.backends.openai_compatible.failures import Clock, Trouble
from biasprint.core.backends.openai_compatible.pool import (
    MISSES_AT_FIRST,
    MISSES_LATER,
    AddressPool,
    Lent,
    NobodyAnswers,
)
from biasprint.core.machine.endpoints import Address, Endpoint

A, B = "http://127.0.0.1:1/v1", "http://127.0.0.1:2/v1"
BUSY = Trouble("rate_limit", "busy", retry=True, wait=7.0)
AWAY = Trouble("connection", "Nothing answers.", retry=True, away=True)
FAILED = Trouble("server", "failed", retry=True)


class Hours:
    """A clock that moves when a test says so; whoever sleeps wakes as soon as it has passed the end of the sleep."""

    def __init__(self) -> None:
        self.time = 0.0
        self._sleepers: list[tuple[float, asyncio.Future[None]]] = []

    async def sleep(self, seconds: float) -> None:
        woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._sleepers.append((self.time + seconds, woken))
        await woken

    async def pass_(self, seconds: float) -> None:
        await settled()  # whoever was about to sleep sleeps
        self.time += seconds
        for end, woken in self._sleepers:
            if end <= self.time and not woken.done():
                woken.set_result(None)
        await settled()

    @property
    def clock(self) -> Clock:
        return Clock(lambda: self.time, self.sleep, random.Random(1))


async def settled() -> None:
    """Whatever can go on without time passing has gone on."""
    for _ in range(10):
        await asyncio.sleep(0)


def pool_of(hours: Hours, first: int = 2, *others: int, deadline: float = 120.0) -> AddressPool:
    more = tuple(Address(f"http://127.0.0.1:{2 + place}/v1", limit) for place, limit in enumerate(others))
    return AddressPool(Endpoint("lab", A, first, deadline_seconds=deadline, others=more), hours.clock)


def on_a_loop(test: Callable[[], Awaitable[None]]) -> Callable[[], None]:
    def run() -> None:
        asyncio.run(asyncio.wait_for(test(), 20.0))

    run.__name__, run.__doc__ = test.__name__, test.__doc__
    return run


def end(pool: AddressPool, lent: Lent, trouble: Trouble | None = None) -> None:
    """What came of a try, and the room that it took."""
    pool.learn(lent, trouble)
    pool.give_back(lent)


def at(*lent: Lent) -> list[str]:
    return [one.address.base_url for one in lent]


@on_a_loop
async def test_the_address_with_most_room_is_next_and_no_limit_is_passed() -> None:
    pool = pool_of(Hours(), 1, 3)
    assert at(*[await pool.take() for _ in range(4)]) == [B, B, A, B]
    waiting = asyncio.create_task(pool.take())
    await settled()
    assert not waiting.done()
    end(pool, Lent(pool.addresses[0], 0.0))
    assert at(await waiting) == [A]


@on_a_loop
async def test_after_a_429_the_address_rests_for_all_requests_and_the_other_takes_them() -> None:
    hours = Hours()
    pool = pool_of(hours, 8, 2)
    busy = await pool.take()
    assert at(busy) == [A]
    end(pool, busy, BUSY)
    assert at(await pool.take(busy.address, 7.0), await pool.take()) == [B, B]
    waiting = [asyncio.create_task(pool.take()) for _ in range(3)]
    await hours.pass_(6.9)
    assert not [one for one in waiting if one.done()]
    await hours.pass_(0.4)  # with the quarter second at most that is left to chance
    assert at(*[one.result() for one in waiting]) == [A] * 3


@on_a_loop
async def test_where_another_is_free_or_will_be_nobody_sleeps_out_the_wait_of_one() -> None:
    hours = Hours()
    pool = pool_of(hours, 1, 1)
    first, second = await pool.take(), await pool.take()
    end(pool, first, BUSY)
    assert pool.seconds_to_ready(first.address, 7.0) == 0.0
    waiting = asyncio.create_task(pool.take(first.address, 7.0))
    await hours.pass_(1.0)
    assert not waiting.done()
    end(pool, second)
    assert at(await waiting) == [B]


@on_a_loop
async def test_rests_after_429s_without_a_time_grow_and_those_under_way_together_count_once() -> None:
    hours = Hours()
    pool = pool_of(hours, 8)
    one = pool.addresses[0]
    rests = []
    for _ in range(4):
        lent = [await pool.take() for _ in range(8)]
        for each in lent:
            end(pool, each, Trouble("rate_limit", "busy", retry=True))
        rests.append(one.rests_until - hours.time)
        await hours.pass_(rests[-1] + 0.01)
    assert [0.25 * 2**n <= rest <= 0.5 * 2**n for n, rest in enumerate(rests)] == [True] * 4, rests
    end(pool, await pool.take())
    end(pool, await pool.take(), Trouble("rate_limit", "busy", retry=True))
    assert one.rests_until - hours.time <= 0.5  # a text was written in between


@on_a_loop
async def test_a_failure_of_the_server_without_a_time_is_the_requests_own() -> None:
    pool = pool_of(Hours(), 2)
    failed = await pool.take()
    end(pool, failed, FAILED)
    assert at(await pool.take()) == [A]
    assert pool.seconds_to_ready(failed.address, 0.4) == 0.4


@on_a_loop
async def test_a_failed_request_prefers_another_address_and_comes_back_after_its_own_wait() -> None:
    hours = Hours()
    pool = pool_of(hours, 8, 1)
    failed = await pool.take()
    end(pool, failed, FAILED)
    assert at(await pool.take(failed.address, 0.4)) == [B]
    waiting = asyncio.create_task(pool.take(failed.address, 0.4))
    await hours.pass_(0.39)
    assert not waiting.done()
    await hours.pass_(0.02)
    assert at(await waiting) == [A]


@on_a_loop
async def test_those_who_wait_are_served_in_the_order_in_which_they_came() -> None:
    hours = Hours()
    pool = pool_of(hours, 1)
    held = await pool.take()
    waiting = [asyncio.create_task(pool.take()) for _ in range(3)]
    await settled()
    end(pool, held, AWAY)
    for each in range(3):
        waiting.append(asyncio.create_task(pool.take()))
        await hours.pass_(30.0)
        assert [one.done() for one in waiting] == [place <= each for place in range(4 + each)]
        end(pool, waiting[each].result(), AWAY)
    for task in waiting:
        task.cancel()


@on_a_loop
async def test_an_address_that_is_away_is_tried_by_one_request_at_a_time_after_growing_rests() -> None:
    hours = Hours()
    pool = pool_of(hours, 4)
    one = pool.addresses[0]
    lent = [await pool.take() for _ in range(4)]
    for each in lent:
        end(pool, each, AWAY)
    assert one.misses == 1  # they were under way together
    for misses in (2, 3, 4):
        rest = one.away_until - hours.time
        assert 0.25 * 2 ** (misses - 2) <= rest <= 0.5 * 2 ** (misses - 2)
        waiting = [asyncio.create_task(pool.take()) for _ in range(3)]
        await hours.pass_(rest)
        (tried,) = [each for each in waiting if each.done()]
        for each in waiting:
            each.cancel()
        end(pool, tried.result(), AWAY)
        assert one.misses == misses
    await hours.pass_(30.0)
    end(pool, await pool.take())  # it is back
    assert at(*[await pool.take() for _ in range(4)]) == [A] * 4


async def misses(pool: AddressPool, hours: Hours, count: int) -> None:
    for _ in range(count):
        await hours.pass_(30.0)
        end(pool, await pool.take(), AWAY)


@on_a_loop
async def test_an_address_that_never_answered_is_given_up_after_a_few_tries_and_one_that_did_after_more() -> None:
    for answered, most in ((False, MISSES_AT_FIRST), (True, MISSES_LATER)):
        hours = Hours()
        pool = pool_of(hours, 4)
        if answered:
            end(pool, await pool.take())
        await misses(pool, hours, most - 1)
        pool.require_somebody()
        await misses(pool, hours, 1)
        with pytest.raises(NobodyAnswers, match=rf"“lab” does not answer, {most} tries in a row. Nothing answers"):
            pool.require_somebody()


@on_a_loop
async def test_any_answer_in_between_begins_the_count_again_also_one_that_refuses() -> None:
    hours = Hours()
    pool = pool_of(hours, 4)
    for answer in (None, FAILED, Trouble("rejected", "no"), Trouble("connection", "It broke.", retry=True)):
        await misses(pool, hours, MISSES_AT_FIRST - 1)
        await hours.pass_(30.0)
        end(pool, await pool.take(), answer)
        await misses(pool, hours, MISSES_AT_FIRST - 1)
        pool.require_somebody()
        await hours.pass_(30.0)
        end(pool, await pool.take())


@on_a_loop
async def test_one_address_that_answers_keeps_a_run_going() -> None:
    hours = Hours()
    pool = pool_of(hours, 1, 1)
    for _ in range(3 * MISSES_LATER):
        await hours.pass_(30.0)
        first, second = await pool.take(), await pool.take()
        for each in (first, second):
            end(pool, each, AWAY if at(each) == [A] else None)
    pool.require_somebody()
    assert pool.addresses[0].misses == 3 * MISSES_LATER


@on_a_loop
async def test_begun_again_whoever_was_given_up_or_left_out_has_another_chance() -> None:
    hours = Hours()
    pool = pool_of(hours, 1)
    await misses(pool, hours, MISSES_AT_FIRST)
    pool.begin()
    pool.require_somebody()
    assert at(await pool.take()) == [A]


@pytest.mark.parametrize("failure", ["key", "model", "redirect", "credit", "connection"])
def test_an_address_of_no_use_to_any_request_is_left_out_but_never_the_last(failure: str) -> None:
    pool = pool_of(Hours(), 1, 1)
    trouble = Trouble(failure, "It will not do.")  # type: ignore[arg-type]
    first, second = pool.addresses
    assert pool.leaves_out(first, trouble)
    assert pool.leaves_out(first, trouble)  # another request was under way there
    assert pool.left_out == (f"{A} was left out: It will not do.",)
    assert not pool.leaves_out(second, trouble)
    assert pool.in_service == [second]


@pytest.mark.parametrize("trouble", [Trouble("context", "too long"), Trouble("rejected", "no"), BUSY, AWAY])
def test_what_a_request_or_a_while_explains_leaves_no_address_out(trouble: Trouble) -> None:
    pool = pool_of(Hours(), 1, 1)
    assert not pool.leaves_out(pool.addresses[0], trouble)


@on_a_loop
async def test_where_every_address_asks_for_more_than_a_request_may_take_requests_are_not_held() -> None:
    hours = Hours()
    pool = pool_of(hours, 4, 4, deadline=60.0)
    first, second = await pool.take(), await pool.take()
    for each in (first, second):
        end(pool, each, Trouble("rate_limit", "busy", retry=True, wait=3600.0))
    await pool.take()  # and is told by the server itself
    await hours.pass_(3545.0)
    waiting = asyncio.create_task(pool.take())
    await settled()
    assert not waiting.done()
    await hours.pass_(56.0)
    assert waiting.done()


@on_a_loop
async def test_a_request_that_is_given_up_while_it_waits_takes_no_room() -> None:
    pool = pool_of(Hours(), 1)
    held = await pool.take()
    waiting = asyncio.create_task(pool.take())
    await settled()
    waiting.cancel()
    await settled()
    end(pool, held)
    assert at(await pool.take()) == [A]


@on_a_loop
async def test_where_all_are_given_up_at_once_no_room_goes_to_one_that_is_gone() -> None:
    pool = pool_of(Hours(), 1)
    held = await pool.take()
    waiting = [asyncio.create_task(pool.take()) for _ in range(3)]
    await settled()
    pool.give_back(held)  # the first of them gets it, and is given up before it can go on
    for task in waiting:
        task.cancel()
    ends = await asyncio.gather(*waiting, return_exceptions=True)
    assert [type(one) for one in ends] == [asyncio.CancelledError] * 3
    assert pool.addresses[0].running == 0
    assert at(await pool.take()) == [A]
