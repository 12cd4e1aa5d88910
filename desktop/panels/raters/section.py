"""What the tabs of the raters panel have in common: they read off the window's thread, and only when it matters."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from core.jobs import JobContext
from desktop import theme
from desktop.jobs.refresher import Refresher
from desktop.panels.base import Shell
from desktop.widgets import Label, tr

if TYPE_CHECKING:
    from core.project.changes import Changes
    from core.project.project import Project


class Section(QWidget):
    """One tab. `attach` gives it a project, `ask` has it read anew; what is read comes to `show_data`.

    It shows one of its pages: `waiting` until something was read, then what `show_data` chooses.
    """

    concerns: ClassVar[frozenset[str]] = frozenset()  # tables whose changes matter here
    counted = Signal(int)  # what waits for somebody here: stands behind the tab's title
    go_to = Signal(str)  # another tab, by its key

    def __init__(self, shell: Shell, title: str) -> None:
        super().__init__()
        self.shell = shell
        self.stale = True
        self._reader = Refresher(shell.jobs, title, self.show_data, shell.show_error, self)
        self.pages = QStackedWidget()
        self.waiting = Label(tr("Reading…"), "soft")
        self.pages.addWidget(self.waiting)
        self.box = QVBoxLayout(self)
        self.box.setContentsMargins(0, 0, 0, 0)
        self.box.setSpacing(theme.current().gap)
        self.box.addWidget(self.pages, 1)
        self.setAccessibleName(title)

    @property
    def project(self) -> "Project | None":
        return self.shell.project

    @property
    def writable(self) -> bool:
        return self.project is not None and not self.project.read_only

    def attach(self, project: "Project | None") -> None:
        """Another project, or none: what was shown of the last one goes."""
        self.forget()
        self.pages.setCurrentWidget(self.waiting)
        self._reader.read_with(self.reading(project) if project is not None else None)
        self.stale = True

    def ask(self) -> None:
        self.stale = False
        self._reader.ask()

    def deliver(self, changes: "Changes", *, seen: bool) -> None:
        """Something was written: read it now where it is seen, else when one comes here."""
        if changes.touches(*self.concerns):
            self.stale = True
            if seen:
                self.ask()

    # for the tabs

    def reading(self, project: "Project") -> Callable[[JobContext], Any]:
        """What reads this tab's rows; it runs in a thread."""
        raise NotImplementedError

    def show_data(self, data: Any) -> None:
        raise NotImplementedError

    def forget(self) -> None:
        """Drop every row."""

    def add_page(self, page: QWidget) -> None:
        self.pages.addWidget(page)
