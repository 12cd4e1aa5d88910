"""Opening or making a project in order to go on with it: what comes next waits until the project is there."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from desktop.panels.base import Shell

if TYPE_CHECKING:
    from core.errors import AppError
    from core.project.project import Project


class Opening(QObject):
    """At most one next step is remembered; it is dropped if the project cannot be opened, or another one comes."""

    def __init__(self, shell: Shell, parent: QObject) -> None:
        super().__init__(parent)
        self._shell = shell
        self._next: tuple[Path, Callable[[], object]] | None = None
        shell.session.opened.connect(self._opened)
        shell.session.failed.connect(self._failed)

    def open(self, path: Path, then: Callable[[], object]) -> None:
        """Open the project at `path`, unless it is open or on its way, and then go on."""
        on_its_way = self._next is not None and self._next[0] == path
        self._next = (path, then)
        if not on_its_way:
            self._shell.open_project(path)

    def create(self, path: Path, then: Callable[[], object]) -> None:
        """Make a new project at `path`, and then go on."""
        self._next = (path, then)
        self._shell.session.create(path)

    def _opened(self, project: "Project") -> None:
        wanted, self._next = self._next, None
        if wanted is not None and wanted[0] == project.path:
            wanted[1]()

    def _failed(self, error: "AppError", path: Path) -> None:
        self._next = None
