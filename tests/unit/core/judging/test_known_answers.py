"""Practice and hidden checks: read from a table, practised, hidden in plan and packet, counted for nobody's choices."""

from dataclasses import replace
from pathlib import Path

import pytest
from fingerprint_project import choosing, plan_of, project_with_texts, rated
from packet_files import coordinator, judging, make, merge

from biasprint.core.errors import AppError
from biasprint.core.judging.known import KnownAnswer, PracticeResult, check_result, fitted, practice_result, read_known
from biasprint.core.judging.plan import CHECK, RIGHT, PlanSettings
from biasprint.core.judging.reveal import reveal
from biasprint.core.judging.session import leave_session, offer_plans, open_judging, open_session
from biasprint.core.judging.store import ProjectStore
from biasprint.core.judging.work import record_choice, resume
from biasprint.core.project.project import Project
from biasprint.core.runs.fingerprint import asked_rows
from biasprint.core.studies.creativity.columns import judgment_columns
from biasprint.core.studies.creativity.gather import axes_of

CLEAR = KnownAnswer(("Snow falls on the pond.", "pond the on falls snow"), 0, "haiku", "stars", "The other is no text.")
THREE = KnownAnswer(("x", "A quiet night.", "y"), 1, "haiku")


def table(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_a_table_of_known_answers_is_read(tmp_path: Path):
    path = table(
        tmp_path / "practice.csv", "task,text_a,text_b,text_c,answer,why",
        "haiku,One,Two,,B,Because.", 'song,"Three,\nfour",Five,Six,a,',
    )  # fmt: skip
    assert read_known(path) == (
        KnownAnswer(("One", "Two"), 1, "haiku", "", "Because."),
        KnownAnswer(("Three,\nfour", "Five", "Six"), 0, "song"),
    )


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (("text_a,text_b", "One,Two"), "“set.csv” has no column “answer”."),
        (("text_a,text_b,answer", "One,Two,a", "Three,Four,"), "Row 2 of “set.csv” has no answer."),
        (("text_a,text_b,answer", "One,Two,c"), "Row 1 of “set.csv”: “c” is none of its 2 texts."),
        (("text_a,text_b,answer", "One,,a"), "Row 1 of “set.csv” has fewer than two texts."),
        (("text_a,text_b,answer", "One,One ,a"), "Row 1 of “set.csv” has the same text twice."),
        (("text_a,text_b,answer", "One,Two,a", "One"), "A row of “set.csv” cannot be used: Row 2"),
    ],
)
def test_a_set_that_does_not_say_its_answers_is_refused_with_the_row(tmp_path: Path, lines: list[str], said: str):
    with pytest.raises(AppError) as told:
        read_known(table(tmp_path / "set.csv", *lines))
    assert told.value.message.startswith(said)
    assert (told.value.kept, bool(told.value.hint)) == ("No plan was made.", True)


@pytest.fixture
def project(tmp_path: Path):
    with project_with_texts(tmp_path / "study.biasprint", ["gender"], tasks=["haiku"]) as made:
        yield made


def door_to(project: Project):
    return open_judging(ProjectStore(project))


def test_the_practice_round_tells_right_from_wrong_and_counts_nowhere(project: Project):
    plan_of(
        project, "gender", per_axis=2, instructions="Read both.", question="Which is truer?",
        rubric=(("Truth", "It is so."),), practice=(CLEAR.stored(), THREE.stored()),
    )  # fmt: skip
    door = door_to(project)
    (offer,) = door.ask(offer_plans, "R01").result().offers
    assert (offer.practice, offer.instructions) == (2, "Read both.")
    view = door.ask(open_session, offer.token, "R01").result()
    assert view.comparison is not None
    assert view.practice is not None
    assert (view.practice.number, view.practice.of, view.practice.right) == (1, 2, None)
    assert (view.comparison.question, view.comparison.criteria[0].name) == ("Which is truer?", "Truth")
    right = view.comparison.texts.index(CLEAR.texts[0])
    view = door.ask(record_choice, view.comparison.token, "choice", right).result()
    assert view.practice is not None
    assert view.comparison is not None
    assert (view.practice.right, view.practice.why) == (right, "The other is no text.")
    again = door.ask(record_choice, view.comparison.token, "choice", 1 - right).result()
    assert again.answer == view.answer, "the first answer is the one that is told"
    view = door.ask(resume).result()
    assert view.comparison is not None
    view = door.ask(record_choice, view.comparison.token, "tie").result()
    assert view.practice is not None
    assert view.practice.right is not None
    view = door.ask(resume).result()
    assert view.practice is None
    assert view.comparison is not None
    assert (view.progress.done, view.progress.left) == (0, 2)
    (session,) = project.judging.sessions()
    assert project.judging.judgments(session.id) == ()
    kept = practice_result(project, session.id)
    assert kept is not None
    assert replace(kept, seconds=0.0) == PracticeResult(1, 2, 0.0)
    door.ask(leave_session).result()
    (offer,) = door.ask(offer_plans, "R01").result().offers
    assert offer.practice == 0
    assert door.ask(open_session, offer.token, "R01").result().practice is None
    door.close(5)


def test_checks_are_hidden_in_the_plan_and_their_answers_are_known_to_the_coordinator(project: Project):
    checks = [THREE, replace(THREE, answer=0, texts=("a b", "c d", "e f"))]
    plan = plan_of(project, "gender", per_axis=10, checks=checks)
    rows = project.judging.comparisons(plan)
    assert [row.position for row in rows] == list(range(12))
    assert sum(row.axis == CHECK for row in rows) == 2
    assert rows[0].axis != CHECK
    assert {item.identity for row in rows if row.axis == CHECK for item in row.items} == {RIGHT, "wrong", "wrong too"}
    assert plan == plan_of(project, "gender", per_axis=10, checks=checks)
    rated(project, plan, "R01", choosing(RIGHT))
    rated(project, plan, "R02", choosing("wrong"))
    codes = {row.id: row.code for row in project.judging.raters()}
    found = {
        codes[one.rater_id]: check_result(rows, project.judging.judgments(one.id)) for one in project.judging.sessions()
    }
    assert {code: (one.asked, one.passed) for code, one in found.items()} == {"R01": (2, 2), "R02": (2, 0)}


def test_a_check_has_as_many_cards_as_the_comparisons_around_it(project: Project):
    assert fitted([CLEAR, THREE], {2, 3}) == (CLEAR, THREE), "a plan that shows both"
    assert fitted([CLEAR, THREE], {2}) == (CLEAR, replace(THREE, texts=("x", "A quiet night.")))
    last = replace(THREE, answer=2, texts=("x", "y", "A quiet night."))
    assert fitted([last], {2}) == (replace(last, answer=1, texts=("x", "A quiet night.")),)
    with pytest.raises(AppError, match="Hidden check 2 has 2 texts, and every comparison shows 3") as told:
        plan_of(project, "gender", per_axis=4, checks=[THREE, CLEAR])
    assert (told.value.kept, project.judging.plans()) == ("No plan was made.", ())
    pairs = plan_of(project, "gender:woman,man", per_axis=4, checks=[THREE])
    assert {len(row.items) for row in project.judging.comparisons(pairs)} == {2}


def test_no_measure_fingerprint_or_list_of_axes_counts_a_check(project: Project):
    plan = plan_of(project, "gender", per_axis=4, checks=[THREE])
    rated(project, plan, "R01", choosing("woman"))
    columns = judgment_columns(project, project.judging.sessions(), compared=True)
    assert columns["axis"] == ["gender"] * 4
    assert CHECK not in axes_of(project)
    assert {row.axis for row in asked_rows(project, plan)} == {"gender"}
    door = door_to(project)
    (offer,) = door.ask(offer_plans, "R01").result().offers
    door.ask(open_session, offer.token, "R01").result()
    revealed = door.ask(reveal).result()
    door.close(5)
    assert [one.axis for one in revealed.axes] == ["gender"]


def test_a_packet_brings_practice_rubric_and_own_order_and_takes_the_practice_back(tmp_path: Path):
    path = tmp_path / "project.biasprint"
    settings = PlanSettings(
        own_order=True, split=2, overlap=0.5, instructions="Read.", question="Which?", rubric=(("Sound", "It sings."),),
        practice=(CLEAR.stored(),),
    )  # fmt: skip
    plan = coordinator(path, comparisons=8, **settings.stored())
    made = make(path, plan, "R01", "R02")
    assert [one.comparisons for one in made] == [6, 6]
    with judging(made[0].path) as door:
        (offer,) = door.ask(offer_plans).result().offers
        assert (offer.comparisons, offer.practice, offer.instructions) == (6, 1, "Read.")
        view = door.ask(open_session, offer.token, "R01").result()
        assert view.practice is not None
        assert view.comparison is not None
        door.ask(record_choice, view.comparison.token, "choice", 0).result()
        view = door.ask(resume).result()
        while view.comparison is not None:
            assert (view.comparison.question, view.comparison.criteria[0].explanation) == ("Which?", "It sings.")
            view = door.ask(record_choice, view.comparison.token, "choice", 0).result()
        door.ask(reveal).result()
    (file,) = merge(path, made[0].path).files
    assert (file.refused, file.added, file.finished) == ("", 6, True)
    with Project.open(path) as project:
        session = next(one for one in project.judging.sessions() if project.judging.judgments(one.id))
        assert practice_result(project, session.id) is not None
        order = [row.comparison_id for row in project.judging.judgments(session.id)]
        planned = [row.id for row in project.judging.comparisons(plan) if row.id in set(order)]
    assert order != planned, "a packet is rated in its rater's own order"


def test_a_plan_drawn_before_there_was_any_of_this_asks_what_it_asked():
    settings = PlanSettings.of({"consent_text": "Yes?"})
    assert (settings.own_order, settings.split, settings.practice, settings.rubric) == (False, 0, (), ())
    assert settings.stored() == {"consent_text": "Yes?"}
