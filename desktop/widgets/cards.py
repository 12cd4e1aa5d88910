"""Comparison cards: texts side by side, same width and type, scrolling together or apart."""

import unicodedata
from collections.abc import Iterable, Sequence

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QEnterEvent,
    QFont,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextCharFormat,
    QTextCursor,
    QWheelEvent,
)
from PySide6.QtWidgets import QApplication, QSizePolicy, QTextEdit, QWidget

from biasprint.core.project.rows import Degree
from biasprint.desktop import theme
from biasprint.desktop.widgets.buttons import ChoiceButton
from biasprint.desktop.widgets.card import Card, Chip
from biasprint.desktop.widgets.labels import Label, hidden
from biasprint.desktop.widgets.layout import STRETCH, add_to, in_row
from biasprint.desktop.widgets.plain_text import PlainText
from biasprint.desktop.widgets.safe_text import DisplayText
from biasprint.desktop.widgets.words import plural, tr

LOOKED_AT = 20_000  # characters; nobody reads so many numbers and signs before the first letter
_STRONG = {
    "L": Qt.LayoutDirection.LeftToRight,
    "R": Qt.LayoutDirection.RightToLeft,
    "AL": Qt.LayoutDirection.RightToLeft,
}


def direction_of(text: str) -> Qt.LayoutDirection | None:
    """Return the direction of the text; None without a letter that has one: numbers, signs, nothing."""
    for character in text[:LOOKED_AT]:
        direction = _STRONG.get(unicodedata.bidirectional(character))
        if direction is not None:
            return direction
    return None


LETTERS = "ABC"
CHIP_SIDES = 28  # the chip's padding and border, both sides
LEAST_HEIGHT = 64  # of a text, in a window that has no room; it scrolls
Spans = Sequence[tuple[int, int]]


class _Reading(PlainText):
    """A text that takes the rest of the room but needs little: it must not push what is below out of the window.

    It paints the card's surface itself, so that a new text repaints neither the card nor its background.
    """

    fixed_code = True

    def __init__(self, *, name: str) -> None:
        self._ends_at: int | None = None  # not looked for yet
        super().__init__(name=name)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), QColor(theme.current().surface))
        painter.end()
        super().paintEvent(event)

    def end_in_view(self) -> bool:
        """Return whether the last words of the text are on the screen now."""
        if not self.all_shown:
            return False
        cursor = QTextCursor(self.document())
        cursor.setPosition(self._last_position())
        place, view = self.cursorRect(cursor).center(), self.viewport()
        return view.visibleRegion().contains(QPoint(min(max(place.x(), 0), view.width() - 1), place.y()))

    def _last_position(self) -> int:
        """Return where the last words end, in the units of the document."""
        if self._ends_at is None:
            self._ends_at = len(self.document().toPlainText().rstrip().encode("utf-16-le", "surrogatepass")) // 2
        return self._ends_at

    def show_display(self, display: DisplayText) -> None:
        self._ends_at = None
        super().show_display(display)

    def set_markdown(self, on: bool) -> None:
        self._ends_at = None
        super().set_markdown(on)

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), theme.current().px(LEAST_HEIGHT))

    def minimumSizeHint(self) -> QSize:
        return QSize(super().minimumSizeHint().width(), theme.current().px(LEAST_HEIGHT))


class SuggestedChip(Chip):
    """The words that recommend a text: on one line, or on several where a card is narrow and the letters are large."""

    def __init__(self) -> None:
        super().__init__(tr("Suggested by the assistant"), "accent")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self.setWordWrap(True)

    def sizeHint(self) -> QSize:
        """Return the size on one line; Qt's own size for a text that wraps is a block."""
        self.ensurePolished()
        width = self.fontMetrics().horizontalAdvance(self.text()) + theme.current().px(CHIP_SIDES)
        return QSize(width, self.heightForWidth(width))

    def minimumSizeHint(self) -> QSize:
        longest = max(self.text().split(), key=len)
        width = self.fontMetrics().horizontalAdvance(longest) + theme.current().px(CHIP_SIDES)
        return QSize(width, self.fontMetrics().height())


Counted = tuple[int, int, int]  # marked words: first character, one behind the last, and how many raters marked them
Look = tuple[int, int, QColor, str, QTextCharFormat.UnderlineStyle]  # of marked words: place, ground and line
DEEPEST = 0.45  # of the colour in a mark by everybody: words on it stay as legible as elsewhere


def shade(count: int, of: int) -> QColor:
    """Return the ground of words that so many of the raters marked."""
    tokens = theme.current()
    if of < 2:
        return QColor(tokens.warn_soft)
    surface, full, part = QColor(tokens.surface), QColor(tokens.warn), DEEPEST * count / of
    mixed = [
        round(low + (high - low) * part) for low, high in zip(surface.getRgb()[:3], full.getRgb()[:3], strict=True)
    ]
    return QColor(*mixed)


def line_under(count: int, of: int) -> tuple[str, QTextCharFormat.UnderlineStyle]:
    """Return the line under such words, the second cue: dashes of one rater, dots of several, a full line of all."""
    styles = QTextCharFormat.UnderlineStyle
    of_several = styles.SingleUnderline if count == of else styles.DotLine
    return theme.current().warn, styles.DashUnderline if count == 1 else of_several


def _marks_on(reading: PlainText, looks: Iterable[Look]) -> list[QTextEdit.ExtraSelection]:
    marks = []
    for start, end, ground, line, style in looks:
        mark = QTextEdit.ExtraSelection()
        mark.cursor = reading.cursor_for(start, end)
        mark.format = QTextCharFormat()
        mark.format.setBackground(ground)
        mark.format.setUnderlineStyle(style)
        mark.format.setUnderlineColor(QColor(line))
        marks.append(mark)
    return marks


class ShadeLegend(PlainText):
    """A line with the shades of words that 1, 2 … of the raters marked."""

    MOST = 5  # shades that are told apart

    def __init__(self) -> None:
        super().__init__(name="")
        self._of = 0
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setAutoFillBackground(False)
        theme.signals.changed.connect(self._dress_legend)  # a method ends with its widget, a lambda does not

    def _dress_legend(self, _tokens: object = None) -> None:
        self.show_counts(self._of)

    def show_counts(self, of: int) -> None:
        """Show the shades of so many raters; of many, some on the way from one to all."""
        self._of = of
        counts = sorted({round(1 + (of - 1) * place / (self.MOST - 1)) for place in range(self.MOST)}) if of else []
        text, looks = tr("Marked as a reason by") + " ", []
        for count in counts:
            looks.append((len(text) + 1, len(text) + 3 + len(str(count)), shade(count, of), *line_under(count, of)))
            text += f"  {count}  "
        self.set_text(text + " " + plural(of, "of %n rater", "of %n raters"))
        self.setAccessibleName(self.text())
        self.setExtraSelections(_marks_on(self, looks))
        self.setFixedHeight(round(theme.current().reading * theme.current().line_height) + 4)


class ComparisonCard(Card):
    """One text with its letter and its button."""

    def __init__(self, index: int, key: str) -> None:
        super().__init__()
        self.letter = LETTERS[index]
        self.caption = Label(self.letter, "soft")
        font = self.caption.font()
        font.setWeight(QFont.Weight.DemiBold)
        self.caption.setFont(font)
        self.reading = _Reading(name=tr("Text {letter}").format(letter=self.letter))
        self.reading.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.button, self.much = ChoiceButton("", key=key), ChoiceButton("", key=key)
        for button in (self.button, self.much):
            button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.much.set_text(tr("✓ {letter} much better").format(letter=self.letter))  # the room that it may need
        self.much.hide()
        self.set_low(False)
        self.suggested = hidden(SuggestedChip())
        self._top = in_row(
            self.caption, (self.suggested, Qt.AlignmentFlag.AlignVCenter), STRETCH, spacing=theme.current().grid
        )
        add_to(self.box, self._top, (self.reading, 1), self.button, self.much)
        self.setAccessibleName(tr("Card {letter}").format(letter=self.letter))
        self._answered: tuple[bool, bool, Degree | None] | None = None
        self._marks: tuple[Spans, Sequence[Counted], int] = (
            (),
            (),
            1,
        )  # words that differ; reasons, and of how many raters
        self.set_answer(False)

    @property
    def scrollable(self) -> bool:
        """True if the text is longer than the card."""
        return self.reading.verticalScrollBar().maximum() > 0

    def set_low(self, low: bool) -> None:
        """Take less room around the text in a low window."""
        self.set_padding(20, 8 if low else 20)
        self.box.setSpacing(4 if low else theme.current().gap)

    def set_graded(self, graded: bool) -> None:
        """Set whether a choice says how much better it is: then there is a button for each degree."""
        if self.much.isHidden() == graded:
            self.much.setVisible(graded)
            before, self._answered = self._answered, None
            self.set_answer(*(before or (False,)))

    def put_answers(self) -> None:
        """Put the buttons beneath the text, from wherever they are."""
        for button in (self.button, self.much):
            self.box.addWidget(button)

    def put_beneath(self, part: QWidget) -> None:
        """Put a part between the text and its button."""
        self.box.insertWidget(self.box.indexOf(self.button), part)

    def widen_caption(self) -> None:
        """Let the caption, which says more than a letter, fill the line above the text. The card grows no wider."""
        self.caption.setWordWrap(True)
        self.caption.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._top.setStretchFactor(self.caption, 1)
        self._top.setStretch(self._top.count() - 1, 0)

    def head_height(self) -> int:
        """Return the height of the line above the text at this width."""
        margins = self.box.contentsMargins()
        room = self.width() - margins.left() - margins.right()
        if self.caption.wordWrap():
            return self.caption.heightForWidth(room)
        if self.suggested.isHidden():
            return self.suggested.sizeHint().height()  # the texts begin at one height, suggested or not
        room -= self.caption.sizeHint().width() + theme.current().grid
        return self.suggested.heightForWidth(min(room, self.suggested.sizeHint().width()))

    def set_text(self, text: str) -> None:
        """Show a text. Each paragraph has its own direction; one without letters has the whole text's."""
        self.reading.set_text(text)
        self._turn(text)

    def set_markdown(self, on: bool) -> None:
        """Draw the text's markdown, or every sign of it."""
        self.reading.set_markdown(on)
        self._turn(self.reading.text())
        self.dress()

    def _turn(self, text: str) -> None:
        if direction_of(text) is Qt.LayoutDirection.RightToLeft:
            block = self.reading.document().begin()
            while block.isValid():
                if direction_of(block.text()) is None:
                    turned = block.blockFormat()
                    turned.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
                    QTextCursor(block).setBlockFormat(turned)
                block = block.next()

    def set_suggested(self, suggested: bool) -> None:
        """Show whether this text is recommended; screen readers hear it with the card and its button."""
        if suggested == self.suggested.isVisibleTo(self):
            return
        self.suggested.setVisible(suggested)
        named = tr("Card {letter}").format(letter=self.letter)
        self.setAccessibleName(f"{named}, {self.suggested.text()}" if suggested else named)
        self.button.setAccessibleDescription(self.suggested.text() if suggested else "")

    def set_answer(self, chosen: bool, worst: bool = False, degree: Degree | None = None) -> None:
        """Show whether this card is chosen, by its border, its button's fill and a tick; or the worst one."""
        if (chosen, worst, degree) == self._answered:
            return
        self._answered = chosen, worst, degree
        self.set_chosen(chosen)
        if self.much.isHidden():
            self.button.setChecked(chosen)
            words = tr("✓ {letter} chosen") if chosen else tr("✗ {letter} worst") if worst else tr("Choose {letter}")
            self.button.set_text(words.format(letter=self.letter))
            return
        for button, its, words in (
            (self.button, "slightly", tr("{letter} slightly better")),
            (self.much, "much", tr("{letter} much better")),
        ):
            said = chosen and degree == its
            button.setChecked(said)
            button.set_text(("✓ " if said else "") + words.format(letter=self.letter))

    def mark(self, spans: Spans) -> None:
        """Tint and underline words that differ; none clears them."""
        self._show_marks(spans, *self._marks[1:])

    def mark_reasons(self, spans: Iterable[Counted], of: int = 1) -> None:
        """Tint and underline words that are marked as reasons, by `of` raters at most; none clears them."""
        self._show_marks(self._marks[0], tuple(spans), of)
        count = len(self._marks[1])
        self.reading.setAccessibleDescription(
            plural(count, "%n passage is marked", "%n passages are marked") if count else ""
        )

    def dress(self) -> None:
        """Draw the marks in the colours of the theme."""
        self._show_marks(*self._marks)

    def _show_marks(self, differences: Spans, reasons: Sequence[Counted], of: int) -> None:
        self._marks = differences, reasons, of
        tokens = theme.current()
        single = QTextCharFormat.UnderlineStyle.SingleUnderline
        looks = [(start, end, QColor(tokens.accent_soft), tokens.accent, single) for start, end in differences]
        looks += [(start, end, shade(count, of), *line_under(count, of)) for start, end, count in reasons]
        if self.reading.drawn:
            looks = []  # places are those of the plain text
        self.reading.setExtraSelections(_marks_on(self.reading, looks))


class ComparisonCards(QWidget):
    """Up to three cards, made once and filled again for every comparison."""

    chosen = Signal(int, object)  # card, and how much better it is where that is asked
    looked_at = Signal()  # scrolled, or the pointer came in: a sign of life
    lengths_changed = Signal()  # there is more or less to scroll

    def __init__(self, keys: Sequence[str]) -> None:
        super().__init__()
        self.cards = [ComparisonCard(index, key) for index, key in enumerate(keys)]
        self.points = QWidget()  # all answers in one row, where two texts are compared by degrees
        self._points_row = in_row(inside=self.points, spacing=theme.current().grid, margins=0)
        self._graded = (False, 0, False)  # whether degrees are asked, of how many texts, in one row
        self._selecting = False  # whether words can be selected by the keyboard
        self._together = True
        self._leader = 0  # the card that was scrolled last: the others show the same share of their texts
        self._following = False
        self._spans: Sequence[Spans] = ()
        self._reasons: tuple[tuple[int, int, int], ...] = ()
        self._levelled: tuple[int, int | None] | None = None
        row = in_row(inside=self, spacing=theme.current().gap, margins=0)
        for index, card in enumerate(self.cards):
            row.addWidget(card, 1)
            card.button.clicked.connect(lambda _=False, index=index: self._clicked(index, "slightly"))
            card.much.clicked.connect(lambda _=False, index=index: self._clicked(index, "much"))
            card.reading.selectionChanged.connect(lambda index=index: self._selected(index))
            bar = card.reading.verticalScrollBar()
            bar.valueChanged.connect(lambda _, index=index: self._scrolled(index))
            bar.rangeChanged.connect(lambda _, __: self._lengths_changed())
        theme.signals.changed.connect(self._dress)

    @property
    def shown(self) -> list[ComparisonCard]:
        return [card for card in self.cards if not card.isHidden()]

    def set_texts(self, texts: Sequence[str], suggested: int | None = None) -> None:
        """Show other texts, each from its beginning, without marks or an answer; one may be suggested."""
        self.set_marks(())
        self.set_reasons(())
        for card, text in zip(self.cards, texts, strict=False):
            card.set_text(text)
        for index, card in enumerate(self.cards):
            card.setVisible(index < len(texts))
            card.set_suggested(index == suggested)
        if (len(texts), suggested) != self._levelled:
            self._levelled = len(texts), suggested
            self.level()
        self.set_answer(None)

    def set_graded(self, graded: bool, tie: ChoiceButton, room: int) -> bool:
        """Set whether choices have a degree. Of two texts the answers are one row from A to B then, with `tie` in the
        middle, if it fits into `room` pixels; return whether they are.
        """
        cards = self.shown
        buttons = [cards[0].much, cards[0].button, tie, cards[-1].button, cards[-1].much] if len(cards) == 2 else []
        wanted = sum(button.sizeHint().width() + theme.current().grid for button in buttons)
        in_one_row = graded and 0 < wanted <= room
        if (graded, len(cards), in_one_row) != self._graded:
            self._graded = graded, len(cards), in_one_row
            for card in self.cards:
                card.set_graded(graded)
                card.put_answers()
            for button in buttons if in_one_row else ():
                self._points_row.addWidget(button, 1)
        return in_one_row

    def set_answer(self, card: int | None, worst: int | None = None, degree: Degree | None = None) -> None:
        for index, shown_card in enumerate(self.cards):
            shown_card.set_answer(index == card, index == worst, degree if index == card else None)

    def set_selecting(self, selecting: bool) -> None:
        """Set whether words can be selected by the keyboard as well: a text that has it shows a caret then."""
        flags = Qt.TextInteractionFlag.TextSelectableByMouse
        if selecting:
            flags |= Qt.TextInteractionFlag.TextSelectableByKeyboard
        for card in self.cards:
            card.reading.setTextInteractionFlags(flags)
        self._selecting = selecting

    def selected(self) -> tuple[int, int, int] | None:
        """Return card, first character and the one behind the last of the selected words; or the place of the caret, if
        a text has the keyboard; None where there is neither.
        """
        for index, card in enumerate(self.cards):
            if card.reading.textCursor().hasSelection() or (self._selecting and card.reading.hasFocus()):
                return index, *card.reading.selected()
        return None

    def unselect(self) -> None:
        """Leave the caret behind what was selected."""
        for card in self.cards:
            cursor = card.reading.textCursor()
            cursor.setPosition(cursor.selectionEnd())
            card.reading.setTextCursor(cursor)

    def _clicked(self, index: int, degree: Degree) -> None:
        self.chosen.emit(index, degree if self._graded[0] else None)

    def _selected(self, index: int) -> None:
        """Words are selected in one text at a time: in another they no longer are."""
        if self.cards[index].reading.textCursor().hasSelection():
            for card in self.cards:
                if card is not self.cards[index] and card.reading.textCursor().hasSelection():
                    cursor = card.reading.textCursor()
                    cursor.clearSelection()
                    card.reading.setTextCursor(cursor)

    def set_marks(self, spans: Sequence[Spans]) -> None:
        """Mark spans of each text; an empty sequence clears all marks."""
        if not spans and not self._spans:
            return
        self._spans = spans
        for index, card in enumerate(self.cards):
            card.mark(spans[index] if index < len(spans) else ())

    def set_reasons(self, spans: Iterable[tuple[int, int, int]]) -> None:
        """Mark the words of each text that are reasons: card, first character, the one behind the last."""
        spans = tuple(spans)
        if spans != self._reasons:
            self._reasons = spans
            for index, card in enumerate(self.cards):
                card.mark_reasons((start, end, 1) for its, start, end in spans if its == index)

    def set_markdown(self, on: bool) -> None:
        """Draw markdown on every card whose text is short and flat enough."""
        self.set_marks(())
        for card in self.cards:
            card.set_markdown(on)

    def set_low(self, low: bool) -> None:
        for card in self.cards:
            card.set_low(low)

    def set_keys(self, keys: Sequence[str], much: Sequence[str] = ()) -> None:
        for card, key in zip(self.cards, keys, strict=True):
            card.button.set_key(key)
        for card, key in zip(self.cards, much, strict=False):
            card.much.set_key(key)

    def set_together(self, together: bool) -> None:
        """Set whether scrolling one text scrolls the others."""
        self._together = together
        self._follow()

    def scroll(self, pages: float) -> None:
        """Scroll by parts of a page: the text that has the focus, or all of them."""
        moved = [card for card in self.shown if card.reading.hasFocus()] or self.shown
        if self._together:
            moved = self._longest()
        for card in moved:
            bar = card.reading.verticalScrollBar()
            bar.setValue(bar.value() + round(pages * bar.pageStep()))

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll the other texts also where the pointer is over one that fits its card."""
        under = self.childAt(event.position().toPoint())
        fits = [card for card in self.shown if under is not None and card.isAncestorOf(under) and not card.scrollable]
        if self._together and fits and self.scrollable:
            QApplication.sendEvent(self._longest()[0].reading.verticalScrollBar(), event)
        else:
            super().wheelEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.level()

    def level(self) -> None:
        """Let all texts begin at one height, even if the head of one takes several lines."""
        height = max((card.head_height() for card in self.shown), default=0)
        for card in self.shown:
            if card.caption.minimumHeight() != height:
                card.caption.setMinimumHeight(height)

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self.looked_at.emit()

    @property
    def scrollable(self) -> bool:
        """True if any text is longer than its card."""
        return any(card.scrollable for card in self.shown)

    def _longest(self) -> list[ComparisonCard]:
        """Return the card with the most to scroll, as a list; empty where no card is shown."""
        return sorted(self.shown, key=lambda card: -card.reading.verticalScrollBar().maximum())[:1]

    def _dress(self) -> None:
        for card in self.cards:
            card.dress()
        self._levelled = None

    def _lengths_changed(self) -> None:
        self._follow()  # a very long text comes in pieces: the same share of it lies elsewhere now
        self.lengths_changed.emit()

    def _scrolled(self, index: int) -> None:
        if self._following:
            return
        self.looked_at.emit()
        self._leader = index
        self._follow()

    def _follow(self) -> None:
        """Scroll the other texts to the share of the one scrolled last: ends meet ends."""
        leader = self.cards[self._leader]
        if self._following or not self._together or leader.isHidden() or not leader.scrollable:
            return
        bar = leader.reading.verticalScrollBar()
        share = bar.value() / bar.maximum()
        self._following = True  # a bar that follows leads nobody
        for card in self.shown:
            if card is not leader:
                follower = card.reading.verticalScrollBar()
                follower.setValue(round(share * follower.maximum()))
        self._following = False
