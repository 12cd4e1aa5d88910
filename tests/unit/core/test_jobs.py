"""What a job reports, by a clock that the test moves: rate and time left, also of slow items and of the next part."""

import pytest

from biasprint.core.jobs import JobCancelled, JobContext, Progress


class Clock:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_items_that_take_longer_than_the_window_have_a_rate_and_a_time_left(clock: Clock) -> None:
    heard: list[Progress] = []
    ctx = JobContext(heard.append, clock)
    for done in range(4):
        ctx.report(done, 10)
        clock.now += 40
    assert heard[0].rate is None
    assert heard[0].seconds_left is None
    assert [round(one.rate or 0, 6) for one in heard[1:]] == [0.025] * 3
    assert [round(one.seconds_left or 0) for one in heard[1:]] == [360, 320, 280]


def test_the_rate_is_that_of_the_last_seconds(clock: Clock) -> None:
    heard: list[Progress] = []
    ctx = JobContext(heard.append, clock)
    done = 0
    for speed in (5, 50):
        for _ in range(30):
            clock.now += 1
            done += speed
            ctx.report(done, 100_000)
    assert heard[29].rate == pytest.approx(5)
    assert heard[-1].rate == pytest.approx(50)


def test_the_next_part_of_the_work_is_counted_anew(clock: Clock) -> None:
    heard: list[Progress] = []
    ctx = JobContext(heard.append, clock)
    for done, total in ((0, 900), (500, 900), (0, 40), (2, 40)):
        ctx.report(done, total)
        clock.now += 1
    assert heard[2].rate is None
    assert heard[3].rate == pytest.approx(2)
    assert heard[3].seconds_left == pytest.approx(19)


def test_the_first_of_the_next_part_is_told_however_soon_it_comes(clock: Clock) -> None:
    heard: list[Progress] = []
    ctx = JobContext(heard.append, clock)
    for done, note in ((50, "scoring"), (60, "scoring"), (0, "words"), (1, "words")):
        ctx.report(done, 100, note=note)
    assert [(one.done, one.note) for one in heard] == [(50, "scoring"), (0, "words")]


def test_a_job_that_was_stopped_takes_no_further_step() -> None:
    told: list[Progress] = []
    ctx = JobContext(told.append)
    ctx.step(1, 2, note="first")
    ctx.cancel()
    with pytest.raises(JobCancelled):
        ctx.step(2, 2)
    assert [(one.done, one.total, one.note) for one in told] == [(1, 2, "first")]
