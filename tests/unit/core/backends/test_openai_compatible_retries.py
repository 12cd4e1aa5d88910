"""When a request is made again, how long it waits, and when it is given up."""

import asyncio
import random
from collections.abc import Iterator

import pytest

from biasprint.core.backends.openai_compatible.failures import (
    Clock,
    Trouble,
    asked_wait,
    wait_before_next,
    with_retries,
)


class Hours:
    """A clock that moves only when somebody waits."""

    def __init__(self) -> None:
        self.time = 0.0
        self.waits: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.time += seconds

    @property
    def clock(self) -> Clock:
        return Clock(lambda: self.time, self.sleep, random.Random(1))


def outcome(troubles: list[Trouble], retries: int, deadline: float = 1000.0) -> tuple[str, int, list[float]]:
    """What came of it: “done” or the kind of trouble; how many tries; the waits between them."""
    hours, tries = Hours(), 0
    left: Iterator[Trouble] = iter(troubles)

    async def attempt() -> str:
        nonlocal tries
        tries += 1
        for trouble in left:
            raise trouble
        return "done"

    try:
        end = asyncio.run(with_retries(attempt, retries=retries, deadline_seconds=deadline, clock=hours.clock))
    except Trouble as trouble:
        end = trouble.failure
    return end, tries, hours.waits


def test_nothing_is_asked_twice_without_need() -> None:
    assert outcome([], 4) == ("done", 1, [])


@pytest.mark.parametrize("retries", [0, 1, 4])
def test_it_is_asked_again_exactly_as_often_as_configured(retries: int) -> None:
    end, tries, waits = outcome([Trouble("server", "failed", retry=True)] * 20, retries)
    assert (end, tries, len(waits)) == ("server", 1 + retries, retries)


def test_what_cannot_succeed_is_not_asked_again() -> None:
    assert outcome([Trouble("key", "no")] * 5, 4) == ("key", 1, [])


def test_a_success_ends_it() -> None:
    end, tries, _ = outcome([Trouble("rate_limit", "busy", retry=True)] * 2, 4)
    assert (end, tries) == ("done", 3)


def test_waits_double_and_half_of_each_is_chance() -> None:
    chance = random.Random(2)
    waits = [[wait_before_next(tries, None, chance) for _ in range(200)] for tries in range(9)]
    for tries, drawn in enumerate(waits):
        longest = min(30.0, 0.5 * 2**tries)
        assert longest / 2 <= min(drawn) < longest * 0.55
        assert longest * 0.95 < max(drawn) <= longest


def test_the_servers_wait_is_kept_and_never_cut_short() -> None:
    end, _, waits = outcome([Trouble("rate_limit", "busy", retry=True, wait=7.0)], 4)
    assert end == "done"
    assert 7.0 <= waits[0] <= 7.25


def test_a_wait_past_the_deadline_is_not_begun() -> None:
    assert outcome([Trouble("rate_limit", "busy", retry=True, wait=60.0)], 4, deadline=30.0) == ("rate_limit", 1, [])
    # 0.25 to 0.5, then 0.5 to 1, then 1 to 2 seconds: the third does not fit into two.
    end, tries, waits = outcome([Trouble("server", "failed", retry=True)] * 9, 8, deadline=2.0)
    assert end == "server"
    assert sum(waits) < 2.0
    assert tries == len(waits) + 1 <= 4


def test_the_deadline_is_for_all_tries_together() -> None:
    tries = 0

    async def attempt() -> str:
        nonlocal tries
        tries += 1
        await asyncio.Event().wait()
        return "never"

    with pytest.raises(Trouble, match=r"No complete reply within 0\.05 seconds") as raised:
        asyncio.run(with_retries(attempt, retries=5, deadline_seconds=0.05, clock=Clock()))
    assert raised.value.failure == "timeout"
    assert tries == 1


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "3"}, 3.0),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after": " 1.5 "}, 1.5),
        ({"retry-after": "-4"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "1e999"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        # RFC 9110's own example of a date; the clock here stands a minute before it.
        ({"retry-after": "Fri, 31 Dec 1999 23:59:59 GMT"}, 60.0),
        # The server's own clock counts, however wrong the one here is.
        ({"retry-after": "Fri, 31 Dec 1999 23:59:59 GMT", "date": "Fri, 31 Dec 1999 23:59:49 GMT"}, 10.0),
        ({"retry-after": "Fri, 31 Dec 1999 23:00:00 GMT"}, 0.0),
        ({"retry-after": "Fri, 99 Dec 1999 99:59:59 GMT"}, None),
    ],
)
def test_retry_after_in_seconds_and_as_a_date(headers: dict[str, str], seconds: float | None) -> None:
    before = 946684799 - 60  # date -ud '1999-12-31 23:59:59' +%s gives 946684799
    assert asked_wait(headers, wall=before) == seconds
