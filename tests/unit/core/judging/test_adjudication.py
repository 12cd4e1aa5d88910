"""Comparisons that people disagree on, and what an adjudicator decides of them."""

from itertools import combinations
from pathlib import Path

import pytest
from raters_scene import add_plan, rate, rows_of, with_outputs

from biasprint.core.errors import UsageError
from biasprint.core.judging.adjudication import adjudicate, adjudicated, disagreements, neutral_order, split
from biasprint.core.project.project import Project


@pytest.fixture
def project(tmp_path: Path):
    with with_outputs(tmp_path / "p.biasprint") as made:
        yield made


# how split


@pytest.mark.parametrize(
    ("said", "differing"), [("aa", 0), ("ab", 1), ("aab", 2 / 3), ("abc", 1), ("aabb", 2 / 3), ("aaab", 1 / 2)]
)
def test_split_is_the_share_of_pairs_that_differ(said: str, differing: float) -> None:
    pairs = list(combinations(said, 2))
    assert sum(one != other for one, other in pairs) / len(pairs) == pytest.approx(differing)  # counted one by one
    assert split([said.count(letter) for letter in set(said)]) == pytest.approx(differing)


def test_a_single_judgment_disagrees_with_nobody() -> None:
    assert split([1]) == split([]) == 0.0


# what is listed


def test_the_most_split_stand_first_and_agreement_is_not_listed(project: Project) -> None:
    plan = add_plan(project)
    a, b, c, tie = ("choice", 0), ("choice", 1), ("choice", 2), ("tie", None)
    rate(project, plan, "R01", {0: a, 1: a, 2: a, 3: a}, notes={1: "clear"})
    rate(project, plan, "R02", {0: a, 1: a, 2: b, 3: tie})
    rate(project, plan, "R03", {0: a, 1: b, 2: c})
    found = disagreements(project)
    rows = rows_of(project, plan)
    # Three different ones and two different ones are both split all through: the one with more raters stands first.
    assert [one.comparison.id for one in found] == [rows[2].id, rows[3].id, rows[1].id]
    assert [round(one.split, 3) for one in found] == [1.0, 1.0, 0.667]
    assert [(one.rater, one.outcome, one.chosen, one.note) for one in found[2].judgments] == [
        ("R01", "choice", 0, "clear"),
        ("R02", "choice", 0, ""),
        ("R03", "choice", 1, ""),
    ]


def test_open_sessions_models_skips_and_hidden_repeats_are_not_listed(project: Project) -> None:
    plan = add_plan(project, repeats=1)
    repeat = len(rows_of(project, plan)) - 1
    rate(project, plan, "R01", {0: ("choice", 0), 1: ("choice", 0), repeat: ("choice", 0)})
    rate(project, plan, "R02", {0: ("choice", 0), 1: ("skip", None), repeat: ("choice", 1)})
    rate(project, plan, "R03", {0: ("choice", 1)}, reveal=False)
    rate(project, plan, "made-up", {0: ("choice", 2)}, kind="model")
    assert disagreements(project) == ()


def test_of_a_workshop_no_code_no_note_and_no_time_is_told_and_nothing_below_five_people(project: Project) -> None:
    plan = add_plan(project, workshop=True)
    said = [("choice", 0), ("choice", 1), ("choice", 0), ("choice", 0), ("tie", None)]
    for number, one in enumerate(said[:4]):
        rate(project, plan, f"K{9 - number}", {0: one}, notes={0: "somebody's own words"})
    assert disagreements(project) == ()
    rate(project, plan, "K1", {0: said[4]})
    (found,) = disagreements(project)
    assert {(one.rater, one.note, one.active_seconds) for one in found.judgments} == {("", "", 0.0)}
    rate(project, plan, "K0", {0: ("choice", 2)})
    assert disagreements(project) == (found,), "the sixth would be the difference"
    # In an order that says nothing of who came first.
    assert [(one.outcome, one.chosen) for one in found.judgments] == sorted(said, key=lambda one: (one[0], one[1] or 0))


def test_the_order_of_the_texts_is_fixed_and_gives_no_item_a_place() -> None:
    orders = [neutral_order(f"comparison {number}", 3) for number in range(600)]
    assert orders == [neutral_order(f"comparison {number}", 3) for number in range(600)]
    for place in range(3):
        firsts = sum(order[place] == 0 for order in orders)
        assert 150 < firsts < 250  # 200 expected, standard deviation 11.5


# deciding


def test_a_later_adjudication_supersedes_and_the_judgments_stay(project: Project) -> None:
    plan = add_plan(project)
    rate(project, plan, "R01", {0: ("choice", 0)})
    rate(project, plan, "R02", {0: ("choice", 1)})
    (one,) = disagreements(project)
    before = project.judging.judgments()
    adjudicate(project, one.comparison, "choice", 2, "neither saw it")
    first = adjudicated(project)[one.comparison.id]
    assert (first.outcome, first.chosen, first.note) == ("choice", 2, "neither saw it")
    assert disagreements(project)[0].adjudication == first
    adjudicate(project, one.comparison, "tie", None)
    second = adjudicated(project)[one.comparison.id]
    assert (second.outcome, second.chosen, second.note) == ("tie", None, "")
    rows = project.annotations.of_kind("adjudication", superseded=True)
    assert [(row.supersedes, row.target) for row in rows] == [(None, one.comparison.id), (first.id, one.comparison.id)]
    assert project.judging.judgments() == before


def test_what_was_taken_back_is_left_to_adjudicate_again(project: Project) -> None:
    comparison = rows_of(project, add_plan(project))[0]
    adjudicate(project, comparison, "none")
    adjudicate(project, comparison, "withdrawn")
    assert adjudicated(project) == {}
    adjudicate(project, comparison, "choice", 0)
    assert adjudicated(project)[comparison.id].chosen == 0


@pytest.mark.parametrize(("outcome", "chosen"), [("choice", None), ("choice", 3), ("tie", 0), ("skip", None)])
def test_an_outcome_that_makes_no_sense_is_refused_and_nothing_is_kept(
    project: Project, outcome: str, chosen: int | None
) -> None:
    comparison = rows_of(project, add_plan(project))[0]
    with pytest.raises(UsageError):
        adjudicate(project, comparison, outcome, chosen)  # type: ignore[arg-type]
    assert adjudicated(project) == {}


def test_what_raters_say_beside_a_choice_is_told_with_it_and_marks_are_counted(project: Project) -> None:
    plan = add_plan(project, graded=True, confidence=True, spans=True)
    said = {
        "R01": (0, "much", 3, [[0, 2, 8], [1, 0, 1]]),
        "R02": (1, "slightly", 1, [[0, 5, 10]]),
        "R03": (1, "much", 2, []),
    }
    for code, (chosen, degree, confidence, spans) in said.items():
        detail = {"degree": degree, "confidence": confidence} | ({"spans": spans} if spans else {})
        rate(project, plan, code, {0: ("choice", chosen)}, details={0: detail})
    (one,) = disagreements(project)
    assert [(each.rater, each.degree, each.confidence) for each in one.judgments] == [
        ("R01", "much", 3), ("R02", "slightly", 1), ("R03", "much", 2),
    ]  # fmt: skip
    assert one.marked(0) == ((2, 5, 1), (5, 8, 2), (8, 10, 1))
    assert one.marked(1) == ((0, 1, 1),)
    assert one.marked(2) == ()
