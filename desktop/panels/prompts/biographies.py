"""Biographies of a table, to ask for letters with."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QSpinBox, QVBoxLayout, QWidget

from desktop import theme
from desktop.operations.prompts import BiographiesChoice
from desktop.panels.prompts.table import TablePick
from desktop.widgets import Label, tr

USUAL_VERSIONS, MOST_VERSIONS = 2, 20


class BiographiesPage(QWidget):
    """A table of biographies, each rewritten for every group with other names and pronouns."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        tokens = theme.current()
        words = tr(
            "Each biography is rewritten for people of every group, with other names and pronouns and nothing else "
            "changed; what a text about it claims beyond it can then be measured. This runs on this computer."
        )
        self.table = TablePick(tr("Needs columns with the biography, first name, last name, gender and occupation."))
        self.versions = QSpinBox()
        self.versions.setRange(1, MOST_VERSIONS)
        self.versions.setValue(USUAL_VERSIONS)
        self.versions.setAccessibleName(tr("Versions of each biography for each group"))
        row = QHBoxLayout()
        row.setSpacing(tokens.grid)
        row.addWidget(Label(tr("Versions for each group")))
        row.addWidget(self.versions)
        row.addStretch(1)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(tokens.gap)
        box.addWidget(Label(words, "soft", wrap=True))
        box.addWidget(self.table)
        box.addLayout(row)
        box.addStretch(1)
        self.table.changed.connect(self.changed)
        self.versions.valueChanged.connect(lambda _: self.changed.emit())

    def choice(self, document: str) -> BiographiesChoice:
        return BiographiesChoice(self.table.path, self.versions.value(), document)
