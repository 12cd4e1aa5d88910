"""The sway arm: recommendations drawn by seed and rater, shown, kept, carried by packets, out of the other findings."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from fingerprint_project import plan_of, project_with_texts
from packet_files import coordinator, judging, make, merge

from biasprint.core.errors import AppError, UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.judging.carefulness import unswayed
from biasprint.core.judging.packets.hand_out import hand_out
from biasprint.core.judging.plan import CHECK, PlanSettings
from biasprint.core.judging.reveal import finish, reveal
from biasprint.core.judging.session import offer_plans, open_judging, open_session
from biasprint.core.judging.store import ProjectStore
from biasprint.core.judging.sway import DECLARED, check_sway, recommended_cards
from biasprint.core.judging.work import record_choice
from biasprint.core.project.project import Project
from biasprint.core.project.rows import ALONE, ComparisonItem, ComparisonRow, PlanRow
from biasprint.core.runs.fingerprint import asked_rows
from biasprint.core.studies.creativity.choices import JudgmentTable
from biasprint.core.studies.creativity.columns import judgment_columns
from biasprint.core.studies.creativity.gather import axes_of
from biasprint.core.studies.creativity.judgments import measure_judgments
from biasprint.core.texts.exporting import judgment_rows


def row(place: int, repeat_of: str | None = None, axis: str = "gender") -> ComparisonRow:
    items = (ComparisonItem(2 * place, "woman"), ComparisonItem(2 * place + 1, "man"))
    return ComparisonRow(f"c{place}", "plan", place, axis, "haiku", "stars", items, "0" * 64, repeat_of)


ROWS = [*map(row, range(40)), row(40, "c3"), row(41, "c4"), row(42, axis=CHECK)]


def plan(**settings: object) -> PlanRow:
    return PlanRow("plan", 1, "", "gender", 3, {"sway": 0.5, **settings}, "")


def named(found: dict[str, int]) -> Counter[str]:
    return Counter(ROWS[int(key[1:])].items[item].identity for key, item in found.items() if int(key[1:]) < 40)


def test_half_are_recommended_each_identity_equally_often_and_to_each_rater_another_half():
    first, second = (recommended_cards(ROWS, plan(), code) for code in ("R01", "R02"))
    assert named(first) == named(second) == {"woman": 10, "man": 10}
    assert first != second
    assert first == recommended_cards(list(reversed(ROWS)), plan(), "R01"), "the order of the rows decides nothing"
    assert first != recommended_cards(ROWS, replace(plan(), seed=4), "R01")


def test_a_planted_bias_is_the_stated_one_and_on_average_also_where_it_does_not_come_out_even():
    assert named(recommended_cards(ROWS, plan(sway_for=("man",), sway_bias=0.8), "R01")) == {"man": 16, "woman": 4}
    odd = [named(recommended_cards(ROWS, plan(sway=0.33), f"R{at}")) for at in range(200)]
    assert sum(one.total() for one in odd) / 200 == pytest.approx(13.2, abs=0.1)
    assert sum(one["man"] for one in odd) / sum(one.total() for one in odd) == pytest.approx(0.5, abs=0.02)


def test_a_repeat_recommends_what_its_original_did_and_a_check_nothing():
    for at in range(30):
        found = recommended_cards(ROWS, plan(), f"R{at}")
        assert (found.get("c40"), found.get("c41")) == (found.get("c3"), found.get("c4"))
        assert "c42" not in found


AXES = {"gender": ["man", "woman", "non-binary"]}


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"sway": 0.95}, "with 10% to 90% of the comparisons"),
        ({"sway": 0.5, "workshop": True}, "A workshop shows no recommendations"),
        ({"sway": 0.5, "worst": True}, "asks for the worst as well"),
        ({"sway": 0.5, "cards": 2}, "this plan shows some at a time"),
        ({"sway": 0.5, "sway_for": ("nobody",), "sway_bias": 0.8}, "“nobody” is not compared"),
        ({"sway": 0.5, "sway_for": ("man", "woman"), "sway_bias": 0.8}, "Two identities of gender"),
        ({"sway": 0.5, "sway_for": ("man",)}, "The bias is the share"),
        ({"sway_for": ("man",)}, "no comparison has a recommendation"),
    ],
)
def test_an_arm_that_makes_no_sense_is_refused(wrong: dict[str, object], said: str):
    with pytest.raises(UsageError, match=said) as told:
        check_sway(PlanSettings(**wrong), AXES)  # type: ignore[arg-type]
    assert (told.value.kept, bool(told.value.hint)) == ("No plan was made.", True)


# ---- In a session


@pytest.fixture
def project(tmp_path: Path):
    with project_with_texts(tmp_path / "study.biasprint", ["gender"], tasks=["haiku"]) as made:
        yield made


def test_a_session_shows_keeps_and_explains_recommendations(project: Project):
    plan_of(project, "gender", per_axis=12, sway=0.5, sway_for=("woman",), sway_bias=0.75, consent_text="Welcome.")
    door = open_judging(ProjectStore(project))
    (offer,) = door.ask(offer_plans, "R01").result().offers
    assert offer.consent_text == f"Welcome.\n\n{DECLARED}"
    with pytest.raises(AppError, match="once you agree"):
        door.ask(open_session, offer.token, "R01").result()
    view = door.ask(open_session, offer.token, "R01", True).result()
    seen = 0
    while (one := view.comparison) is not None:
        if one.recommended is not None:
            seen += 1
        view = door.ask(record_choice, one.token, "choice", 0 if one.recommended is None else one.recommended).result()
    told = door.ask(reveal).result().swayed
    door.close(5)
    assert told is not None
    assert (told.shown, told.followed, seen) == (6, 6, 6)
    ((label, share),) = told.favoured
    assert (label.lower(), share) == ("woman", 0.75)
    (session,) = project.judging.sessions()
    kept = project.judging.judgments(session.id)
    assert sum(said.recommended is not None for said in kept) == 6
    assert all(said.recommended in (None, said.chosen) for said in kept)
    assert len(unswayed(project, session.id)) == 6
    exported = Counter(str(one["recommended"]) for one in judgment_rows(project, [1]))
    assert (exported[ALONE], exported.total()) == (6, 12)


def test_only_the_sway_findings_count_answers_beside_a_recommendation(project: Project):
    made = plan_of(project, "gender", per_axis=12, sway=0.5)
    door = open_judging(ProjectStore(project))
    view = door.ask(open_session, door.ask(offer_plans, "R01").result().offers[0].token, "R01", True).result()
    while (one := view.comparison) is not None:
        view = door.ask(record_choice, one.token, "choice", one.recommended or 0).result()
    door.ask(reveal).result()
    door.close(5)
    columns = judgment_columns(project, project.judging.sessions(), compared=True)
    table = JudgmentTable(**{name: tuple(values) for name, values in columns.items()})
    result = measure_judgments(table, axes=axes_of(project), resamples=99, parts=True)
    found = {(one.id, one.label): one for one in result.findings if dict(one.dims) == {"axis": "gender"}}
    assert result.dropped["a recommendation was shown"] == 6
    assert found["creativity.abs", "gender"].n == 6
    assert found["creativity.sway", "gender"].n == 12
    assert found["creativity.sway", "gender"].n_by_group == {"recommended": 6, "not recommended": 6}
    assert len(asked_rows(project, made)) == 12


def test_models_are_in_no_arm(project: Project):
    from fingerprint_project import choosing, rated

    rated(project, plan_of(project, "gender", per_axis=4, sway=0.5), "m", choosing("man"), kind="model")
    columns = judgment_columns(project, project.judging.sessions(), compared=False)
    assert set(columns["recommended"]) == {""}


# ---- In packets


def test_a_packet_shows_the_recommendations_and_brings_them_home(tmp_path: Path):
    path = tmp_path / "project.biasprint"
    made = coordinator(path, comparisons=10, repeats=2, sway=0.5)
    (packet,) = make(path, made, "R01")
    shown: set[int] = set()
    with judging(packet.path) as door:
        view = door.ask(open_session, door.ask(offer_plans).result().offers[0].token, "R01", True).result()
        while (one := view.comparison) is not None:
            if one.recommended is not None:
                shown.add(one.ordinal - 1)
            view = door.ask(record_choice, one.token, "choice", one.recommended or 0).result()
        door.ask(finish).result()
    report = merge(path, packet.path)
    assert [(file.refused, file.added) for file in report.files] == [("", 12)]
    with Project.open(path) as project:
        rows = project.judging.comparisons(made)
        (own,) = project.judging.plans()
        wanted = recommended_cards(rows, own, "R01")
        (session,) = project.judging.sessions()
        kept = {said.comparison_id: said.recommended for said in project.judging.judgments(session.id)}
    assert kept == {one.id: wanted.get(one.id) for one in rows}
    assert shown == {one.position for one in rows if one.id in wanted}


def test_an_answer_of_a_packet_that_hides_its_recommendation_is_refused(tmp_path: Path):
    from packet_files import answer

    path = tmp_path / "project.biasprint"
    (packet,) = make(path, coordinator(path, comparisons=4, sway=0.75), "R01")
    answer(packet.path, *((index, "choice", 0) for index in range(4)))  # writes no recommendation
    (file,) = merge(path, packet.path).files
    assert file.refused
    assert file.added == 0


def test_other_tools_are_not_given_such_a_plan(tmp_path: Path):
    path = tmp_path / "project.biasprint"
    made = coordinator(path, comparisons=4, sway=0.5)
    with Project.open(path) as project, pytest.raises(UsageError, match="which other tools do not"):
        hand_out(JobContext(), project, "potato", plan_id=made, codes=["R01"], folder=tmp_path / "out")
