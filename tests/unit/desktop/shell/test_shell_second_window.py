"""A project that is open already: the same person's window comes to front, another's is opened read-only."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from biasprint.core.project.lock import LockHolder
from biasprint.core.project.project import Project
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.panels import PANELS
from biasprint.desktop.second_window import WindowDoor, door_name, knock

ENTRIES = tuple(entry for entry in PANELS if entry.key == "settings")


@pytest.fixture
def windows(make_window: Callable[..., MainWindow]) -> list[MainWindow]:
    """Two windows, as two starts of the program would make them."""
    return [make_window(ENTRIES), make_window(ENTRIES)]


def test_the_first_window_comes_to_front_and_the_second_says_so(qtbot: QtBot, windows: list[MainWindow], file: Path):
    first, second = windows
    with qtbot.waitSignal(first.session.opened):
        first.open_project(file)
    first.showMinimized()
    with qtbot.waitSignal(first.door.knocked, timeout=2000):
        second.open_project(file)
    assert not first.isMinimized()
    qtbot.waitUntil(lambda: "in front now" in second.status.notice.whole_text())
    assert second.project is None
    assert second.banners.texts() == []


def test_a_window_started_only_for_that_project_closes_again(
    qtbot: QtBot, windows: list[MainWindow], file: Path, monkeypatch: pytest.MonkeyPatch
):
    quits: list[bool] = []
    monkeypatch.setattr("biasprint.desktop.main_window.QApplication.quit", lambda: quits.append(True))
    first, second = windows
    with qtbot.waitSignal(first.session.opened):
        first.open_project(file)
    second.started_with = file
    second.open_project(file)
    qtbot.waitUntil(lambda: quits == [True])
    assert second.isHidden()


def test_another_persons_project_is_opened_read_only_within_two_seconds(
    qtbot: QtBot, windows: list[MainWindow], file: Path, monkeypatch: pytest.MonkeyPatch
):
    first, second = windows
    monkeypatch.setattr(LockHolder, "me", classmethod(lambda cls: cls(1, "another-machine", "another")))
    with qtbot.waitSignal(first.session.opened):
        first.open_project(file)
    with qtbot.waitSignal(second.session.opened, timeout=2000):
        second.open_project(file)
    assert second.project is not None
    assert second.project.read_only
    assert any("read-only" in text for text in second.banners.texts())


def test_a_holder_that_does_not_answer_is_said(qtbot: QtBot, windows: list[MainWindow], file: Path):
    project = Project.open(file)  # held by something that is no window
    windows[0].open_project(file)
    qtbot.waitUntil(lambda: bool(windows[0].banners.texts()))
    assert "already open" in windows[0].banners.texts()[0]
    project.close()


def test_the_socket_of_a_killed_window_does_not_bar_the_door(qtbot: QtBot, file: Path):
    parent = QObject()
    left_over = WindowDoor(parent)
    left_over.open(file)
    fresh = WindowDoor(parent)
    fresh.open(file)  # takes the name over
    with qtbot.waitSignal(fresh.knocked, timeout=2000):
        knock(file, parent, lambda opened: None)


def test_nobody_opens_where_nobody_is(qtbot: QtBot, file: Path):
    answers: list[bool] = []
    parent = QObject()
    knock(file, parent, answers.append)
    qtbot.waitUntil(lambda: answers == [False], timeout=2000)


def test_two_names_of_one_file_have_one_door(file: Path, tmp_path: Path):
    link = tmp_path / "link.biasprint"
    link.symlink_to(file)
    assert door_name(link) == door_name(file)
    assert door_name(tmp_path / "other.biasprint") != door_name(file)
