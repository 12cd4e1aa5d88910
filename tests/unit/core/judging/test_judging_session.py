"""A rater's session: what comes next, what is written and when, going back, notes, time, failures, the reveal."""

import itertools
import queue
from collections.abc import Iterator

import pytest

from biasprint.core.errors import AppError
from biasprint.core.judging.blind import GivenAnswer, RatingCriterion
from biasprint.core.judging.plan import texts_digest
from biasprint.core.judging.reveal import reveal
from biasprint.core.judging.session import JudgingSession, offer_plans, open_judging, open_session
from biasprint.core.judging.store import AxisLabels
from biasprint.core.judging.wording import ComparisonWording, TaskWords
from biasprint.core.judging.work import (
    current_view,
    go_back,
    go_to,
    list_entries,
    record_choice,
    resume,
    save_note,
    touch,
    withdraw,
)
from biasprint.core.project.changes import Changes
from biasprint.core.project.connection import NotSaved
from biasprint.core.project.rows import (
    ComparisonItem,
    ComparisonRow,
    JudgmentRow,
    PlanRow,
    RaterRow,
    SessionRow,
    TextView,
)
from biasprint.core.project.specs import JudgmentSpec
from biasprint.core.project.stores.judging import Remark
from biasprint.core.text import sha256_text

IDENTITIES = ("asian", "black", "white")
WORDING = ComparisonWording({"haiku": TaskWords("Haiku", (RatingCriterion("Imagery", "It shows."),))})


class FakeStore:
    """A `ProjectStore` in memory, its own project and its rows. `failure` is raised by every write while it is set."""

    def __init__(self, number: int = 6, repeats: int = 0, consent: str = "") -> None:
        self.project = self.judging = self
        self.failure: Exception | None = None
        self.written: list[JudgmentSpec] = []
        self.reads: queue.SimpleQueue[list[int]] = queue.SimpleQueue()
        self._ids = itertools.count(1)
        self._rows: list[JudgmentRow] = []
        self._drafts: dict[str, Remark] = {}
        self._raters: list[RaterRow] = []
        self._sessions: list[SessionRow] = []
        self._plan = PlanRow("plan", 1, "Race", "race", 3, {"consent_text": consent} if consent else {}, "2026")
        self._texts = {
            ("output", 10 * c + i): f"text {c} {name}" for c in range(number) for i, name in enumerate(IDENTITIES)
        }
        self._comparisons = [self._comparison(index, index, None) for index in range(number)]
        self._comparisons += [self._comparison(number + index, index, f"c{index}") for index in range(repeats)]

    def _comparison(self, position: int, cell: int, repeat_of: str | None) -> ComparisonRow:
        items = tuple(ComparisonItem(10 * cell + index, name) for index, name in enumerate(IDENTITIES))
        digest = texts_digest(sha256_text(self._texts[item.key]) for item in items)
        return ComparisonRow(
            f"c{position}", "plan", position, "race", "haiku", f"theme_{cell}", items, digest, repeat_of
        )

    def change_text(self, output: int) -> None:
        self._texts["output", output] += " changed"

    def plans(self):
        return [self._plan]

    def count(self, plan_id):
        return len(self._comparisons)

    def comparisons(self, plan_id):
        return self._comparisons

    each_comparison = comparisons

    def card_counts(self, plan_id):
        return (len(IDENTITIES),)

    def wording(self):
        return WORDING

    def texts(self, keys):
        self.reads.put([number for _, number in keys])
        return {key: self._texts[key] for key in keys if key in self._texts}

    def only_code(self):
        return None

    def packet_sessions(self):
        return frozenset()

    def texts_at_stake(self, session_id):
        return (), frozenset()

    def raters(self):
        return self._raters

    def sessions(self):
        return self._sessions

    def rater(self, code):
        found = [row for row in self._raters if row.code == code]
        if not found:
            self._fail()
            found = [RaterRow(f"rater {code}", code, "person", {}, "2026")]
            self._raters += found
        return found[0]

    def session(self, plan_id, rater_id, consent_text):
        found = [row for row in self._sessions if row.rater_id == rater_id]
        if not found:
            self._fail()
            found = [SessionRow(f"session {rater_id}", plan_id, rater_id, consent_text, "2026", "2026", None)]
            self._sessions += found
        return found[0]

    def judgments(self, session_id):
        superseded = {row.supersedes for row in self._rows}
        return [row for row in self._rows if row.session_id == session_id and row.id not in superseded]

    def record(self, judgment):
        self._fail()
        assert all(row.supersedes is None or row.supersedes != judgment.supersedes for row in self._rows)
        self.written.append(judgment)
        number = next(self._ids)
        self._rows.append(JudgmentRow(sequence=number, id=f"j{number}", created_at="2026", **judgment.model_dump()))
        self._drafts.pop(judgment.comparison_id, None)
        return Changes.to("judgment", [f"j{number}"])

    def save_draft(self, session_id, comparison_id, remark):
        self._fail()
        self._drafts[comparison_id] = remark
        return Changes.to("draft", [comparison_id])

    def drafts(self, session_id):
        return dict(self._drafts)

    def reveal(self, session_id):
        self._fail()
        self._sessions = [
            SessionRow(**{**vars(row), "revealed_at": "2027"}) if row.id == session_id else row
            for row in self._sessions
        ]
        return Changes.to("session", [session_id])

    def axis_names(self, axis):
        return AxisLabels("Race", {name: name.title() for name in IDENTITIES})

    def _fail(self) -> None:
        if self.failure is not None:
            raise self.failure


class Clock:
    def __init__(self) -> None:
        self.time = 1000.0

    def __call__(self) -> float:
        return self.time


class Rater:
    """Drives a session and waits for every answer."""

    def __init__(self, store: FakeStore, clock: Clock | None = None, code: str = "R01") -> None:
        self.store = store
        self.door: JudgingSession = open_judging(store, now=clock or Clock())
        self.code = code

    def start(self, consent: bool = False):
        offer = self.door.ask(offer_plans, self.code).result().offers[0]
        self.view = self.door.ask(open_session, offer.token, self.code, consent).result()
        return self.view

    def do(self, command, *arguments, **options):
        self.view = self.door.ask(command, self.token, *arguments, **options).result()
        return self.view

    @property
    def token(self) -> str:
        return self.view.comparison.token if self.view.comparison else ""

    @property
    def ordinal(self) -> int | None:
        return self.view.comparison.ordinal if self.view.comparison else None

    @property
    def numbers(self) -> tuple[int, int, int]:
        progress = self.view.progress
        return progress.done, progress.skipped, progress.left


@pytest.fixture
def rater() -> Iterator[Rater]:
    one = Rater(FakeStore())
    one.start()
    yield one
    one.door.close()


def test_the_view_names_the_task_and_shows_texts_and_criteria(rater):
    shown = rater.view.comparison
    assert shown.title == "Haiku · theme 0"
    assert shown.criteria == (RatingCriterion("Imagery", "It shows."),)
    assert sorted(shown.texts) == [f"text 0 {name}" for name in IDENTITIES]
    assert rater.view.answer is None


def test_a_choice_records_the_item_that_stood_on_the_chosen_card(rater):
    for card in (0, 1, 2):
        text = rater.view.comparison.texts[card]
        rater.do(record_choice, "choice", card)
        written = rater.store.written[-1]
        assert text.endswith(IDENTITIES[written.chosen])
        assert written.chosen == written.shown[card]
        assert written.outcome == "choice"
        assert written.texts_sha256 == rater.store.comparisons("plan")[card].texts_sha256
    assert rater.numbers == (3, 0, 3)
    assert rater.ordinal == 4


def test_each_outcome_is_recorded_and_counted(rater):
    rater.do(record_choice, "tie")
    rater.do(record_choice, "none")
    rater.do(record_choice, "skip")
    assert [spec.outcome for spec in rater.store.written] == ["tie", "none", "skip"]
    assert rater.numbers == (2, 1, 3)


def test_a_key_for_a_comparison_that_is_no_longer_shown_changes_nothing(rater):
    stale = rater.token
    rater.do(record_choice, "choice", 0)
    view = rater.door.ask(record_choice, stale, "choice", 1).result()
    assert len(rater.store.written) == 1
    assert view.comparison.ordinal == 2


def test_a_card_that_is_not_there_is_refused(rater):
    with pytest.raises(AppError, match="no such card"):
        rater.door.ask(record_choice, rater.token, "choice", 3).result()
    assert rater.store.written == []


def test_going_back_shows_the_earlier_answer_and_choosing_again_supersedes_it(rater):
    rater.do(record_choice, "choice", 2)
    rater.do(record_choice, "tie")
    rater.do(go_back)
    assert (rater.ordinal, rater.view.answer) == (2, GivenAnswer("tie"))
    rater.do(go_back)
    assert (rater.ordinal, rater.view.answer) == (1, GivenAnswer("choice", 2))
    rater.do(record_choice, "choice", 1)
    assert rater.ordinal == 3
    first, _, revised = rater.store.written
    assert first.supersedes is None
    assert revised.supersedes == "j1"
    assert revised.comparison_id == first.comparison_id
    assert rater.numbers == (2, 0, 4)


def test_going_back_from_the_first_comparison_stays(rater):
    assert rater.do(go_back).comparison.ordinal == 1


def test_going_back_after_a_skip_returns_to_what_was_skipped(rater):
    rater.do(record_choice, "skip")
    rater.do(go_back)
    assert (rater.ordinal, rater.view.answer) == (1, GivenAnswer("skip"))
    rater.do(record_choice, "choice", 0)
    assert rater.numbers == (1, 0, 5)


def test_the_same_answer_again_writes_nothing_and_goes_on(rater):
    rater.do(record_choice, "choice", 1)
    rater.do(go_back)
    rater.do(record_choice, "choice", 1)
    assert len(rater.store.written) == 1
    assert rater.ordinal == 2


def test_resume_goes_on_to_what_has_no_answer(rater):
    rater.do(record_choice, "choice", 1)
    rater.do(record_choice, "choice", 1)
    rater.do(go_back)
    rater.do(go_back)
    assert rater.door.ask(resume).result().comparison.ordinal == 3


def test_a_withdrawn_answer_is_left_to_judge_and_its_row_stays(rater):
    rater.do(record_choice, "choice", 0)
    rater.do(go_back)
    rater.do(withdraw)
    assert (rater.ordinal, rater.view.answer, rater.numbers) == (1, None, (0, 0, 6))
    assert [(spec.outcome, spec.supersedes) for spec in rater.store.written] == [("choice", None), ("undone", "j1")]
    rater.do(record_choice, "choice", 2)
    assert rater.store.written[-1].supersedes == "j2"
    assert rater.numbers == (1, 0, 5)


def test_at_the_end_there_is_no_comparison_and_back_leads_in_again(rater):
    for _ in range(6):
        rater.do(record_choice, "choice", 0)
    assert (rater.view.comparison, rater.numbers) == (None, (6, 0, 0))
    assert rater.do(go_back).comparison.ordinal == 6


def test_skipped_ones_are_listed_and_can_be_gone_to(rater):
    rater.do(record_choice, "choice", 0)
    rater.do(record_choice, "skip")
    entries = rater.door.ask(list_entries).result()
    assert [entry.state for entry in entries] == ["done", "skipped", "left", "left", "left", "left"]
    assert entries[1].title == "Haiku · theme 1"
    view = rater.door.ask(go_to, entries[1].token).result()
    assert (view.comparison.ordinal, view.answer) == (2, GivenAnswer("skip"))
    view = rater.door.ask(record_choice, view.comparison.token, "choice", 0).result()
    assert view.comparison.ordinal == 3


def test_a_session_resumes_where_it_stopped_with_the_same_order_of_cards():
    store = FakeStore()
    one = Rater(store)
    one.start()
    one.do(record_choice, "choice", 0)
    one.do(record_choice, "skip")
    texts = one.view.comparison.texts
    one.door.close()
    again = Rater(store)
    info = again.door.ask(offer_plans).result()
    assert info.code == "R01"
    assert (info.offers[0].done, info.offers[0].skipped, info.offers[0].opened) == (1, 1, True)
    again.start()
    assert (again.ordinal, again.view.comparison.texts, again.numbers) == (3, texts, (1, 1, 4))
    assert again.do(go_back).comparison.ordinal == 2
    again.door.close()


def test_a_new_rater_is_offered_the_next_code():
    store = FakeStore()
    one = Rater(store, code="R07")
    one.start()
    one.door.ask(reveal, anyway=True).result()
    assert one.door.ask(offer_plans).result().code == "R08"
    one.door.close()


# notes


def test_a_typed_note_is_kept_as_a_draft_and_goes_into_the_judgment(rater):
    rater.door.ask(save_note, rater.token, "half a thou").result()
    assert rater.store.drafts("") == {"c0": Remark("half a thou")}
    rater.do(record_choice, "choice", 0, note="half a thought")
    assert rater.store.written[-1].note == "half a thought"
    assert rater.store.drafts("") == {}
    rater.do(go_back)
    assert rater.view.comparison.note == "half a thought"


def test_a_draft_is_there_again_after_reopening():
    store = FakeStore()
    one = Rater(store)
    one.start()
    one.door.ask(save_note, one.token, "unfinished").result()
    one.door.close()
    again = Rater(store)
    assert again.start().comparison.note == "unfinished"
    again.door.close()


def test_a_note_changed_on_an_answered_comparison_is_written_with_its_answer(rater):
    rater.do(record_choice, "choice", 2)
    rater.do(go_back)
    rater.door.ask(save_note, rater.token, "second thoughts").result()
    rater.door.ask(resume).result()
    first, second = rater.store.written
    assert (second.note, second.supersedes, second.outcome) == ("second thoughts", "j1", "choice")
    assert second.chosen == first.chosen


# failures


@pytest.mark.parametrize("failure", [NotSaved("“gender.biasprint” is full"), OSError(28, "x", "gender.biasprint")])
def test_a_failing_write_stays_on_the_comparison_and_never_names_the_file(rater, failure):
    rater.do(record_choice, "choice", 0)
    rater.store.failure = failure
    with pytest.raises(AppError) as told:
        rater.door.ask(record_choice, rater.token, "choice", 1, "my note").result()
    text = f"{told.value} {told.value.details}"
    assert "not saved" in told.value.message
    assert told.value.kept
    assert told.value.hint
    assert "gender" not in text
    assert told.value.__cause__ is None
    assert told.value.__context__ is None
    view = rater.door.ask(current_view).result()
    assert (view.comparison.ordinal, view.comparison.note, view.progress.done) == (2, "my note", 1)
    rater.store.failure = None
    rater.do(record_choice, "choice", 1)
    assert rater.store.written[-1].note == "my note"
    assert rater.numbers == (2, 0, 4)


def test_a_failing_withdrawal_keeps_the_answer(rater):
    rater.do(record_choice, "choice", 0)
    rater.do(go_back)
    rater.store.failure = NotSaved("full")
    with pytest.raises(AppError, match="not taken back"):
        rater.door.ask(withdraw, rater.token).result()
    assert rater.door.ask(current_view).result().answer == GivenAnswer("choice", 0)


def test_a_failing_reveal_does_not_lock(rater):
    rater.store.failure = NotSaved("full")
    with pytest.raises(AppError, match="not revealed"):
        rater.door.ask(reveal, anyway=True).result()
    rater.store.failure = None
    rater.do(record_choice, "choice", 0)
    assert rater.numbers[0] == 1


def test_texts_that_changed_since_they_were_planned_are_not_shown():
    store = FakeStore()
    store.change_text(0)
    store.change_text(21)
    one = Rater(store)
    one.start()
    seen = []
    while one.view.comparison is not None:
        seen.append(one.ordinal)
        one.do(record_choice, "choice", 0)
    assert seen == [2, 4, 5, 6]
    assert (one.numbers, one.view.progress.unusable) == ((4, 0, 0), 2)
    assert [entry.state for entry in one.door.ask(list_entries).result()].count("unusable") == 2
    one.door.close()


def test_after_closing_every_question_is_answered_with_an_error(rater):
    rater.door.close()
    with pytest.raises(AppError, match="closed"):
        rater.door.ask(current_view).result()


def test_without_a_session_commands_are_refused():
    one = Rater(FakeStore())
    with pytest.raises(AppError, match="No session is open"):
        one.door.ask(current_view).result()
    one.door.close()


@pytest.mark.parametrize("code", ["", "   ", "x" * 41, "a\nb"])
def test_a_code_that_is_no_code_is_refused(code):
    one = Rater(FakeStore())
    offer = one.door.ask(offer_plans, "R01").result().offers[0]
    with pytest.raises(AppError, match="rater code"):
        one.door.ask(open_session, offer.token, code).result()
    one.door.close()


def test_consent_is_asked_for_where_the_plan_has_a_text():
    store = FakeStore(consent="I agree that my answers are used.")
    one = Rater(store)
    offer = one.door.ask(offer_plans, "R01").result().offers[0]
    assert offer.consent_text == "I agree that my answers are used."
    with pytest.raises(AppError, match="agree"):
        one.start(consent=False)
    assert store.sessions() == []
    one.start(consent=True)
    assert store.sessions()[0].consent_text == "I agree that my answers are used."
    one.door.close()


# time


def test_active_time_stops_after_two_idle_minutes_and_never_runs_backwards():
    clock, store = Clock(), FakeStore()
    one = Rater(store, clock)
    one.start()
    clock.time += 50
    one.door.ask(touch).result()
    clock.time += 500
    one.do(record_choice, "choice", 0)
    assert store.written[-1].active_seconds == 50 + 120
    clock.time -= 10_000
    one.do(record_choice, "choice", 0)
    assert store.written[-1].active_seconds == 0
    clock.time += 7
    one.do(record_choice, "choice", 0)
    assert store.written[-1].active_seconds == 7
    assert one.view.progress.active_seconds == 177
    one.door.close()


def test_a_revised_answer_carries_all_the_time_spent_on_it():
    clock, store = Clock(), FakeStore()
    one = Rater(store, clock)
    one.start()
    clock.time += 10
    one.do(record_choice, "choice", 0)
    one.do(go_back)
    clock.time += 4
    one.do(record_choice, "choice", 1)
    assert store.written[-1].active_seconds == 14
    assert one.view.progress.active_seconds == 14
    one.door.close()


# fetching ahead


def test_the_next_texts_are_fetched_before_they_are_asked_for(rater):
    fetched = [rater.store.reads.get(timeout=10) for _ in range(3)]
    assert fetched == [[0, 1, 2], [10, 11, 12], [20, 21, 22]]
    assert rater.do(record_choice, "choice", 0).comparison.ordinal == 2
    assert rater.store.reads.get(timeout=10) == [30, 31, 32], "nothing is read twice, and reading stays ahead"


# the reveal


def test_the_reveal_counts_choices_per_identity_and_locks(rater):
    chosen = []
    for card in (0, 0, 1, 2):
        chosen.append(rater.view.comparison.texts[card].split()[-1])
        rater.do(record_choice, "choice", card)
    rater.do(record_choice, "tie")
    rater.do(record_choice, "skip")
    revealed = rater.door.ask(reveal).result()
    (axis,) = revealed.axes
    assert (axis.title, axis.choices, axis.ties, axis.none, axis.skipped, axis.left) == ("Race", 4, 1, 0, 1, 0)
    assert {one.identity: one.chosen for one in axis.identities} == {name: chosen.count(name) for name in IDENTITIES}
    assert [one.label for one in axis.identities] == ["Asian", "Black", "White"]
    before = list(rater.store.written)
    for command, *answers in ((record_choice, "tie"), (record_choice, "skip"), (withdraw,), (go_back,)):
        with pytest.raises(AppError, match="locked"):
            rater.door.ask(command, "", *answers).result()
    with pytest.raises(AppError, match="locked"):
        rater.door.ask(save_note, "", "late").result()
    assert rater.store.written == before
    assert rater.door.ask(current_view).result().revealed


def test_a_reveal_with_comparisons_left_must_be_meant(rater):
    rater.do(record_choice, "choice", 0)
    with pytest.raises(AppError, match="5 comparisons are left"):
        rater.door.ask(reveal).result()
    assert rater.store.sessions()[0].revealed_at is None
    assert rater.door.ask(reveal, anyway=True).result().axes[0].left == 5


def test_a_revealed_session_opens_locked_and_can_show_its_counts_again():
    store = FakeStore()
    one = Rater(store)
    one.start()
    one.do(record_choice, "choice", 0)
    first = one.door.ask(reveal, anyway=True).result()
    one.door.close()
    again = Rater(store)
    assert again.door.ask(offer_plans, "R01").result().offers[0].revealed
    assert again.start().revealed
    assert again.door.ask(reveal).result() == first
    again.door.close()


def test_hidden_repeats_are_counted_apart():
    store = FakeStore(number=3, repeats=3)
    one = Rater(store)
    one.start()
    want = ["text 0 black", "text 1 black", "tie", "text 0 black", "text 1 white", "tie"]
    for answer in want:
        texts = one.view.comparison.texts
        if answer == "tie":
            one.do(record_choice, "tie")
        else:
            one.do(record_choice, "choice", texts.index(answer))
    revealed = one.door.ask(reveal).result()
    assert (revealed.repeats, revealed.repeats_same) == (3, 2)
    assert revealed.axes[0].choices == 2
    assert {row.identity: row.chosen for row in revealed.axes[0].identities} == {"asian": 0, "black": 2, "white": 0}
    one.door.close()


# ---- What was in view

READ = (TextView(4.0, True), TextView(5.0, True), TextView(6.0, True))
UNREAD = (TextView(4.0, True), TextView(5.0, False), TextView(6.0, True))


def views_written(rater: Rater, place: int = -1) -> dict[int, tuple[float, bool]]:
    """Seconds and end by item, of a judgment that was written."""
    stored = rater.store.written[place].detail["viewed"]
    return {item: (view["seconds"], view["end"]) for item, view in enumerate(stored)}


def test_what_was_in_view_is_kept_by_item_whatever_the_order_of_the_cards(rater):
    rater.do(record_choice, "choice", 0, viewed=UNREAD)
    shown = rater.store.written[0].shown
    assert views_written(rater) == {shown[0]: (4.0, True), shown[1]: (5.0, False), shown[2]: (6.0, True)}


def test_an_answer_without_such_a_record_keeps_none(rater):
    rater.do(record_choice, "tie")
    assert rater.store.written[0].detail == {}


def test_a_revised_answer_adds_up_what_was_in_view_also_after_a_pause():
    store = FakeStore()
    first = Rater(store)
    first.start()
    first.do(record_choice, "choice", 0, viewed=UNREAD)
    first.do(go_back)
    longer = tuple(TextView(view.seconds + 1, view.end) for view in UNREAD)  # counted on since the session was opened
    first.do(record_choice, "choice", 1, viewed=longer)
    assert sorted(seconds for seconds, _ in views_written(first).values()) == [5.0, 6.0, 7.0]
    first.door.close(5)
    again = Rater(store)
    again.start()
    again.do(go_back)
    again.do(record_choice, "choice", 2, viewed=(TextView(0.5, False), TextView(0.5, True), TextView(0.5, False)))
    again.door.close(5)
    assert sorted(views_written(again).values()) == [(5.5, True), (6.5, True), (7.5, True)]


def test_the_same_answer_after_reading_on_is_kept_with_what_was_read(rater):
    rater.do(record_choice, "choice", 0, viewed=UNREAD)
    rater.do(go_back)
    rater.do(record_choice, "choice", 0, viewed=READ)
    assert [all(end for _, end in views_written(rater, place).values()) for place in (0, 1)] == [False, True]
    rater.do(go_back)
    rater.do(record_choice, "choice", 0, viewed=tuple(TextView(view.seconds + 9, view.end) for view in READ))
    assert len(rater.store.written) == 2, "nothing new was said or read"


def test_the_word_on_an_unread_end_is_said_once_in_a_session():
    store = FakeStore()
    rater = Rater(store)
    rater.start()
    assert rater.do(record_choice, "skip", viewed=UNREAD).unread == ()
    assert rater.do(record_choice, "choice", 0, viewed=READ).unread == ()
    assert rater.do(record_choice, "tie", viewed=UNREAD).unread == (1,)
    assert rater.do(record_choice, "choice", 0, viewed=UNREAD).unread == ()
    rater.door.close(5)
    again = Rater(store)
    again.start()
    assert again.do(record_choice, "choice", 0, viewed=UNREAD).unread == (), "the same session, after a pause"
    again.door.close(5)
