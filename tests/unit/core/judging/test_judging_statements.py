"""What a rater says beside the choices: ratings, notes, words about themselves, consent; over a project file."""

import itertools
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from rating_files import rating_project

from biasprint.core.errors import AppError
from biasprint.core.judging.reveal import reveal
from biasprint.core.judging.session import (
    JudgingSession,
    leave_session,
    offer_plans,
    offer_to_new_rater,
    open_judging,
    open_session,
)
from biasprint.core.judging.store import ProjectStore
from biasprint.core.judging.work import current_view, go_back, rate, record_choice, resume, save_note
from biasprint.core.project.connection import NotSaved
from biasprint.core.project.project import Project

CONSENT = "You rate texts, and your answers are stored."


class Person:
    """One rater at a project, who waits for every answer."""

    def __init__(self, project: Project, code: str = "R01", **said: Any) -> None:
        self.project = project
        self.door: JudgingSession = open_judging(ProjectStore(project))
        self.offer = self.door.ask(offer_plans, code).result().offers[0]
        try:
            opened = self.door.ask(
                open_session, self.offer.token, code, said.get("consent", True), said.get("about", "")
            )
            self.view = opened.result()
        except AppError:
            self.door.close(5)
            raise

    @property
    def token(self) -> str:
        return self.view.comparison.token

    def rate(self, card: int, criterion: int, rating: int | None):
        return self.door.ask(rate, self.token, card, criterion, rating).result()

    def choose(self, card: int, note: str = "") -> None:
        self.view = self.door.ask(record_choice, self.token, "choice", card, note).result()

    def back(self) -> None:
        self.view = self.door.ask(go_back, self.token).result()


Open = Callable[..., Person]


@pytest.fixture
def sit(tmp_path: Path) -> Iterator[Open]:
    """Opens the project, made at the first call with that plan's settings, for a rater."""
    path, people, projects = tmp_path / "study.biasprint", [], []

    def open_for(code: str = "R01", *, said: dict[str, Any] | None = None, **settings: Any) -> Person:
        if not path.exists():
            rating_project(path, **settings)
        if not projects:
            projects.append(Project.open(path))
        people.append(Person(projects[0], code, **(said or {})))
        return people[-1]

    yield open_for
    for person in people:
        person.door.close(5)
    for project in projects:
        project.close()


def stored(person: Person) -> list[tuple[str, dict[str, Any]]]:
    """The ratings in force, by comparison."""
    return [(row.target, dict(row.value)) for row in person.project.annotations.of_kind("criterion")]


# ratings


def test_a_rating_is_on_disk_for_the_item_that_stood_on_the_card(sit: Open):
    one = sit(criterion_ratings=True)
    card = 1
    assert one.rate(card, 2, 4)[card][2] == 4
    ((target, value),) = stored(one)
    (plan,) = one.project.judging.plans()
    comparison = one.project.judging.comparisons(plan.id)[0]
    text = one.view.comparison.texts[card]
    shown = one.project.texts([item.key for item in comparison.items])
    assert target == comparison.id
    assert shown[comparison.items[value["card"]].key] == text
    assert value["criterion"] == one.view.comparison.criteria[2].name
    assert value["rating"] == 4


def test_a_changed_rating_supersedes_and_an_unchanged_one_is_not_written_again(sit: Open):
    one = sit(criterion_ratings=True)
    for rating in (4, 4, 2, None):
        one.rate(0, 0, rating)
    rows = one.project.annotations.of_kind("criterion", superseded=True)
    by_id = {row.id: row for row in rows}
    (last,) = one.project.annotations.of_kind("criterion")
    chain = [last.value["rating"]]
    while last.supersedes:
        last = by_id[last.supersedes]
        chain.append(last.value["rating"])
    assert chain == [None, 2, 4]
    assert len(rows) == 3


def test_ratings_are_there_when_one_comes_back_and_after_reopening(sit: Open):
    one = sit(criterion_ratings=True)
    one.rate(0, 1, 5)
    one.rate(2, 0, 1)
    given = one.door.ask(current_view).result().comparison.ratings
    one.choose(0)
    assert not any(any(card) for card in one.view.comparison.ratings)
    one.back()
    assert one.view.comparison.ratings == given
    one.door.close(5)
    again = sit()
    again.back()
    assert again.view.comparison.ratings == given


def test_one_rater_never_sees_anothers_ratings_answers_or_notes(sit: Open):
    one = sit("R01", criterion_ratings=True)
    one.rate(0, 0, 5)
    one.choose(1, "mine alone")
    one.door.close(5)
    two = sit("R02")
    assert two.view.comparison.ratings == ((None,) * 5,) * 3
    assert (two.view.answer, two.view.comparison.note, two.view.progress.done) == (None, "", 0)


def test_a_plan_that_does_not_ask_takes_no_ratings_and_no_notes(sit: Open):
    one = sit(notes=False)
    assert one.view.comparison.ratings is None
    assert not one.view.comparison.notes
    assert one.rate(0, 0, 3) == ()
    one.door.ask(save_note, one.token, "unasked").result()
    one.choose(0, "unasked")
    assert stored(one) == []
    assert [row.note for row in one.project.judging.judgments()] == [""]
    assert one.project.judging.drafts(one.project.judging.sessions()[0].id) == {}


@pytest.mark.parametrize(("card", "criterion", "rating"), [(3, 0, 1), (0, 9, 1), (0, 0, 0), (0, 0, 6)])
def test_what_is_no_rating_is_refused(sit: Open, card: int, criterion: int, rating: int):
    one = sit(criterion_ratings=True)
    with pytest.raises(AppError, match="no such rating"):
        one.rate(card, criterion, rating)
    assert stored(one) == []


def test_after_the_reveal_nothing_can_be_rated(sit: Open):
    one = sit(criterion_ratings=True)
    token = one.token
    one.door.ask(reveal, anyway=True).result()
    with pytest.raises(AppError, match="cannot change any more"):
        one.door.ask(rate, token, 0, 0, 3).result()


def test_a_rating_that_fails_is_not_kept_as_if_it_were_saved(sit: Open, monkeypatch: pytest.MonkeyPatch):
    one = sit(criterion_ratings=True)

    def full(*_: object) -> None:
        raise NotSaved("The disk is full.")

    with monkeypatch.context() as patch:
        patch.setattr("biasprint.core.project.stores.findings.Annotations.add_many", full)
        with pytest.raises(AppError, match="rating was not saved"):
            one.rate(0, 0, 3)
    assert not any(any(card) for card in one.door.ask(current_view).result().comparison.ratings)
    assert one.rate(0, 0, 3)[0][0] == 3
    assert len(stored(one)) == 1


# notes and a disk that is full


def test_a_note_that_could_not_be_saved_is_tried_again_and_never_called_saved(
    sit: Open, monkeypatch: pytest.MonkeyPatch
):
    one = sit()

    def full(*_: object) -> None:
        raise NotSaved("The disk is full.")

    with monkeypatch.context() as patch:
        patch.setattr("biasprint.core.project.stores.judging.Judging.save_draft", full)
        one = sit("R02")
        for _ in range(2):  # the same words again are no more on disk than before
            with pytest.raises(AppError, match="note was not saved"):
                one.door.ask(save_note, one.token, "half a thought").result()
        for leaving in (leave_session, resume):
            with pytest.raises(AppError):
                one.door.ask(leaving).result()
    assert one.door.ask(current_view).result().comparison.note == "half a thought"


def test_a_draft_goes_when_its_words_are_deleted_and_the_answer_stays_the_same(sit: Open):
    one = sit()
    one.choose(0, "as it was")
    one.back()
    one.door.ask(save_note, one.token, "as it was, and more").result()
    one.choose(0, "as it was")
    one.door.close(5)
    again = sit()
    again.back()
    assert again.view.comparison.note == "as it was"


# who rates


def test_consent_is_stored_with_its_text_and_time_and_asked_for_once(sit: Open):
    with pytest.raises(AppError, match="once you agree"):
        sit(consent_text=CONSENT, said={"consent": False})
    one = sit()
    (session,) = one.project.judging.sessions()
    assert session.consent_text == CONSENT
    assert abs(datetime.now(UTC) - datetime.fromisoformat(session.consent_at)) < timedelta(minutes=5)
    one.door.close(5)
    again = sit(said={"consent": False})
    assert again.offer.agreed
    assert again.view.comparison is not None


def test_who_does_not_agree_leaves_nothing_behind(sit: Open):
    with pytest.raises(AppError):
        sit(consent_text=CONSENT, said={"consent": False})
    one = sit("R02")
    assert [row.code for row in one.project.judging.raters()] == ["R02"]


def test_what_raters_say_about_themselves_is_kept_only_where_it_is_asked_for(sit: Open):
    one = sit(ask_background=True, said={"about": "  Reads a lot.  "})
    assert one.offer.asks_background
    assert one.project.judging.raters()[0].background == {"described": "Reads a lot."}
    one.door.close(5)
    again = sit(said={"about": ""})
    assert again.offer.described
    assert again.project.judging.raters()[0].background == {"described": "Reads a lot."}


def test_unasked_words_are_not_kept(sit: Open):
    one = sit(said={"about": "Reads a lot."})
    assert one.project.judging.raters()[0].background == {}


def test_a_code_is_only_suggested_where_it_can_be_nobody_elses(sit: Open):
    one = sit("R01")
    assert one.door.ask(offer_plans).result().code == "R01"
    assert one.door.ask(offer_to_new_rater).result().code == "R02"
    sit("R02")
    assert one.door.ask(offer_plans).result().code == ""
    assert one.door.ask(offer_to_new_rater).result().code == "R03"


# a clock that is set back


def test_with_a_clock_set_back_answers_keep_their_order_and_no_time_is_negative(
    sit: Open, monkeypatch: pytest.MonkeyPatch
):
    backwards = (datetime(2026, 3, 29, 3, tzinfo=UTC) - timedelta(hours=n) for n in itertools.count())
    for module in ("judging", "findings"):
        monkeypatch.setattr(f"biasprint.core.project.stores.{module}.utc_now", lambda: next(backwards).isoformat())
    one = sit(criterion_ratings=True)
    for card in (0, 1, 2):
        one.rate(card, 0, 1)
        one.rate(card, 0, 5)
        one.choose(card)
    one.back()
    assert one.view.comparison.ordinal == 3
    assert one.view.comparison.ratings[2][0] == 5
    one.choose(0)
    one.door.close(5)
    again = sit()
    assert again.view.comparison.ordinal == 4
    again.back()
    assert (again.view.comparison.ordinal, again.view.answer.card) == (3, 0)
    assert again.view.comparison.ratings[2][0] == 5
    assert all(row.active_seconds >= 0 for row in again.project.judging.judgments(superseded=True))
