"""After a participant's last comparison: see the picture, or go back once more."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from core.judging.blind import SessionProgress
from desktop import theme
from desktop.widgets import Card, Label, PrimaryButton, QuietButton, plural, tr

WIDTH = 560


class FinishPage(QWidget):
    """From here on nothing is asked any more; `wanted` locks the answers."""

    wanted = Signal()
    back = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        tokens = theme.current()
        self.counts = Label("", "reading", wrap=True)
        self.see = PrimaryButton(tr("See my picture"))
        self.go_back = QuietButton(tr("Back to the last one"), key="B")
        card = Card(tr("That was the last one"))
        card.setMaximumWidth(tokens.px(WIDTH))
        card.set_padding(tokens.px(32))
        card.box.addWidget(self.counts)
        card.box.addWidget(
            Label(
                tr("Your picture is drawn now. From then on the answers can no longer be changed."), "soft", wrap=True
            )
        )
        card.box.addSpacing(tokens.grid)
        row = QHBoxLayout()
        row.addWidget(self.see)
        row.addWidget(self.go_back)
        row.addStretch(1)
        card.box.addLayout(row)
        across = QHBoxLayout()
        across.addWidget(card, 1)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.addStretch(1)
        box.addLayout(across)
        box.addStretch(2)
        self.see.clicked.connect(self._want)
        self.go_back.clicked.connect(self.back)

    def show_progress(self, progress: SessionProgress) -> None:
        words = plural(progress.done, "You answered %n comparison.", "You answered %n comparisons.")
        if progress.skipped:
            words += " " + plural(progress.skipped, "You skipped %n.", "You skipped %n.")
        self.counts.setText(words)
        self.see.setEnabled(True)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._want()
        elif event.key() in (Qt.Key.Key_B, Qt.Key.Key_Backspace):
            self.back.emit()
        else:
            super().keyPressEvent(event)

    def _want(self) -> None:
        if self.see.isEnabled():
            self.see.setEnabled(False)
            self.wanted.emit()
