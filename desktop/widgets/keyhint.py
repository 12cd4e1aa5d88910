"""A keycap: shows which key does the thing beside it."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from desktop.widgets.labels import show_if


class KeyHint(QLabel):
    """A small keycap. `sequence` is written portably ("Ctrl+Z") and shown as this system writes it."""

    def __init__(self, sequence: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("role", "key")
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.set_sequence(sequence)

    def set_sequence(self, sequence: str) -> None:
        shown = QKeySequence(sequence, QKeySequence.SequenceFormat.PortableText)
        self.setText(shown.toString(QKeySequence.SequenceFormat.NativeText) or sequence)
        show_if(self, bool(sequence))
