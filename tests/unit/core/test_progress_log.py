"""How far a job is, in lines for a log: by a clock that the test moves."""

import threading

import pytest

from biasprint.core.cli import console
from biasprint.core.cli.console import ProgressLog, duration, rate_in_words, told_in_lines
from biasprint.core.jobs import JobContext


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_line_has_what_is_done_the_rate_and_the_time_left() -> None:
    clock, lines = Clock(), list[str]()
    log = ProgressLog("Measuring news", lines.append, clock)
    ctx = JobContext(log.heard, clock)
    for done in (0, 1_200):
        ctx.report(done, 12_000, note="articles read")
        clock.now += 30
    log.tell()
    # 40 a second: 10,800 are left, of which 30 s have gone since the first line.
    assert lines == [
        "Measuring news · articles read · 1,200 of 12,000 · 40 a second · about 4 min 0 s left · 1 min 0 s so far"
    ]


def test_what_takes_more_than_a_minute_says_so_as_soon_as_it_is_known() -> None:
    clock, lines = Clock(), list[str]()
    log = ProgressLog("Scoring", lines.append, clock, "Ctrl+C stops it")
    ctx = JobContext(log.heard, clock)
    for done in (0, 64, 128, 192):
        ctx.report(done, 100_000, note="mpnet")
        clock.now += 2
    assert lines == [
        "Scoring · mpnet · 128 of 100,000 · 32 a second · about 52 min 1 s left · 4 s so far · Ctrl+C stops it"
    ]


def test_the_wait_for_a_model_says_nothing_about_the_time_left() -> None:
    clock, lines = Clock(), list[str]()
    ctx = JobContext(ProgressLog("Scoring", lines.append, clock).heard, clock)
    for now, done in ((0, 0), (60, 32), (61, 432), (62, 832)):
        clock.now = now
        ctx.report(done, 8_000)
    assert lines == []


def test_a_job_that_has_said_nothing_yet_has_a_line_too() -> None:
    clock, lines = Clock(), list[str]()
    log = ProgressLog("Writing the report", lines.append, clock)
    clock.now = 30
    log.tell()
    assert lines == ["Writing the report · 30 s so far"]


def test_no_time_is_promised_that_has_gone_already() -> None:
    clock, lines = Clock(), list[str]()
    log = ProgressLog("Checking", lines.append, clock)
    ctx = JobContext(log.heard, clock)
    ctx.report(0, 10)
    clock.now = 1
    ctx.report(9, 10)
    clock.now = 30
    log.tell()
    assert lines == ["Checking · 9 of 10 · 9.0 a second · 30 s so far"]


def test_lines_come_again_and_again_and_end_with_the_job() -> None:
    lines: list[str] = []
    three = threading.Event()

    def say(line: str) -> None:
        lines.append(line)
        if len(lines) == 3:
            three.set()

    with told_in_lines(ProgressLog("Scoring", say, Clock()), every=0.001):
        assert three.wait(60)
    told = len(lines)
    assert not [one for one in threading.enumerate() if one.name == "progress log"]
    assert len(lines) == told


@pytest.mark.parametrize("quiet", [False, True])
def test_where_stderr_is_no_terminal_a_command_writes_lines_unless_it_is_to_be_quiet(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], quiet: bool
) -> None:
    tellers: list[ProgressLog] = []

    class Kept(ProgressLog):
        def __init__(self, *args: object, **more: object) -> None:
            super().__init__(*args, **more)  # type: ignore[arg-type]
            tellers.append(self)

    monkeypatch.setattr(console, "ProgressLog", Kept)
    console.keep_quiet(quiet)
    try:
        with console.job("Scoring\x1b[2J") as ctx:
            ctx.report(3, 40)
            for one in tellers:
                one.tell()
    finally:
        console.keep_quiet(False)
    assert capsys.readouterr().err == ("" if quiet else "Scoring\ufffd[2J · 3 of 40 · 0 s so far\n")


def test_times_and_rates_in_words() -> None:
    assert [duration(each) for each in (0.4, 59.4, 61, 3_599, 7_500, 360_000)] == [
        "0 s", "59 s", "1 min 1 s", "59 min 59 s", "2 h 5 min", "100 h 0 min",
    ]  # fmt: skip
    assert [rate_in_words(each) for each in (0.05, 0.9, 3.14, 1_234.5)] == [
        "3.0 a minute", "54.0 a minute", "3.1 a second", "1,234 a second",
    ]  # fmt: skip
