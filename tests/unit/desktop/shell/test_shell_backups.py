"""The dialog of the backups: what each holds, one put back, offered where a project is damaged."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from PySide6.QtWidgets import QDialog
from pytestqt.qtbot import QtBot

from biasprint.core.project.backup import backups
from biasprint.core.project.project import Project
from biasprint.desktop.dialogs.backups import BackupsDialog
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.widgets import Button
from biasprint.desktop.window_commands import window_commands
from tests.backup_trials import START, damage_a_row, session


@pytest.fixture(autouse=True)
def own_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BIASPRINT_HOME", str(tmp_path / "data-folder"))


@pytest.fixture
def study(file: Path) -> Path:
    """A project with a sound backup that has its study, and a damaged one after it."""
    with Project.open(file) as project:
        project.studies.add("letters", "Letters")
    session(file, START)
    damage_a_row(file)
    session(file, START)
    return file


def shown(qtbot: QtBot, window: MainWindow) -> BackupsDialog:
    dialog = next(one for one in window.findChildren(QDialog) if isinstance(one, BackupsDialog))
    qtbot.waitUntil(lambda: bool(dialog.table.table.rows))
    return dialog


def press(window: MainWindow, words: str) -> None:
    next(one for one in window.banners.findChildren(Button) if one.text() == words).click()


def test_what_each_backup_holds_and_one_is_put_back(qtbot: QtBot, window: MainWindow, study: Path) -> None:
    with qtbot.waitSignal(window.session.opened):
        window.open_project(study)
    next(one for one in window_commands(window) if one.title == "Restore a backup…").run()
    dialog = shown(qtbot, window)
    rows = [row.cells[1:5] for row in dialog.table.table.rows]
    assert (rows[0], rows[-2:]) == (("damaged", "0", "0", "0"), [("sound", "0", "0", "0")] * 2)
    assert not any(dialog.table.isColumnHidden(place) for place in range(6))
    assert dialog.use.isEnabled()  # the newest sound one is chosen
    dialog.table.selectRow(0)
    assert not dialog.use.isEnabled()
    dialog.table.selectRow(len(rows) - 2)
    with qtbot.waitSignal(window.session.opened):
        dialog.use.click()
    assert window.project is not None
    assert [one.title for one in window.project.studies.all()] == ["Letters"]
    assert any("kept beside it, as “castle (before restoring" in text for text in window.banners.texts())


@pytest.mark.parametrize("content", [b"", b"no database", None])
def test_a_file_that_cannot_be_opened_leads_to_its_backups(
    qtbot: QtBot, window: MainWindow, study: Path, content: bytes | None
) -> None:
    whole = study.read_bytes()
    study.write_bytes(whole[: len(whole) // 2] if content is None else content)
    with qtbot.waitSignal(window.session.failed):
        window.open_project(study)
    press(window, "Restore a backup…")
    dialog = shown(qtbot, window)
    with qtbot.waitSignal(window.session.opened):
        dialog.use.click()
    assert window.project is not None


def test_damage_that_a_check_finds_is_said_with_the_way_out(
    qtbot: QtBot, window: MainWindow, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("biasprint.core.project.backup.BEGIN_AFTER_SECONDS", 0.2)
    with Project.open(file) as project:
        project.events.add("opened", {})
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE event SET kind = 'opfned'")  # a row that no panel reads
    with qtbot.waitSignal(window.session.opened):
        window.open_project(file)
    said = "1 row of this project is not as it was stored: event 1."
    qtbot.waitUntil(lambda: any(said in text for text in window.banners.texts()), timeout=30_000)


def test_damage_that_a_panel_meets_is_said_with_the_way_out(qtbot: QtBot, window: MainWindow, study: Path) -> None:
    with qtbot.waitSignal(window.session.opened):
        window.open_project(study)
    said = "1 row of this project is damaged and left out of everything: study 1."
    qtbot.waitUntil(lambda: any(said in text for text in window.banners.texts()), timeout=30_000)
    press(window, "Restore a backup…")
    assert len(shown(qtbot, window).table.table.rows) == len(backups(study))


def test_without_a_project_the_file_is_asked_for(
    qtbot: QtBot, window: MainWindow, study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study.unlink()
    answer: Callable[..., tuple[str, str]] = lambda *_: (str(study), "")  # noqa: E731
    monkeypatch.setattr("biasprint.desktop.dialogs.backups.QFileDialog.getOpenFileName", answer)
    next(one for one in window_commands(window) if one.title == "Restore a backup…").run()
    dialog = shown(qtbot, window)
    with qtbot.waitSignal(window.session.opened):
        dialog.use.click()
    assert study.exists()
