"""One of two texts side by side: read, not edited, with the words that differ marked by colour and by a line."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
)
from PySide6.QtWidgets import QTextEdit, QToolTip

from desktop import theme
from desktop.widgets.letter_text import MOVING, make_gaps
from desktop.widgets.plain_text import PlainText
from desktop.widgets.safe_text import safe_tip

Underline = QTextCharFormat.UnderlineStyle
MOST_AT_ONCE = 60_000  # characters; a longer text comes in pieces, is not aligned and keeps its gaps


@dataclass(frozen=True)
class TwinMark:
    """Characters `start` to `end` of this text. `look`: changed, doubted or left; `tip` is for hovering."""

    key: str
    look: str
    start: int
    end: int
    tip: str


class TwinText(PlainText):
    """`chosen` carries the key of the mark that was clicked, or that the keyboard went to; "" for none."""

    chosen = Signal(str)

    def __init__(self, name: str) -> None:
        self._marks: tuple[TwinMark, ...] = ()  # places in Qt's units
        self._current = ""
        self._sentence: tuple[int, int] | None = None
        super().__init__(name=name)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setCursorWidth(2)
        self._rest.timeout.connect(lambda: self._draw() if self.all_shown else None)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        theme.signals.changed.connect(self._draw)

    def open_text(self, text: str, marks: Sequence[TwinMark]) -> None:
        """Show another text with these marks."""
        self._marks, self._current, self._sentence = (), "", None
        self.setExtraSelections([])
        self.set_text(text)
        if len(text) <= MOST_AT_ONCE:
            while not self.all_shown:
                self._give_piece()
            self._rest.stop()
            make_gaps(self.document())
        shown = self._display.to_shown
        self._marks = tuple(replace(mark, start=shown(mark.start), end=shown(mark.end)) for mark in marks)
        self._draw()

    def choose(self, key: str) -> None:
        """Make one mark stand out from the others."""
        self._current, self._sentence = key, None
        self._draw()

    def emphasise(self, start: int, end: int) -> None:
        """Tint a stretch instead of a mark."""
        shown = self._display.to_shown
        self._current, self._sentence = "", (shown(start), shown(end))
        self._draw()

    def top_of(self, start: int) -> int:
        """Pixels from the beginning of the text to the line where a character stands."""
        cursor = self.cursor_for(start, start)
        return self.cursorRect(cursor).top() + self.verticalScrollBar().value()

    def heights(self) -> list[float]:
        """How high each paragraph is by itself."""
        self.document().size()  # lays out what is not yet
        found, block = [], self.document().begin()
        while block.isValid():
            found.append(block.layout().boundingRect().height())
            block = block.next()
        return found

    def make_room(self, room: Sequence[float]) -> None:
        """Leave so many pixels free under each paragraph."""
        block, cursor = self.document().begin(), QTextCursor(self.document())
        cursor.beginEditBlock()
        for wanted in room:
            if abs(block.blockFormat().bottomMargin() - wanted) > 0.5:
                below = QTextBlockFormat()
                below.setBottomMargin(wanted)
                QTextCursor(block).mergeBlockFormat(below)
            block = block.next()
        cursor.endEditBlock()

    def whole_height(self) -> float:
        """How high the text is with all the room in it."""
        return self.document().size().height()

    def set_foot(self, room: float) -> None:
        """Leave so many pixels free under the text: a margin under the last paragraph would not count."""
        frame = self.document().rootFrame()
        form = frame.frameFormat()
        wanted = self.document().documentMargin() + room
        if abs(form.bottomMargin() - wanted) > 0.5:
            form.setBottomMargin(wanted)
            frame.setFrameFormat(form)

    def mark_at(self, place: int) -> TwinMark | None:
        """The mark over a place in Qt's units; one of no width is met at its place."""
        return next((mark for mark in self._marks if mark.start <= place <= mark.end), None)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        if event.button() is Qt.MouseButton.LeftButton and not self.textCursor().hasSelection():
            self._tell()

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        super().keyReleaseEvent(event)
        if event.key() in MOVING and not self.textCursor().hasSelection():
            self._tell()

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            mark = self.mark_at(self.cursorForPosition(event.pos()).position())
            QToolTip.showText(event.globalPos(), safe_tip(mark.tip) if mark is not None else "", self.viewport())
            return True
        return super().viewportEvent(event)

    def _tell(self) -> None:
        mark = self.mark_at(self.textCursor().position())
        self.chosen.emit(mark.key if mark is not None else "")

    def _draw(self, _tokens: object = None) -> None:
        selections = [self._selection(*self._sentence, _tint())] if self._sentence is not None else []
        for mark in self._marks:
            if mark.end > self._given:
                break  # of a long text, the rest is drawn when it is there
            look = _current() if mark.key == self._current else look_of(mark.look)
            selections.append(self._selection(mark.start, mark.end, look))
        self.setExtraSelections(selections)

    def _selection(self, first: int, last: int, look: QTextCharFormat) -> QTextEdit.ExtraSelection:
        selection = QTextEdit.ExtraSelection()
        cursor = QTextCursor(self.document())
        cursor.setPosition(first)
        cursor.setPosition(last, QTextCursor.MoveMode.KeepAnchor)
        selection.cursor = cursor
        selection.format = look
        return selection


def look_of(look: str) -> QTextCharFormat:
    """A changed word has a tint and a line; one in doubt another tint and dashes; one left alone only a wave."""
    tokens, drawn = theme.current(), QTextCharFormat()
    if look == "changed":
        _colour(drawn, tokens.accent_soft, tokens.accent, Underline.SingleUnderline)
    elif look == "doubted":
        _colour(drawn, tokens.warn_soft, tokens.warn, Underline.DashUnderline)
    else:
        _colour(drawn, "", tokens.warn, Underline.WaveUnderline)
    return drawn


def _colour(drawn: QTextCharFormat, ground: str, line: str, style: Underline) -> None:
    if ground:
        drawn.setBackground(QColor(ground))
    drawn.setUnderlineStyle(style)
    drawn.setUnderlineColor(QColor(line))


def _current() -> QTextCharFormat:
    tokens, drawn = theme.current(), QTextCharFormat()
    drawn.setBackground(QColor(tokens.accent))
    drawn.setForeground(QColor(tokens.accent_ink))
    return drawn


def _tint() -> QTextCharFormat:
    drawn = QTextCharFormat()
    drawn.setBackground(QColor(theme.current().accent_soft))
    return drawn
