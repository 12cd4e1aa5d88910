"""The card above the texts (question, criteria, earlier answer), and how long each text was on the screen."""

import time
from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from biasprint.core.judging.blind import BlindComparison, GivenAnswer, PracticeStep, RatingCriterion, SessionView
from biasprint.core.judging.store import ActiveClock
from biasprint.core.language import InLanguage, joined
from biasprint.core.project.rows import TextView
from biasprint.desktop import theme
from biasprint.desktop.settings import Settings
from biasprint.desktop.widgets import Card, ElidedLabel, Label, LinkButton, Notice, PlainText, PrimaryButton, tr
from biasprint.desktop.widgets.buttons import Button
from biasprint.desktop.widgets.cards import LETTERS, ComparisonCards
from biasprint.desktop.widgets.labels import hidden, show_if
from biasprint.desktop.widgets.layout import Gap, Scroller, add_to, clear_widget, grid_of, in_row, set_margins
from biasprint.desktop.widgets.safe_text import as_given, safe_line


class CardViews(QObject):
    """Counts what was in view of each comparison's cards since the session was opened.

    A text is in view while its window is active and some of it is on the screen; a pause without a sign of life counts
    two minutes at most. Its end was in view once the last words were on the screen.
    """

    def __init__(self, cards: ComparisonCards, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__(cards)
        self._cards = cards
        self._clock = ActiveClock(now)
        self._by_token: dict[str, list[TextView]] = {}
        self._token = ""
        self._shown: list[bool] = []  # by card, since the last look
        for card in cards.cards:
            card.reading.verticalScrollBar().valueChanged.connect(self.look)

    def leave(self) -> None:
        """Stop counting before other texts are shown."""
        self.look()
        self._token = ""

    def begin(self, token: str) -> None:
        """Count for this comparison, whose texts are on the cards."""
        self._token = token
        self._by_token.setdefault(token, [TextView()] * len(self._cards.shown))
        self._clock.lap()
        self._shown = self._on_screen()

    def look(self) -> None:
        """Count up to now. Called at each sign of life and whenever what is on the screen changes."""
        seconds = self._clock.lap()
        if not self._token:
            return
        before, self._shown = self._shown, self._on_screen()
        self._by_token[self._token] = [
            TextView(view.seconds + (seconds if was else 0.0), view.end or (now and card.reading.end_in_view()))
            for view, was, now, card in zip(
                self._by_token[self._token], before, self._shown, self._cards.shown, strict=True
            )
        ]

    def so_far(self) -> tuple[TextView, ...]:
        """Return the views of the comparison in view, by card."""
        self.look()
        return tuple(self._by_token.get(self._token, ()))

    def forget(self) -> None:
        self._token = ""
        self._by_token.clear()

    def _on_screen(self) -> list[bool]:
        active = self._cards.isActiveWindow()
        return [active and not card.reading.viewport().visibleRegion().isEmpty() for card in self._cards.shown]


class UnreadWord(QObject):
    """One gentle line above the page, the first time that an answer came before the end of a text was in view."""

    def __init__(self, body: QVBoxLayout, settings: Settings, parent: QObject) -> None:
        super().__init__(parent)
        self._body, self._settings = body, settings
        self.notice: Notice | None = None

    def show_view(self, view: SessionView) -> None:
        """Show the word for the answer just given, if it is due; one that stood there goes with the next answer."""
        self.put_away()
        if not view.unread:
            return
        letters = [LETTERS[card] for card in view.unread]
        named = tr("{some} and {last}").format(some=", ".join(letters[:-1]), last=letters[-1])
        what = (
            tr("The end of text {letter} was not on the screen yet.").format(letter=letters[0])
            if len(letters) == 1
            else tr("The ends of texts {letters} were not on the screen yet.").format(letters=named)
        )
        keys = tr(" or ").join(self._settings.keys().get("back", ()))
        self.notice = Notice(what + " " + tr("Your choice is kept; {keys} goes back.").format(keys=keys))
        self.notice.closed.connect(self._closed)
        self._body.insertWidget(0, self.notice)

    def put_away(self) -> None:
        if self.notice is not None:
            self.notice.close()

    def _closed(self) -> None:
        self.notice = None


# ---- The card

RUBRIC_SHARE = 0.3  # of the page's height at most: the texts come first
RUBRIC_LEAST = 44  # two lines, to scroll in
ROOM_FOR_REST = 345  # of the page's height, for all but rubric and ratings
ROOM_FOR_CRITERIA = 700  # pixels of text room from which the question's line has place for their names


class Rubric(Scroller):
    """The criteria with their explanations, as tall as they need, up to a share of the page."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(tr("Rubric"))
        self.most = 200
        self._criteria: tuple[RatingCriterion, ...] = ()
        self._instructions = ""

    def set_criteria(self, criteria: Sequence[RatingCriterion], instructions: str = "") -> None:
        if (tuple(criteria), instructions) == (self._criteria, self._instructions):
            return
        self._criteria, self._instructions = tuple(criteria), instructions
        sheet = clear_widget()
        grid = grid_of(sheet, along=4)
        set_margins(grid, 0, 0, theme.current().gap, 0)
        for row, criterion in enumerate(criteria):
            explanation = Label(as_given(criterion.explanation), wrap=True)
            policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
            policy.setHeightForWidth(True)
            explanation.setSizePolicy(policy)
            grid.addWidget(Label(as_given(criterion.name), "strong"), row, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(explanation, row, 1)
        if instructions:
            whole = Label(InLanguage("\n".join(map(safe_line, instructions.splitlines()))), wrap=True)
            policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
            policy.setHeightForWidth(True)
            whole.setSizePolicy(policy)
            grid.addWidget(whole, len(criteria), 0, 1, 2)
        self.setWidget(sheet)
        self.fit()

    def fit(self) -> None:
        """Take the height that the text needs at this width, or `most`."""
        layout = self.widget().layout() if self.widget() is not None else None
        if layout is not None and (self._criteria or self._instructions):
            self.setFixedHeight(min(layout.heightForWidth(self.viewport().width()), self.most))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.fit()


PROMPT_LINES = 3  # until it is opened
PROMPT_SHARE = 0.3  # of the page's height at most, open


class PromptBox(Card):
    """The prompt: three lines at most, or all of it once it is opened; hidden where none is shown.

    It keeps the height of the tallest prompt so far: the texts below do not jump from one comparison to the next.
    """

    def __init__(self) -> None:
        super().__init__()
        tokens = theme.current()
        self.set_padding(tokens.gap, 8)
        self.setAccessibleName(tr("Prompt"))
        self.text = PlainText(name=tr("Prompt"))
        self.more = LinkButton("", act=self.toggle)
        policy = self.more.sizePolicy()
        policy.setRetainSizeWhenHidden(True)  # else the text would be laid out again with each prompt
        self.more.setSizePolicy(policy)
        self._open, self._low = False, False
        self._tallest = self._page_height = 0
        row = in_row((Label(tr("Prompt"), "strong"), Qt.AlignmentFlag.AlignTop), spacing=tokens.grid)
        add_to(row, (self.text, 1), (self.more, Qt.AlignmentFlag.AlignBottom))
        self.box.addLayout(row)
        self.hide()
        theme.signals.changed.connect(self._forget_height)

    def set_prompt(self, prompt: str) -> None:
        if prompt != self.text.text():
            self.text.set_text(prompt)
            self._open = False
            self._fit()
        show_if(self, bool(prompt))

    def toggle(self) -> None:
        """Show the whole prompt, or its first lines again."""
        if not self.more.isHidden():
            self._open = not self._open
            self._fit()

    def set_page_height(self, height: int, *, low: bool) -> None:
        if (height, low) != (self._page_height, self._low):
            self._page_height, self._low = height, low
            self.set_padding(theme.current().gap, 2 if low else 8)
            self._forget_height()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._forget_height()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        QTimer.singleShot(0, self, self._forget_height)  # its width is known by then

    def _forget_height(self) -> None:
        self._tallest = 0
        self._fit()

    def _fit(self) -> None:
        line = round(theme.current().reading * theme.current().line_height)
        document = self.text.document()
        document.setTextWidth(self.text.viewport().width())
        needed = round(document.size().height())
        closed = line * (1 if self._low else PROMPT_LINES)
        whole = max(closed, min(needed, round(PROMPT_SHARE * self._page_height)))
        show_if(self.more, needed > closed + line // 2)
        self.more.set_text(tr("Show less") if self._open else tr("Show all"))
        self._tallest = max(self._tallest, min(needed, closed))
        self.text.setFixedHeight(whole if self._open else self._tallest)
        bars = Qt.ScrollBarPolicy
        self.text.setVerticalScrollBarPolicy(bars.ScrollBarAsNeeded if self._open else bars.ScrollBarAlwaysOff)
        self.text.verticalScrollBar().setValue(0)


class QuestionCard(Card):
    """The card that asks which text is best, and shows the earlier answer where there is one."""

    withdrawn = Signal()
    resumed = Signal()

    def __init__(self) -> None:
        super().__init__()
        tokens = theme.current()
        self.set_padding(tokens.gap, 8)
        self._criteria: Sequence[RatingCriterion] = ()
        self._roomy = True
        self._fitted: tuple[object, ...] = ()
        self.criteria = ElidedLabel("", "note")
        self.rubric_button = toggle_button(tr("Rubric"), "G")
        self.ratings = toggle_button(tr("Ratings"), "R")
        self.differences = toggle_button(tr("Differences"), "D")
        self.note = toggle_button(tr("Note"), "N")
        self.mark = hidden(Button(tr("Mark as reason"), role="plain", key="H"))
        self.mark.setToolTip(tr("Mark the selected words as a reason for your answer; again takes the mark off."))
        self._buttons = (self.rubric_button, self.ratings, self.differences, self.mark, self.note)
        self.asked = ElidedLabel("", "strong")
        # In its place where there is no room beside the buttons: what is asked must be read whole.
        self.asked_whole = hidden(Label("", "strong", wrap=True))
        row = in_row(self.asked, Gap(tokens.grid), (self.criteria, 1), *self._buttons, spacing=tokens.grid)
        self.rubric = hidden(Rubric())
        self.said = hidden(Label("", "note", wrap=True))
        add_to(self.box, self.asked_whole, row, self.rubric, self.said, self._review_row(), self._practice_row())
        self._instructions = self._best = ""
        self.rubric_button.toggled.connect(self._show_rubric)
        theme.signals.changed.connect(self.rubric.fit)

    def set_comparison(self, comparison: BlindComparison) -> None:
        """Show the question of this comparison and its criteria."""
        own = as_given(comparison.question)
        if comparison.asks_worst:
            self._best = joined(" ", own, tr("Then: which is worst?")) if own else tr("Which is best, then worst?")
        else:
            self._best = own or tr("Which is best?")
        self.ask(worst=False)
        self._instructions = comparison.instructions
        self.set_criteria(comparison.criteria)

    def ask(self, *, worst: bool, sure: bool = False) -> None:
        """Ask for the best text, or after it for the worst, or how sure the rater is."""
        question = tr("How sure are you?") if sure else tr("And which is worst?") if worst else self._best
        self.asked.set_text(question)
        self.asked_whole.setText(question)
        self._fit_question()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_question()

    def _fit_question(self) -> None:
        """Place the question beside the buttons, or above them where it would be cut."""
        tokens = theme.current()
        buttons = [button for button in self._buttons if not button.isHidden()]
        fitted = (self.asked.whole_text(), self.width(), tokens, *buttons)
        if fitted == self._fitted:
            return  # as with most comparisons: the sizes of text and buttons are not asked for again
        self._fitted = fitted
        taken = sum(button.sizeHint().width() + tokens.grid for button in buttons) + 2 * (tokens.gap + tokens.grid)
        above = self.asked.sizeHint().width() > self.width() - taken
        show_if(self.asked_whole, above)
        show_if(self.asked, not above)

    def set_practice(self, step: PracticeStep | None, answer: GivenAnswer | None) -> None:
        """Show the step of the practice round, and after the answer whether it was right, and why."""
        self.practice.setVisible(step is not None)
        if step is None:
            return
        where = tr("Practice {number} of {of}").format(number=step.number, of=step.of)
        remark, answered = tr("it counts nowhere"), step.right is not None
        if step.right is not None:
            right = answer is not None and answer.card == step.right
            better = tr("The better one is {letter}.").format(letter=LETTERS[step.right])
            remark = " ".join(part for part in (tr("Right.") if right else better, safe_line(step.why)) if part)
        self.practice_words.setText(f"{where} · {remark}")
        self.practised.setText(tr("Go on") if step.number < step.of else tr("Go on to the first that counts"))
        self.practised.setVisible(answered)

    def set_criteria(self, criteria: Sequence[RatingCriterion]) -> None:
        self.rubric_button.setVisible(bool(criteria or self._instructions))
        self._criteria = criteria
        self._name_criteria()
        self._show_rubric(self.rubric_button.isChecked())

    def set_asked(self, *, notes: bool, ratings: bool, spans: bool) -> None:
        """Show only the buttons that the plan needs."""
        for button, asked in ((self.note, notes), (self.ratings, ratings), (self.mark, spans)):
            show_if(button, asked)
        self._fit_question()

    def set_answer(self, answer: GivenAnswer | None) -> None:
        """Show the earlier answer; None for a comparison without one."""
        self.review.setVisible(answer is not None)
        if answer is None:
            return
        choice = (
            tr("You chose {letter}.") if answer.worst is None else tr("You chose {letter}, and {worst} as the worst.")
        )
        if answer.degree is not None:
            much = answer.degree == "much"
            choice = tr("You found {letter} much better.") if much else tr("You found {letter} slightly better.")
        words = {
            "choice": choice,
            "tie": tr("You called it a tie."),
            "none": tr("You found none good."),
            "skip": tr("You skipped this one."),
        }[answer.outcome]
        letter = LETTERS[answer.card] if answer.card is not None else ""
        worst = LETTERS[answer.worst] if answer.worst is not None else ""
        self.earlier.setText(words.format(letter=letter, worst=worst))

    @property
    def rubric_least(self) -> int:
        """The least height in pixels that an open rubric needs."""
        tokens = theme.current()
        return tokens.px(RUBRIC_LEAST) + tokens.grid if self.rubric_button.isChecked() else 0

    def set_page_size(self, width: int, height: int) -> None:
        """Fit into a page of this size, less the ratings; in a narrow one only the rubric shows the criteria."""
        self._roomy = width / theme.current().scale > ROOM_FOR_CRITERIA
        self._name_criteria()
        least = theme.current().px(RUBRIC_LEAST)
        self.rubric.most = max(least, min(round(RUBRIC_SHARE * height), height - theme.current().px(ROOM_FOR_REST)))
        self.rubric.fit()

    def _name_criteria(self) -> None:
        names = " · ".join(criterion.name for criterion in self._criteria)
        self.criteria.set_text(as_given(names if self._roomy else ""))

    def _show_rubric(self, shown: bool) -> None:
        # Filled only when it is seen: most comparisons are judged without it, and the next one must not wait.
        if shown:
            self.rubric.set_criteria(self._criteria, self._instructions)
        self.rubric.setVisible(shown and bool(self._criteria or self._instructions))

    def _practice_row(self) -> QWidget:
        self.practice = hidden(QWidget())
        self.practice_words = Label("", "strong", wrap=True)
        self.practised = PrimaryButton(tr("Go on"), act=self.resumed)
        in_row((self.practice_words, 1), self.practised, inside=self.practice, margins=0)
        return self.practice

    def _review_row(self) -> QWidget:
        self.review = hidden(QWidget())
        self.earlier = Label("", "soft", wrap=True)
        self.withdraw = LinkButton(tr("Take it back"), act=self.withdrawn)
        self.go_on = LinkButton(tr("Leave it and go on"), act=self.resumed)
        in_row((self.earlier, 1), self.withdraw, self.go_on, inside=self.review, margins=0)
        return self.review


def toggle_button(text: str, key: str) -> Button:
    """Return a button that stays down until it is pressed again."""
    button = Button(text, role="plain", key=key)
    button.setCheckable(True)
    button.toggled.connect(lambda on: button.set_role("" if on else "plain"))
    return button
