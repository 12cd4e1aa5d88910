"""The window's first paint: what follows it waits for nobody, and nobody for it."""

from unittest.mock import MagicMock

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QKeyEvent, QPaintEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from biasprint.desktop import app
from biasprint.desktop.app import FirstPaint
from biasprint.desktop.main_window import MainWindow


class Page(QWidget):
    """Notes what happens to it; a key is pressed as soon as it is painted."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[str] = []

    def paintEvent(self, event: QPaintEvent) -> None:
        self.told.append("painted")
        if self.told == ["painted"]:
            QTimer.singleShot(0, self, lambda: QTest.keyClick(self, Qt.Key.Key_A))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self.told.append("key")
        self.update()


def test_a_key_pressed_at_the_first_paint_is_answered_before_the_rest_begins(qtbot: QtBot):
    """What begins then holds the window for a tenth of a second."""
    page = Page()
    qtbot.addWidget(page)
    FirstPaint(page, lambda: page.told.append("begun"))
    page.show()
    qtbot.waitUntil(lambda: "begun" in page.told)
    assert page.told == ["painted", "key", "painted", "begun"]


def test_what_follows_begins_once_also_where_nothing_is_painted(qtbot: QtBot):
    page = Page()
    qtbot.addWidget(page)
    FirstPaint(page, lambda: page.told.append("begun"))
    qtbot.waitUntil(lambda: page.told == ["begun"], timeout=5_000)
    page.show()
    qtbot.waitUntil(lambda: "painted" in page.told)
    qtbot.wait(100)
    assert page.told.count("begun") == 1


def test_a_panel_that_a_key_led_to_meanwhile_stays(qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch):
    last: list[MainWindow] = []
    monkeypatch.setattr(app, "_start_marking", lambda _: None)
    monkeypatch.setattr(app, "WarmUp", MagicMock())
    monkeypatch.setattr(app, "tell_of_drafts", last.append)
    app.start(window)
    window.show_panel("settings")
    qtbot.waitUntil(lambda: last == [window])
    assert window.current == "settings"
    assert "home" not in window.panels
