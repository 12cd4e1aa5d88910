"""Who uses the window in the self-test."""

import sys
import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from core.jobs import JobContext
from desktop.self_test.telling import Failed

if TYPE_CHECKING:
    from core.project.project import Project
    from desktop.main_window import MainWindow

PATIENCE_SECONDS = 180


class Hand:
    """What a person does with the window, and an eye for every error that it shows."""

    def __init__(self, window: "MainWindow") -> None:
        self.window = window
        self._errors: list[str] = []
        window.show_error = lambda error: self._errors.append(f"{error} {error.details}")  # type: ignore[method-assign]
        sys.excepthook = lambda *raised: self._errors.append("".join(traceback.format_exception(*raised)))

    @property
    def project(self) -> "Project":
        assert self.window.project is not None
        return self.window.project

    def check(self) -> None:
        if self._errors:
            raise Failed("The window told of an error.", details="\n".join(self._errors))

    def wait(self, until: Callable[[], bool], what: str) -> None:
        """Let the window live until something is so."""
        from PySide6.QtCore import QDeadlineTimer, QEventLoop, QTimer

        deadline = QDeadlineTimer(PATIENCE_SECONDS * 1000)
        loop = QEventLoop()
        timer = QTimer(interval=10)
        timer.timeout.connect(lambda: loop.quit() if self._errors or until() or deadline.hasExpired() else None)
        timer.start()
        loop.exec()
        self.check()
        if deadline.hasExpired():
            raise Failed(f"What was waited for did not come: {what}.")

    def job(self, work: Callable[[JobContext], Any]) -> Any:
        """A job in the window; its result."""
        answers: list[Any] = []
        self.window.jobs.start("Self-test", work, on_done=answers.append, quiet=True)
        self.wait(lambda: bool(answers), "the end of a job")
        return answers[0]

    def shown_panel(self, key: str) -> Any:
        self.window.show_panel(key)
        self.wait(lambda: not self.window.jobs.active(), f"the panel {key}")
        return self.window.panels[key]

    def press(self, key: str) -> None:
        """A key, where the keyboard is."""
        from PySide6.QtCore import QEvent, Qt
        from PySide6.QtGui import QKeyEvent
        from PySide6.QtWidgets import QApplication

        target = QApplication.focusWidget() or self.window
        for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
            event = QKeyEvent(kind, Qt.Key[f"Key_{key}"], Qt.KeyboardModifier.NoModifier, key.lower())
            QApplication.sendEvent(target, event)
