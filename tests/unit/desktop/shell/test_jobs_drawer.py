"""The jobs drawer shows what takes longer than a moment, and names nothing to a rater who is blind."""

import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.desktop.jobs import SHOWN_AFTER_MILLISECONDS, JobRunner, JobState
from biasprint.desktop.jobs.drawer import JobRow, JobsDrawer
from biasprint.desktop.operations.session import create_project, open_project


@pytest.fixture
def drawer(qtbot: QtBot):
    window = QWidget()
    window.resize(1000, 800)
    qtbot.addWidget(window)
    QCursor.setPos(900, 700)  # away from the drawer: it does not close under somebody's pointer
    runner = JobRunner()
    made = JobsDrawer(runner, window)
    made.runner = runner
    window.show()
    yield made
    assert runner.close()


class Held:
    """A job that goes on until it is let go."""

    def __init__(self) -> None:
        self.release = threading.Event()
        self.steps: list[Callable[[JobContext], object]] = []

    def __call__(self, ctx: JobContext) -> str:
        while not self.release.is_set():
            ctx.check()
            while self.steps:
                self.steps.pop(0)(ctx)
            time.sleep(0.001)
        return "done"


def shown_row(qtbot: QtBot, drawer: JobsDrawer, count: int = 1) -> JobRow:
    qtbot.waitUntil(lambda: len(drawer.rows()) == count, timeout=3000)
    return drawer.rows()[0]


def test_a_short_job_is_never_shown(qtbot: QtBot, drawer: JobsDrawer):
    with qtbot.waitSignal(drawer.runner.ended):
        drawer.runner.start("Quick", lambda ctx: None)
    qtbot.wait(SHOWN_AFTER_MILLISECONDS + 100)
    assert drawer.rows() == []
    assert drawer.isHidden()


def test_a_quiet_job_is_never_shown(qtbot: QtBot, drawer: JobsDrawer):
    job = Held()
    drawer.runner.start("Reading", job, quiet=True)
    qtbot.wait(SHOWN_AFTER_MILLISECONDS + 100)
    assert drawer.rows() == []
    job.release.set()


def test_a_longer_job_opens_the_drawer_after_a_moment(qtbot: QtBot, drawer: JobsDrawer):
    job, begun = Held(), time.monotonic()
    drawer.runner.start("Generating", job)
    row = shown_row(qtbot, drawer)
    assert time.monotonic() - begun >= SHOWN_AFTER_MILLISECONDS / 1000 - 0.02
    assert drawer.isVisible()
    assert row.title.whole_text() == "Generating"
    job.release.set()


def test_row_says_how_far_how_fast_and_how_long(qtbot: QtBot, drawer: JobsDrawer):
    job = Held()
    drawer.runner.start("Generating", job)
    row = shown_row(qtbot, drawer)

    def report(ctx: JobContext) -> None:
        ctx.report(0, 1000)
        time.sleep(0.11)
        ctx.report(250, 1000, note="haiku")

    job.steps.append(report)
    qtbot.waitUntil(lambda: "250 of 1,000" in row.detail.whole_text())
    words = row.detail.whole_text()
    assert "a second" in words
    assert "left" in words
    assert "haiku" in words
    assert row.bar.value() / row.bar.maximum() == 0.25
    job.release.set()


def test_pause_and_resume_from_the_row(qtbot: QtBot, drawer: JobsDrawer):
    job = Held()
    handle = drawer.runner.start("Generating", job)
    row = shown_row(qtbot, drawer)
    qtbot.mouseClick(row.pause, Qt.MouseButton.LeftButton)
    assert handle.state is JobState.PAUSED
    assert row.pause.accessibleName() == "Resume"
    assert "Paused" in row.detail.whole_text()
    qtbot.mouseClick(row.pause, Qt.MouseButton.LeftButton)
    assert handle.state is JobState.RUNNING
    job.release.set()


def test_cancel_from_the_row_says_what_is_kept(qtbot: QtBot, drawer: JobsDrawer):
    drawer.runner.start("Generating", Held())
    row = shown_row(qtbot, drawer)
    with qtbot.waitSignal(drawer.runner.ended):
        qtbot.mouseClick(row.cancel, Qt.MouseButton.LeftButton)
    assert row.detail.whole_text() == "Cancelled; what was finished is kept."
    assert row.bar.isHidden()
    qtbot.mouseClick(row.cancel, Qt.MouseButton.LeftButton)  # now it removes the row
    assert drawer.rows() == []
    assert drawer.isHidden()


def test_row_ends_with_the_result(qtbot: QtBot, drawer: JobsDrawer):
    job = Held()
    drawer.runner.start("Importing", job, done_text="120 letters were imported.")
    row = shown_row(qtbot, drawer)
    with qtbot.waitSignal(drawer.runner.ended):
        job.release.set()
    assert row.detail.whole_text() == "120 letters were imported."


def test_row_of_a_failed_job_has_the_error(qtbot: QtBot, drawer: JobsDrawer):
    def fail(ctx: JobContext) -> None:
        raise AppError("The disk is full.", hint="Free some space.")

    job = Held()
    job.steps = []
    drawer.runner.start("Importing", job, on_error=lambda error: None)
    row = shown_row(qtbot, drawer)
    with qtbot.waitSignal(drawer.runner.ended):
        job.steps.append(fail)
    assert row.detail.whole_text() == "The disk is full. Free some space."


def test_summary_counts_what_runs(qtbot: QtBot, drawer: JobsDrawer):
    said: list[str] = []
    drawer.summary_changed.connect(said.append)
    first, second = Held(), Held()
    drawer.runner.start("One", first)
    drawer.runner.start("Two", second)
    shown_row(qtbot, drawer, count=2)
    assert said[-1] == "2 jobs running"
    with qtbot.waitSignal(drawer.runner.ended):
        first.release.set()
    assert said[-1] == "1 job running"
    with qtbot.waitSignal(drawer.runner.ended):
        second.release.set()
    assert said[-1] == "Jobs"


def end_of(qtbot: QtBot, drawer: JobsDrawer, job: Held) -> None:
    with qtbot.waitSignal(drawer.runner.ended):
        job.release.set()


def test_a_drawer_that_opened_by_itself_closes_soon_after_the_last_of_its_jobs(qtbot: QtBot, drawer: JobsDrawer):
    drawer._closing.setInterval(0)
    first, second = Held(), Held()
    drawer.runner.start("One", first)
    drawer.runner.start("Two", second)
    shown_row(qtbot, drawer, count=2)
    end_of(qtbot, drawer, first)
    qtbot.waitUntil(lambda: not drawer._closing.isActive())
    assert drawer.isVisible()
    end_of(qtbot, drawer, second)
    qtbot.waitUntil(drawer.isHidden)
    assert len(drawer.rows()) == 2  # and the status line opens it again
    drawer.toggle()
    assert drawer.isVisible()


def test_a_drawer_does_not_close_under_the_pointer(qtbot: QtBot, drawer: JobsDrawer):
    drawer._closing.setInterval(0)
    job = Held()
    drawer.runner.start("One", job)
    shown_row(qtbot, drawer)
    QCursor.setPos(drawer.mapToGlobal(drawer.rect().center()))  # of which Qt tells no drawer that opens under it
    end_of(qtbot, drawer, job)
    for _ in range(3):
        with qtbot.waitSignal(drawer._closing.timeout):
            pass
    assert drawer.isVisible()
    QCursor.setPos(drawer.mapToGlobal(drawer.rect().bottomRight()) + QPoint(100, 100))
    qtbot.waitUntil(drawer.isHidden)


def test_a_drawer_that_a_person_opened_stays_open(qtbot: QtBot, drawer: JobsDrawer):
    drawer._closing.setInterval(0)
    job = Held()
    drawer.runner.start("One", job)
    shown_row(qtbot, drawer)
    drawer.toggle()
    drawer.toggle()
    end_of(qtbot, drawer, job)
    assert not drawer._closing.isActive()
    assert drawer.isVisible()


def test_a_drawer_with_a_failure_stays_open_until_a_person_closes_it(qtbot: QtBot, drawer: JobsDrawer):
    def fail(ctx: JobContext) -> None:
        raise AppError("The disk is full.")

    drawer._closing.setInterval(0)
    job = Held()
    drawer.runner.start("One", job, on_error=lambda error: None)
    shown_row(qtbot, drawer)
    with qtbot.waitSignal(drawer.runner.ended):
        job.steps.append(fail)
    qtbot.waitUntil(lambda: not drawer._closing.isActive())
    assert drawer.isVisible()
    drawer.toggle()
    assert drawer.isHidden()


def test_a_job_may_ask_for_more_time_before_it_is_shown(qtbot: QtBot, drawer: JobsDrawer):
    patient, other = Held(), Held()
    drawer.runner.start("Opening", patient, shown_after=60_000)
    drawer.runner.start("Generating", other)
    assert shown_row(qtbot, drawer).title.whole_text() == "Generating"
    patient.release.set()
    other.release.set()


def test_opening_a_project_is_shown_only_where_it_takes_long(tmp_path: Path):
    assert open_project(path=tmp_path / "castle.biasprint").shown_after == 2_000
    assert create_project(path=tmp_path / "castle.biasprint").shown_after == 2_000


def test_the_drawer_stays_shut_while_a_rater_is_blind(qtbot: QtBot, drawer: JobsDrawer):
    later: list[Callable[[], object]] = []
    first, second = Held(), Held()
    drawer.runner.start("One", first)
    shown_row(qtbot, drawer)
    drawer.conceal(lambda act: bool(later.append(act)) or True)
    assert drawer.isHidden()
    drawer.runner.start("Two", second)
    shown_row(qtbot, drawer, count=2)
    assert drawer.isHidden()
    assert [row.title.whole_text() for row in drawer.rows()] == ["A job", "A job"]
    for act in later:
        act()
    assert [row.title.whole_text() for row in drawer.rows()] == ["Two", "One"]
    first.release.set()
    second.release.set()


def test_nothing_is_named_while_blind(qtbot: QtBot, drawer: JobsDrawer):
    job = Held()
    drawer.runner.start("Generating with llama-3 in castle.biasprint", job, done_text="llama-3 wrote 12 texts.")
    row = shown_row(qtbot, drawer)
    job.steps.append(lambda ctx: ctx.report(1, 2, note="race/black"))
    qtbot.waitUntil(lambda: "race/black" in row.detail.whole_text())
    drawer.set_blind(True)
    words = f"{row.title.whole_text()} {row.detail.whole_text()} {row.accessibleName()}"
    with qtbot.waitSignal(drawer.runner.ended):
        job.release.set()
    words += f" {row.title.whole_text()} {row.detail.whole_text()} {row.accessibleName()} {row.detail.toolTip()}"
    assert not [secret for secret in ("llama", "castle", "black") if secret in words]
    drawer.set_blind(False)
    assert row.detail.whole_text() == "llama-3 wrote 12 texts."


def test_a_low_window_keeps_its_room_for_the_work(qtbot: QtBot, drawer: JobsDrawer):
    drawer.window().resize(1000, 400)
    job = Held()
    drawer.runner.start("Generating", job)
    shown_row(qtbot, drawer)
    assert drawer.isHidden()
    drawer.toggle()
    assert drawer.isVisible()
    job.release.set()


def test_of_several_jobs_so_many_rows_are_whole_as_the_window_has_room_for(qtbot: QtBot, drawer: JobsDrawer):
    jobs = [Held() for _ in range(4)]
    for number, job in enumerate(jobs):
        drawer.runner.start(f"Scoring {number}", job)
    shown_row(qtbot, drawer, 4)
    row = drawer.rows()[0].sizeHint().height()
    for height, rows in ((600, 1), (720, 2), (1080, 3), (2000, 3)):
        drawer.window().resize(1000, height)
        drawer.set_open(False)
        drawer.set_open(True)
        assert drawer._area.height() == rows * row + 2
    for job in jobs:
        job.release.set()


def test_jobs_of_the_project_before_are_not_taken_for_this_ones(qtbot: QtBot, drawer: JobsDrawer):
    before, ended, goes_on, download = object(), Held(), Held(), Held()
    drawer.runner.start("Scoring the texts", ended)
    drawer.runner.start("Measuring: letters", goes_on).setObjectName(f"measuring letters {id(before)}")
    drawer.runner.start("Getting a model", download)
    shown_row(qtbot, drawer, 3)
    ended.release.set()
    qtbot.waitUntil(lambda: sum(row.handle.active for row in drawer.rows()) == 2)
    drawer.leave(before)
    assert [row.title.whole_text() for row in drawer.rows()] == [
        "Getting a model",
        "Measuring: letters (of the project before)",
    ]
    goes_on.release.set()
    download.release.set()
