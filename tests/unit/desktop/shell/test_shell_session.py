"""Opening and closing projects off the window's thread, and hearing of what is written."""

import threading
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from biasprint.core.project.changes import Changes
from biasprint.core.project.project import Project
from biasprint.desktop.jobs import JobRunner
from biasprint.desktop.operations.session import ProjectSession


@pytest.fixture
def session(qtbot: QtBot):
    runner = JobRunner()
    made = ProjectSession(runner)
    yield made
    if made.project is not None:
        with qtbot.waitSignal(runner.idle):
            made.close()
    assert runner.close()


def open_now(qtbot: QtBot, session: ProjectSession, path: Path) -> Project:
    with qtbot.waitSignal(session.opened):
        session.open(path)
    assert session.project is not None
    return session.project


def test_project_is_opened_off_the_windows_thread(qtbot: QtBot, session: ProjectSession, file: Path, monkeypatch):
    threads: list[int] = []
    really_open = Project.open

    def spied(path: Path, **how: bool) -> Project:
        threads.append(threading.get_ident())
        return really_open(path, **how)

    monkeypatch.setattr(Project, "open", spied)
    assert open_now(qtbot, session, file).path == file
    assert threads
    assert threads != [threading.get_ident()]


def test_new_project_is_made_and_open(qtbot: QtBot, session: ProjectSession, tmp_path: Path):
    with qtbot.waitSignal(session.opened):
        session.create(tmp_path / "new.biasprint")
    assert (tmp_path / "new.biasprint").exists()
    assert session.project is not None
    assert not session.project.read_only


def test_failed_opening_keeps_the_project_that_is_open(
    qtbot: QtBot, session: ProjectSession, file: Path, tmp_path: Path
):
    project = open_now(qtbot, session, file)
    (tmp_path / "not.biasprint").write_bytes(b"no project")
    with qtbot.waitSignal(session.failed) as failed:
        session.open(tmp_path / "not.biasprint")
    assert failed.args[1] == tmp_path / "not.biasprint"
    assert session.project is project
    assert len(project.studies.all()) == 0  # still answers


def test_another_project_takes_the_place_of_the_first_which_is_let_go(
    qtbot: QtBot, session: ProjectSession, file: Path, tmp_path: Path
):
    open_now(qtbot, session, file)
    with qtbot.waitSignal(session.opened):
        session.create(tmp_path / "second.biasprint")
    qtbot.waitUntil(lambda: not session._runner.active())
    Project.open(file).close()  # would raise ProjectInUse were it still held


def test_of_two_asked_for_the_last_stays_and_the_other_is_let_go(
    qtbot: QtBot, session: ProjectSession, file: Path, tmp_path: Path
):
    session.create(tmp_path / "first.biasprint")
    session.open(file)
    qtbot.waitUntil(lambda: session.project is not None and not session._runner.active())
    assert session.project is not None
    assert session.project.path == file
    Project.open(tmp_path / "first.biasprint").close()


def test_closing_frees_the_file_before_it_says_so(qtbot: QtBot, session: ProjectSession, file: Path):
    open_now(qtbot, session, file)
    freed: list[bool] = []

    def look() -> None:
        Project.open(file).close()
        freed.append(True)

    with qtbot.waitSignal(session.closed):
        session.close(then=look)
    assert session.project is None
    qtbot.waitUntil(lambda: freed == [True])


def test_closing_nothing_goes_on_at_once(session: ProjectSession):
    gone_on: list[bool] = []
    session.close(then=lambda: gone_on.append(True))
    assert gone_on == [True]


def test_writes_from_another_thread_are_heard_on_this_one_and_gathered(
    qtbot: QtBot, session: ProjectSession, file: Path
):
    project = open_now(qtbot, session, file)
    heard: list[tuple[int, Changes]] = []
    session.changed.connect(lambda changes: heard.append((threading.get_ident(), changes)))

    def write() -> None:
        for number in range(30):
            project.events.add("test", {"number": number})

    writer = threading.Thread(target=write)
    writer.start()
    qtbot.waitUntil(lambda: len({key for _, changes in heard for key in changes.of("event")}) == 30)
    writer.join()
    assert {thread for thread, _ in heard} == {threading.get_ident()}
    assert len(heard) < 30, "every write came alone"


def test_nothing_is_heard_of_a_project_that_was_closed(qtbot: QtBot, session: ProjectSession, file: Path):
    project = open_now(qtbot, session, file)
    project.events.add("test", {})
    with qtbot.assertNotEmitted(session.changed, wait=250):
        session.close()


def test_the_project_that_is_open_is_not_opened_twice(qtbot: QtBot, session: ProjectSession, file: Path):
    project = open_now(qtbot, session, file)
    assert open_now(qtbot, session, file) is project
    assert session._runner.active() == []


def test_the_first_project_can_be_written_to_until_the_window_has_let_go_of_it(
    qtbot: QtBot, session: ProjectSession, file: Path, tmp_path: Path
):
    first = open_now(qtbot, session, file)
    session.opened.connect(lambda _: first.events.add("last words", {}))
    with qtbot.waitSignal(session.opened):
        session.create(tmp_path / "second.biasprint")
    qtbot.waitUntil(lambda: not session._runner.active())
    with Project.open(file) as again:
        assert [event.kind for event in again.events.recent(1)] == ["last words"]


def test_leaving_is_told_before_a_project_goes(qtbot: QtBot, session: ProjectSession, file: Path):
    project = open_now(qtbot, session, file)
    told: list[Project | None] = []
    session.leaving.connect(lambda: told.append(session.project))
    with qtbot.waitSignal(session.closed):
        session.close()
    assert told == [project]
