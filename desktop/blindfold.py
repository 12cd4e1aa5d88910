"""While a rater is blind, the window names no project, file, model or axis: not in its title, not in a message."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from core.errors import AppError
from desktop.widgets.words import tr

if TYPE_CHECKING:
    from desktop.main_window import MainWindow


class Blindfold(QObject):
    """`put(True)` hides the names, `put(False)` shows them and what was held back meanwhile."""

    changed = Signal(bool)

    def __init__(self, window: "MainWindow") -> None:
        super().__init__(window)
        self._window = window
        self._held_back: list[AppError] = []
        self.on = False

    def put(self, on: bool) -> None:
        if on == self.on:
            return
        self.on = on
        window = self._window
        window.status.notify("")
        window.drawer.set_blind(on)
        window.banners.clear()
        self.name_window()
        if window.project is not None and window.project.read_only:
            window.say_read_only(window.project)
        held_back, self._held_back = self._held_back, []
        for error in held_back:
            window.show_error(error)
        self.changed.emit(on)

    def name_window(self) -> None:
        """The window's title and the status line: with the project's name, unless blind."""
        project = self._window.project
        name = project.path.stem if project is not None and not self.on else ""
        self._window.setWindowTitle(f"{name} — {self._window.name}" if name else self._window.name)
        self._window.status.set_project(name)

    def masked(self, text: str) -> str:
        """A sentence without the project's file name and folder, while blind."""
        project = self._window.project
        if not self.on or project is None:
            return text
        for secret in (str(project.path), str(project.path.parent), project.path.name, project.path.stem):
            text = text.replace(secret, tr("the project"))
        return text

    def masked_error(self, error: AppError) -> AppError:
        """The same error without names; its details, which nobody reads before sending them on, are left out."""
        if not self.on:
            return error
        return AppError(self.masked(error.message), kept=self.masked(error.kept), hint=self.masked(error.hint))

    def job_failed(self, error: AppError) -> None:
        """An error from a job can name a model: while blind it waits."""
        if self.on:
            self._held_back.append(error)
        else:
            self._window.show_error(error)
