"""What a test of the window leaves behind is put away even where the test failed, so that the next one starts clean."""

import threading

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from biasprint.desktop.main_window import MainWindow

OURS = {
    "job",
    "judging",
    "vault",
    "project-writer",
    "project-backup",
    "project-write-back",
}  # the threads that the window starts
PATIENCE = 60_000


def threads_of_ours() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name in OURS]


def put_away(qtbot: QtBot, window: MainWindow, patience: int = PATIENCE) -> None:
    """Close a window as the program would, without ending it; its jobs must end by themselves, and are ended if not."""
    window.hide()  # first: the panel that takes the place of a project's would be built and laid out for nobody
    try:
        window.session.close()
        qtbot.waitUntil(lambda: not window.jobs.active(), timeout=patience)
    finally:
        ended = window.jobs.close()
        window.deleteLater()
    assert ended, "a job did not end"


def close_what_is_open() -> list[str]:
    """Hide and delete the windows that are shown; what they were."""
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    shown = [widget for widget in QApplication.topLevelWidgets() if widget.isVisible()]
    said = [f"{type(widget).__name__} {widget.windowTitle()!r}" for widget in shown]
    for widget in shown:
        widget.hide()  # not closed: closing the main window means quitting the program
        widget.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    return said
