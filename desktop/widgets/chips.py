"""Chips: a word or a count in a rounded tint. A stand-in scorer's badge is a chip with the tone "warn"."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

TONES = ("plain", "accent", "ok", "warn", "danger")


class Chip(QLabel):
    """A short plain text in a tint. Tones: "plain", "accent", "ok", "warn", "danger"."""

    def __init__(self, text: str = "", tone: str = "plain", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("role", "chip")
        self.setProperty("tone", tone)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setText(text)

    def set_tone(self, tone: str) -> None:
        if tone == self.property("tone"):
            return
        self.setProperty("tone", tone)
        self.style().unpolish(self)
        self.style().polish(self)


class StandInBadge(Chip):
    """Worn by every number that a stand-in scorer made, in place of the paper's own."""

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(text, "warn", parent)
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
