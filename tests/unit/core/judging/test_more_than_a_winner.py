"""Degree, confidence and marked words: recorded, kept at once, gone back to, carried in packets; and what is none."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from packet_files import coordinator, finished, judging, make, merge
from rating_files import rating_project

from biasprint.core.errors import AppError, UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.judging.blind import SessionView
from biasprint.core.judging.packets.hand_out import hand_out
from biasprint.core.judging.plan import PlanSettings
from biasprint.core.judging.session import JudgingSession, leave_session, offer_plans, open_judging, open_session
from biasprint.core.judging.store import ProjectStore
from biasprint.core.judging.work import (
    current_view,
    go_back,
    mark_words,
    record_choice,
    record_confidence,
    resume,
    save_note,
    withdraw,
)
from biasprint.core.project.connection import NotSaved
from biasprint.core.project.project import Project
from biasprint.core.project.rows import JudgmentRow, joined_spans
from biasprint.core.project.specs import JudgmentSpec
from biasprint.core.project.stores.judging import Remark

ASKED = {"graded": True, "confidence": True, "spans": True}


class Rater:
    """One rater at a project; another process, as far as the file can tell, after `killed`."""

    def __init__(self, path: Path) -> None:
        self.project = Project.open(path)
        self.door: JudgingSession = open_judging(ProjectStore(self.project))
        self.view = self.open()

    def open(self) -> SessionView:
        offer = self.door.ask(offer_plans, "R01").result().offers[0]
        return self.door.ask(open_session, offer.token, "R01", True).result()

    def killed(self) -> None:
        """Go on from what is on disk: nothing is put away first."""
        self.door = open_judging(ProjectStore(self.project))
        self.view = self.open()

    @property
    def token(self) -> str:
        assert self.view.comparison is not None
        return self.view.comparison.token

    @property
    def ordinal(self) -> int:
        assert self.view.comparison is not None
        return self.view.comparison.ordinal

    @property
    def spans(self) -> Any:
        assert self.view.comparison is not None
        return self.view.comparison.spans

    def choose(self, card: int, degree: str | None = "slightly") -> None:
        self.view = self.door.ask(record_choice, self.token, "choice", card, degree=degree).result()

    def sure(self, confidence: int) -> None:
        self.view = self.door.ask(record_confidence, self.token, confidence).result()

    def mark(self, *spans: tuple[int, int, int]) -> Any:
        return self.door.ask(mark_words, self.token, spans).result()

    def back(self) -> None:
        self.view = self.door.ask(go_back, self.token).result()

    def rows(self, *, superseded: bool = False) -> tuple[JudgmentRow, ...]:
        return self.project.judging.judgments(superseded=superseded)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return rating_project(tmp_path / "study.biasprint", texts=[("An apple 🦊 fell.", "A pear fell.")] * 3, **ASKED)


@pytest.fixture
def rater(project: Path) -> Iterator[Rater]:
    made = Rater(project)
    yield made
    made.door.close(5)
    made.project.close()


# the choice, how much better it is, and how sure


def test_a_choice_is_on_disk_before_the_confidence_is_asked_and_stays_without_one(rater: Rater):
    rater.choose(1, "much")
    assert rater.view.asks_confidence
    assert rater.ordinal == 1
    (row,) = rater.rows()
    assert (row.outcome, row.degree, row.confidence) == ("choice", "much", None)
    rater.killed()
    assert rater.ordinal == 2
    assert not rater.view.asks_confidence
    assert rater.rows() == (row,)


def test_the_confidence_supersedes_the_choice_and_leads_on(rater: Rater):
    rater.choose(0)
    rater.sure(3)
    first, second = rater.rows(superseded=True)
    assert second.supersedes == first.id
    assert (second.chosen, second.degree, second.confidence) == (first.chosen, "slightly", 3)
    assert rater.ordinal == 2
    assert rater.view.progress.done == 1


def test_a_tie_has_confidence_and_no_degree_and_a_skip_neither(rater: Rater):
    rater.view = rater.door.ask(record_choice, rater.token, "tie").result()
    rater.sure(1)
    rater.view = rater.door.ask(record_choice, rater.token, "skip").result()
    assert not rater.view.asks_confidence
    assert [(row.outcome, row.degree, row.confidence) for row in rater.rows()] == [
        ("tie", None, 1),
        ("skip", None, None),
    ]


def test_another_degree_is_another_answer_and_drops_the_confidence_until_it_is_given_again(rater: Rater):
    rater.choose(0, "slightly")
    rater.sure(2)
    rater.back()
    assert rater.view.answer is not None
    assert (rater.view.answer.degree, rater.view.answer.confidence) == ("slightly", 2)
    rater.choose(0, "much")
    assert [(row.degree, row.confidence) for row in rater.rows()] == [("much", None)]
    rater.sure(3)
    assert [(row.degree, row.confidence) for row in rater.rows()] == [("much", 3)]


def test_the_same_answer_again_keeps_its_confidence_and_writes_nothing(rater: Rater):
    rater.choose(0)
    rater.sure(2)
    rater.back()
    before = rater.rows(superseded=True)
    rater.choose(0)
    assert rater.view.asks_confidence
    assert rater.view.answer is not None
    assert rater.view.answer.confidence == 2
    rater.view = rater.door.ask(resume).result()
    assert rater.ordinal == 2
    assert rater.rows(superseded=True) == before


def test_an_answer_taken_back_is_asked_for_no_confidence(rater: Rater):
    rater.choose(0)
    rater.view = rater.door.ask(withdraw, rater.token).result()
    assert not rater.view.asks_confidence
    assert rater.view.answer is None
    with pytest.raises(AppError, match="no answer"):
        rater.sure(1)


@pytest.mark.parametrize(("degree", "settings"), [(None, ASKED), ("very", ASKED), ("much", {})])
def test_a_choice_has_a_degree_where_the_plan_asks_for_one_and_only_there(
    tmp_path: Path, degree: str | None, settings: dict[str, bool]
):
    rater = Rater(rating_project(tmp_path / "one.biasprint", **settings))
    with pytest.raises(AppError, match="slightly or much"):
        rater.choose(0, degree)
    assert rater.rows() == ()
    rater.door.close(5)
    rater.project.close()


@pytest.mark.parametrize("confidence", [0, 4, 7])
def test_there_are_three_levels_of_confidence(rater: Rater, confidence: int):
    rater.choose(0)
    with pytest.raises(AppError, match="to be so sure of"):
        rater.sure(confidence)
    assert [row.confidence for row in rater.rows()] == [None]


# words that are marked


def test_marked_words_are_on_disk_at_once_and_belong_to_the_answer_later(rater: Rater):
    assert rater.spans == ()
    assert rater.mark((0, 2, 7)) == ((0, 2, 7),)
    rater.killed()
    assert rater.spans == ((0, 2, 7),)
    assert rater.rows() == ()
    rater.choose(0)
    rater.sure(1)
    (row,) = rater.rows()
    assert rater.view.comparison is not None
    assert row.spans == ((row.chosen, 2, 7),)
    session = rater.project.judging.sessions()[0].id
    assert rater.project.judging.drafts(session) == {}
    rater.back()
    assert rater.spans == ((0, 2, 7),)


def test_words_are_stored_by_the_characters_of_the_items_text(rater: Rater):
    assert rater.view.comparison is not None
    texts = rater.view.comparison.texts
    card = 0 if "apple" in texts[0] else 1
    start = texts[card].index("🦊")
    rater.mark((card, start, start + 1))
    rater.choose(card)
    (row,) = rater.rows()
    (comparison, *_) = rater.project.judging.comparisons(rater.project.judging.plans()[0].id)
    ((item, first, last),) = row.spans
    key = comparison.items[item].key
    assert rater.project.texts([key])[key][first:last] == "🦊"


def test_words_that_overlap_or_touch_are_one_and_blanks_at_the_end_are_none(tmp_path: Path):
    rater = Rater(rating_project(tmp_path / "one.biasprint", texts=[("One two.  ", "Three.  ")], **ASKED))
    assert rater.view.comparison is not None
    card = 0 if rater.view.comparison.texts[0].startswith("One") else 1
    assert rater.mark((card, 4, 10), (card, 0, 3), (card, 3, 5)) == ((card, 0, 8),)
    assert rater.mark((card, 8, 10)) == ()
    rater.door.close(5)
    rater.project.close()


def test_marks_that_are_changed_on_an_answered_comparison_are_written_with_its_answer(rater: Rater):
    rater.mark((0, 0, 2))
    rater.choose(1, "much")
    rater.sure(3)
    rater.back()
    rater.mark((1, 0, 1))
    rater.view = rater.door.ask(resume).result()
    (row,) = rater.rows()
    card = row.shown.index(row.spans[0][0])
    assert (card, row.degree, row.confidence) == (1, "much", 3)


def test_a_pause_keeps_marks_and_note_together(rater: Rater):
    rater.mark((0, 0, 2))
    rater.door.ask(save_note, rater.token, "a \x1e note").result()
    rater.door.ask(leave_session).result()
    rater.view = rater.open()
    assert rater.view.comparison is not None
    assert (rater.view.comparison.note, rater.spans) == ("a \x1e note", ((0, 0, 2),))
    rater.mark()
    rater.killed()
    assert (rater.view.comparison.note, rater.spans) == ("a \x1e note", ())


@pytest.mark.parametrize("span", [(2, 0, 1), (-1, 0, 1), (0, 3, 3), (0, 5, 2), (0, -1, 2), (0, 0, 500)])
def test_what_are_no_words_of_these_texts_is_refused(rater: Rater, span: tuple[int, int, int]):
    rater.mark((1, 0, 1))
    with pytest.raises(AppError, match="no such words"):
        rater.mark(span)
    assert rater.door.ask(current_view).result().comparison.spans == ((1, 0, 1),)


def test_marks_that_cannot_be_saved_are_not_shown(rater: Rater, monkeypatch: pytest.MonkeyPatch):
    def full(*_: object) -> None:
        raise NotSaved("full")

    rater.mark((0, 0, 1))
    with monkeypatch.context() as patch:
        patch.setattr("biasprint.core.project.stores.judging.Judging.save_draft", full)
        with pytest.raises(AppError, match="marked words were not saved"):
            rater.mark((0, 0, 1), (1, 0, 2))
    assert rater.door.ask(current_view).result().comparison.spans == ((0, 0, 1),)


def test_a_plan_that_does_not_ask_takes_no_marks_and_no_confidence(tmp_path: Path):
    rater = Rater(rating_project(tmp_path / "one.biasprint"))
    assert rater.spans is None
    assert rater.mark((0, 0, 1)) == ()
    rater.choose(0, None)
    assert not rater.view.asks_confidence
    assert rater.ordinal == 2
    assert rater.rows()[0].detail == {}
    rater.door.close(5)
    rater.project.close()


def test_a_workshop_asks_for_choices_alone():
    for name in ASKED:
        with pytest.raises(UsageError, match="choices alone"):
            PlanSettings(workshop=True, **{name: True})


def test_joined_spans_are_sorted_and_apart():
    assert joined_spans([(1, 0, 2), (0, 5, 9), (0, 0, 3), (0, 3, 4), (0, 6, 7)]) == ((0, 0, 4), (0, 5, 9), (1, 0, 2))


def test_a_draft_of_an_earlier_version_is_a_note_whatever_stands_in_it():
    for note in ("a note", "a\x1eb", "\x1e[1]", ""):
        assert Remark.of_draft(note) == Remark(note)
        assert Remark.of_draft(Remark(note, ((0, 1, 2),)).as_draft()) == Remark(note, ((0, 1, 2),))


NO_ANSWERS = {
    "degree of a tie": ("tie", None, {"degree": "much"}),
    "another degree": ("choice", 0, {"degree": "very"}),
    "confidence 7": ("choice", 0, {"confidence": 7}),
    "confidence true": ("choice", 0, {"confidence": True}),
    "an item that is not there": ("choice", 0, {"spans": [[3, 0, 1]]}),
    "beyond the text": ("choice", 0, {"spans": [[0, 0, 9000]]}),
    "backwards": ("choice", 0, {"spans": [[0, 2, 1]]}),
    "overlapping": ("choice", 0, {"spans": [[0, 0, 2], [0, 1, 3]]}),
    "touching": ("choice", 0, {"spans": [[0, 0, 2], [0, 2, 3]]}),
    "no list": ("choice", 0, {"spans": {"0": 1}}),
    "two numbers": ("choice", 0, {"spans": [[0, 1]]}),
    "empty": ("choice", 0, {"spans": []}),
}


def spec(outcome: str, chosen: int | None, detail: dict[str, Any]) -> dict[str, Any]:
    return {
        "session_id": "s", "comparison_id": "c", "outcome": outcome, "chosen": chosen, "shown": (0, 1, 2),
        "texts_sha256": "0" * 64, "active_seconds": 1.0, "detail": detail, "lengths": (30, 30, 30),
    }  # fmt: skip


@pytest.mark.parametrize("name", NO_ANSWERS)
def test_what_is_no_answer_is_not_stored(name: str):
    with pytest.raises(ValueError, match=r"degree|confidence|span"):
        JudgmentSpec(**spec(*NO_ANSWERS[name]))


# packets


def packet(tmp_path: Path, **settings: Any) -> tuple[Path, Path]:
    project = tmp_path / "study.biasprint"
    (made,) = make(project, coordinator(project, comparisons=2, **settings), "R01")
    return project, made.path


def test_degree_confidence_and_marks_come_back_for_the_items_that_the_cards_showed(tmp_path: Path):
    project, path = packet(tmp_path, **ASKED)
    marked = []
    with judging(path) as door:
        view = door.ask(open_session, door.ask(offer_plans).result().offers[0].token, "R01").result()
        while view.comparison is not None:
            text = view.comparison.texts[2]
            start = text.index("card")
            door.ask(mark_words, view.comparison.token, ((2, start, len(text)), (0, 0, 4))).result()
            marked.append({text[start:].rstrip(" "), view.comparison.texts[0][:4]})
            view = door.ask(record_choice, view.comparison.token, "choice", 2, degree="much").result()
            assert view.comparison is not None
            view = door.ask(record_confidence, view.comparison.token, 2).result()
    (report,) = merge(project, finished(path)).files
    assert (report.refused, report.added) == ("", 4)
    with Project.open(project) as merged:
        (plan,) = merged.judging.plans()
        rows = {row.comparison_id: row for row in merged.judging.judgments()}
        for comparison, words in zip(merged.judging.comparisons(plan.id), marked, strict=True):
            row = rows[comparison.id]
            texts = merged.texts([item.key for item in comparison.items])
            assert {texts[comparison.items[i].key][a:b] for i, a, b in row.spans} == words
            assert (row.degree, row.confidence) == ("much", 2)
            assert row.chosen in {item for item, *_ in row.spans}


def said_badly(path: Path, outcome: str, chosen: int | None, detail: dict[str, Any]) -> Path:
    """An answer that this program would not write, with all hashes right."""
    with Project.open(path) as inside:
        (session,), (plan,) = inside.judging.sessions(), inside.judging.plans()
        row = inside.judging.comparisons(plan.id)[0]
        values = spec(outcome, chosen, detail) | {
            "session_id": session.id, "comparison_id": row.id, "texts_sha256": row.texts_sha256, "note": "",
            "supersedes": None,
        }  # fmt: skip
        inside.judging.record(JudgmentSpec.model_construct(**values))
    return finished(path)


@pytest.mark.parametrize("name", [*NO_ANSWERS, "a choice without a degree"])
def test_a_packet_with_an_answer_that_is_none_is_refused_in_a_sentence(tmp_path: Path, name: str):
    project, path = packet(tmp_path, **ASKED)
    outcome, chosen, detail = NO_ANSWERS.get(name, ("choice", 0, {}))
    graded = {} if outcome == "tie" or name == "a choice without a degree" else {"degree": "much"}
    (report,) = merge(project, said_badly(path, outcome, chosen, graded | detail)).files
    assert "changed outside the program" in report.refused
    with Project.open(project) as untouched:
        assert untouched.judging.judgments() == ()


@pytest.mark.parametrize("detail", [{"degree": "much"}, {"confidence": 1}, {"spans": [[0, 0, 1]]}])
def test_a_packet_says_nothing_that_its_plan_does_not_ask(tmp_path: Path, detail: dict[str, Any]):
    project, path = packet(tmp_path)
    (report,) = merge(project, said_badly(path, "choice", 0, detail)).files
    assert "changed outside the program" in report.refused


def test_a_packet_of_a_plan_that_asks_for_the_winner_alone_is_what_it_was(tmp_path: Path):
    _, path = packet(tmp_path)
    with Project.open(path) as inside:
        (plan,) = inside.judging.plans()
        assert not ASKED.keys() & plan.settings.keys()


def test_two_copies_that_differ_in_the_degree_are_a_conflict(tmp_path: Path):
    project, path = packet(tmp_path, graded=True)
    other = path.with_name("other.bpacket")
    other.write_bytes(path.read_bytes())
    said_badly(path, "choice", 0, {"degree": "much"})
    said_badly(other, "choice", 0, {"degree": "slightly"})
    assert merge(project, path, other).conflicts == 1
    with Project.open(project) as merged:
        assert merged.judging.judgments() == ()
        assert json.dumps([row.degree for row in merged.judging.judgments(superseded=True)]) == '["much", "slightly"]'


@pytest.mark.parametrize("asked", [{"graded": True}, {"confidence": True}, {"spans": True}])
def test_no_other_tool_is_given_a_plan_that_asks_for_more(tmp_path: Path, asked: dict[str, bool]):
    path = tmp_path / "study.biasprint"
    plan = coordinator(path, comparisons=2, **asked)
    folder = tmp_path / "out"
    with Project.open(path) as project:
        with pytest.raises(UsageError, match="which other tools do not"):
            hand_out(JobContext(), project, "label-studio", plan_id=plan, codes=["R01"], folder=folder)
        assert project.packets.all() == ()
    assert not folder.exists()
