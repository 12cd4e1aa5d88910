"""Who rates: a code, never a name; and, where the plan asks and the rater wants, a few words about themselves."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPlainTextEdit, QVBoxLayout, QWidget

from core.judging.blind import Offer
from desktop import theme
from desktop.widgets import Label, LinkButton, tr

CODE_LENGTH = 40
BACKGROUND_LINES = 2


class BackgroundEdit(QPlainTextEdit):
    """A free text; Tab leaves it."""

    def __init__(self) -> None:
        super().__init__()
        self.setTabChangesFocus(True)
        self.setAccessibleName(tr("About you, if you like"))
        self.setPlaceholderText(tr("In your own words, if you like. Leave it empty, and nothing is kept."))
        self.fit()
        theme.signals.changed.connect(self.fit)

    def fit(self) -> None:
        self.setFixedHeight(self.fontMetrics().lineSpacing() * BACKGROUND_LINES + theme.current().px(24))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.clearFocus()
            return
        super().keyPressEvent(event)


class PersonBox(QWidget):
    """The rater's code, fixed in a packet, with a way for the next person; and the optional words."""

    anew = Signal()  # another person sits down

    def __init__(self) -> None:
        super().__init__()
        self._fixed = False
        self.code = QLineEdit()
        self.code.setAccessibleName(tr("Rater code"))
        self.code.setPlaceholderText(tr("such as R01"))
        self.code.setMaxLength(CODE_LENGTH)
        self.code.setFixedWidth(theme.current().px(160))
        self.fixed_code = Label("", "strong")
        self.another = LinkButton(tr("Another person…"))
        self.about_code = Label("", "note", wrap=True)
        self.background = BackgroundEdit()
        self.about_background = Label("", "note", wrap=True)
        self.background_box = QWidget()
        self._lay_out()
        self.another.clicked.connect(self.anew)
        self.set_fixed("")

    def set_fixed(self, code: str) -> None:
        """In a packet the coordinator gave the code; "" where the rater types it."""
        self._fixed = bool(code)
        if code:
            self.code.setText(code)
        self.fixed_code.setText(code)
        self.fixed_code.setVisible(self._fixed)
        self.code.setVisible(not self._fixed)
        self.another.setVisible(not self._fixed)
        self.about_code.setText(
            tr("This packet was made for this code. It is stored with your answers; your name is not.")
            if self._fixed
            else tr("A code, not your name: it is stored with your answers. Use the same one to go on.")
        )

    def show_offer(self, offer: Offer) -> None:
        """Ask for words where the plan does, and say where they are kept."""
        self.background_box.setVisible(offer.asks_background and not offer.revealed)
        kept = (
            tr("Kept in this file with your code, and sent back with it. Nobody needs it; you can leave it empty.")
            if self._fixed
            else tr("Kept in this project file with your code, and nowhere else. You can leave it empty.")
        )
        said = tr(" You wrote something before: it is kept unless you write something else.")
        self.about_background.setText(kept + (said if offer.described else ""))

    def words(self) -> str:
        """What the rater wrote about themselves."""
        return self.background.toPlainText().strip() if not self.background_box.isHidden() else ""

    def forget(self) -> None:
        """Nothing of one person stays for the next."""
        self.background.clear()

    def _lay_out(self) -> None:
        tokens = theme.current()
        row = QHBoxLayout()
        row.setSpacing(tokens.gap)
        row.addWidget(Label(tr("Rater code"), "strong"))
        for widget in (self.code, self.fixed_code, self.another):
            row.addWidget(widget)
        row.addStretch(1)
        words = QVBoxLayout(self.background_box)
        words.setContentsMargins(0, tokens.grid, 0, 0)
        words.setSpacing(4)
        words.addWidget(Label(tr("About you (only if you like)"), "strong"))
        words.addWidget(self.background)
        words.addWidget(self.about_background)
        self.background_box.hide()
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(4)
        box.addLayout(row)
        box.addWidget(self.about_code)
        box.addWidget(self.background_box)
