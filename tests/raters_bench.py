"""The window on a project with its raters panel, and what a coordinator does there."""

from pathlib import Path

from look_anyway import show_anyway
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QTableView, QTextEdit, QWidget
from pytestqt.qtbot import QtBot

from biasprint.core.project.changes import Changes
from biasprint.core.project.project import Project
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.panels.raters import RatersPanel

PATIENCE = 60_000


class Bench:
    """The window on a project, and what a coordinator does there."""

    def __init__(self, qtbot: QtBot, window: MainWindow, path: Path) -> None:
        self.qtbot, self.window, self.path = qtbot, window, path
        window.session.open(path)
        qtbot.waitUntil(lambda: window.project is not None, timeout=PATIENCE)
        show_anyway(qtbot, window, "raters")
        self.settle()

    @property
    def project(self) -> Project:
        assert self.window.project is not None
        return self.window.project

    @property
    def panel(self) -> RatersPanel:
        panel = self.window.panels["raters"]
        assert isinstance(panel, RatersPanel)
        return panel

    def settle(self) -> None:
        """Wait until nothing is read or written, and nothing waits for its turn."""

        def quiet() -> bool:
            timers = self.window.session.findChildren(QTimer) + [
                timer for panel in self.window.panels.values() for timer in panel.findChildren(QTimer)
            ]
            waiting = any(timer.isActive() and timer.isSingleShot() for timer in timers)
            return not waiting and not self.window.jobs.active()

        for _ in range(3):  # what was read tells of more to read
            self._hear()
            QApplication.processEvents()
            self.qtbot.waitUntil(quiet, timeout=PATIENCE)

    def _hear(self) -> None:
        """Wait until what was written is told: the writer does so after a write's result, and before the next write."""
        project = self.window.project
        if project is not None and project._writer is not None:
            project._writer.write(lambda _: Changes())

    def tab(self, key: str) -> None:
        self.panel.show_tab(key)
        self.settle()

    def press(self, button: QAbstractButton) -> None:
        assert button.isEnabled(), button.text()
        button.click()
        self.settle()

    def said(self) -> str:
        """Everything that the panel shows, says or hints, shown or not."""
        parts: list[str] = []
        for widget in self.panel.findChildren(QWidget):
            parts += [widget.accessibleName(), widget.toolTip(), widget.accessibleDescription()]
            if isinstance(widget, QLabel | QAbstractButton):
                parts.append(widget.text())
            if isinstance(widget, QTextEdit):
                parts.append(widget.toPlainText())
            if isinstance(widget, QTableView):
                model = widget.model()
                parts += [
                    str(model.index(row, column).data())
                    for row in range(model.rowCount())
                    for column in range(model.columnCount())
                ]
        return "\n".join(parts)
