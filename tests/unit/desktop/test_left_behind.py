"""A failing test of the window takes no later one with it: what it left open is put away."""

import threading
from pathlib import Path

import pytest
from left_behind import close_what_is_open, put_away
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.exceptions import TimeoutError as NotInTime
from pytestqt.qtbot import QtBot

from biasprint.core.jobs import JobContext
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.settings import Settings


def test_a_window_that_was_left_open_is_told_of_and_gone():
    left = QLabel("of a test that failed")
    left.setWindowTitle("Left")
    left.show()
    assert close_what_is_open() == ["QLabel 'Left'"]
    assert not [widget for widget in QApplication.topLevelWidgets() if widget.isVisible()]
    assert close_what_is_open() == []


def test_a_window_whose_job_does_not_end_is_a_failure_and_put_away_all_the_same(qtbot: QtBot, tmp_path: Path):
    window = MainWindow(Settings(tmp_path / "settings.json"))
    window.show()
    begun, never = threading.Event(), threading.Event()

    def endless(ctx: JobContext) -> None:
        begun.set()
        while not never.wait(0.02):
            ctx.check()

    window.jobs.start("Endless", endless)
    assert begun.wait(5)
    with pytest.raises(NotInTime):
        put_away(qtbot, window, patience=100)
    assert not window.isVisible()
    assert close_what_is_open() == []
