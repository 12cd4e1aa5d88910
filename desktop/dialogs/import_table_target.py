"""Into which project a table goes: the one that is open, or a new one."""

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QWidget

from desktop.dialogs.window_commands import ask_where
from desktop.panels.base import Shell
from desktop.widgets import LinkButton, tr
from desktop.widgets.safe_text import safe_line

if TYPE_CHECKING:
    from core.project.project import Project


class TargetField(QWidget):
    """A box to choose, and a link to put a new project elsewhere."""

    changed = Signal()

    def __init__(self, shell: Shell) -> None:
        super().__init__()
        self._shell = shell
        self.new_path = Path()
        self.box = QComboBox()
        self.box.setAccessibleName(tr("Into which project"))
        self.elsewhere = LinkButton(tr("Elsewhere…"))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.box, 1)
        row.addWidget(self.elsewhere)
        self.box.activated.connect(lambda _: self._tell())
        self.elsewhere.clicked.connect(self._ask)

    def offer(self, new_path: Path) -> None:
        """Offer the open project, if it can be written to, and a new one at `new_path`."""
        self.new_path = new_path
        self.box.clear()
        project = self._shell.project
        if project is not None and not project.read_only:
            self.box.addItem(tr("This project: {name}").format(name=safe_line(project.path.stem)), "open")
        self.box.addItem(tr("A new project: {name}").format(name=safe_line(new_path.name)), "new")
        self._tell()

    def project(self) -> "Project | None":
        """The open project; None where a new one is wanted."""
        return self._shell.project if self.box.currentData() == "open" else None

    def _ask(self) -> None:
        path = ask_where(self._shell, tr("New project"), self.new_path.stem)
        if path is not None:
            self.offer(path)
            self.box.setCurrentIndex(self.box.findData("new"))
            self._tell()

    def _tell(self) -> None:
        self.elsewhere.setVisible(self.box.currentData() == "new")
        self.box.setToolTip("" if self.project() is not None else safe_line(str(self.new_path)))
        self.changed.emit()
