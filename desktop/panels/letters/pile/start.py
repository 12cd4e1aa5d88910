"""The page before there is a pile: what becomes of one, and a folder, a zip or files to choose."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QHBoxLayout, QLabel

from biasprint.desktop import theme
from biasprint.desktop.widgets import Card, FlowLayout, Label, PrimaryButton, QuietButton, tr
from biasprint.desktop.widgets.layout import Sheet, in_column

WIDTH, ICON = 620, 36


class PileStartPage(Sheet):
    """The page that says how letters are treated before they are chosen. `trouble`: why the last pile was unusable."""

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
        """Show why there is no table; "" for no reason."""
        self.trouble.setText(words)
        self.trouble.setVisible(bool(words))

    def show_promise(self, *, keeps: bool) -> None:
        """Say what is kept of a pile. `keeps`: what is done to it, at once."""
        kept = (
            tr("What you do to a letter or the table is kept here, so that you can go on another day.")
            if keeps
            else tr("Nothing is kept unless you save the pile.")
        )
        bad = tr("A file that cannot be read is a row that says why.")
        self.privacy.setText(f"{tr('Nothing leaves this computer.')} {kept} {bad}")

    def _lay_out(self) -> None:
        words = in_column(Label(tr("A pile of letters"), "display", wrap=True), spacing=4)
        explanation = tr(
            "Drop a folder or a zip here: each letter becomes a row, with its figures beside those of the others. You "
            "can sort and filter them, open each one, and see whether groups differ, once there are enough letters."
        )
        words.addWidget(Label(explanation, "soft", wrap=True))
        head = QHBoxLayout()
        head.setSpacing(16)
        head.addWidget(self.picture, 0, Qt.AlignmentFlag.AlignTop)
        head.addLayout(words, 1)
        buttons = FlowLayout(spacing=8, centred=True)
        for button in (self.folder, self.files):
            buttons.addWidget(button)
        self.privacy = Label("", "note", wrap=True)
        self.show_promise(keeps=True)
        box = self.card.box
        box.setSpacing(12)
        box.addLayout(head)
        box.addWidget(self.trouble)
        box.addLayout(buttons)
        box.addWidget(self.privacy)
        self.put_in_the_middle(self.card)

    def _dress(self, _tokens: object = None) -> None:
        tokens = theme.current()
        self.picture.setPixmap(QPixmap())
        self.picture.setPixmap(theme.pixmap("folder", tokens.accent, tokens.px(ICON), self.devicePixelRatioF()))
        self.card.setMaximumWidth(tokens.px(WIDTH))
