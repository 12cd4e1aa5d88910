"""Markdown drawn safely in a text view: no links, no images, no HTML, one font size, and nothing is ever loaded.

Qt parses it (GitHub's dialect without HTML). What it made is then cleared: a link keeps its words, an image becomes its
words in brackets, a heading is bold in the size of the text. What would be slow to draw is not drawn at all.
"""

import re
from collections.abc import Iterator

from PySide6.QtCore import QUrl
from PySide6.QtGui import (
    QColor,
    QFont,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextFrameFormat,
    QTextLength,
    QTextTable,
    QTextTableFormat,
)

from biasprint.core.text import code_blocks
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
