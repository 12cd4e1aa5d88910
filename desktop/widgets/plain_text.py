"""A reading view for text from models, letters and files: plain, safe, and copied exactly; a safe part of Markdown
if asked.

Qt parses it (GitHub's dialect without HTML). What it made is then cleared: a link keeps its words, an image becomes its
words in brackets, a heading is bold in the size of the text. What would be slow to draw is not drawn at all.
"""

import re
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
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextFrameFormat,
    QTextLength,
    QTextOption,
    QTextTable,
    QTextTableFormat,
)
from PySide6.QtWidgets import QFrame, QTextEdit, QWidget

from biasprint.core.text import code_blocks
from biasprint.desktop import theme
from biasprint.desktop.widgets.keys import FocusRing
from biasprint.desktop.widgets.safe_text import DisplayText
from biasprint.desktop.widgets.words import tr

MOST_CHARACTERS, MOST_LINES = 20_000, 600
MOST_BARS, MOST_BARS_IN_A_LINE = 1_500, 60  # signs “|”, of tables
MOST_SIGNS = 2_000  # of emphasis, code and links
DEEPEST = 12  # quotes and lists in each other
STEP, MOST_STEPS = 24, 5  # pixels that a quote or a list is moved in, and how often
BETWEEN = 10  # pixels below a paragraph
CODE_GROUND, QUOTE_GROUND, TABLE_LINE = (QColor(128, 128, 128, tint) for tint in (32, 18, 110))  # in light and dark
FEATURES = QTextDocument.MarkdownFeature.MarkdownDialectGitHub | QTextDocument.MarkdownFeature.MarkdownNoHTML
_NESTED = re.compile(rf"^(?:[ \t]*(?:>|[-*+][ \t]|\d{{1,9}}[.)][ \t])){{{DEEPEST + 1}}}", re.MULTILINE)
_INDENTED = re.compile(rf"^[ \t]{{{4 * DEEPEST},}}\S", re.MULTILINE)
_OBJECT = "\ufffc"


class SafeDocument(QTextDocument):
    """A document that loads nothing, whatever its text names; Qt's own would open files."""

    def loadResource(self, kind: int, name: QUrl | str) -> None:
        """Load nothing."""


def can_be_drawn(text: str) -> bool:
    """Return whether a text is short and flat enough to be drawn at once."""
    if len(text) > MOST_CHARACTERS or text.count("\n") > MOST_LINES or text.count("|") > MOST_BARS:
        return False
    if sum(map(text.count, "*_`~[")) > MOST_SIGNS:
        return False
    if any(line.count("|") > MOST_BARS_IN_A_LINE for line in text.split("\n")):
        return False
    return _NESTED.search(text) is None and _INDENTED.search(text) is None


def draw(document: SafeDocument, text: str, line_height: float, code: QTextCharFormat) -> None:
    """Put a text that `can_be_drawn` into a document. `line_height`: in per cent; `code`: the look of code.

    A line of the text stays a line, as in a poem.
    """
    document.setMarkdown(_with_line_breaks(text), FEATURES)
    cursor = QTextCursor(document)
    cursor.beginEditBlock()
    for block in _blocks(document):
        _clear_letters(block, code)
    for block in _blocks(document):
        _clear_block(block, line_height)
    for table in (frame for frame in document.rootFrame().childFrames() if isinstance(frame, QTextTable)):
        _clear_table(table)
    cursor.endEditBlock()


def _with_line_breaks(text: str) -> str:
    """Return a text with the two blanks of markdown that end a line, at every line that is no code."""
    lines, at = [], 0
    fences = code_blocks(text)
    for line in text.split("\n"):
        in_code = any(start <= at < end for start, end in fences)
        lines.append(line if in_code or not line.strip() else f"{line}  ")
        at += len(line) + 1
    return "\n".join(lines)


def _blocks(document: QTextDocument) -> Iterator[QTextBlock]:
    block = document.begin()
    while block.isValid():
        yield block
        block = block.next()


def _clear_letters(block: QTextBlock, code: QTextCharFormat) -> None:
    """Give each part of a line a look of ours, from the last to the first: an image's words take its place."""
    parts = []
    part = block.begin()
    while not part.atEnd():
        fragment = part.fragment()
        parts.append((fragment.position(), fragment.length(), fragment.charFormat(), fragment.text()))
        part += 1
    whole = block.blockFormat()
    fenced = _is_code(whole)
    for start, length, look, words in reversed(parts):
        cursor = QTextCursor(block)
        cursor.setPosition(start)
        cursor.setPosition(start + length, QTextCursor.MoveMode.KeepAnchor)
        ours = _look_of(look, code, fenced=fenced, heading=whole.headingLevel() > 0)
        if look.isImageFormat() or _OBJECT in words:
            alt = str(look.property(QTextFormat.Property.ImageAltText) or "").replace(_OBJECT, "")
            cursor.insertText(f"[{alt.strip() or tr('image')}]" * length, ours)
        else:
            cursor.setCharFormat(ours)


def _look_of(look: QTextCharFormat, code: QTextCharFormat, *, fenced: bool, heading: bool) -> QTextCharFormat:
    """Return what stays of a look: bold, italic, struck out, code. No link, colour, size or picture."""
    ours = QTextCharFormat(code) if fenced or look.fontFixedPitch() else QTextCharFormat()
    if look.fontFixedPitch() and not fenced:
        ours.setBackground(CODE_GROUND)
    if heading or look.fontWeight() > QFont.Weight.Normal.value:
        ours.setFontWeight(QFont.Weight.Bold)
    if look.fontItalic():
        ours.setFontItalic(True)
    if look.fontStrikeOut():
        ours.setFontStrikeOut(True)
    return ours


def _is_code(form: QTextBlockFormat) -> bool:
    return form.hasProperty(QTextFormat.Property.BlockCodeFence) or form.hasProperty(
        QTextFormat.Property.BlockCodeLanguage
    )


def _clear_block(block: QTextBlock, line_height: float) -> None:
    before, after = block.blockFormat(), QTextBlockFormat(block.blockFormat())
    code = _is_code(before)
    after.setLineHeight(line_height, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
    after.setNonBreakableLines(False)  # a card does not scroll sideways
    after.clearProperty(QTextFormat.Property.BlockIndent)
    quoted = int(before.property(QTextFormat.Property.BlockQuoteLevel) or 0)
    after.setLeftMargin(STEP * min(quoted, MOST_STEPS))
    after.setRightMargin(0)
    if code:
        after.setLineHeight(0, QTextBlockFormat.LineHeightTypes.SingleHeight.value)  # one ground, without gaps
    if code or quoted:
        after.setBackground(CODE_GROUND if code else QUOTE_GROUND)
    following = block.next()
    in_list = block.textList() is not None and following.textList() is not None
    in_code = code and _is_code(following.blockFormat())
    tight = in_list or in_code or QTextCursor(block).currentTable() is not None
    after.setTopMargin(0)
    after.setBottomMargin(0 if tight else BETWEEN)
    QTextCursor(block).setBlockFormat(after)
    if (listed := block.textList()) is not None and listed.format().indent() > MOST_STEPS:
        form = listed.format()
        form.setIndent(MOST_STEPS)
        listed.setFormat(form)


def _clear_table(table: QTextTable) -> None:
    """Give a table the lines of ours and a bold head; Qt leaves an empty line in the first cell behind some texts."""
    first = table.cellAt(0, 0).firstCursorPosition()
    if not first.block().text() and table.cellAt(0, 0).lastCursorPosition().block() != first.block():
        first.deleteChar()
    bold = QTextCharFormat()
    bold.setFontWeight(QFont.Weight.Bold)
    for column in range(table.columns()):
        head = table.cellAt(0, column)
        cursor = head.firstCursorPosition()
        cursor.setPosition(head.lastPosition(), QTextCursor.MoveMode.KeepAnchor)
        cursor.mergeCharFormat(bold)
    look = QTextTableFormat(table.format())
    look.setWidth(QTextLength(QTextLength.Type.PercentageLength, 100))
    look.setBorder(1)
    look.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
    look.setBorderBrush(TABLE_LINE)
    look.setBorderCollapse(True)
    look.setCellPadding(6)
    look.setCellSpacing(0)
    look.setBottomMargin(BETWEEN)
    table.setFormat(look)


# ---- The view

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
