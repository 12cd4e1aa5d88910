"""A reading view for text from models, letters and files: plain, safe, and copied exactly."""

import time
import unicodedata
from collections.abc import Iterator

from PySide6.QtCore import QMimeData, QTimer, QUrl
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFont,
    QFontDatabase,
    QFontMetricsF,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextOption,
)
from PySide6.QtWidgets import QFrame, QTextEdit, QWidget

from biasprint.core.text import code_blocks
from biasprint.desktop import theme
from biasprint.desktop.widgets.keys import FocusRing
from biasprint.desktop.widgets.markdown import SafeDocument, can_be_drawn, draw
from biasprint.desktop.widgets.safe_text import DisplayText

# A text engine lays out what it is given at once: a long text is given in pieces, the rest of it while nobody waits.
FIRST_CHARACTERS = 20_000
PIECE_CHARACTERS = 2_000
SECONDS_AT_A_TIME = 0.008
RING = 6  # pixels between a text and the ring that shows that it has the keyboard
BOX = QColor(128, 128, 128, 64)  # the ground of an emoji's name, on light and dark surfaces


class PlainText(QTextEdit):
    """A view of any text, unchanged. Nothing is rendered as rich text, unless `set_markdown` asks for a safe part of
    it, and nothing is ever loaded.

    `set_text` takes the exact text and `text()` returns it; `cursor_for` marks a span of it, whatever was split or
    replaced for display. The exact text is also copied, except lone surrogates, which no clipboard takes.
    """

    fixed_code = False  # whether fenced code blocks are shown in a fixed face, with their fences

    def __init__(self, text: str = "", *, name: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setDocument(SafeDocument(self))
        self._ring = FocusRing(self, RING)
        self._display = DisplayText("")
        self._code: list[tuple[int, int]] = []  # of the shown text, and still to be given
        self.drawn = False  # whether markdown is drawn now: places of the text and on the screen then differ
        self._markdown = False
        self._given = 0  # characters of the shown text that the document has by now
        self._boxed = 0  # names of emoji that stand in boxes by now
        self._rest = QTimer(self, interval=0)
        self._rest.timeout.connect(lambda: self._give_for(SECONDS_AT_A_TIME))
        self.setProperty("role", "reading")
        self.setReadOnly(True)
        self.setAcceptRichText(False)
        self.setUndoRedoEnabled(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setTabChangesFocus(True)
        self.document().setDocumentMargin(0)
        if name:
            self.setAccessibleName(name)
        self.set_text(text)

    def set_text(self, text: str) -> None:
        """Show another text, from its beginning."""
        self.show_display(DisplayText(text))

    def show_display(self, display: DisplayText) -> None:
        """Show a text that was made safe already, from its beginning."""
        self._display = display
        self._show_from_start()

    def set_markdown(self, on: bool) -> None:
        """Draw the text's markdown from now on, where it is short and flat enough; or show every sign of it again."""
        if on != self._markdown:
            self._markdown = on
            self._show_from_start()

    def text(self) -> str:
        """Return the exact text, not its display form."""
        return self._display.source

    @property
    def all_shown(self) -> bool:
        """True once the whole text is laid out; a very long one follows in pieces."""
        return self._given == len(self._display.shown)

    def cursor_for(self, start: int, end: int) -> QTextCursor:
        """Return a cursor over the exact text's characters `start` to `end`, for marks and for jumping."""
        first, last = self._display.to_shown(start), self._display.to_shown(end)
        while not self.all_shown and self.document().characterCount() <= last:
            self._give_piece()
        cursor = QTextCursor(self.document())
        cursor.setPosition(first)
        cursor.setPosition(last, QTextCursor.MoveMode.KeepAnchor)
        return cursor

    def selected(self) -> tuple[int, int]:
        """Return the exact text's positions around the selected words: whole characters with the marks that combine
        with them, without blanks at either end. Both are the caret's where nothing is selected.
        """
        cursor, text = self.textCursor(), self.text()
        start, end = (self._display.to_source(at) for at in (cursor.selectionStart(), cursor.selectionEnd()))
        if cursor.hasSelection():
            end += self._display.to_shown(end) < cursor.selectionEnd()  # of an emoji's name a part is the whole
            while end < len(text) and unicodedata.combining(text[end]):
                end += 1
            end = start + len(text[start:end].rstrip())
            start = end - len(text[start:end].lstrip())
        return start, end

    def position_at(self, cursor: QTextCursor) -> int:
        """Return the exact text's position at a cursor, for instance under the pointer."""
        return self._display.to_source(cursor.position())

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._ring.focus_changed(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._ring.focus_changed(event)

    def createMimeDataFromSelection(self) -> QMimeData:
        data, cursor = QMimeData(), self.textCursor()
        whole = cursor.selectionEnd() - cursor.selectionStart() == self.document().characterCount() - 1
        exact = (
            cursor.selection().toPlainText()
            if self.drawn
            else self._display.excerpt(cursor.selectionStart(), cursor.selectionEnd())
        )
        copied = self._display.source if whole else exact
        data.setText(copied.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace"))
        return data

    def loadResource(self, kind: int, name: QUrl | str) -> None:
        """Load nothing, whatever the text names."""

    def _show_from_start(self) -> None:
        self.document().clear()
        self._code = code_blocks(self._display.shown)[::-1] if self.fixed_code else []
        self._given = 0
        self._boxed = 0
        self.drawn = self._markdown and can_be_drawn(self._display.shown)
        if self.drawn:
            document = self.document()
            assert isinstance(document, SafeDocument)
            draw(document, self._display.shown, line_height_percent(), fixed_face())
            self._given = len(self._display.shown)
            self.moveCursor(QTextCursor.MoveOperation.Start)
            return
        spacing = QTextBlockFormat()
        spacing.setLineHeight(line_height_percent(), QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        QTextCursor(self.document()).setBlockFormat(spacing)
        while not self.all_shown and self._given < FIRST_CHARACTERS:
            self._give_piece()
        self.moveCursor(QTextCursor.MoveOperation.Start)
        if not self.all_shown:
            self._rest.start()

    def _give_for(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while not self.all_shown and time.monotonic() < until:
            self._give_piece()
        if self.all_shown:
            self._rest.stop()

    def _give_piece(self) -> None:
        shown = self._display.shown
        line_end = shown.find("\n", self._given + PIECE_CHARACTERS) + 1
        end = line_end or len(shown)
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.beginEditBlock()  # laid out once
        for start, stop, is_code in self._parts(end):
            cursor.insertText(shown[start:stop], fixed_face() if is_code else QTextCharFormat())
        self._given = end
        self._box_names()
        cursor.endEditBlock()

    def _parts(self, end: int) -> Iterator[tuple[int, int, bool]]:
        """Yield start and end of what comes next, up to `end`, and whether it is code."""
        at = self._given
        while self._code and self._code[-1][0] < end:
            start, stop = self._code[-1]
            if at < start:
                yield at, start, False
            yield max(at, start), min(stop, end), True
            at = min(stop, end)
            if stop > end:
                break
            self._code.pop()
        if at < end:
            yield at, end, False

    def _box_names(self) -> None:
        """Give the names of new emoji in the document a background that distinguishes them from words."""
        box = QTextCharFormat()
        box.setBackground(BOX)
        for start, end, _ in self._display.named[self._boxed :]:
            if self._display.to_shown(end) >= self.document().characterCount():
                return
            cursor = QTextCursor(self.document())
            cursor.setPosition(self._display.to_shown(start))
            cursor.setPosition(self._display.to_shown(end), QTextCursor.MoveMode.KeepAnchor)
            cursor.mergeCharFormat(box)
            self._boxed += 1


def fixed_face() -> QTextCharFormat:
    """Return the look of code: the system's fixed face, in the size of the text around it."""
    look = QTextCharFormat()
    look.setFontFamilies([QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).family(), "monospace"])
    look.setFontStyleHint(QFont.StyleHint.Monospace)
    look.setFontFixedPitch(True)
    return look


def line_height_percent() -> float:
    """Return Qt's proportional line height for the theme's.

    Qt's is relative to the typeface's own line, ours to its size.
    """
    font = QFont(theme.current().family)
    font.setPixelSize(100)
    return 100 * theme.current().line_height * font.pixelSize() / QFontMetricsF(font).lineSpacing()
