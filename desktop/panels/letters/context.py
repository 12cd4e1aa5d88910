"""The CV, or whatever else the letter should rest on: brought in, shown, and the passage that belongs to a sentence."""

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QColor, QTextCharFormat
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QTextEdit, QVBoxLayout, QWidget

from core.documents.values import Document
from desktop import theme
from desktop.panels.letters.paste import PasteBox
from desktop.widgets import Card, ElidedLabel, Label, LinkButton, PlainText, QuietButton, tr


class _Box(PasteBox):
    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), theme.current().px(140))


class ContextPage(Card):
    """`show_context` with None asks for one."""

    file_wanted = Signal()
    pasted = Signal(str)
    removed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.set_padding(16)
        self._passage: tuple[int, int] | None = None
        self.choose = QuietButton(tr("Choose a file…"))
        self.paste = _Box(tr("… or paste the CV here"), tr("Paste the CV"))
        self.use = QuietButton(tr("Use this text"))
        self.name = ElidedLabel("", "heading")
        self.remove = LinkButton(tr("Remove"))
        self.hint = Label("", "note", wrap=True)
        self.text = PlainText(name=tr("The CV"))
        self.choose.clicked.connect(self.file_wanted)
        self.use.clicked.connect(lambda: self.pasted.emit(self.paste.toPlainText()))
        self.paste.taken.connect(self.pasted)
        self.paste.textChanged.connect(self._enable)
        self.remove.clicked.connect(self.removed)
        self.pages = QStackedWidget()
        self.pages.addWidget(self._asking())
        self.pages.addWidget(self._showing())
        self.box.addWidget(self.pages, 1)
        self._enable()
        self.setAccessibleName(tr("The CV"))
        theme.signals.changed.connect(self._dress)

    def show_context(self, document: Document | None) -> None:
        self.paste.forget()
        self._passage = None
        self.text.setExtraSelections([])
        self.name.set_text(document.name if document is not None else "")
        self.text.set_text(document.text if document is not None else "")
        self.pages.setCurrentIndex(0 if document is None else 1)
        self.show_passage(None)

    def show_passage(self, passage: tuple[int, int] | None) -> None:
        """Tint the passage that belongs to the chosen sentence, and bring it into sight."""
        self._passage = passage if passage is not None and passage[0] < passage[1] else None
        hint = tr("Choose a sentence of the letter to see the passage that is nearest to it.")
        self.hint.setText(tr("Tinted: the passage nearest to the chosen sentence.") if self._passage else hint)
        self._dress()
        if self._passage is not None:
            cursor = self.text.cursor_for(*self._passage)
            cursor.setPosition(cursor.selectionStart())
            self.text.setTextCursor(cursor)
            self.text.ensureCursorVisible()

    def _dress(self, _tokens: object = None) -> None:
        if self._passage is None:
            self.text.setExtraSelections([])
            return
        mark = QTextEdit.ExtraSelection()
        mark.cursor = self.text.cursor_for(*self._passage)
        look = QTextCharFormat()
        look.setBackground(QColor(theme.current().accent_soft))
        look.setFontUnderline(True)
        look.setUnderlineColor(QColor(theme.current().accent))
        mark.format = look
        self.text.setExtraSelections([mark])

    def _enable(self) -> None:
        self.use.setEnabled(bool(self.paste.toPlainText().strip()))

    def _asking(self) -> QWidget:
        page, box = _page()
        box.addWidget(Label(tr("Add the CV"), "heading"))
        said = tr("With the CV, biography or application beside it, every claim of the letter is looked up there.")
        box.addWidget(Label(said, "soft", wrap=True))
        box.addWidget(self.choose, 0, Qt.AlignmentFlag.AlignLeft)
        box.addWidget(self.paste)
        box.addWidget(self.use, 0, Qt.AlignmentFlag.AlignLeft)
        box.addStretch(1)
        return page

    def _showing(self) -> QWidget:
        page, box = _page()
        head = QHBoxLayout()
        head.addWidget(self.name, 1)
        head.addWidget(self.remove)
        box.addLayout(head)
        box.addWidget(self.hint)
        box.addWidget(self.text, 1)
        return page


def _page() -> tuple[QWidget, QVBoxLayout]:
    page = QWidget()
    page.setProperty("role", "clear")
    box = QVBoxLayout(page)
    box.setContentsMargins(0, 0, 0, 0)
    box.setSpacing(8)
    return page, box
