"""Before there is a letter: drop one, choose one, or paste one."""

from pathlib import Path

from PySide6.QtCore import QMimeData, QSize, Qt, Signal
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLabel, QPlainTextEdit, QVBoxLayout, QWidget

from biasprint.core.letters.formats import ENDINGS, NAMES
from biasprint.desktop import theme
from biasprint.desktop.panels.letters.shelf import KeptCard
from biasprint.desktop.widgets import Card, FlowLayout, Label, LinkButton, PrimaryButton, QuietButton, tr
from biasprint.desktop.widgets.layout import Sheet, clear_column
from biasprint.desktop.widgets.safe_text import DisplayText, safe_line

MOST_SHOWN = 60_000  # characters; a longer text is taken as it is and not shown here


class PasteBox(QPlainTextEdit):
    """Plain text only. A very long text is handed on at once by `taken`: a text engine would lay all of it out."""

    taken = Signal(str)

    def __init__(self, hint: str, name: str) -> None:
        super().__init__()
        self.setPlaceholderText(hint)
        self.setAccessibleName(name)
        self.setTabChangesFocus(True)
        self.setAcceptDrops(False)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return source.hasText()

    def insertFromMimeData(self, source: QMimeData) -> None:
        text = source.text()
        if len(text) + len(self.toPlainText()) > MOST_SHOWN:
            self.taken.emit(text)
        else:
            self.textCursor().insertText(DisplayText(text, to_edit=True).shown)
            self.ensureCursorVisible()

    def forget(self) -> None:
        """Let go of the text, and of what undo would bring back."""
        self.setPlainText("")
        self.document().clearUndoRedoStacks()


def ask_letter(parent: QWidget, title: str) -> Path | None:
    """Which file? None where the person changed their mind."""
    kinds = " ".join(f"*.{ending}" for ending in ENDINGS)
    choices = f"{tr('Letters')} ({kinds});;{tr('All files')} (*)"
    name, _ = QFileDialog.getOpenFileName(parent, title, "", choices)
    return Path(name) if name else None


WIDTH, BOX_HEIGHT, ICON = 620, 132, 36


class _StartPasteBox(PasteBox):
    """As high as it is told to be; what it would like does not count."""

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self.minimumHeight())


class LetterStartPage(Sheet):
    """Says how a letter is treated before it is given."""

    file_wanted = Signal()
    pasted = Signal(str)
    pile_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.card = Card()
        self.picture = QLabel()
        self.choose = PrimaryButton(tr("Choose a file…"))
        self.pile = QuietButton(tr("A pile of letters…"))
        self.paste = _StartPasteBox(tr("… or paste the letter here"), tr("Paste a letter"))
        self.check = QuietButton(tr("Check this text"))
        self.waiting = Label("", "soft", wrap=True)
        self.cancel = LinkButton(tr("Cancel"))
        self.context = Label("", "note", wrap=True)
        self.kept = KeptCard()
        self.choose.clicked.connect(self.file_wanted)
        self.pile.clicked.connect(self.pile_wanted)
        self.check.clicked.connect(self._paste)
        self.paste.taken.connect(self.pasted)
        self.paste.textChanged.connect(self._enable)
        self._lay_out()
        self._enable()
        self.show_waiting("")
        self.show_context("")
        self._dress()
        theme.signals.changed.connect(self._dress)

    def show_waiting(self, words: str) -> None:
        """Say which reading is under way; "" for none."""
        self.waiting.setText(words)
        self.waiting.setVisible(bool(words))
        self.cancel.setVisible(bool(words))
        for widget in (self.choose, self.pile, self.paste):
            widget.setEnabled(not words)
        self._enable()

    def show_context(self, name: str) -> None:
        """The CV is here already, and waits for its letter."""
        self.context.setText(safe_line(tr("“{name}” is kept as the CV. Now give the letter.").format(name=name)))
        self.context.setVisible(bool(name))

    def show_promise(self, *, drafts: bool) -> None:
        """What is kept of a letter. `drafts`: of what is edited, drafts are."""
        self.said.setText(
            tr("Nothing leaves this computer. Of what you edit a draft is kept until you save or close it.")
            if drafts
            else tr("Nothing leaves this computer, and nothing is kept unless you save it.")
        )

    def forget(self) -> None:
        self.paste.forget()
        self.show_context("")

    def _paste(self) -> None:
        self.pasted.emit(self.paste.toPlainText())

    def _enable(self) -> None:
        self.check.setEnabled(self.paste.isEnabled() and bool(self.paste.toPlainText().strip()))

    def _lay_out(self) -> None:
        box = self.card.box
        box.setSpacing(12)
        head = QHBoxLayout()
        head.setSpacing(16)
        words = QVBoxLayout()
        words.setSpacing(4)
        words.addWidget(Label(tr("Check a letter"), "display", wrap=True))
        said = tr(
            "Drop a reference letter here: {formats}. You see which words are worth a second look and why, "
            "how it compares with letters for the same occupation, and, with a CV, which claims it does not mention."
        ).format(formats=NAMES)
        words.addWidget(Label(said, "soft", wrap=True))
        head.addWidget(self.picture, 0, Qt.AlignmentFlag.AlignTop)
        head.addLayout(words, 1)
        box.addLayout(head)
        buttons = FlowLayout(spacing=8, centred=True)
        for button in (self.choose, self.pile, self.waiting, self.cancel):
            buttons.addWidget(button)
        box.addWidget(self.context)
        box.addLayout(buttons)
        box.addSpacing(4)
        box.addWidget(self.paste)
        foot = QHBoxLayout()
        self.said = Label("", "note", wrap=True)
        self.show_promise(drafts=True)
        foot.addWidget(self.said, 1)
        foot.addWidget(self.check)
        box.addLayout(foot)
        self.cards, column = clear_column(theme.current().gap)
        column.addWidget(self.kept.offers)
        column.addWidget(self.card)
        column.addWidget(self.kept)
        self.put_in_the_middle(self.cards)

    def _dress(self, _tokens: object = None) -> None:
        tokens = theme.current()
        self.picture.setPixmap(QPixmap())
        side = tokens.px(ICON)
        self.picture.setPixmap(theme.pixmap("letters", tokens.accent, side, self.devicePixelRatioF()))
        self.cards.setMaximumWidth(tokens.px(WIDTH))
        self.paste.setMinimumHeight(tokens.px(BOX_HEIGHT))
