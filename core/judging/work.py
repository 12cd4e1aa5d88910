"""One rater's session: what comes next, what was said, what is written.

This object knows what the rater must not see, so it lives in the service's thread alone (see service.py); only what
blind.py defines leaves it.
"""

import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple, overload

from biasprint.core.cache import BatchCache
from biasprint.core.errors import AppError
from biasprint.core.judging.assignment import assigned
from biasprint.core.judging.blind import (
    Answered,
    BlindComparison,
    GivenAnswer,
    OverviewEntry,
    Ratings,
    SessionProgress,
    SessionView,
    State,
)
from biasprint.core.judging.card_order import CardOrder, secret_of
from biasprint.core.judging.known import KnownAnswer
from biasprint.core.judging.plan import PlanSettings, texts_digest
from biasprint.core.judging.practice import PracticeRound
from biasprint.core.judging.store import HIGHEST, LOWEST, CriterionRatings, JudgingStore, RaterStatements
from biasprint.core.judging.sway import recommended_cards
from biasprint.core.judging.wording import ComparisonWording, plan_wording
from biasprint.core.project.rows import (
    RECOMMENDED,
    WORST,
    ComparisonItem,
    ComparisonRow,
    Outcome,
    PlanRow,
    RaterRow,
    SessionRow,
)
from biasprint.core.project.specs import JudgmentSpec
from biasprint.core.text import sha256_text

IDLE_SECONDS = 120.0


class ActiveClock:
    """Counts seconds between signs of life; a longer gap counts as `idle` seconds, a jump back as none."""

    def __init__(self, now: Callable[[], float] = time.monotonic, idle: float = IDLE_SECONDS) -> None:
        self._now = now
        self._idle = idle
        self._last = now()

    def lap(self) -> float:
        """Active seconds since the last lap."""
        before, self._last = self._last, self._now()
        return min(max(self._last - before, 0.0), self._idle)


class Notes:
    """Notes by index of the comparison. `judged` are those of answers, `drafts` those that no answer has taken yet."""

    def __init__(self, judged: Mapping[int, str], drafts: Mapping[int, str]) -> None:
        self._typed = {**judged, **drafts}
        self._kept = dict(self._typed)

    def of(self, index: int) -> str:
        return self._typed.get(index, "")

    def put(self, index: int, note: str) -> None:
        """Set the note to what the field holds now; `saved` says when it is on disk."""
        self._typed[index] = note

    def waits(self, index: int) -> bool:
        """Whether the disk has another note than the field."""
        return self.of(index) != self._kept.get(index, "")

    def saved(self, index: int) -> None:
        """The note is on disk."""
        self._kept[index] = self.of(index)


# ---- Comparisons of a plan held small: a hundred thousand rows must not make the garbage collector halt the window
#
# The collector walks every object that can hold others, in one go, on whichever thread sets it off; with a hundred
# thousand rows as objects that took a third of a second. Plain tuples of strings and numbers it leaves alone.

_Flat = tuple[str, str, int, str, str, str, tuple[int, ...], tuple[str, ...], str, str | None]


class CompactRows(Sequence[ComparisonRow]):
    """A sequence of rows that are made when they are asked for."""

    def __init__(self, rows: Iterable[ComparisonRow]) -> None:
        shared: dict[object, object] = {}  # plans repeat a few keys and identities all over

        def one(value: object) -> object:
            return shared.setdefault(value, value)

        self._flat: list[_Flat] = []
        for row in rows:
            # A source is held as a negative number, so that a row stays a tuple of plain values.
            cards = tuple(-number if kind == "source" else number for kind, number in (item.key for item in row.items))
            identities = one(tuple(item.identity for item in row.items))
            self._flat.append(
                (row.id, one(row.plan_id), row.position, one(row.axis), one(row.task), one(row.theme), cards,
                 identities, row.texts_sha256, row.repeat_of)  # type: ignore[arg-type]
            )  # fmt: skip

    def __len__(self) -> int:
        return len(self._flat)

    @overload
    def __getitem__(self, index: int) -> ComparisonRow: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[ComparisonRow]: ...

    def __getitem__(self, index: int | slice) -> ComparisonRow | Sequence[ComparisonRow]:
        if isinstance(index, slice):
            return [_row(flat) for flat in self._flat[index]]
        return _row(self._flat[index])

    def __iter__(self) -> Iterator[ComparisonRow]:
        return map(_row, self._flat)

    def ids(self) -> Iterator[str]:
        return (flat[0] for flat in self._flat)

    def picked(self, places: Sequence[int]) -> "CompactRows":
        """These rows alone, in this order."""
        found = CompactRows(())
        found._flat = [self._flat[place] for place in places]
        return found


def _row(flat: _Flat) -> ComparisonRow:
    key, plan_id, position, axis, task, theme, cards, identities, texts_sha256, repeat_of = flat
    items = tuple(
        ComparisonItem(None, identity, source=-card) if card < 0 else ComparisonItem(card, identity)
        for card, identity in zip(cards, identities, strict=True)
    )
    return ComparisonRow(key, plan_id, position, axis, task, theme, items, texts_sha256, repeat_of)


AHEAD = 2  # comparisons whose texts are fetched before they are asked for
KEPT_TEXTS = 16
MOST_ENTRIES = 2_000  # in the list to go back by


class JudgmentInForce(NamedTuple):
    """The judgment in force for one comparison; `shown` and `chosen` are item indexes."""

    id: str
    outcome: Outcome
    chosen: int | None
    shown: tuple[int, ...]
    note: str
    worst: int | None = None


class Refused(AppError):
    """Something that cannot be done, said in words that are safe to show while blind."""


class SessionWork:
    """Judging one plan by one rater. Every method answers with the view to show next."""

    def __init__(
        self,
        store: JudgingStore,
        wording: ComparisonWording,
        plan: PlanRow,
        rater: RaterRow,
        session: SessionRow,
        *,
        statements: RaterStatements | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self.settings = settings = PlanSettings.of(plan.settings)
        self._wording = wording = plan_wording(wording, settings)
        self._takes_notes = settings.notes
        self._ratings = None
        if settings.criterion_ratings and statements is not None:
            self._ratings = CriterionRatings(statements, rater.id)
        self.session_id, self.rater_id = session.id, rater.id
        self.revealed = session.revealed_at is not None
        every = CompactRows(store.comparisons(plan.id))
        self._order = CardOrder(every, plan=plan, rater_code=rater.code)
        self.recommended = recommended_cards(every, plan, rater.code)
        self.rows = every
        if settings.own_order or settings.split:
            self.rows = every.picked(assigned(every, settings, secret=secret_of(plan), code=rater.code))
        self._tokens = [secrets.token_urlsafe(9) for _ in self.rows]
        self._index = {token: index for index, token in enumerate(self._tokens)}
        self._clock = ActiveClock(now)
        self._texts: BatchCache[int, tuple[str, ...] | None] = BatchCache(KEPT_TEXTS)
        self._unusable: set[int] = set()
        self._load()
        self._statements = statements
        self._practice = self._practice_round()
        self._at = self._next_left(-1) if self._practice is None else None

    def _practice_round(self) -> PracticeRound | None:
        """Where there is one, and this rater has neither gone through it nor answered anything yet."""
        known = [KnownAnswer.of(one) for one in self.settings.practice]
        done = self._statements is not None and self._statements.has_practised(self.session_id)
        return PracticeRound(known, self._wording) if known and not (done or self.judgments or self.revealed) else None

    def _load(self) -> None:
        self._doubtful = False
        index_of = self._load_judgments()
        drafts = self._store.drafts(self.session_id)
        self._notes = Notes(
            {index: said.note for index, said in self.judgments.items()},
            {index_of[comparison]: note for comparison, note in drafts.items() if comparison in index_of},
        )

    def _look_up(self) -> None:
        """What was said to be lost may have reached the disk: it is looked up before it is repeated."""
        spent = self._spent
        self._load_judgments()
        self._spent |= spent
        self._total_spent = sum(self._spent.values())
        self._doubtful = False

    def _load_judgments(self) -> dict[str, int]:
        """What is in force by the file. The index of each comparison by its id."""
        index_of = {comparison: index for index, comparison in enumerate(self.rows.ids())}
        current = sorted(self._store.judgments(self.session_id), key=lambda row: row.sequence)
        self.judgments: dict[int, JudgmentInForce] = {}
        self._spent: dict[int, float] = {}
        for row in current:
            index = index_of[row.comparison_id]
            self.judgments[index] = JudgmentInForce(row.id, row.outcome, row.chosen, row.shown, row.note, row.worst)
            self._spent[index] = row.active_seconds
        self._total_spent = sum(self._spent.values())
        # In the order they were given: that is the way back.
        self._history = {index: None for index, said in self.judgments.items() if said.outcome != "undone"}
        self._tally = Counter(said.outcome for said in self.judgments.values())
        return index_of

    # what to show

    def current(self) -> SessionView:
        self.touch()
        asked = (self.settings.question, self.settings.instructions)
        if (practice := self._practice) is not None:
            return SessionView(practice.comparison(*asked), practice.answer, self.progress(), practice=practice.step)
        if self.revealed or self._at is None:
            return SessionView(None, None, self.progress(), self.revealed)
        row = self.rows[self._at]
        texts = self._texts_of(self._at)
        assert texts is not None
        blind = BlindComparison(
            token=self._tokens[self._at],
            ordinal=self._at + 1,
            title=self._wording.title(row.task, row.theme),
            criteria=self._wording.criteria(row.task),
            texts=tuple(texts[item] for item in self._shown(self._at)),
            note=self._notes.of(self._at),
            notes=self._takes_notes,
            ratings=self._ratings_of(self._at),
            question=asked[0],
            instructions=asked[1],
            asks_worst=self._asks_worst(row),
            recommended=None if (advised := self._advised(self._at)) is None else self._shown(self._at).index(advised),
        )
        return SessionView(blind, self._answer(self._at), self.progress())

    def progress(self) -> SessionProgress:
        done = sum(self._tally[outcome] for outcome in ("choice", "tie", "none"))
        left = len(self.rows) - len(self._unusable) - done - self._tally["skip"]
        return SessionProgress(
            done,
            self._tally["skip"],
            left,
            len(self._unusable),
            len(self.rows),
            self._total_spent,
            bool(self.recommended),
        )

    def entries(self) -> tuple[OverviewEntry, ...]:
        """The comparisons to go back to, in plan order. Of very many, those that were answered last or skipped."""
        indexes: Iterable[int] = range(len(self.rows))
        if len(self.rows) > MOST_ENTRIES:
            skipped = [index for index in self._history if self.judgments[index].outcome == "skip"]
            indexes = sorted({*skipped[-MOST_ENTRIES // 2 :], *list(self._history)[-MOST_ENTRIES // 2 :]})
        return tuple(self._entry(index, self.rows[index]) for index in indexes)

    def _entry(self, index: int, row: ComparisonRow) -> OverviewEntry:
        return OverviewEntry(
            self._tokens[index], index + 1, self._wording.title(row.task, row.theme), self._state(index)
        )

    def touch(self) -> SessionProgress:
        """A sign of life from the rater: the time since the last one belongs to the comparison that is shown."""
        seconds = self._clock.lap()
        if self._practice is not None:
            self._practice.seconds += seconds
        elif self._at is not None and not self.revealed:
            self._spent[self._at] = self._spent.get(self._at, 0.0) + seconds
            self._total_spent += seconds
        return self.progress()

    # what the rater says

    def record(
        self, token: str, outcome: Answered, card: int | None, note: str | None, worst: int | None = None
    ) -> SessionView:
        """Write the answer, then go on. A token that is not the one shown changes nothing.

        `worst`: the worst card, which belongs to a choice where the plan asks for it.
        """
        if self._practice is not None:
            self._practice.record(token, outcome, card)
            return self.current()
        index = self._writable(token)
        if index is None:
            return self.current()
        if card is not None and not 0 <= card < len(self.rows[index].items):
            raise Refused("There is no such card.", kept="Nothing was recorded.")
        if outcome == "choice" and self._asks_worst(self.rows[index]):
            if worst is None or worst == card or not 0 <= worst < len(self.rows[index].items):
                raise Refused("Choose the best text and then the worst, another one.", kept="Nothing was recorded.")
        elif worst is not None:
            raise Refused("This comparison does not ask for the worst text.", kept="Nothing was recorded.")
        if note is not None and self._takes_notes:
            self._notes.put(index, note)
        shown = self._shown(index)
        chosen, beaten = (None if one is None else shown[one] for one in (card, worst))
        self._write(index, outcome, chosen, beaten)
        self._at = self._next_left(index)
        return self.current()

    def withdraw(self, token: str) -> SessionView:
        """Take an answer back: the comparison is left to judge, and stays in view."""
        index = self._writable(token)
        if index is not None and index in self._history:
            self._write(index, "undone", None)
        return self.current()

    def save_note(self, token: str, note: str) -> SessionProgress:
        """Keep an unfinished note on disk."""
        index = self._writable(token, shown=False)
        if index is not None and self._takes_notes:
            self._notes.put(index, note)
            self._keep_draft(index)
        return self.progress()

    def rate(self, token: str, card: int, criterion: int, rating: int | None) -> Ratings:
        """Write how a card is rated by a criterion, 1 to 5, or None to take it back. The comparison's ratings."""
        index = self._writable(token, shown=False)
        if index is None or self._ratings is None:
            return ()
        self.touch()
        row, criteria = self.rows[index], self._wording.criteria(self.rows[index].task)
        known = 0 <= card < len(row.items) and 0 <= criterion < len(criteria)
        if not known or (rating is not None and not LOWEST <= rating <= HIGHEST):
            raise Refused("There is no such rating.", kept="Nothing was recorded.")
        self._ratings.rate(row.id, self._shown(index)[card], criteria[criterion].name, rating)
        return self._ratings_of(index) or ()

    # where to go

    def back(self, token: str) -> SessionView:
        """To the answer given before the one in view; from a new comparison, to the last answer."""
        if self._practice is not None or (self._writable(token) is None and token):
            return self.current()
        given = list(self._history)
        before = given.index(self._at) if self._at in self._history else len(given)
        while before > 0:
            before -= 1
            if self._texts_of(given[before]) is not None:
                return self._go(given[before])
        return self.current()

    def go_to(self, token: str) -> SessionView:
        index = self._index.get(token)
        if index is None or self._practice is not None or self.revealed or self._texts_of(index) is None:
            return self.current()
        return self._go(index)

    def resume(self) -> SessionView:
        """To the comparison in view if it has no answer, else to the next without one, or to the end.

        In the practice round: on from an answered one, and behind the last to the first comparison that counts.
        """
        if self._practice is not None:
            return self._go_on_practising(self._practice)
        return self._go(self._next_left(-1 if self._at is None else self._at - 1))

    def _go_on_practising(self, practice: PracticeRound) -> SessionView:
        self.touch()
        practice.go_on()
        if practice.over:
            if self._statements is not None:
                self._statements.practised(self.rater_id, self.session_id, practice.result)
            self._practice = None
            self._at = self._next_left(-1)
        return self.current()

    def keep_changed_note(self) -> None:
        """Before the comparison in view is left: a note that is not on disk goes there, or this fails.

        One that was changed on an answered comparison belongs to its answer: written with it again.
        """
        index = self._at
        if index is None or self.revealed:
            return
        said = self.judgments.get(index)
        if said is not None and index in self._history and self._notes.of(index) != said.note:
            self._write(index, said.outcome, said.chosen, said.worst)
        else:
            self._keep_draft(index)

    def prefetch(self) -> None:
        """Fetch the texts that come next, while nobody waits."""
        index = self._at
        for _ in range(AHEAD):
            index = None if index is None else self._next_left(index)

    def reveal(self, lock: Callable[[], object] | None = None) -> None:
        """Lock the session, by `lock` where that takes more than a date. From here on nothing can be changed."""
        if not self.revealed:
            self.keep_changed_note()
            if lock is not None:
                lock()
            else:
                self._store.reveal(self.session_id)
            self.revealed = True

    def followed(self) -> tuple[int, int]:
        """How often the recommended text was chosen, of the answers that were given beside a recommendation.

        A hidden repeat is not counted.
        """
        beside = [
            said.chosen == advised
            for index, said in self.judgments.items()
            if said.outcome in ("choice", "tie", "none") and self.rows[index].repeat_of is None
            if (advised := self._advised(index)) is not None
        ]
        return sum(beside), len(beside)

    # inside

    def _go(self, index: int | None) -> SessionView:
        self.touch()
        self.keep_changed_note()
        self._at = index
        return self.current()

    def _asks_worst(self, row: ComparisonRow) -> bool:
        return self.settings.worst and len(row.items) == 3

    def _write(self, index: int, outcome: Outcome, chosen: int | None, worst: int | None = None) -> None:
        """Append a judgment; the state here changes only after it is on disk. An unchanged one is not written again."""
        self.touch()
        if self._doubtful:
            self._look_up()
        row, before, note = self.rows[index], self.judgments.get(index), self._notes.of(index)
        said = (outcome, chosen, note, worst)
        if before is not None and (before.outcome, before.chosen, before.note, before.worst) == said:
            self._keep_draft(index)  # a draft may hold what was typed in between and deleted again
            return
        texts = self._texts_of(index)
        assert texts is not None
        spec = JudgmentSpec(
            session_id=self.session_id,
            comparison_id=row.id,
            outcome=outcome,
            chosen=chosen,
            shown=self._shown(index),
            texts_sha256=texts_digest(sha256_text(text) for text in texts),
            note=note,
            active_seconds=self._spent.get(index, 0.0),
            supersedes=None if before is None else before.id,
            detail=self._detail(index, worst),
        )
        try:
            written = self._store.record(spec).uuid("judgment")
        except Exception:
            self._doubtful = True
            raise
        self._notes.saved(index)
        if before is not None:
            self._tally[before.outcome] -= 1
        self._tally[outcome] += 1
        self._history.pop(index, None)
        if outcome != "undone":
            self._history[index] = None
        self.judgments[index] = JudgmentInForce(written, outcome, chosen, spec.shown, note, worst)

    def _keep_draft(self, index: int) -> None:
        if self._notes.waits(index):
            self._store.save_draft(self.session_id, self.rows[index].id, self._notes.of(index))
            self._notes.saved(index)

    def _ratings_of(self, index: int) -> Ratings | None:
        row = self.rows[index]
        criteria = self._wording.criteria(row.task)
        if self._ratings is None or not criteria:
            return None
        return self._ratings.shown(row.id, self._shown(index), criteria)

    def _writable(self, token: str, *, shown: bool = True) -> int | None:
        """The comparison of `token`, if it may be written to; None for a key press that came too late."""
        if self.revealed:
            raise Refused("This session was revealed: its answers cannot change any more.", kept="They are all kept.")
        index = self._index.get(token)
        return None if shown and index != self._at else index

    def _shown(self, index: int) -> tuple[int, ...]:
        """The order of the cards: as shown before, or as the plan and the rater's code give it."""
        said = self.judgments.get(index)
        return said.shown if said is not None else self._order.of(self.rows[index].id)

    def _advised(self, index: int) -> int | None:
        """The index of the item that is recommended; None where none is."""
        return self.recommended.get(self.rows[index].id)

    def _detail(self, index: int, worst: int | None) -> dict[str, int]:
        """What a judgment keeps beside the choice."""
        more = {WORST: worst, RECOMMENDED: self._advised(index)}
        return {name: item for name, item in more.items() if item is not None}

    def _answer(self, index: int) -> GivenAnswer | None:
        said = self.judgments.get(index)
        if said is None or said.outcome == "undone":
            return None
        card, worst = (None if one is None else said.shown.index(one) for one in (said.chosen, said.worst))
        return GivenAnswer(said.outcome, card, worst)

    def _state(self, index: int) -> State:
        if index in self._unusable:
            return "unusable"
        if index not in self._history:
            return "left"
        return "skipped" if self.judgments[index].outcome == "skip" else "done"

    def _next_left(self, after: int) -> int | None:
        """The next comparison without an answer whose texts are as planned, from `after` on and then from the start."""
        for index in chain(range(after + 1, len(self.rows)), range(after + 1)):
            if index not in self._history and index not in self._unusable and self._texts_of(index) is not None:
                return index
        return None

    def _texts_of(self, index: int) -> tuple[str, ...] | None:
        """The texts in plan order; None, and marked unusable, where they are not the ones that were planned."""
        (texts,) = self._texts.get([index], lambda _: [self._read_texts(index)])
        return texts

    def _read_texts(self, index: int) -> tuple[str, ...] | None:
        row = self.rows[index]
        found = self._store.texts([item.key for item in row.items])
        texts = tuple(found[item.key] for item in row.items if item.key in found)
        if texts_digest(sha256_text(text) for text in texts) == row.texts_sha256:
            return texts
        if index not in self._history:
            self._unusable.add(index)
        return None
