"""A box to paste a text into, and the files of a letter: both for the letter and for the CV."""

from pathlib import Path

from PySide6.QtCore import QMimeData, Signal
from PySide6.QtWidgets import QFileDialog, QPlainTextEdit, QWidget

from desktop.operations.letters import ENDINGS
from desktop.widgets.safe_text import DisplayText
from desktop.widgets.words import tr

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
            self.textCursor().insertText(DisplayText(text).shown)
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
