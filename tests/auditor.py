"""Somebody with a mouse who makes a first audit; every click is counted, and what it was."""

from collections.abc import Callable

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QAbstractButton, QRadioButton, QWidget
from pytestqt.qtbot import QtBot

from biasprint.desktop.main_window import MainWindow


class Auditor:
    """`patience` is how long is waited for what is clicked, in milliseconds."""

    def __init__(self, qtbot: QtBot, window: MainWindow, patience: int) -> None:
        self.qtbot, self.window, self.patience = qtbot, window, patience
        self.clicks: list[str] = []

    def wait(self, until: Callable[[], bool]) -> None:
        self.qtbot.waitUntil(until, timeout=self.patience)

    def click(self, button: QAbstractButton, name: str = "") -> None:
        self.wait(lambda: button.isVisible() and button.isEnabled())
        self.clicks.append(name or button.text())
        self.qtbot.mouseClick(button, Qt.MouseButton.LeftButton)

    def choose(self, button: QRadioButton) -> None:
        """A radio button, on its circle, once it has its place: before, it is as large as a window."""
        if not button.isChecked():
            self.wait(lambda: button.isVisible() and button.height() <= 2 * button.sizeHint().height())
            self.clicks.append(button.text())
            self.qtbot.mouseClick(button, Qt.MouseButton.LeftButton, pos=QPoint(8, button.height() // 2))
        assert button.isChecked()

    def dialog(self, kind: type[QWidget]) -> QWidget:
        self.wait(lambda: bool(self.window.findChildren(kind)))
        return self.window.findChildren(kind)[-1]

    def there(self, panel: str) -> QWidget:
        window = self.window
        self.wait(lambda: window.current == panel and window.panels[panel].built)
        return window.panels[panel]
