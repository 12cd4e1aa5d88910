"""A person who rates in the real window, by the keyboard."""

from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from biasprint.core.project.project import Project
from biasprint.desktop.main_window import MainWindow

PATIENCE = 60_000  # milliseconds; a compute process takes its time to start on a busy machine


class Rating:
    """The window with a project or packet open, and what a rater does there."""

    def __init__(self, qtbot: QtBot, window: MainWindow, path: Path) -> None:
        self.qtbot = qtbot
        self.window = window
        self.path = path
        self.wait(lambda: not window.isHidden())
        with qtbot.waitSignal(window.session.opened, timeout=PATIENCE):
            window.open_project(path)
        window.show_panel("judge")
        self.wait(lambda: self.panel.built)

    def wait(self, until: Any) -> None:
        self.qtbot.waitUntil(until, timeout=PATIENCE)

    @property
    def panel(self) -> Any:
        return self.window.panels["judge"]

    @property
    def page(self) -> QWidget:
        return self.panel.pages.currentWidget()

    def at(self, name: str) -> None:
        """Wait for a page."""
        self.wait(lambda: self.page is getattr(self.panel, name))

    def wait_for_start(self) -> None:
        self.at("start")
        self.wait(lambda: bool(self.panel.start.offers))

    def start(self, code: str = "") -> None:
        self.wait_for_start()
        start = self.panel.start
        if code:
            start.code.setText(code)
            start.code_edited.emit(code)
            self.wait(lambda: start._code_shown == code)
        if start.consent.asks:
            start.agree.setChecked(True)
        self.wait(start.start.isEnabled)
        start.start.click()
        self.at("work")

    def press(self, *keys: str | Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        """Press keys where the keyboard is, waiting for each answer."""
        for key in keys:
            focused = QApplication.focusWidget()
            inside = focused is not None and self.panel.isAncestorOf(focused)
            QTest.keyClick(focused if inside and focused is not None else self.page, key, modifier)
            self.wait(lambda: not self.panel.control.busy)

    def finish_rating(self) -> None:
        while self.page is self.panel.work:
            self.panel.work.setFocus()
            self.press("1")
        self.at("end")

    def end(self) -> None:
        """The two presses on the last page."""
        self.finish_rating()
        self.panel.end.reveal.click()
        self.panel.end.sure.click()

    def reading(self) -> Project:
        """The file as another reader finds it."""
        return Project.open(self.path, read_only=True)

    def close(self) -> None:
        freed: list[bool] = []
        self.window.session.close(lambda: freed.append(True))
        self.wait(lambda: bool(freed) and not self.window.jobs.active())
