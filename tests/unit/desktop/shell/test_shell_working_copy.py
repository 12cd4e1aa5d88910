"""A project on a drive without locks, in the window: said once, and whether it is written back."""

import os
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from biasprint.core.project import drives, working_copy
from biasprint.desktop.main_window import MainWindow
from tests.lockless import Forgetful


@pytest.fixture(autouse=True)
def no_locks(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def lock(handle: int) -> None:
        if Path(os.readlink(f"/proc/self/fd/{handle}")).parent == file.parent:
            raise OSError(95, "Operation not supported")

    monkeypatch.setenv("BIASPRINT_HOME", str(tmp_path / "data-folder"))
    monkeypatch.setattr(drives, "_FINE", Forgetful())
    monkeypatch.setattr(drives, "lock_for_a_moment", lock)
    monkeypatch.setattr(working_copy, "PAUSE_SECONDS", 0.05)


def test_it_is_said_that_a_copy_is_worked_on_and_when_it_is_written_back(
    qtbot: QtBot, window: MainWindow, file: Path
) -> None:
    with qtbot.waitSignal(window.session.opened):
        window.open_project(file)
    assert "The drive of “castle.biasprint” has no file locks: you work on a copy" in window.banners.texts()[0]
    assert window.status.saved.text() == "Saved and written back"
    assert window.project is not None
    before = file.read_bytes()
    window.project.studies.add("news", "News")
    qtbot.waitUntil(lambda: file.read_bytes() != before)
    qtbot.waitUntil(lambda: window.status.saved.text() == "Saved and written back")


def test_a_conflict_is_told_also_when_it_is_met_on_closing(
    qtbot: QtBot, window: MainWindow, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(working_copy, "PAUSE_SECONDS", 60.0)
    with qtbot.waitSignal(window.session.opened):
        window.open_project(file)
    assert window.project is not None
    window.project.studies.add("news", "News")
    qtbot.waitUntil(lambda: window.status.saved.text() == "Saved on this computer")
    file.write_bytes(file.read_bytes() + b"\0" * 4096)
    with qtbot.waitSignal(window.session.told) as told:
        window.session.close()
    assert "your work is kept beside it, as “castle (changed here" in told.args[0]
    assert told.args[0] in window.banners.texts()[0]
