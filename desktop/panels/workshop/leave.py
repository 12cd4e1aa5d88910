"""The way out of a workshop: a question, and the PIN where there is one."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from core.judging.workshop import Pin
from desktop import theme
from desktop.widgets import Label, PrimaryButton, QuietButton, tr


class LeaveDialog(QDialog):
    """Escape goes on with the workshop. `unfinished`: somebody is judging, whose answers would be left uncounted."""

    def __init__(self, parent: QWidget, pin: Pin, *, unfinished: bool, on_leave: Callable[[], object]) -> None:
        super().__init__(parent)
        tokens = theme.current()
        self._pin, self._on_leave = pin, on_leave
        self.setWindowTitle(tr("Leave the workshop?"))
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.stay = PrimaryButton(tr("Go on with the workshop"))
        self.leave = QuietButton(tr("Leave"))
        self.pin = QLineEdit()
        self.pin.setEchoMode(QLineEdit.EchoMode.Password)
        self.pin.setAccessibleName(tr("PIN"))
        self.pin.setPlaceholderText(tr("PIN"))
        self.said = Label("", "note", wrap=True)
        words = tr("This is for whoever leads the workshop: it shows how many took part.")
        if unfinished:
            words += " " + tr("Somebody has not finished: their answers are left uncounted.")
        text = Label(words, wrap=True)
        text.setMinimumWidth(tokens.px(400))
        box = QVBoxLayout(self)
        box.setContentsMargins(tokens.margin, tokens.margin, tokens.margin, tokens.margin)
        box.setSpacing(tokens.gap)
        box.addWidget(Label(tr("Leave the workshop?"), "title", wrap=True))
        box.addWidget(text)
        if pin.wanted:
            box.addWidget(self.pin)
            box.addWidget(self.said)
            self.pin.setFocus()
        row = QHBoxLayout()
        row.setSpacing(tokens.grid)
        row.addStretch(1)
        row.addWidget(self.leave)
        row.addWidget(self.stay)
        box.addLayout(row)
        self.stay.clicked.connect(self.reject)
        self.leave.clicked.connect(self.try_to_leave)
        self.pin.returnPressed.connect(self.try_to_leave)

    def try_to_leave(self) -> None:
        """Leave if the PIN is right."""
        if self._pin.fits(self.pin.text()):
            self.accept()
            self._on_leave()
            return
        self.pin.clear()
        self.said.setText(tr("That is not the PIN."))
        self.pin.setFocus()
