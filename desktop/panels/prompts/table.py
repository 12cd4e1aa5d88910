"""Choosing the table that prompts are made from."""

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from desktop import theme
from desktop.widgets import ElidedLabel, Label, QuietButton, tr


class TablePick(QWidget):
    """A button, the name of what was chosen, and a word on the columns that the table needs."""

    changed = Signal()

    def __init__(self, needs: str) -> None:
        super().__init__()
        self.path: Path | None = None
        self.button = QuietButton(tr("Choose a table…"), icon="folder")
        self.button.setAccessibleDescription(needs)
        self.name = ElidedLabel(tr("none yet"), "soft", mode=Qt.TextElideMode.ElideMiddle)
        self.button.clicked.connect(self._ask)
        row = QHBoxLayout()
        row.setSpacing(theme.current().grid)
        row.addWidget(self.button)
        row.addWidget(self.name, 1)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(4)
        box.addLayout(row)
        box.addWidget(Label(needs, "note", wrap=True))

    def take(self, path: Path) -> None:
        """Take this table, also the same one once more: it may have been mended meanwhile."""
        self.path = path
        self.name.set_text(path.name)
        self.changed.emit()

    def _ask(self) -> None:
        from desktop.dialogs.import_table import ask_table

        path = ask_table(self)
        if path is not None:
            self.take(path)
