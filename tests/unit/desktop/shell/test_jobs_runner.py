"""Jobs run off the window's thread; everything that is heard of them arrives on it."""

import gc
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FunctionType, ModuleType

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext, Progress, precedence
from biasprint.core.project.project import Project
from biasprint.core.project.specs import OutputSpec
from biasprint.desktop.jobs import JobHandle, JobRunner, JobState, RunningJob

SPEC = OutputSpec(run_id=1, prompt_id=1, sample=0, seed=1, text="of no run")


@pytest.fixture
def runner(qtbot: QtBot):
    """A runner that leaves no thread behind."""
    made = JobRunner()
    yield made
    assert made.close(), "a job's thread was left behind"
    assert not [thread.name for thread in threading.enumerate() if thread.name == "job"]


def wait_for_cancel(ctx: JobContext) -> None:
    while True:
        ctx.check()
        time.sleep(0.001)


def test_result_arrives_on_the_windows_thread(qtbot: QtBot, runner: JobRunner):
    seen: list[tuple[int, object]] = []
    worked_on: list[int] = []

    def work(ctx: JobContext) -> str:
        worked_on.append(threading.get_ident())
        return "letters"

    with qtbot.waitSignal(runner.ended):
        runner.start("Read", work, on_done=lambda result: seen.append((threading.get_ident(), result)))
    assert seen == [(threading.get_ident(), "letters")]
    assert worked_on != [threading.get_ident()]


@pytest.mark.parametrize("act", [lambda project: project.studies.all(), lambda project: project.outputs.record(SPEC)])
def test_a_job_rests_before_it_reads_or_writes_while_a_key_is_answered(
    qtbot: QtBot, runner: JobRunner, tmp_path: Path, act: Callable[[Project], object]
):
    done = threading.Event()

    def work(ctx: JobContext) -> None:
        act(project)
        done.set()

    with Project.create(tmp_path / "study.biasprint") as project:
        precedence.take(30)
        try:
            project.studies.all()  # whoever reads for the rater does not wait
            with qtbot.waitSignal(runner.ended):
                runner.start("Work", work, on_error=lambda _: None)
                assert not done.wait(0.05)
                precedence.give_back()
        finally:
            precedence.give_back()
        assert done.is_set()


def test_a_job_that_ends_at_once_is_not_missed(qtbot: QtBot, runner: JobRunner):
    done: list[int] = []
    for number in range(50):
        runner.start("Quick", lambda ctx, number=number: number, on_done=done.append)
    qtbot.waitUntil(lambda: len(done) == 50)
    assert sorted(done) == list(range(50))


def test_progress_comes_ten_times_a_second_at_most_and_the_last_always(qtbot: QtBot, runner: JobRunner):
    heard: list[tuple[float, Progress]] = []

    def work(ctx: JobContext) -> None:
        until = time.monotonic() + 0.75
        done = 0
        while time.monotonic() < until:
            done += 1
            ctx.report(done, None, partial=done)  # a partial result is never thinned out by the context
        ctx.report(done, done)

    begun = time.monotonic()
    with qtbot.waitSignal(runner.ended):
        runner.start("Count", work, on_progress=lambda p: heard.append((time.monotonic(), p)))
    took = time.monotonic() - begun
    assert 2 <= len(heard) <= took * 10 + 2
    assert heard[-1][1].done == heard[-1][1].total


def test_every_partial_result_arrives_in_order(qtbot: QtBot, runner: JobRunner):
    got: list[int] = []

    def work(ctx: JobContext) -> None:
        for number in range(500):
            ctx.report(number, None, partial=number)

    with qtbot.waitSignal(runner.ended):
        runner.start("Stream", work, on_partial=got.extend)
    assert got == list(range(500))


def test_cancel_is_silent_and_quick(qtbot: QtBot, runner: JobRunner):
    told: list[object] = []
    runner.failed.connect(told.append)
    handle = runner.start("Wait", wait_for_cancel, on_done=told.append, on_error=told.append)
    with qtbot.waitSignal(runner.ended):
        handle.cancel()
    assert handle.state is JobState.CANCELLED
    assert told == []


@pytest.mark.parametrize(("asked", "ends"), [(True, JobState.CANCELLED), (False, JobState.FAILED)])
def test_a_reading_that_meets_its_project_closed_was_cancelled_if_it_was_asked_to_stop(
    qtbot: QtBot, runner: JobRunner, tmp_path: Path, asked: bool, ends: JobState
):
    project, closed, told = Project.create(tmp_path / "letters.biasprint"), threading.Event(), []

    def read(ctx: JobContext) -> None:
        closed.wait(10)
        project.studies.all()  # before it looks whether it is to stop

    with qtbot.waitSignal(runner.ended):
        handle = runner.start("Read", read, on_error=told.append)
        project.close()
        if asked:
            handle.cancel()
        closed.set()
    assert handle.state is ends
    assert [error.message for error in told] == ([] if asked else ["The project is closed."])


def test_a_paused_job_does_nothing_until_it_is_resumed(qtbot: QtBot, runner: JobRunner):
    steps: list[int] = []

    def work(ctx: JobContext) -> None:
        while len(steps) < 1000:
            ctx.check()
            steps.append(1)
            time.sleep(0.001)

    handle = runner.start("Step", work)
    qtbot.waitUntil(lambda: len(steps) > 3)
    handle.pause()
    assert handle.state is JobState.PAUSED
    qtbot.wait(20)  # the step under way ends
    paused_at = len(steps)
    qtbot.wait(100)
    assert len(steps) == paused_at
    handle.resume()
    qtbot.waitUntil(lambda: len(steps) > paused_at)
    handle.cancel()
    qtbot.waitUntil(lambda: not handle.active)


def test_a_paused_job_can_be_cancelled(qtbot: QtBot, runner: JobRunner):
    handle = runner.start("Wait", wait_for_cancel)
    handle.pause()
    with qtbot.waitSignal(runner.ended):
        handle.cancel()
    assert handle.state is JobState.CANCELLED


def fail_as_foreseen(ctx: JobContext) -> None:
    raise AppError("The model file is missing.", hint="Get it under Models.")


def test_error_goes_to_the_banner_when_the_starter_takes_none(qtbot: QtBot, runner: JobRunner):
    with qtbot.waitSignal(runner.failed) as failed:
        handle = runner.start("Generate", fail_as_foreseen)
    (error,) = failed.args
    assert error.message == "The model file is missing."
    assert handle.state is JobState.FAILED


def test_error_goes_to_the_starter_who_takes_it(qtbot: QtBot, runner: JobRunner):
    told, banner = [], []
    runner.failed.connect(banner.append)
    with qtbot.waitSignal(runner.ended):
        runner.start("Generate", fail_as_foreseen, on_error=told.append)
    assert [error.hint for error in told] == ["Get it under Models."]
    assert banner == []


def test_unforeseen_error_says_what_to_do_and_keeps_its_trace(qtbot: QtBot, runner: JobRunner):
    def work(ctx: JobContext) -> None:
        raise ZeroDivisionError("by nothing")

    with qtbot.waitSignal(runner.failed) as failed:
        runner.start("Score", work)
    (error,) = failed.args
    assert isinstance(error, AppError)
    assert "Score" in error.message
    assert error.hint
    assert "ZeroDivisionError: by nothing" in error.details
    assert "test_jobs_runner" in error.details


def test_handle_knows_its_progress_and_its_result_in_words(qtbot: QtBot, runner: JobRunner):
    def work(ctx: JobContext) -> int:
        ctx.report(3, 3, note="last")
        return 3

    with qtbot.waitSignal(runner.ended) as ended:
        runner.start("Import", work, done_text=lambda n: f"{n} letters were imported.")
    handle: JobHandle = ended.args[0]
    assert handle.result_text == "3 letters were imported."
    assert handle.progress is not None
    assert (handle.progress.done, handle.progress.note) == (3, "last")


def test_idle_is_told_when_the_last_job_has_ended(qtbot: QtBot, runner: JobRunner):
    order: list[str] = []
    runner.idle.connect(lambda: order.append("idle"))
    first = runner.start("One", wait_for_cancel)
    second = runner.start("Two", wait_for_cancel)
    runner.ended.connect(lambda handle: order.append(handle.title))
    first.cancel()
    qtbot.waitUntil(lambda: order == ["One"])
    second.cancel()
    qtbot.waitUntil(lambda: order == ["One", "Two", "idle"])


def test_a_job_started_when_another_ends_keeps_the_runner_busy(qtbot: QtBot, runner: JobRunner):
    idle: list[bool] = []
    runner.idle.connect(lambda: idle.append(True))
    runner.start("One", lambda ctx: 1, on_done=lambda _: runner.start("Two", lambda ctx: 2))
    qtbot.waitUntil(lambda: bool(idle))
    assert runner.active() == []
    assert idle == [True]


def test_a_callable_that_fails_does_not_hold_up_the_others(qtbot: QtBot, runner: JobRunner):
    done: list[int] = []

    def fail(result: int) -> None:
        raise ValueError("in the window's own code")

    with qtbot.captureExceptions() as raised:
        for number in range(10):
            runner.start("Work", lambda ctx, number=number: number, on_done=done.append if number % 2 else fail)
        qtbot.waitUntil(lambda: not runner.active())
    assert sorted(done) == [1, 3, 5, 7, 9]
    assert len(raised) == 5


def test_closing_waits_no_longer_than_it_is_allowed_to(qtbot: QtBot):
    runner = JobRunner()
    release = threading.Event()
    heard: list[object] = []
    runner.start("Stubborn", lambda ctx: release.wait(10), on_done=heard.append)
    assert runner.close(0.2) is False  # it would be True ten seconds later
    release.set()
    qtbot.waitUntil(lambda: not [t for t in threading.enumerate() if t.name == "job"])
    qtbot.wait(20)
    assert heard == []  # nothing is delivered into a closed window


def test_closing_cancels_and_leaves_no_thread(qtbot: QtBot):
    runner = JobRunner()
    for _ in range(3):
        runner.start("Wait", wait_for_cancel)
    assert runner.close()
    assert not [thread for thread in threading.enumerate() if thread.name == "job"]


# listeners


class Listener(QObject):
    """Hears of a job in the ways in which panels do."""

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[object] = []

    def hear(self, result: object) -> None:
        self.heard.append(result)

    def by_a_function(self) -> Callable[[object], None]:
        def end(result: object) -> None:
            self.hear(result)

        return lambda result: end(result)


@pytest.mark.parametrize("way", [lambda one: one.hear, lambda one: one.by_a_function(), lambda one: partial(one.hear)])
def test_a_listener_that_was_deleted_is_not_called(qtbot: QtBot, runner: JobRunner, way):
    gone, there = Listener(), Listener()
    release = threading.Event()
    handles = [runner.start("Read", lambda ctx: release.wait(), on_done=way(one)) for one in (gone, there)]
    delete(gone)
    release.set()
    qtbot.waitUntil(lambda: not any(handle.active for handle in handles))
    assert gone.heard == []
    assert there.heard == [True]


def test_what_a_job_works_on_cannot_be_reached_from_its_thread(qtbot: QtBot, runner: JobRunner):
    class Project:
        """Something that a job holds in its closure."""

    project, release, begun = Project(), threading.Event(), threading.Event()

    def work(ctx: JobContext) -> bool:
        begun.set()
        return release.wait() and project is not None

    runner.start("Read", work)
    assert begun.wait(5)
    waiting, seen = [runner, vars(runner)], {id(globals())}
    while waiting:
        seen |= set(map(id, waiting))
        found = {id(one): one for one in gc.get_referents(*waiting) if gc.is_tracked(one)}  # numbers lead nowhere
        elsewhere = (type, ModuleType, FunctionType)  # what the program is made of
        waiting = [one for key, one in found.items() if key not in seen and not isinstance(one, elsewhere)]
    assert id(runner._threads) in seen
    assert id(project) not in seen
    release.set()


def test_what_was_sent_a_moment_before_a_rater_became_blind_is_not_kept(qtbot: QtBot):
    heard: list[object] = []
    watch = RunningJob(JobHandle("writing"), None, None, None, heard.extend, "")
    watch.conceal(lambda act: True)
    watch.take(Progress(1, 2, None, None, note="castle", partial="castle"))
    assert watch.latest == Progress(1, 2, None, None)
    assert watch.partials == []
    watch.flush()
    assert heard == []
