"""The mitigation arm: every prompt once more, with an instruction before it."""

import re

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QFormLayout, QLineEdit, QPlainTextEdit, QWidget

from core.prompts.mitigation import mitigations
from desktop import theme
from desktop.operations.prompts import Mitigation
from desktop.widgets import Card, Label, tr

OWN = ""
LONGEST_NAME = 40
EDIT_HEIGHT = 64  # text pixels


class MitigationCard(Card):
    """Off at first. One of the shipped instructions, or one's own with a name."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.set_padding(20, 14)
        self.on = QCheckBox(tr("Ask everything a second time, with an instruction that may lessen bias"))
        self.which = QComboBox()
        self.which.setAccessibleName(tr("Instruction"))
        for name, shipped in mitigations().items():
            self.which.addItem(tr(shipped.title), name)
        self.which.addItem(tr("My own…"), OWN)
        self.shipped = Label("", "note", wrap=True)
        self.name = QLineEdit(tr("mine"))
        self.name.setMaxLength(LONGEST_NAME)
        self.name.setAccessibleName(tr("What findings call the instruction"))
        self.instruction = QPlainTextEdit()
        self.instruction.setAccessibleName(tr("The instruction"))
        self.instruction.setPlaceholderText(tr("It stands before every prompt."))
        self.instruction.setTabChangesFocus(True)
        self.own = QWidget()
        form = QFormLayout(self.own)
        form.setContentsMargins(0, 0, 0, 0)
        form.addRow(tr("Called"), self.name)
        form.addRow(tr("Instruction"), self.instruction)
        for widget in (self.on, self.which, self.shipped, self.own):
            self.box.addWidget(widget)
        self.on.clicked.connect(lambda _: self._change())
        self.which.activated.connect(lambda _: self._change())
        for edit in (self.name.textChanged, self.instruction.textChanged):
            edit.connect(lambda *_: self.changed.emit())
        self._dress()
        theme.signals.changed.connect(self._dress)
        self._show()

    def choice(self) -> Mitigation | None:
        """None where it is off. A name of one's own becomes one that findings can hold."""
        if not self.on.isChecked():
            return None
        if self.which.currentData() != OWN:
            return Mitigation(self.which.currentData())
        name = re.sub(r"[^a-z0-9]+", "_", self.name.text().lower()).strip("_")
        return Mitigation(name, self.instruction.toPlainText().strip())

    def _change(self) -> None:
        self._show()
        self.changed.emit()

    def _show(self) -> None:
        on, own = self.on.isChecked(), self.which.currentData() == OWN
        self.which.setVisible(on)
        self.own.setVisible(on and own)
        self.shipped.setVisible(on and not own)
        known = mitigations().get(self.which.currentData())
        self.shipped.setText(f"“{known.instruction}”" if known else "")

    def _dress(self, _tokens: object = None) -> None:
        self.instruction.setFixedHeight(theme.current().px(EDIT_HEIGHT))
