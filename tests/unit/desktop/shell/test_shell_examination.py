"""A large project that this computer has not seen, in the window: shown at once, and said what is found of it."""

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from biasprint.core.compute import ComputeCrashed, ComputeProcess
from biasprint.core.errors import JobCancelled
from biasprint.core.jobs import JobContext
from biasprint.core.project import gate
from biasprint.core.project import project as project_module
from biasprint.core.project.connection import FileDamaged
from biasprint.core.project.project import Project
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.operations import session

WAIT = 10.0


@pytest.fixture
def go_on(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Lets the examination begin; it runs in this process, which has no connection of its own to lose locks of."""
    event = threading.Event()

    def held(path: Path, ctx: JobContext) -> None:
        event.wait(WAIT)
        gate.examine_file(path, ctx)

    monkeypatch.setattr(session, "examine", held)
    return event


@pytest.fixture
def foreign(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project that came from elsewhere, as if it were large."""
    with Project.open(file) as project:
        project.studies.add("news", "News")
    monkeypatch.setenv("BIASPRINT_HOME", str(tmp_path / "another-computer"))
    monkeypatch.setattr(project_module, "BESIDE_FROM_BYTES", 0)
    monkeypatch.setattr(project_module, "BEGIN_AFTER_SECONDS", 0.0)
    return file


def refer_to_nothing(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys=OFF")
        connection.execute("INSERT INTO draft VALUES ('no session', 'no comparison', '', '', x'')")


def opened(qtbot: QtBot, window: MainWindow, path: Path) -> Project:
    with qtbot.waitSignal(window.session.opened):
        window.open_project(path)
    assert window.project is not None
    return window.project


def test_it_is_open_while_it_is_examined_and_both_are_said(
    qtbot: QtBot, window: MainWindow, foreign: Path, go_on: threading.Event
) -> None:
    project = opened(qtbot, window, foreign)
    (said,) = window.banners.texts()
    assert said.startswith("“castle” is new on this computer, and is being examined. You can read everything meanwhile")
    assert [study.title for study in project.studies.all()] == ["News"]
    go_on.set()
    qtbot.waitUntil(lambda: window.banners.texts() == [])
    assert window.status.notice.whole_text() == "The project was examined: its structure is sound."
    assert window.project is project


def test_one_that_does_not_pass_is_let_go_of_and_why_is_said(
    qtbot: QtBot, window: MainWindow, foreign: Path, go_on: threading.Event
) -> None:
    refer_to_nothing(foreign)
    before = foreign.read_bytes()
    opened(qtbot, window, foreign)
    with qtbot.waitSignal(window.session.failed):
        go_on.set()
    assert window.project is None
    (said,) = window.banners.texts()
    assert said.startswith("“castle.biasprint” is damaged, and was not opened. It was not changed.")
    assert foreign.read_bytes() == before


def test_the_examination_is_done_by_another_process(foreign: Path) -> None:
    session.examine(foreign, JobContext())
    refer_to_nothing(foreign)
    with pytest.raises(FileDamaged, match="is damaged, and was not opened"):
        session.examine(foreign, JobContext())


def test_a_file_that_breaks_the_process_is_refused(foreign: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*_: object, **__: object) -> None:
        raise ComputeCrashed("The process stopped unexpectedly.", details="signal SIGSEGV")

    monkeypatch.setattr(ComputeProcess, "call", crash)
    with pytest.raises(FileDamaged, match="could not be examined to its end") as caught:
        session.examine(foreign, JobContext())
    assert caught.value.details == "signal SIGSEGV"


def test_a_cancelled_examination_ends(foreign: Path) -> None:
    ctx = JobContext()
    ctx.cancel()
    with pytest.raises(JobCancelled):
        session.examine(foreign, ctx)
