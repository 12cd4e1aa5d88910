"""The state of a rater's session in the judging thread, and the commands that change it.

The state knows what the rater must not see, so it lives in the judging thread alone (see session.py). A command is a
plain function of a `JudgingWork`; its answer is of a kind that blind.py defines.
"""

import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from biasprint.core.cache import BatchCache
from biasprint.core.errors import AppError
from biasprint.core.judging import open_ratings
from biasprint.core.judging.assignment import CompactRows, assigned
from biasprint.core.judging.blind import (
    Answered,
    BlindComparison,
    CardSpans,
    GivenAnswer,
    OverviewEntry,
    Ratings,
    SessionProgress,
    SessionView,
    State,
)
from biasprint.core.judging.card_order import CardOrder, secret_of
from biasprint.core.judging.known import KnownAnswer, PracticeRound, keep_practice_result, practice_result
from biasprint.core.judging.looking import take_in_looks
from biasprint.core.judging.plan import PlanSettings, texts_digest
from biasprint.core.judging.store import (
    ANSWERED,
    HIGHEST,
    LOWEST,
    ActiveClock,
    CriterionRatings,
    Given,
    JudgmentInForce,
    ProjectStore,
    Remarks,
    Views,
    seconds_left,
    unread_items,
)
from biasprint.core.judging.sway import recommended_cards
from biasprint.core.judging.wording import plan_wording
from biasprint.core.project.rows import (
    CONFIDENCE,
    CONFIDENCES,
    DEGREE,
    DEGREES,
    RECOMMENDED,
    SPANS,
    VIEWED,
    WORST,
    ComparisonRow,
    Degree,
    PlanRow,
    RaterRow,
    SessionRow,
    TextView,
    joined_spans,
)
from biasprint.core.project.specs import JudgmentSpec
from biasprint.core.project.stores.judging import Remark
from biasprint.core.text import sha256_text

AHEAD = 2  # comparisons whose texts are fetched before they are asked for
KEPT_TEXTS = 16
MOST_ENTRIES = 2_000  # in the list to go back by


class Refused(AppError):
    """Something that cannot be done, said in words that are safe to show while blind."""


class RaterSession:
    """One rater's session over one plan: its comparisons, what was answered, and the comparison in view."""

    def __init__(
        self, store: ProjectStore, plan: PlanRow, rater: RaterRow, session: SessionRow, now: Callable[[], float]
    ) -> None:
        self.store = store
        self.settings = settings = PlanSettings.of(plan.settings)
        self.wording = plan_wording(store.wording(), settings)
        self.ratings = CriterionRatings(store.project, rater.id) if settings.criterion_ratings else None
        self.id, self.rater_id = session.id, rater.id
        self.revealed = session.revealed_at is not None
        every = CompactRows(store.judging.each_comparison(plan.id))
        self._order = CardOrder(every, plan=plan, rater_code=rater.code)
        self.recommended = recommended_cards(every, plan, rater.code)
        self.rows = every
        if settings.own_order or settings.split:
            self.rows = every.picked(assigned(every, settings, secret=secret_of(plan), code=rater.code))
        self._tokens = [secrets.token_urlsafe(9) for _ in self.rows]
        self._index = {token: index for index, token in enumerate(self._tokens)}
        self._clock = ActiveClock(now)
        self._texts: BatchCache[int, tuple[str, ...] | None] = BatchCache(KEPT_TEXTS)
        self._prompt_of = store.prompts(plan) if settings.show_prompt else lambda row: ""
        self._prompts: BatchCache[int, str] = BatchCache(KEPT_TEXTS)
        self._unusable: set[int] = set()
        self.asks_confidence = False  # of the answer in view, which is on disk
        self._looks_stamp = (0, 0)  # of the looks that were taken in
        self._load()
        self.views = Views(self.judgments)
        self.practice = self._practice_round()
        self.at = self.next_left(-1) if self.practice is None else None

    def _practice_round(self) -> PracticeRound | None:
        """Return the practice round, unless this rater has gone through it or answered anything yet."""
        known = [KnownAnswer.of(answer) for answer in self.settings.practice]
        if not known or self.judgments or self.revealed or practice_result(self.store.project, self.id) is not None:
            return None
        return PracticeRound(known, self.wording, graded=self.settings.graded)

    def _load(self) -> None:
        self._doubtful = False
        index_of = self._load_judgments()
        drafts = self.store.judging.drafts(self.id)
        self.remarks = Remarks(
            {index: judgment.remark for index, judgment in self.judgments.items()},
            {index_of[comparison]: remark for comparison, remark in drafts.items() if comparison in index_of},
        )

    def _reload_judgments(self) -> None:
        """Read the judgments again: one whose write failed may have reached the disk."""
        spent = self._spent
        self._load_judgments()
        self._spent |= spent
        self._total_spent = sum(self._spent.values())
        self._doubtful = False

    def _load_judgments(self) -> dict[str, int]:
        """Read the judgments in force. Returns the index of each comparison by its id."""
        index_of = {comparison: index for index, comparison in enumerate(self.rows.ids())}
        current = sorted(self.store.judgments(self.id), key=lambda row: row.sequence)
        self.judgments: dict[int, JudgmentInForce] = {}
        self._spent: dict[int, float] = {}
        for row in current:
            index = index_of[row.comparison_id]
            given = Given(row.outcome, row.chosen, row.worst, row.degree, row.confidence)
            self.judgments[index] = JudgmentInForce(row.id, given, row.shown, Remark(row.note, row.spans), row.viewed)
            self._spent[index] = row.active_seconds
        self._total_spent = sum(self._spent.values())
        # In the order they were given: that is the way back.
        self.history = {index: None for index, judgment in self.judgments.items() if judgment.given.outcome != "undone"}
        self._tally = Counter(judgment.given.outcome for judgment in self.judgments.values())
        return index_of

    # the view

    def view(self) -> SessionView:
        """Return everything that the window shows now."""
        self.touch()
        asked = (self.settings.question, self.settings.instructions)
        if (practice := self.practice) is not None:
            return SessionView(practice.comparison(*asked), practice.answer, self.progress(), practice=practice.step)
        if self.revealed or self.at is None:
            return SessionView(None, None, self.progress(), self.revealed)
        row = self.rows[self.at]
        texts = self.texts_of(self.at)
        assert texts is not None
        comparison = BlindComparison(
            token=self._tokens[self.at],
            ordinal=self.at + 1,
            title=self.wording.title(row.task, row.theme),
            criteria=self.wording.criteria(row.task),
            texts=tuple(texts[item] for item in self.shown(self.at)),
            note=self.remarks.of(self.at).note,
            notes=self.settings.notes,
            graded=self.settings.graded,
            spans=self.spans_of(self.at),
            ratings=self.ratings_of(self.at),
            question=asked[0],
            instructions=asked[1],
            prompt=self.prompt_of(self.at),
            asks_worst=self.asks_worst(row),
            recommended=None if (advised := self.advised(self.at)) is None else self.shown(self.at).index(advised),
        )
        return SessionView(comparison, self._answer(self.at), self.progress(), asks_confidence=self.asks_confidence)

    def progress(self) -> SessionProgress:
        done = sum(self._tally[outcome] for outcome in ANSWERED)
        left = len(self.rows) - len(self._unusable) - done - self._tally["skip"]
        return SessionProgress(
            done, self._tally["skip"], left, len(self._unusable), len(self.rows), self._total_spent,
            bool(self.recommended), seconds_left(left, [self._spent.get(index, 0.0) for index in self.history]),
        )  # fmt: skip

    def entry(self, index: int) -> OverviewEntry:
        row = self.rows[index]
        title = self.wording.title(row.task, row.theme)
        return OverviewEntry(self._tokens[index], index + 1, title, self._state(index))

    def _answer(self, index: int) -> GivenAnswer | None:
        judgment = self.judgments.get(index)
        if judgment is None or (given := judgment.given).outcome == "undone":
            return None
        card, worst = (None if item is None else judgment.shown.index(item) for item in (given.chosen, given.worst))
        return GivenAnswer(given.outcome, card, worst, given.degree, given.confidence)

    def _state(self, index: int) -> State:
        if index in self._unusable:
            return "unusable"
        if index not in self.history:
            return "left"
        return "skipped" if self.judgments[index].given.outcome == "skip" else "done"

    # the comparison of a token, its cards and texts

    def writable(self, token: str, *, in_view: bool = True) -> int | None:
        """Return the comparison of `token`, if it may be written to; None for a key press that came too late."""
        if self.revealed:
            raise Refused("This session is locked: its answers cannot change any more.", kept="They are all kept.")
        index = self._index.get(token)
        return None if in_view and index != self.at else index

    def place_of(self, token: str) -> int | None:
        """Return the comparison of `token`, if it can be shown."""
        index = self._index.get(token)
        if index is None or self.practice is not None or self.revealed or self.texts_of(index) is None:
            return None
        return index

    def shown(self, index: int) -> tuple[int, ...]:
        """Return the order of the cards: as shown before, or as the plan and the rater's code give it."""
        judgment = self.judgments.get(index)
        return judgment.shown if judgment is not None else self._order.of(self.rows[index].id)

    def asks_worst(self, row: ComparisonRow) -> bool:
        return self.settings.worst and len(row.items) == 3

    def ratings_of(self, index: int) -> Ratings | None:
        row = self.rows[index]
        criteria = self.wording.criteria(row.task)
        if self.ratings is None or not criteria:
            return None
        return self.ratings.shown(row.id, self.shown(index), criteria)

    def spans_of(self, index: int) -> CardSpans | None:
        """Return the marked words by card as shown; None where the plan does not ask for them."""
        if not self.settings.spans:
            return None
        card_of = {item: card for card, item in enumerate(self.shown(index))}
        return tuple(sorted((card_of[item], start, end) for item, start, end in self.remarks.of(index).spans))

    def advised(self, index: int) -> int | None:
        """Return the index of the item that is recommended; None where none is."""
        return self.recommended.get(self.rows[index].id)

    def texts_of(self, index: int) -> tuple[str, ...] | None:
        """Return the texts in plan order; None, and marked unusable, if they are not the ones that were planned."""
        (texts,) = self._texts.get([index], lambda _: [self._read_texts(index)])
        return texts

    def prompt_of(self, index: int) -> str:
        """Return the prompt of a comparison, if its rater may read it."""
        (prompt,) = self._prompts.get([index], lambda _: [self._prompt_of(self.rows[index])])
        return prompt

    def _read_texts(self, index: int) -> tuple[str, ...] | None:
        row = self.rows[index]
        text_of = self.store.project.texts([item.key for item in row.items])
        texts = tuple(text_of[item.key] for item in row.items if item.key in text_of)
        if texts_digest(sha256_text(text) for text in texts) == row.texts_sha256:
            return texts
        if index not in self.history:
            self._unusable.add(index)
        return None

    # going from one comparison to another

    def go(self, index: int | None) -> SessionView:
        """Show another comparison, or the end."""
        self.touch()
        self.keep_changed_remark()
        self.at = index
        self.asks_confidence = False
        return self.view()

    def next_left(self, after: int) -> int | None:
        """Find the next comparison that can be answered and is not: after `after`, and then from the start."""
        for index in chain(range(after + 1, len(self.rows)), range(after + 1)):
            if index not in self.history and index not in self._unusable and self.texts_of(index) is not None:
                return index
        return None

    def go_on_practising(self, practice: PracticeRound) -> SessionView:
        """Go to the next comparison of the practice round, and behind the last to the first that counts."""
        self.touch()
        practice.go_on()
        if practice.over:
            keep_practice_result(self.store.project, self.rater_id, self.id, practice.result)
            self.practice = None
            self.at = self.next_left(-1)
        return self.view()

    def prefetch(self) -> None:
        """Fetch the texts that come next, while nobody waits."""
        index = None if self.revealed else self.at
        for _ in range(AHEAD):
            index = None if index is None else self.next_left(index)
            if index is not None:
                self.prompt_of(index)

    # writing

    def touch(self) -> SessionProgress:
        """Count the time since the last sign of life for the comparison that is shown."""
        seconds = self._clock.lap()
        if self.practice is not None:
            self.practice.seconds += seconds
        elif self.at is not None and not self.revealed:
            self._spent[self.at] = self._spent.get(self.at, 0.0) + seconds
            self._total_spent += seconds
        return self.progress()

    def write(self, index: int, given: Given) -> None:
        """Append a judgment; the state here changes only after it is on disk. An unchanged one is not written again."""
        self.touch()
        self._take_in_looks()
        if self._doubtful:
            self._reload_judgments()
        row, before, remark = self.rows[index], self.judgments.get(index), self.remarks.of(index)
        viewed = self.views.of(index)
        answer = (given, remark, unread_items(viewed))
        if before is not None and (before.given, before.remark, unread_items(before.viewed)) == answer:
            self.keep_draft(index)  # a draft may hold what was typed in between and deleted again
            return
        texts = self.texts_of(index)
        assert texts is not None
        spec = JudgmentSpec(
            session_id=self.id,
            comparison_id=row.id,
            outcome=given.outcome,
            chosen=given.chosen,
            shown=self.shown(index),
            texts_sha256=texts_digest(sha256_text(text) for text in texts),
            note=remark.note,
            active_seconds=self._spent.get(index, 0.0),
            supersedes=None if before is None else before.id,
            detail=self._detail(index, given, remark, viewed),
            lengths=tuple(map(len, texts)),
        )
        try:
            written = self.store.judging.record(spec).uuid("judgment")
        except Exception:
            self._doubtful = True
            raise
        self.remarks.saved(index)
        if before is not None:
            self._tally[before.given.outcome] -= 1
        self._tally[given.outcome] += 1
        self.history.pop(index, None)
        if given.outcome != "undone":
            self.history[index] = None
        self.judgments[index] = JudgmentInForce(written, given, spec.shown, remark, viewed)

    def _take_in_looks(self) -> None:
        """Mark what follows as seen, where somebody looked in another copy of the project since the last answer."""
        if (stamp := open_ratings.stamp()) != self._looks_stamp:
            take_in_looks(self.store.project, self.id)
            self._looks_stamp = stamp

    def _detail(self, index: int, given: Given, remark: Remark, viewed: Sequence[TextView] | None) -> dict[str, Any]:
        """Return the fields that a judgment keeps beside the choice."""
        more = {
            WORST: given.worst,
            RECOMMENDED: self.advised(index),
            DEGREE: given.degree,
            CONFIDENCE: given.confidence,
            SPANS: list(map(list, remark.spans)) or None,
            VIEWED: None if viewed is None else [view.stored() for view in viewed],
        }
        return {name: value for name, value in more.items() if value is not None}

    def keep_draft(self, index: int) -> None:
        """Write note and marked words as a draft, if the disk has others."""
        if self.remarks.waits(index):
            self.store.judging.save_draft(self.id, self.rows[index].id, self.remarks.of(index))
            self.remarks.saved(index)

    def keep_changed_remark(self) -> None:
        """Write note and marked words of the comparison in view, if the disk has others; called before it is left.

        Those that were changed on an answered comparison belong to its answer: written with it again.
        """
        index = self.at
        if index is None or self.revealed:
            return
        judgment = self.judgments.get(index)
        if judgment is not None and index in self.history and self.remarks.of(index) != judgment.remark:
            self.write(index, judgment.given)
        else:
            self.keep_draft(index)

    def lock(self) -> None:
        """End the session. From here on nothing can be changed."""
        if not self.revealed:
            self.keep_changed_remark()
            self.store.reveal(self.id)
            self.revealed = True


class JudgingWork:
    """Everything that the judging thread holds: the project, the plans that were offered, and the open session."""

    def __init__(self, store: ProjectStore, *, now: Callable[[], float] = time.monotonic) -> None:
        self.store = store
        self.now = now
        self.offered: dict[str, str] = {}  # token by plan id
        self.opened: RaterSession | None = None

    @property
    def session(self) -> RaterSession:
        """The session that is open. `Refused` where none is."""
        if self.opened is None:
            raise Refused("No session is open.", hint="Start one first.")
        return self.opened


# ---- The commands within a session. Each names the comparison by its token: a key pressed while the next one was
# already on its way changes nothing. How a session begins is in offers.py, and how it ends in reveal.py


def record_choice(
    work: JudgingWork,
    token: str,
    outcome: Answered,
    card: int | None = None,
    note: str | None = None,
    worst: int | None = None,
    viewed: Sequence[TextView] = (),
    degree: Degree | None = None,
) -> SessionView:
    """Write an answer, and go on once it is on disk: to the confidence where the plan asks for it, else to the next.

    `card`: the index of the chosen card as shown, with outcome "choice" alone; `worst`: of the worst one, and `degree`:
    how much better the chosen one is, where the plan asks for it. `note` None keeps the note as it was last saved. A
    skipped comparison leaves this rater's queue; it can be gone back to until the reveal. `viewed`: of each card as
    shown, since the session was opened; a revised judgment adds these to the views of the earlier ones of its
    comparison.

    The answer is a judgment of its own before the confidence is asked: whatever happens then, no choice is lost.
    """
    session = work.session
    if session.practice is not None:
        session.practice.record(token, outcome, card, degree)
        return session.view()
    index = session.writable(token)
    if index is None:
        return session.view()
    row = session.rows[index]
    if card is not None and not 0 <= card < len(row.items):
        raise Refused("There is no such card.", kept="Nothing was recorded.")
    if outcome == "choice" and session.asks_worst(row):
        if worst is None or worst == card or not 0 <= worst < len(row.items):
            raise Refused("Choose the best text and then the worst, another one.", kept="Nothing was recorded.")
    elif worst is not None:
        raise Refused("This comparison does not ask for the worst text.", kept="Nothing was recorded.")
    if degree not in (DEGREES if outcome == "choice" and session.settings.graded else (None,)):
        message = "A choice says whether it is slightly or much better where that is asked, and only there."
        raise Refused(message, kept="Nothing was recorded.")
    if note is not None and session.settings.notes:
        session.remarks.put(index, note=note)
    shown = session.shown(index)
    chosen, worst = (None if place is None else shown[place] for place in (card, worst))
    answer, before = Given(outcome, chosen, worst, degree), session.judgments.get(index)
    if before is not None and before.given._replace(confidence=None) == answer:
        answer = before.given  # the same again: what was said of it holds until something else is said
    session.views.put(index, viewed, shown)
    session.write(index, answer)
    session.asks_confidence = session.settings.confidence and outcome != "skip"
    if not session.asks_confidence:
        session.at = session.next_left(index)
    return (
        session.view() if outcome == "skip" else replace(session.view(), unread=session.views.unread_once(index, shown))
    )


def record_confidence(
    work: JudgingWork, token: str, confidence: int, note: str | None = None, viewed: Sequence[TextView] = ()
) -> SessionView:
    """Write how sure the rater is of the answer in view, 1 to 3, as a judgment that supersedes it; then go on."""
    session = work.session
    index = None if session.practice is not None else session.writable(token)
    if index is None or not session.settings.confidence:
        return session.view()
    judgment = session.judgments.get(index)
    if judgment is None or judgment.given.outcome not in ANSWERED or confidence not in CONFIDENCES:
        raise Refused("There is no answer to be so sure of.", kept="Nothing was recorded.")
    if note is not None and session.settings.notes:
        session.remarks.put(index, note=note)
    session.views.put(index, viewed, session.shown(index))
    session.write(index, judgment.given._replace(confidence=confidence))
    session.asks_confidence = False
    session.at = session.next_left(index)
    return session.view()


def withdraw(work: JudgingWork, token: str) -> SessionView:
    """Take back the answer to the comparison in view; it is left to judge again."""
    index = work.session.writable(token)
    if index is not None and index in work.session.history:
        work.session.write(index, Given("undone"))
        work.session.asks_confidence = False
    return work.session.view()


def save_note(work: JudgingWork, token: str, note: str) -> SessionProgress:
    """Keep a note while it is being typed."""
    session = work.session
    index = session.writable(token, in_view=False)
    if index is not None and session.settings.notes:
        session.remarks.put(index, note=note)
        session.keep_draft(index)
    return session.progress()


def mark_words(work: JudgingWork, token: str, spans: CardSpans) -> CardSpans:
    """Keep the words that are marked as reasons: all of a comparison, each a card as shown, the first character and
    the one behind the last. Blanks at the end of a text are no reason. Returns them as they are on disk now.
    """
    session = work.session
    index = None if session.practice is not None else session.writable(token, in_view=False)
    if index is None or not session.settings.spans or (texts := session.texts_of(index)) is None:
        return ()
    session.touch()
    shown = session.shown(index)
    if any(not 0 <= card < len(shown) or not 0 <= start < end <= len(texts[shown[card]]) for card, start, end in spans):
        raise Refused("There are no such words.", kept="Nothing was marked.")
    ends = [len(text.rstrip(" ")) for text in texts]
    items = [(shown[card], start, min(end, ends[shown[card]])) for card, start, end in spans]
    session.remarks.put(index, spans=joined_spans(span for span in items if span[1] < span[2]))
    try:
        session.keep_draft(index)
    except Exception:
        session.remarks.take_back(index)
        raise
    return session.spans_of(index) or ()


def rate(work: JudgingWork, token: str, card: int, criterion: int, rating: int | None) -> Ratings:
    """Rate a card, as shown, by one of its comparison's criteria: 1 to 5, or None to take it back."""
    session = work.session
    index = session.writable(token, in_view=False)
    if index is None or session.ratings is None:
        return ()
    session.touch()
    row = session.rows[index]
    criteria = session.wording.criteria(row.task)
    known = 0 <= card < len(row.items) and 0 <= criterion < len(criteria)
    if not known or (rating is not None and not LOWEST <= rating <= HIGHEST):
        raise Refused("There is no such rating.", kept="Nothing was recorded.")
    session.ratings.rate(row.id, session.shown(index)[card], criteria[criterion].name, rating)
    return session.ratings_of(index) or ()


def touch(work: JudgingWork) -> SessionProgress:
    """Note a sign of life from the rater, for the active time."""
    return work.session.touch()


def current_view(work: JudgingWork) -> SessionView:
    """Return the current view, without a change."""
    return work.session.view()


def go_back(work: JudgingWork, token: str = "") -> SessionView:
    """Go to the answer given before the one in view; from a new comparison, or without a token, to the last answer."""
    session = work.session
    if session.practice is not None or (session.writable(token) is None and token):
        return session.view()
    given = list(session.history)
    before = given.index(session.at) if session.at in session.history else len(given)
    while before > 0:
        before -= 1
        if session.texts_of(given[before]) is not None:
            return session.go(given[before])
    return session.view()


def go_to(work: JudgingWork, token: str) -> SessionView:
    """Go to the comparison of `token`."""
    index = work.session.place_of(token)
    return work.session.view() if index is None else work.session.go(index)


def resume(work: JudgingWork) -> SessionView:
    """Go to the comparison in view if it has no answer, else to the next without one, or to the end.

    In the practice round: on from an answered one, and behind the last to the first comparison that counts.
    """
    session = work.session
    if session.practice is not None:
        return session.go_on_practising(session.practice)
    return session.go(session.next_left(-1 if session.at is None else session.at - 1))


def list_entries(work: JudgingWork) -> tuple[OverviewEntry, ...]:
    """List the comparisons to go back to, in plan order. Of very many, those that were answered last or skipped."""
    session = work.session
    indexes: Iterable[int] = range(len(session.rows))
    if len(session.rows) > MOST_ENTRIES:
        skipped = [index for index in session.history if session.judgments[index].given.outcome == "skip"]
        indexes = sorted({*skipped[-MOST_ENTRIES // 2 :], *list(session.history)[-MOST_ENTRIES // 2 :]})
    return tuple(session.entry(index) for index in indexes)
