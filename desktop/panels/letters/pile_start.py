"""Before there is a pile: drop a folder or a zip, or choose one."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout

from desktop import theme
from desktop.widgets import Card, FlowLayout, Label, PrimaryButton, QuietButton, tr
from desktop.widgets.sheet import Sheet

WIDTH, ICON = 620, 36


class PileStart(Sheet):
    """What becomes of the letters is said before they are given. `trouble` says why the last pile was none."""

    folder_wanted = Signal()
    files_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.card, self.picture = Card(), QLabel()
        self.folder = PrimaryButton(tr("Choose a folder…"))
        self.files = QuietButton(tr("Choose a zip, or files…"))
        self.trouble = Label("", "strong", wrap=True)
        self.folder.clicked.connect(self.folder_wanted)
        self.files.clicked.connect(self.files_wanted)
        self._lay_out()
        self.show_trouble("")
        self._dress()
        theme.signals.changed.connect(self._dress)

    def show_trouble(self, words: str) -> None:
        """Why there is no table, or "" ."""
        self.trouble.setText(words)
        self.trouble.setVisible(bool(words))

    def _lay_out(self) -> None:
        words = QVBoxLayout()
        words.setSpacing(4)
        words.addWidget(Label(tr("A pile of letters"), "display", wrap=True))
        said = tr(
            "Drop a folder or a zip here: each letter becomes a row, with its figures beside those of the others. You "
            "can sort and filter them, open each one, and see whether groups differ, once there are enough letters."
        )
        words.addWidget(Label(said, "soft", wrap=True))
        head = QHBoxLayout()
        head.setSpacing(16)
        head.addWidget(self.picture, 0, Qt.AlignmentFlag.AlignTop)
        head.addLayout(words, 1)
        buttons = FlowLayout(spacing=8, centred=True)
        for button in (self.folder, self.files):
            buttons.addWidget(button)
        kept = tr(
            "Nothing leaves this computer, and nothing is kept. A file that cannot be read is a row that says why."
        )
        box = self.card.box
        box.setSpacing(12)
        box.addLayout(head)
        box.addWidget(self.trouble)
        box.addLayout(buttons)
        box.addWidget(Label(kept, "note", wrap=True))
        self.put_in_the_middle(self.card)

    def _dress(self, _tokens: object = None) -> None:
        tokens = theme.current()
        self.picture.setPixmap(QPixmap())
        self.picture.setPixmap(theme.pixmap("folder", tokens.accent, tokens.px(ICON), self.devicePixelRatioF()))
        self.card.setMaximumWidth(tokens.px(WIDTH))
