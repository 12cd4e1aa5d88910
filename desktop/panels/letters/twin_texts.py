"""The two texts of a letter and its twin: marked by tint and line, aligned and scrolled as one."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QEvent, QPointF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QGuiApplication,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
    QResizeEvent,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
)
from PySide6.QtWidgets import QScrollBar, QSizePolicy, QTextEdit, QToolTip, QWidget

from biasprint.core.language import joined
from biasprint.desktop import theme
from biasprint.desktop.panels.letters.twin_parts import (
    AskedLine,
    ScoreLine,
    TwinAsked,
    TwinFigures,
    TwinFindings,
    TwinPlace,
    TwinSentences,
    in_sheet,
    one_column,
    person_said,
    places_of,
    places_said,
)
from biasprint.desktop.panels.letters.twin_whom import TwinNames
from biasprint.desktop.widgets import Card, FlowLayout, Label, hairline, number, tr
from biasprint.desktop.widgets.labels import named, show_words
from biasprint.desktop.widgets.layout import Beside, add_to, grid_of
from biasprint.desktop.widgets.letter_text import MOVING, make_gaps
from biasprint.desktop.widgets.plain_text import PlainText
from biasprint.desktop.widgets.safe_text import as_given, safe_line, safe_tip
from biasprint.desktop.widgets.small_table import TableRow

if TYPE_CHECKING:
    from biasprint.core.letters import TwinDifference

    pass


# ---- One text

Underline = QTextCharFormat.UnderlineStyle
MOST_AT_ONCE = 60_000  # characters; a longer text comes in pieces, is not aligned and keeps its gaps


@dataclass(frozen=True)
class TwinMark:
    """A mark on the characters `start` to `end` of this text. `look`: changed, doubted or left; `tip`: its tooltip."""

    key: str
    look: str
    start: int
    end: int
    tip: str


class TwinText(PlainText):
    """One of both texts; `chosen` carries the key of the mark chosen by click or keyboard; "" for none."""

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
        """Highlight one mark."""
        self._current, self._sentence = key, None
        self._draw()

    def emphasise(self, start: int, end: int) -> None:
        """Tint a span instead of a mark."""
        shown = self._display.to_shown
        self._current, self._sentence = "", (shown(start), shown(end))
        self._draw()

    def top_of(self, start: int) -> int:
        """Return the distance in pixels from the top of the text to the line of a character."""
        cursor = self.cursor_for(start, start)
        return self.cursorRect(cursor).top() + self.verticalScrollBar().value()

    def heights(self) -> list[float]:
        """Return the height of each paragraph without the space added below it."""
        self.document().size()  # lays out what is not yet
        heights, block = [], self.document().begin()
        while block.isValid():
            heights.append(block.layout().boundingRect().height())
            block = block.next()
        return heights

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
        """Return the height of the text with all added space."""
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
        """Return the mark at a position in Qt's units; an empty mark is found at its own position."""
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
    """Return the format of a word: tint and line if changed, tint and dashes if doubted, a wave if left."""
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


# ---- Both texts


class ChangeSwatch(QWidget):
    """A sample of how a word is marked, with its meaning."""

    def __init__(self, look: str, words: str) -> None:
        super().__init__()
        self.look, self.words = look, words
        self.setAccessibleName(tr(words))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        metrics = self.fontMetrics()
        return QSize(metrics.horizontalAdvance(self.words) + theme.current().px(12), metrics.height() + 8)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, drawn = QPainter(self), look_of(self.look)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if drawn.hasProperty(drawn.Property.BackgroundBrush.value):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(drawn.background())
            painter.drawRoundedRect(self.rect(), 4, 4)
        style = Qt.PenStyle.DashLine if self.look == "doubted" else Qt.PenStyle.SolidLine
        painter.setPen(QPen(drawn.underlineColor(), 1.4, style))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if self.look == "left":
            painter.drawPolyline(_wave(4, self.width() - 4, self.height() - 3))
        else:
            painter.drawLine(4, self.height() - 2, self.width() - 4, self.height() - 2)
        painter.setPen(theme.current().ink)
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.words)


class TwinTexts(Card):
    """Both texts; `change_chosen` carries the key of a change chosen by click or keyboard."""

    change_chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__(padding=(20, 16))
        self._places: tuple[TwinPlace, ...] = ()
        self._following = False
        self.left_head, self.right_head = Label("", "heading", wrap=True), Label("", "heading", wrap=True)
        self.left, self.right = TwinText(tr("The letter")), TwinText(tr("Its twin"))
        self.left.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.note = named(Label("", "note", wrap=True), tr("The chosen change"))
        self.legend = QWidget()
        self._align_soon = QTimer(self, singleShot=True, interval=0)
        self._align_soon.timeout.connect(self.align)
        self._lay_out()
        left_bar, right_bar = self.left.verticalScrollBar(), self.right.verticalScrollBar()
        left_bar.valueChanged.connect(lambda value: self._follow(right_bar, value))
        right_bar.valueChanged.connect(lambda value: self._follow(left_bar, value))
        for text in (self.left, self.right):
            text.chosen.connect(self._choose)
        theme.signals.changed.connect(self._align_soon.start)

    def show_texts(self, heads: tuple[str, str], texts: tuple[str, str], places: Sequence[TwinPlace]) -> None:
        """Show two texts with their differences; without `places` they were written apart: their sentences differ."""
        self._places = tuple(places)
        for label, words in zip((self.left_head, self.right_head), heads, strict=True):
            label.setText(words)
        self.left.open_text(texts[0], [TwinMark(p.key, p.look, p.start, p.end, _tip(p)) for p in places])
        self.right.open_text(texts[1], [TwinMark(p.key, p.look, p.twin_start, p.twin_end, _tip(p)) for p in places])
        looks = {place.look for place in places}
        for swatch in self._swatches:
            swatch.setVisible(swatch.look in looks)
        self.legend.setVisible(bool(looks))
        show_words(self.note, tr("Choose a marked word to see why it changed.") if places else "")
        self._align_soon.start()

    def forget(self) -> None:
        """Clear both texts."""
        self.show_texts(("", ""), ("", ""), ())

    def choose(self, key: str) -> None:
        """Highlight a change in both texts, and scroll to it."""
        place = next((candidate for candidate in self._places if candidate.key == key), None)
        for text in (self.left, self.right):
            text.choose(key if place is not None else "")
        if place is None:
            return
        self.note.setText(_tip(place))
        self._show(place.start, place.twin_start)

    def choose_sentence(self, own: tuple[int, int], twin: tuple[int, int], said: str) -> None:
        """Tint a sentence in both texts, and scroll to it."""
        self.left.emphasise(*own)
        self.right.emphasise(*twin)
        self.note.setText(said)
        self._show(own[0], twin[0])

    def align(self) -> None:
        """Align the beginnings of the paragraphs of both texts."""
        texts = (self.left, self.right)
        if max(len(text.text()) for text in texts) <= MOST_AT_ONCE:
            left_heights, right_heights = (text.heights() for text in texts)
            room = [max(pair) for pair in zip_longest(left_heights, right_heights, fillvalue=0.0)]
            for text, own in zip(texts, (left_heights, right_heights), strict=True):
                text.make_room([wanted - height for wanted, height in zip(room, own, strict=False)])
        for text in texts:
            text.set_foot(0)
        heights = [text.whole_height() for text in texts]
        for text, height in zip(texts, heights, strict=True):
            text.set_foot(max(heights) - height)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._align_soon.start()

    def _choose(self, key: str) -> None:
        if key:
            self.choose(key)
            self.change_chosen.emit(key)

    def _follow(self, other: QScrollBar, value: int) -> None:
        """Scroll the other text along, without following its signal in turn."""
        if not self._following:
            self._following = True
            other.setValue(value)
            self._following = False

    def _show(self, start: int, twin_start: int) -> None:
        bar, room = self.right.verticalScrollBar(), self.right.viewport().height()
        top = min(self.left.top_of(start), self.right.top_of(twin_start))
        line = 2 * self.fontMetrics().height()
        if not bar.value() + line <= top <= bar.value() + room - 2 * line:
            bar.setValue(top - room // 3)

    def _lay_out(self) -> None:
        grid = grid_of(across=20, along=8, stretch=None)
        grid.addWidget(self.left_head, 0, 0)
        grid.addWidget(self.right_head, 0, 2)
        grid.addWidget(hairline(vertical=True), 0, 1, 2, 1)
        grid.addWidget(self.left, 1, 0)
        grid.addWidget(self.right, 1, 2)
        for column in (0, 2):
            grid.setColumnStretch(column, 1)
        grid.setRowStretch(1, 1)
        self._swatches = (
            ChangeSwatch("changed", tr("changed")),
            ChangeSwatch("doubted", tr("changed, in doubt")),
            ChangeSwatch("left", tr("left as it was")),
        )
        self.legend.setProperty("role", "clear")
        FlowLayout(*self._swatches, inside=self.legend, spacing=8)
        for text in (self.left, self.right):
            text.setLineWrapMode(QTextEdit.LineWrapMode.WidgetWidth)
        add_to(self.box, (grid, 1), self.legend, self.note)


def _wave(left: int, right: int, y: int) -> QPolygonF:
    return QPolygonF([QPointF(x, y + (1.2 if place % 2 else -1.2)) for place, x in enumerate(range(left, right, 3))])


def _tip(place: TwinPlace) -> str:
    return joined(": ", as_given(place.said), place.why)


# ---- The page of a twin

SIDE_WIDTH = 344
ASKED = 1  # the page of the sentences to ask about


class TwinView(Beside):
    """A letter and its twin with all differences. It uses no other part of the program."""

    place_chosen = Signal(str)  # the key of a change
    letter_wanted = Signal(object)  # AskedLine
    BESIDE_FROM: ClassVar[int] = 860  # text pixels

    def __init__(self) -> None:
        texts = TwinTexts()
        super().__init__(texts, title=tr("Texts"), name=tr("Beside the texts"), side_width=SIDE_WIDTH)
        self.difference: TwinDifference | None = None
        self.places: tuple[TwinPlace, ...] = ()
        self.texts, self.findings = texts, TwinFindings()
        self.figures, self.sentences, self.asked = TwinFigures(), TwinSentences(), TwinAsked()
        self.names = TwinNames()
        self.changes = one_column(tr("Changes"))
        self.changes_said = Label("", "note", wrap=True)
        self._lay_out()
        self._dress()
        self.texts.change_chosen.connect(self._choose_in_list)
        self.changes.chosen.connect(self.texts.choose)
        self.changes.chosen.connect(self.place_chosen)
        self.changes.opened.connect(self._go_to_text)
        self.sentences.sentence_chosen.connect(self._show_sentence)
        self.findings.asked_wanted.connect(self.show_asked)
        self.asked.sentence_chosen.connect(self._show_asked_sentence)
        self.asked.list.clicked.connect(lambda _: self.tabs.setCurrentIndex(0) if self._narrow else None)
        self.asked.letter_wanted.connect(self.letter_wanted)
        theme.signals.changed.connect(self._dress)

    def show_difference(self, difference: "TwinDifference") -> None:
        """Show a letter and its twin, whoever made the twin."""
        self.difference, self.places = difference, places_of(difference)
        letter, twin = difference.reading.document.text, difference.twin_reading.document.text
        heads = (person_said(difference.person), person_said(difference.other))
        if difference.made_by:
            written = tr("{who}, written again")
            heads = (written.format(who=heads[0]), written.format(who=heads[1]))
        self.texts.show_texts(heads, (letter, twin), self.places)
        self.changes.show_rows(
            [TableRow(place.key, (joined("\n", as_given(place.said), place.why),)) for place in self.places]
        )
        self.changes_said.setText(_said(difference, self.places))
        self.findings.show_difference(difference)
        self.figures.show_difference(difference)
        self.sentences.show_difference(difference)
        self.asked.show_difference(difference)
        self._name_tabs()

    def forget(self) -> None:
        """Clear the letter from every widget."""
        self.difference, self.places = None, ()
        self.texts.forget()
        self.changes.show_rows([])
        self.changes_said.clear()
        self.findings.show_difference(None)
        self.figures.show_difference(None)
        self.sentences.show_difference(None)
        self.asked.show_difference(None)
        self.names.show_names(None)
        self._name_tabs()

    def copy_twin(self) -> bool:
        """Copy the twin's text to the clipboard, and return False if there is none."""
        if self.difference is None:
            return False
        QGuiApplication.clipboard().setText(self.difference.twin_reading.document.text)
        return True

    # choosing

    def _choose_in_list(self, key: str) -> None:
        self.changes.select(key)
        self.place_chosen.emit(key)

    def _go_to_text(self, key: str) -> None:
        """Move the keyboard from an entry of the list to its words."""
        if self._narrow:
            self.tabs.setCurrentIndex(0)
        place = next(candidate for candidate in self.places if candidate.key == key)
        self.texts.right.setTextCursor(self.texts.right.cursor_for(place.twin_start, place.twin_start))
        self.texts.right.setFocus()
        self.texts.choose(key)

    def _show_sentence(self, line: ScoreLine) -> None:
        text = tr("{title}: letter {letter}, twin {twin} ({difference})").format(
            title=line.title, letter=line.letter, twin=line.twin, difference=line.difference
        )
        self.texts.choose_sentence(line.place, line.twin_place, text)

    def show_asked(self) -> None:
        """Show the sentences to ask about, and the first of them in both texts."""
        self.tabs.setCurrentIndex(ASKED + self._narrow)
        self.asked.choose_one()

    def _show_asked_sentence(self, line: AskedLine) -> None:
        self.texts.choose_sentence(line.place, line.twin_place, line.why)

    # the room

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.set_narrow(self.width() < theme.current().px(self.BESIDE_FROM))

    def _name_tabs(self) -> None:
        """Show the number of entries in the titles of the tabs."""
        count = len(self.difference.sentences) if self.difference is not None else 0
        asked = len(self.difference.asked) if self.difference is not None else 0
        named = ((tr("To ask"), asked), (tr("Changes"), len(self.places)), (tr("Scores"), count))
        for page, (words, many) in enumerate(named, ASKED):
            self.tabs.setTabText(page + self._narrow, f"{words} {number(many)}" if many else words)

    def _lay_out(self) -> None:
        changes = Card("", self.changes_said, (self.changes, 1), padding=16)
        self.add_page(tr("Findings"), in_sheet(self.names, self.findings, self.figures))
        self.add_page(tr("To ask"), self.asked)
        self.add_page(tr("Changes"), changes)
        self.add_page(tr("Scores"), self.sentences)

    def _dress(self, tokens: object = None) -> None:
        super()._dress(tokens)
        if self.width():
            self.set_narrow(self.width() < theme.current().px(self.BESIDE_FROM))


def _said(difference: "TwinDifference", places: tuple[TwinPlace, ...]) -> str:
    if difference.made_by:
        return safe_line(tr("Two letters by {author}: no sentence of one is a sentence of the other.")).format(
            author=safe_line(difference.made_by)
        )
    if not places:
        return tr("Nothing changed: the letter has no name, pronoun or word that tells the gender.")
    return places_said(places)
