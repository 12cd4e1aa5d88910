"""The page on which raters compare: the question above, the cards with their ratings, a note, and the answers."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent, QResizeEvent, QShowEvent, QTextCursor
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from biasprint.core.judging.blind import BlindComparison, CardSpans, GivenAnswer, Ratings, SessionView
from biasprint.core.project.rows import Degree, joined_spans
from biasprint.core.text import word_differences
from biasprint.desktop import theme
from biasprint.desktop.panels.judge.question import ROOM_FOR_CRITERIA, CardViews, PromptBox, QuestionCard, toggle_button
from biasprint.desktop.panels.judge.ratings import CardRatings
from biasprint.desktop.panels.judge.teaching import NOTE_LINES, LinesEdit
from biasprint.desktop.settings import JudgeKeys, KeyMap
from biasprint.desktop.widgets import ElidedLabel, QuietButton, plural, tr
from biasprint.desktop.widgets.buttons import ChoiceButton
from biasprint.desktop.widgets.cards import ComparisonCards
from biasprint.desktop.widgets.keys import is_fresh
from biasprint.desktop.widgets.labels import hidden, show_if
from biasprint.desktop.widgets.layout import Gap, add_to, clear_widget

CHOOSE, MUCH = ("choose_1", "choose_2", "choose_3"), ("much_1", "much_2", "much_3")  # actions of keys, by card
NOTE_MILLISECONDS = 800  # a note is on disk at most this long, and one write, after it was typed
MOST_COMPARED = 40_000  # characters; beyond, marking words would stall the window
LOW = 360  # of the page's height in text pixels, as on a small screen at scale 2
ROOM_FOR_MARKDOWN = 780  # pixels of text room from which the last line has place for its button


class NoteEdit(LinesEdit):
    """A free note; Esc goes back to the cards."""

    def __init__(self) -> None:
        hint = tr("A note on this comparison. It is saved as you type; Esc goes back to the cards.")
        super().__init__(tr("Note on this comparison"), NOTE_LINES, hint)


class WorkPage(QScrollArea):
    """The page that shows a `SessionView` and signals what the rater does. It keeps only what is on the screen.

    The texts scroll in their cards; the whole page scrolls only where large type meets a small window.
    """

    answered = Signal(str, object, object, object)  # outcome; card, worst card and degree, each or None
    confident = Signal(int)  # of the answer that was given
    marked = Signal(str, object)  # comparison, and all its words that are marked now
    back = Signal()
    resumed = Signal()
    withdrawn = Signal()
    note_begun = Signal()  # there is something typed that is not saved yet
    note_typed = Signal(str)
    rated = Signal(str, int, int, object)  # comparison, card, criterion, rating or None
    looked_at = Signal()
    larger_wanted = Signal()

    def __init__(self, keys: KeyMap) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)  # no stop of Tab: nothing would show that it is here
        self.setAccessibleName(tr("Comparison"))
        self.comparison: BlindComparison | None = None
        self._view: SessionView | None = None
        self._best: int | None = None  # chosen, while the worst is asked for
        self._asks_confidence = False
        self._spans: CardSpans = ()
        self.question, self.prompt = QuestionCard(), PromptBox()
        self.cards = ComparisonCards(_first_keys(keys, CHOOSE))
        self.views = CardViews(self.cards)
        self.ratings = CardRatings([card.letter for card in self.cards.cards])
        for card, column in zip(self.cards.cards, self.ratings.columns, strict=True):
            card.put_beneath(column)
        self._ratings_offered = False
        self._asked_for_ratings = False
        self._fills_note = False
        self.note = hidden(NoteEdit())
        self.tie = ChoiceButton(tr("Tie"), key="0")
        self.none = ChoiceButton(tr("None is good"), key="X")
        self.skip = ChoiceButton(tr("Skip"), key="S")
        levels = (tr("A guess"), tr("Fairly sure"), tr("Sure"))
        self.sure = [ChoiceButton(words, key=str(level)) for level, words in enumerate(levels, start=1)]
        self.together = QCheckBox(tr("Scroll together"))
        self.together.setChecked(True)
        self.together.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.markdown = toggle_button(tr("Markdown"), "M")
        self.markdown.setToolTip(tr("Headings, bold, lists, tables and code of the texts are drawn; links are not"))
        self.go_back = QuietButton(tr("Back"), key="B", act=self._go_back)
        self.setWidgetResizable(True)
        sheet = clear_widget()
        self.setWidget(sheet)
        self._low = False
        self._box = box = QVBoxLayout(sheet)
        add_to(box, self.question, self.prompt, (self.cards, 1), spacing=theme.current().gap, margins=0)
        self.cards.points.hide()
        add_to(box, self.cards.points, self.note, self._footer())
        self._note_timer = QTimer(self, singleShot=True, interval=NOTE_MILLISECONDS)
        self._connect()
        self.keys = JudgeKeys(self._actions())
        self.set_keys(keys)

    def show_view(self, view: SessionView) -> None:
        """Show a comparison, with its earlier answer where there is one."""
        comparison = view.comparison
        assert comparison is not None
        another = self.comparison is None or self.comparison.token != comparison.token
        self.comparison, self._view = comparison, view
        self._best = None
        if another:
            self._asked_for_ratings = False
            self.question.said.hide()
            self.question.differences.setChecked(False)
            self.prompt.set_prompt(comparison.prompt)
            self.views.leave()
            self.cards.set_texts(comparison.texts, comparison.recommended)
            self.views.begin(comparison.token)
            self._say_plain()
            self._set_graded(comparison.graded)
            self.cards.set_selecting(comparison.spans is not None)
            self.question.set_comparison(comparison)
            self.question.set_asked(
                notes=comparison.notes, ratings=comparison.ratings is not None, spans=comparison.spans is not None
            )
            self._set_note(comparison.note)
            self._set_ratings(comparison)
        self._show_spans(comparison.spans or ())
        self._ask_confidence(view.asks_confidence)
        self.question.set_answer(view.answer if view.practice is None and not view.asks_confidence else None)
        self.question.set_practice(view.practice, view.answer)
        self.set_answer(view.answer)

    def set_answer(self, answer: GivenAnswer | None) -> None:
        """Mark the answer given; None for a comparison without an answer."""
        outcome = answer.outcome if answer is not None else ""
        self.cards.set_answer(*((answer.card, answer.worst, answer.degree) if answer is not None else (None,)))
        for level, button in enumerate(self.sure, start=1):
            button.setChecked(answer is not None and answer.confidence == level)
        for button, its in ((self.tie, "tie"), (self.none, "none"), (self.skip, "skip")):
            button.setChecked(outcome == its)

    def set_keys(self, keys: KeyMap) -> None:
        """Use these keys, and show them on the buttons."""
        self.keys.set_keys(keys)
        self.cards.set_keys(_first_keys(keys, CHOOSE), _first_keys(keys, MUCH))
        for sure, key in zip(self.sure, _first_keys(keys, CHOOSE), strict=True):
            sure.set_key(key)
        named = {
            "tie": self.tie, "none": self.none, "skip": self.skip, "back": self.go_back,
            "rubric": self.question.rubric_button, "ratings": self.question.ratings,
            "differences": self.question.differences, "note": self.question.note, "mark": self.question.mark,
            "markdown": self.markdown,
        }  # fmt: skip
        for (_, button), key in zip(named.items(), _first_keys(keys, tuple(named)), strict=True):
            button.set_key(key)

    def typed_note(self) -> str:
        return self.note.toPlainText()

    def forget(self) -> None:
        """Clear what is shown."""
        self.comparison = self._view = self._best = None
        self._spans = ()
        self._ask_confidence(False)
        self._note_timer.stop()
        self._set_note("")
        self.question.note.setChecked(False)
        self.question.ratings.setChecked(False)
        self._ratings_offered = False
        self.views.forget()
        self.prompt.set_prompt("")
        self.cards.set_texts(())

    @property
    def note_waits(self) -> bool:
        """True while typed letters of the note have not been signalled yet."""
        return self._note_timer.isActive()

    def flush_note(self) -> None:
        """Signal a note that is still waiting to be saved."""
        if self._note_timer.isActive():
            self._note_timer.stop()
            self.note_typed.emit(self.typed_note())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def event(self, event: QEvent) -> bool:
        handled = super().event(event)
        if event.type() in (QEvent.Type.WindowActivate, QEvent.Type.WindowDeactivate):
            self.views.look()
        return handled

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.views.look()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.views.look()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.keys.handle(event):
            return
        if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace) and is_fresh(event):
            self._unmark()
            return
        pages = {
            Qt.Key.Key_Down: 0.1, Qt.Key.Key_Up: -0.1, Qt.Key.Key_PageDown: 0.9, Qt.Key.Key_PageUp: -0.9,
            Qt.Key.Key_Home: -1e6, Qt.Key.Key_End: 1e6,
        }.get(Qt.Key(event.key()))  # fmt: skip
        if pages is None:
            super().keyPressEvent(event)
        else:
            self.cards.scroll(pages)

    # inside

    def _fit(self) -> None:
        """Divide the page's height: first the ratings, then the rubric; the texts get the rest."""
        size = self.size()
        self._set_low(size.height() < theme.current().px(LOW))
        if self.comparison is not None and self.comparison.graded:
            self._set_graded(True)
        height = size.height() - (self.note.height() + theme.current().gap if self.question.note.isChecked() else 0)
        self.prompt.set_page_height(size.height(), low=self._low)
        self.ratings.set_page_height(height - self.question.rubric_least)
        self.question.set_page_size(size.width(), height - self.ratings.height)
        self.markdown.setVisible(size.width() / theme.current().scale > ROOM_FOR_MARKDOWN)  # its key stays
        roomy = size.width() / theme.current().scale > ROOM_FOR_CRITERIA
        self.rating_keys.setVisible(self.ratings.shown and roomy)
        show_if(self.markdown, roomy)  # its key works everywhere

    def _set_low(self, low: bool) -> None:
        """Give the texts the space between the parts in a low window."""
        if low != self._low:
            self._low = low
            self._box.setSpacing(theme.current().grid if low else theme.current().gap)
            self.question.set_padding(theme.current().gap, 2 if low else 8)
            self.cards.set_low(low)

    def _footer(self) -> QHBoxLayout:
        self._foot = row = QHBoxLayout()
        add_to(row, self.tie, self.none, self.skip, *self.sure, spacing=theme.current().grid)
        for button in self.sure:
            button.hide()
        self.rating_keys = hidden(ElidedLabel(tr("1 is low, 5 is high. Esc goes back to the cards."), "note"))
        add_to(row, Gap(theme.current().grid), (self.rating_keys, 1))
        add_to(row, 0, self.markdown, Gap(theme.current().grid), self.together, Gap(theme.current().grid), self.go_back)
        return row

    def _connect(self) -> None:
        self.cards.chosen.connect(self._choose)
        self.tie.clicked.connect(lambda: self._say("tie"))
        self.none.clicked.connect(lambda: self._say("none"))
        self.skip.clicked.connect(lambda: self.answered.emit("skip", None, None, None))
        for level, button in enumerate(self.sure, start=1):
            button.clicked.connect(lambda _=False, level=level: self.confident.emit(level))
        self.question.mark.clicked.connect(self._mark)
        self.question.resumed.connect(self.resumed)
        self.question.withdrawn.connect(self.withdrawn)
        self.together.toggled.connect(self.cards.set_together)
        self.markdown.toggled.connect(self._draw_markdown)
        self.cards.lengths_changed.connect(self._offer_together)
        self.cards.looked_at.connect(self.looked_at)
        self.looked_at.connect(self.views.look)
        self.verticalScrollBar().valueChanged.connect(self.views.look)
        self.question.differences.toggled.connect(self._show_differences)
        self.question.note.toggled.connect(self._show_note)
        self.question.note.clicked.connect(self._note_clicked)
        self.question.ratings.toggled.connect(self._show_ratings)
        self.question.rubric_button.toggled.connect(self._fit)
        self.verticalScrollBar().rangeChanged.connect(lambda *_: QTimer.singleShot(0, self, self._keep_in_sight))
        self.ratings.rated.connect(self._rated)
        self.ratings.left.connect(self.setFocus)
        self.note.left.connect(self.setFocus)
        self.note.textChanged.connect(self._note_changed)
        self._note_timer.timeout.connect(lambda: self.note_typed.emit(self.typed_note()))

    def _choose(self, card: int, degree: Degree | None = None) -> None:
        """Choose the best text, or the worst after it where both are asked; choosing the same card again undoes it."""
        if self.comparison is None or not self.comparison.asks_worst:
            self._say("choice", card, degree=degree)
        elif self._best is None:
            self._best = card
            self.cards.set_answer(card)
            self.question.ask(worst=True)
        elif self._best == card:
            self._best = None
            self.set_answer(self._view.answer if self._view is not None else None)
            self.question.ask(worst=False)
        else:
            best, self._best = self._best, None
            self._say("choice", best, card)

    def _say(
        self, outcome: str, card: int | None = None, worst: int | None = None, degree: Degree | None = None
    ) -> None:
        """Answer; if only some ratings are given, only when the answer is repeated."""
        missing = self._missing_ratings()
        if missing and not self._asked_for_ratings:
            self._asked_for_ratings = True
            words = plural(missing, "1 rating is missing.", "%n ratings are missing.")
            self.question.said.setText(words + " " + tr("Rate on, or answer once more to leave them out."))
            self.question.said.show()
            return
        self.answered.emit(outcome, card, worst, degree)

    def _set_graded(self, graded: bool) -> None:
        """Show the answers with their degrees: of two texts in one row, with the tie in the middle."""
        in_one_row = self.cards.set_graded(graded, self.tie, self.viewport().width())
        show_if(self.cards.points, in_one_row)
        self.tie.set_text(tr("Equal") if graded else tr("Tie"))
        if not in_one_row and self._foot.indexOf(self.tie) < 0:
            self._foot.insertWidget(0, self.tie)

    def _ask_confidence(self, asked: bool) -> None:
        """Ask how sure the rater is of the answer, in place of the other answers at the foot of the page."""
        self._asks_confidence = asked
        self.question.ask(worst=False, sure=asked)
        for button in self.sure:
            show_if(button, asked)
        self._offer_together()
        for button in (self.tie, self.none, self.skip):
            show_if(button, not asked or (button is self.tie and self._foot.indexOf(button) < 0))

    def _offer_together(self) -> None:
        """Offer to scroll texts together where there is more of them than fits."""
        show_if(self.together, self.cards.scrollable and not self._asks_confidence)

    def _go_back(self) -> None:
        """Go back; while confidence is asked, to the choice that it is asked of."""
        if self._asks_confidence and self._view is not None:
            self.show_view(replace(self._view, asks_confidence=False))
        else:
            self.back.emit()

    # words that are marked as reasons

    def set_spans(self, token: str, spans: CardSpans) -> None:
        """Show the marked words on disk of the comparison `token`."""
        if self.comparison is not None and self.comparison.token == token and self.comparison.spans is not None:
            self.comparison = replace(self.comparison, spans=spans)
            self._show_spans(spans)

    def _show_spans(self, spans: CardSpans) -> None:
        self._spans = spans
        self.cards.set_reasons(spans)

    def _mark(self) -> None:
        """Mark the selected words as a reason; take the mark off where they, or the caret, are in marked ones."""
        selected = self._selected()
        if selected is None:
            return
        card, start, end = selected
        if any(its == card and first <= start and end <= last for its, first, last in self._spans):
            self._unmark()
        elif start < end:
            self._keep_spans((*self._spans, selected))
        else:
            self._tell_how_to_mark()

    def _unmark(self) -> None:
        """Take the mark off all words that the selection, or the caret, touches."""
        if (selected := self._selected()) is not None:
            card, start, end = selected
            left = [span for span in self._spans if span[0] != card or span[2] < start or end < span[1]]
            if len(left) < len(self._spans):
                self._keep_spans(tuple(left))

    def _selected(self) -> tuple[int, int, int] | None:
        if self.comparison is None or self.comparison.spans is None:
            return None
        if any(card.reading.drawn for card in self.cards.shown):
            self.question.said.setText(tr("Words are marked in the plain texts: switch Markdown off first."))
            self.question.said.show()
            return None
        selected = self.cards.selected()
        if selected is None:
            self._tell_how_to_mark()
        return selected

    def _tell_how_to_mark(self) -> None:
        self.question.said.setText(
            tr("Select words in a text first: with the mouse, or with Tab, the arrow keys and Shift.")
        )
        self.question.said.show()

    def _keep_spans(self, spans: CardSpans) -> None:
        if self.comparison is not None:
            self.question.said.hide()
            self.cards.unselect()
            self._show_spans(joined_spans(spans))
            self.marked.emit(self.comparison.token, self._spans)

    def _missing_ratings(self) -> int:
        """Count the missing ratings of a comparison; 0 if none of its ratings is given."""
        if self.comparison is None or self.comparison.ratings is None or not self.question.ratings.isChecked():
            return 0
        # As shown: the last one may still be on its way to the disk.
        each = [scale.rating for row in self.ratings.scales for scale in row]
        return each.count(None) if any(rating is not None for rating in each) else 0

    def _actions(self) -> dict[str, Callable[[], object]]:
        def choose(card: int, degree: Degree) -> None:
            graded = self.comparison is not None and self.comparison.graded
            if self._asks_confidence and degree == "slightly":
                self.confident.emit(card + 1)
            elif not self._asks_confidence and card < len(self.cards.shown) and (graded or degree == "slightly"):
                self._choose(card, degree if graded else None)

        def answer(button: ChoiceButton) -> None:
            if not self._asks_confidence:
                button.click()

        chosen: dict[str, Callable[[], object]] = {}
        for names, degree in ((CHOOSE, "slightly"), (MUCH, "much")):
            chosen |= {name: partial(choose, card, degree) for card, name in enumerate(names)}
        return {
            **chosen,
            "tie": partial(answer, self.tie),
            "none": partial(answer, self.none),
            "skip": partial(answer, self.skip),
            "back": self.go_back.click,
            "rubric": self.question.rubric_button.toggle,
            "ratings": self._open_ratings,
            "differences": self.question.differences.toggle,
            "note": self._open_note,
            "mark": self._mark,
            "prompt": self.prompt.toggle,
            "markdown": self.markdown.toggle,
            "larger": self.larger_wanted.emit,
        }

    def _open_note(self) -> None:
        if self.comparison is None or not self.comparison.notes:
            return
        self.question.note.setChecked(True)
        self.note.setFocus(Qt.FocusReason.ShortcutFocusReason)
        QTimer.singleShot(0, self, lambda: self._reach(self.note))

    def _show_note(self, shown: bool) -> None:
        if not shown and self.note.hasFocus():
            self.setFocus()
        self.note.setVisible(shown)
        self._fit()

    def _note_clicked(self, shown: bool) -> None:
        if shown:
            self.note.setFocus(Qt.FocusReason.OtherFocusReason)
            QTimer.singleShot(0, self, lambda: self._reach(self.note))
        else:
            self.setFocus()

    def _keep_in_sight(self) -> None:
        """Keep the field in use in view while a part above it opens."""
        if self.note.hasFocus():
            self._reach(self.note)
        elif self.ratings.has_keyboard:
            self._reach(self.ratings.columns[0])

    def _reach(self, part: QWidget) -> None:
        """Scroll the page to a part where a small window does not show it."""
        sheet = self.widget()
        sheet.layout().activate()
        # Not ensureWidgetVisible: of a field it shows the line with the cursor alone.
        foot = part.mapTo(sheet, part.rect().bottomLeft())
        self.ensureVisible(foot.x(), foot.y(), 0, 0)

    def _open_ratings(self) -> None:
        """Move the keyboard into the rating table; from within it, leave and close it."""
        if self.comparison is None or self.comparison.ratings is None:
            return
        if self.question.ratings.isChecked() and self.ratings.has_keyboard:
            self.question.ratings.setChecked(False)
        else:
            self.question.ratings.setChecked(True)
            self.ratings.take_keyboard()
            QTimer.singleShot(0, self, lambda: self._reach(self.ratings.columns[0]))

    def _show_ratings(self, shown: bool) -> None:
        if shown and self.comparison is not None and self.comparison.ratings is not None:
            self.ratings.show_ratings(self.comparison.criteria, self.comparison.ratings)
        if not shown and self.ratings.has_keyboard:
            self.setFocus()
        self.ratings.set_shown(shown)
        self._fit()

    def _set_ratings(self, comparison: BlindComparison) -> None:
        """Set the ratings of another comparison. The table opens once at first, and wherever ratings exist."""
        given = comparison.ratings
        if self.ratings.has_keyboard:
            self.setFocus()  # else the digits meant for the cards would rate
        if given is None:
            self.question.ratings.setChecked(False)
            return
        if not self._ratings_offered or any(rating is not None for card in given for rating in card):
            self._ratings_offered = True
            self.question.ratings.setChecked(True)
        if self.question.ratings.isChecked():  # filled only where it is seen: the next comparison must not wait
            self.ratings.show_ratings(comparison.criteria, given)
            self.ratings.set_shown(True)
            self._fit()

    def _rated(self, card: int, criterion: int, rating: int | None) -> None:
        if self.comparison is not None:
            self.rated.emit(self.comparison.token, card, criterion, rating)

    def set_ratings(self, token: str, ratings: Ratings) -> None:
        """Show the ratings on disk of the comparison `token`."""
        if self.comparison is not None and self.comparison.token == token and self.comparison.ratings is not None:
            self.comparison = replace(self.comparison, ratings=ratings)
            self.ratings.show_ratings(self.comparison.criteria, ratings)

    def _set_note(self, note: str) -> None:
        if note != self.typed_note():
            self._fills_note = True
            self.note.setPlainText(note)
            self._fills_note = False
            self.note.moveCursor(QTextCursor.MoveOperation.End)  # whoever comes back goes on with it
        if note:
            self.question.note.setChecked(True)  # shown without the keyboard: the keys of the cards go on working

    def _note_changed(self) -> None:
        if self._fills_note:
            return  # nobody typed
        self.looked_at.emit()
        # Not restarted by every letter: whoever types without a pause is saved too.
        if not self._note_timer.isActive():
            self._note_timer.start()
            self.note_begun.emit()

    def _draw_markdown(self, on: bool) -> None:
        self.question.differences.setChecked(False)  # they are marked in the plain texts
        self.cards.set_markdown(on)
        self._say_plain()

    def _say_plain(self) -> None:
        """Say of which text the markdown is not drawn."""
        plain = [card.letter for card in self.cards.shown if self.markdown.isChecked() and not card.reading.drawn]
        words = tr("Without markdown, because long or deeply nested: text {letters}.")
        self.question.said.setText(words.format(letters=", ".join(plain)))
        self.question.said.setVisible(bool(plain))

    def _show_differences(self, shown: bool) -> None:
        self.question.said.setVisible(shown)
        if self.markdown.isChecked():
            self.cards.set_markdown(not shown)  # differences are marked in the plain texts
        if not shown or self.comparison is None:
            self.cards.set_marks(())
            self._say_plain()
            return
        if sum(map(len, self.comparison.texts)) > MOST_COMPARED:
            self.question.said.setText(tr("These texts are too long to compare word by word."))
            return

        differences = word_differences(self.comparison.texts)
        self.cards.set_marks(differences.spans)
        words = tr("Underlined: words that not all texts share. {share} % are shared.")
        plain = " " + tr("They are marked in the plain texts.") if self.markdown.isChecked() else ""
        self.question.said.setText(words.format(share=round(100 * differences.shared)) + plain)


def _first_keys(keys: KeyMap, names: Sequence[str]) -> list[str]:
    """Return the first key of each action, for its keycap."""
    return [next(iter(keys.get(name, ())), "") for name in names]
