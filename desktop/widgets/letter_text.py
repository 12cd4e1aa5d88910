"""A letter that can be read and edited in place: plain text, with marks drawn under its words.

Marks and soft stretches are laid over the text and are not part of it: undo reverts only typed changes. While the
person types, marks move with their words, until a new reading brings others.
"""

import html
from collections.abc import Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import QEvent, QMimeData, QPoint, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
)
from PySide6.QtWidgets import QTextEdit, QToolTip

from biasprint.desktop import theme
from biasprint.desktop.widgets.marks import LANE, draw_mark, lane_of, look_of
from biasprint.desktop.widgets.plain_text import PlainText
from biasprint.desktop.widgets.safe_text import DisplayText, safe_line

MOST_EDITED = 60_000  # characters; a longer text is shown and not edited, because a text engine lays out as one types
GAP = 6.0  # text pixels of the typeface in the empty line between two paragraphs, which is lower than others
FOOT = 4.0  # pixels from the baseline to the first lane
TIP_WIDTH = 64  # characters
MOVING = {
    Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down,
    Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown,
}  # fmt: skip


@dataclass(frozen=True)
class LetterMark:
    """A mark on characters `start` to `end` of the letter. `key` is reported when it is chosen, `tip` is shown."""

    key: str
    kind: str
    start: int
    end: int
    tip: tuple[str, ...] = ()


class _Typed(DisplayText):
    """A text that is shown unchanged: typed by a person, or made safe before."""

    def __init__(self, source: str) -> None:
        self.source = self.shown = source
        self._breaks = []
        self.named = []


class LetterText(PlainText):
    """The letter. `open_text` takes one; `edited` reports a person's change, `text()` returns it as it is now."""

    edited = Signal(int, int, int)  # a place of the letter, how many characters went there, how many came
    chosen = Signal(str)  # the key of a mark that was clicked, or that the keyboard went to; "" for none
    menu_wanted = Signal(int, QPoint)  # a place of the letter, and one of the screen
    too_long = Signal()  # what was pasted did not fit

    def __init__(self, *, name: str = "") -> None:
        self._marks: list[LetterMark] = []  # places in Qt's units
        self._soft: list[QTextEdit.ExtraSelection] = []
        self._emphasised: list[QTextEdit.ExtraSelection] = []
        self._opening = True
        self._moving = False  # a key that moves the cursor is down
        super().__init__(name=name)
        self.setAcceptDrops(False)  # the panel takes files
        self.setCursorWidth(2)
        self.document().contentsChange.connect(self._move_marks)
        self.cursorPositionChanged.connect(self._type_in_full_size)
        theme.signals.changed.connect(self._dress)

    # what is shown

    def open_text(self, text: str, *, editable: bool = True) -> None:
        """Show another letter, with an empty undo history. A very long one can only be read."""
        self._opening = True
        self.setUndoRedoEnabled(False)
        self.clear_marks()
        safe = DisplayText(text, to_edit=True)
        can_edit = editable and len(text) <= MOST_EDITED
        if not can_edit:
            self.set_text(text)
        else:
            self.show_display(_Typed(safe.shown))
            while not self.all_shown:
                self._give_piece()
            self._rest.stop()
            make_gaps(self.document())
        self.setReadOnly(not can_edit)
        self.setUndoRedoEnabled(can_edit)
        self._opening = False

    def clear_marks(self) -> None:
        self._marks, self._soft, self._emphasised = [], [], []
        self.setExtraSelections([])
        self.viewport().update()

    def show_marks(self, marks: Sequence[LetterMark]) -> None:
        """Draw only these marks."""
        shown = self._display.to_shown
        self._marks = [replace(mark, start=shown(mark.start), end=shown(mark.end)) for mark in marks]
        self.viewport().update()

    def marks(self) -> tuple[LetterMark, ...]:
        """Return the marks where they are now."""
        source = self._display.to_source
        return tuple(replace(mark, start=source(mark.start), end=source(mark.end)) for mark in self._marks)

    def set_apart(self, spans: Sequence[tuple[int, int]]) -> None:
        """Show stretches in soft ink: letterhead, signature and the like."""
        soft = QTextCharFormat()
        soft.setForeground(QColor(theme.current().soft))
        self._soft = [self._selection(start, end, soft) for start, end in spans]
        self._show_selections()

    def emphasise(self, *stretches: tuple[int, int], follow: bool = True) -> None:
        """Tint only these stretches, and scroll to the first if the text is to follow."""
        tint = QTextCharFormat()
        tint.setBackground(QColor(theme.current().accent_soft))
        self._emphasised = [self._selection(*stretch, tint) for stretch in stretches]
        if self._emphasised and follow:
            first = self._emphasised[0].cursor
            self.show_place(first.selectionStart(), first.selectionEnd())
        self._show_selections()

    def show_place(self, first: int, last: int) -> None:
        """Scroll until both places (in Qt's units) can be seen, the first in any case."""
        bar, room = self.verticalScrollBar(), self.viewport().height()
        cursor = QTextCursor(self.document())
        cursor.setPosition(last)
        foot = self.cursorRect(cursor).bottom() + 12
        cursor.setPosition(first)
        head = self.cursorRect(cursor).top() - 12
        if foot > room:
            bar.setValue(bar.value() + foot - room)
            head -= foot - room
        if head < 0:
            bar.setValue(bar.value() + head)

    def go_to(self, place: int) -> None:
        """Put the text cursor at a place of the letter, and the keyboard into it."""
        cursor = self.cursor_for(place, place)
        self.setTextCursor(cursor)
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def replace_span(self, start: int, end: int, new: str) -> None:
        """Change characters of the letter as if they had been typed: Ctrl+Z reverts it."""
        cursor = self.cursor_for(start, end)
        cursor.beginEditBlock()
        cursor.insertText(DisplayText(new, to_edit=True).shown, QTextCharFormat())
        cursor.endEditBlock()

    # editing

    def _move_marks(self, place: int, removed: int, added: int) -> None:
        if self._opening or self.isReadOnly():  # a long text, which is still being given in pieces
            return
        after, by = place + removed, added - removed
        moved = []
        for mark in self._marks:
            start = mark.start if mark.start < place else mark.start + by if mark.start >= after else place + added
            end = mark.end if mark.end <= place else mark.end + by if mark.end >= after else place
            if start < end:
                moved.append(replace(mark, start=start, end=end))
        self._marks = moved
        before = self._display.source
        self._display = _Typed(self.toPlainText())
        self._given = len(self._display.shown)
        if self._display.source != before:  # not when only a line's height was set
            first = self._display.to_source(place)
            came = self._display.to_source(place + added) - first
            self.edited.emit(first, max(0, len(before) - len(self._display.source) + came), came)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return source.hasText()

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Paste only text, and made safe: the clipboard may hold anything."""
        safe = DisplayText(source.text(), to_edit=True) if len(source.text()) <= MOST_EDITED else None
        text = safe.shown if safe is not None else None
        if text is None or len(self.text()) + len(text) > MOST_EDITED:
            self.too_long.emit()
            return
        self.textCursor().insertText(text, QTextCharFormat())
        self.ensureCursorVisible()

    def _type_in_full_size(self) -> None:
        """Give text typed in the gap between two paragraphs the usual size."""
        if self.textCursor().block().charFormat().hasProperty(QTextFormat.Property.FontPixelSize):
            self.setCurrentCharFormat(QTextCharFormat())

    # choosing

    def mark_at(self, shown_place: int) -> LetterMark | None:
        """Return the shortest mark over a place in Qt's units."""
        here = [mark for mark in self._marks if mark.start <= shown_place <= mark.end]
        return min(here, key=lambda mark: mark.end - mark.start, default=None)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        if event.button() is Qt.MouseButton.LeftButton and not self.textCursor().hasSelection():
            self._choose()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self._moving = event.key() in MOVING
        super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        """Choose nothing at the release of Alt+Down, whose press went elsewhere: it did not move the cursor."""
        super().keyReleaseEvent(event)
        moved, self._moving = self._moving and event.key() in MOVING, False
        if moved and not self.textCursor().hasSelection():
            self._choose()

    def _choose(self) -> None:
        mark = self.mark_at(self.textCursor().position())
        self.chosen.emit(mark.key if mark is not None else "")

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        by_mouse = event.reason() is QContextMenuEvent.Reason.Mouse
        cursor = self.cursorForPosition(event.pos()) if by_mouse else self.textCursor()
        where = event.globalPos() if by_mouse else self.viewport().mapToGlobal(self.cursorRect().bottomLeft())
        self.menu_wanted.emit(self.position_at(cursor), where)

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            mark = self.mark_at(self.cursorForPosition(event.pos()).position())
            if mark is not None and mark.tip:
                QToolTip.showText(event.globalPos(), _tip(mark.tip), self.viewport())
            else:
                QToolTip.hideText()
            return True
        return super().viewportEvent(event)

    # drawing

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self._marks:
            return
        painter = QPainter(self.viewport())
        room = self.viewport().rect()
        first = self.cursorForPosition(room.topLeft()).position()
        last = self.cursorForPosition(room.bottomRight()).position()
        for mark in self._marks:
            if mark.end >= first and mark.start <= last:
                self._draw(painter, mark)
        painter.end()

    def _draw(self, painter: QPainter, mark: LetterMark) -> None:
        block = self.document().findBlock(mark.start)
        while block.isValid() and block.position() < mark.end:
            self._draw_in_block(painter, mark, block)
            block = block.next()

    def _draw_in_block(self, painter: QPainter, mark: LetterMark, block: QTextBlock) -> None:
        origin = self.document().documentLayout().blockBoundingRect(block).topLeft()
        left, top = origin.x() - self.horizontalScrollBar().value(), origin.y() - self.verticalScrollBar().value()
        look, lane = look_of(mark.kind), lane_of(mark.kind)
        layout = block.layout()
        for number in range(layout.lineCount()):
            line = layout.lineAt(number)
            start = max(mark.start - block.position(), line.textStart())
            end = min(mark.end - block.position(), line.textStart() + line.textLength())
            if start >= end:
                continue
            first, last = (float(line.cursorToX(place)[0]) for place in (start, end))  # type: ignore[index]
            y = top + line.y() + line.ascent() + FOOT + LANE * lane
            begins = start == mark.start - block.position()
            ends = end == mark.end - block.position()
            draw_mark(painter, look, left + min(first, last), left + max(first, last), y, begins=begins, ends=ends)

    def _selection(self, start: int, end: int, look: QTextCharFormat) -> QTextEdit.ExtraSelection:
        selection = QTextEdit.ExtraSelection()
        selection.cursor = self.cursor_for(start, end)
        selection.format = look
        return selection

    def _show_selections(self) -> None:
        self.setExtraSelections([*self._emphasised, *self._soft])

    def _dress(self, _tokens: object = None) -> None:
        for selection in self._soft:
            selection.format.setForeground(QColor(theme.current().soft))
        for selection in self._emphasised:
            selection.format.setBackground(QColor(theme.current().accent_soft))
        self._show_selections()


def make_gaps(document: QTextDocument) -> None:
    """Make the empty lines between paragraphs lower: by their typeface, since Qt hits a line at its natural height."""
    small = QTextCharFormat()
    small.setProperty(QTextFormat.Property.FontPixelSize, theme.current().px(GAP))
    block = document.begin()
    while block.isValid():
        if not block.text():
            QTextCursor(block).setBlockCharFormat(small)
        block = block.next()


def _tip(lines: Sequence[str]) -> str:
    """Return a tooltip as rich text, so that Qt does not guess; every line is escaped, and breaks at a width."""
    paragraphs = "".join(f"<p style='margin:0 0 4px 0'>{html.escape(safe_line(line))}</p>" for line in lines if line)
    return f"<table width='{TIP_WIDTH * 6}'><tr><td>{paragraphs}</td></tr></table>"
