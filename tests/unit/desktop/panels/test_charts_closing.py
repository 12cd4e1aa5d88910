"""A project that is closed while its live board is open, or being read, leaves nothing of it and nothing is said."""

from pathlib import Path

import pytest
from live_scene import written
from pytestqt.qtbot import QtBot

from biasprint.core.project.project import Project
from biasprint.desktop.jobs import JobState
from biasprint.desktop.main_window import MainWindow

PATIENCE = 60_000


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "letters.biasprint"
    with Project.create(path) as made:
        written(made, "letters", names=["Kelly=female", "Joseph=male"])
    return path


@pytest.mark.parametrize("read", [True, False], ids=["open", "being read"])
def test_a_project_closed_with_its_board_open_leaves_nothing_of_it(
    qtbot: QtBot, window: MainWindow, file: Path, read: bool
) -> None:
    with qtbot.waitSignal(window.session.opened, timeout=PATIENCE):
        window.open_project(file)
    window.show_panel("charts", section="live")
    live = window.panels["charts"].live
    if read:
        qtbot.waitUntil(lambda: live.board is not None, timeout=PATIENCE)
        live.draw()
        live.toggle_wall()
        assert live.dashboard.cards
        assert live.wall is not None
    ended: list[JobState] = []
    window.jobs.ended.connect(lambda handle: ended.append(handle.state))
    with qtbot.waitSignal(window.session.closed, timeout=PATIENCE):
        window.session.close(lambda: None)
    qtbot.waitUntil(lambda: not window.jobs.active(), timeout=PATIENCE)
    assert (live.board, live.wall, live.dashboard.cards) == (None, None, {})
    assert JobState.FAILED not in ended
    with qtbot.waitSignal(window.session.opened, timeout=PATIENCE):
        window.open_project(file)
    window.show_panel("charts", section="live")
    again = window.panels["charts"].live
    qtbot.waitUntil(lambda: again.board is not None, timeout=PATIENCE)
    assert again.board.paces[0].rates.texts == 120
