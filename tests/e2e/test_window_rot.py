"""A bit that rotted in a stored row, as the window meets it: no panel counts it, and a notice names it and stays."""

import shutil
from pathlib import Path

import pytest
from cli_support import rot
from pytestqt.qtbot import QtBot

from biasprint.core.project.project import Project
from biasprint.desktop.dialogs.backups import BackupsDialog
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.panels import PANELS
from biasprint.desktop.widgets import Button

PATIENCE = 60_000
# The tables whose rows a panel counts or shows; those of which a rotten row must be named there.
COUNTS: dict[str, tuple[str, ...]] = {
    "home": ("study",), "prompts": ("prompt_set",), "generate": ("run", "output"), "judge": ("plan", "comparison"),
    "raters": ("judgment", "rater"), "charts": ("output",), "explore": ("output",), "letters": ("reading",),
    "fingerprint": ("judgment",), "findings": ("finding",), "outputs": ("output",), "models": (), "settings": (),
}  # fmt: skip


@pytest.fixture
def known(everything: Path, tmp_path: Path) -> Path:
    """A project that has everything in it, closed by this machine, and nobody in the middle of rating."""
    file = Path(shutil.copy(everything, tmp_path / "study.biasprint"))
    with Project.open(file) as project:
        for session in project.judging.sessions():
            if not project.judging.is_packet_session(session.id):
                project.judging.reveal(session.id)
    return file


def opened(qtbot: QtBot, window: MainWindow, file: Path) -> None:
    with qtbot.waitSignal(window.session.opened, timeout=PATIENCE):
        window.open_project(file)


def said(window: MainWindow, row: str) -> bool:
    return any("left out of everything: " in text and row in text for text in window.banners.texts())


def test_every_panel_is_held_against_rot() -> None:
    assert {entry.key for entry in PANELS} == COUNTS.keys()


CASES = [(key, table) for key, tables in COUNTS.items() for table in tables]


@pytest.mark.parametrize(("key", "table"), CASES, ids=[f"{key}-{table}" for key, table in CASES])
def test_a_panel_names_a_rotten_row(qtbot: QtBot, window: MainWindow, known: Path, key: str, table: str) -> None:
    row, _ = rot(known, table)
    opened(qtbot, window, known)
    window.show_panel(key)
    qtbot.waitUntil(lambda: said(window, row), timeout=PATIENCE)


def test_the_notice_stays_and_leads_to_the_backups(qtbot: QtBot, window: MainWindow, known: Path) -> None:
    row, _ = rot(known, "output", "text")
    opened(qtbot, window, known)
    window.show_panel("outputs")
    qtbot.waitUntil(lambda: said(window, row), timeout=PATIENCE)
    window.show_panel("settings")
    assert said(window, row), "it stays until it is closed"
    text = next(text for text in window.banners.texts() if row in text)
    assert "“biasprint check” says why" in text
    next(one for one in window.banners.findChildren(Button) if one.text() == "Restore a backup…").click()
    dialog = next(one for one in window.findChildren(BackupsDialog))
    qtbot.waitUntil(lambda: bool(dialog.table.table.rows), timeout=PATIENCE)
    dialog.reject()


def test_a_row_that_rots_while_the_project_is_open_is_not_in_what_is_made_then(
    qtbot: QtBot, window: MainWindow, known: Path, tmp_path: Path
) -> None:
    opened(qtbot, window, known)
    project = window.project
    assert project is not None
    total = sum(1 for _ in project.outputs.each())  # all of them are compared now
    row, rotten = rot(known, "output", "text")
    done: list[list[str]] = []
    window.jobs.start(
        "Making something", lambda ctx: [each.text for each in project.outputs.each()], on_done=done.append
    )
    qtbot.waitUntil(lambda: bool(done), timeout=PATIENCE)
    texts = done[0]
    assert not any(rotten in text for text in texts)
    assert len(texts) == total or said(window, row), "as it was read before, or left out and told"
