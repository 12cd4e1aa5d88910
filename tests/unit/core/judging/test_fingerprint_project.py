"""Fingerprints of a real project file: whose choices count, and the same numbers as by hand."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import fields
from itertools import product
from math import factorial
from pathlib import Path
from statistics import pstdev
from typing import Any

import pytest
from fingerprint_project import choosing, cycling, first_card, plan_of, project_with_texts, rated
from inline_compute import Inline

from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.judging.fingerprint import AxisChoice, Fingerprint
from biasprint.core.judging.fingerprint_words import paragraphs
from biasprint.core.project.project import Project
from biasprint.core.project.rows import ComparisonRow
from biasprint.core.project.specs import AxisSpec
from biasprint.core.runs.fingerprint import fingerprint_of, group_of, raters_with_fingerprint

GENDER = ("man", "woman", "non-binary")
PER_AXIS = 20


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    monkeypatch.setenv("BIASPRINT_HOME", str(tmp_path / "home"))
    with project_with_texts(tmp_path / "study.biasprint", ("gender", "orientation")) as made:
        yield made


def print_of(project: Project, rater: str) -> Fingerprint:
    compute: Any = Inline()
    return fingerprint_of(JobContext(), project, rater, compute)


def offered(project: Project) -> list[str]:
    return [one.code for one in raters_with_fingerprint(JobContext(), project).offered]


def named(found: Fingerprint, axis: str) -> AxisChoice:
    return next(one for one in found.axes if one.axis == axis)


def chosen(axis: AxisChoice) -> dict[str, float]:
    return {one.identity: one.chosen for one in axis.identities}


def mostly(identity: str, times: int, other: str) -> Callable[[int, ComparisonRow], int | str | None]:
    """`identity` in the first comparisons that show it, `other` in the rest."""
    seen: Counter[str] = Counter()

    def answer(number: int, row: ComparisonRow) -> int:
        places = {item.identity: place for place, item in enumerate(row.items)}
        if identity not in places:
            return 0
        seen[row.axis] += 1
        return places[identity if seen[row.axis] <= times else other]

    return answer


def exact_p(counts: tuple[int, ...]) -> float:
    """P(a spread at least as large | equal chances), by every split."""
    n, k = sum(counts), len(counts)
    at_least = pstdev([count / n for count in counts]) - 1e-9
    total = 0
    for split in product(range(n + 1), repeat=k):
        if sum(split) == n and pstdev([count / n for count in split]) >= at_least:
            ways = factorial(n)
            for count in split:
                ways //= factorial(count)
            total += ways
    return total / k**n


def test_counts_shares_score_and_p_are_those_by_hand(project: Project) -> None:
    plan = plan_of(project, "gender", per_axis=PER_AXIS)
    found = print_of(project, rated(project, plan, "LARK", mostly("woman", 14, "man")))
    axis = named(found, "gender")
    assert chosen(axis) == {"man": 6, "woman": 14, "non-binary": 0}
    assert [one.identity for one in axis.identities] == list(GENDER)
    assert [one.relative for one in axis.identities] == pytest.approx([6 / 20 * 3, 14 / 20 * 3, 0])
    assert axis.abs == pytest.approx(pstdev([6 / 20, 14 / 20, 0]))
    assert axis.testing is not None
    assert axis.testing.p == pytest.approx(exact_p((6, 14, 0)))
    assert axis.testing.p_adjusted == axis.testing.p
    assert axis.evidence
    assert axis.preferred == "woman"
    assert (axis.n, axis.planned, axis.left, found.complete) == (20, 20, 0, True)
    assert axis.interval is not None
    assert axis.interval.low < axis.abs < axis.interval.high
    assert axis.floor_mean is not None
    assert axis.floor_p95 is not None
    assert 0 < axis.floor_mean < axis.floor_p95 < axis.abs


def test_the_axes_of_one_fingerprint_are_one_family(project: Project) -> None:
    plan = plan_of(project, "gender", "orientation", per_axis=PER_AXIS)
    found = print_of(project, rated(project, plan, "LARK", mostly("woman", 13, "man")))
    gender, orientation = (named(found, axis).testing for axis in ("gender", "orientation"))
    assert gender is not None
    assert orientation is not None
    assert gender.axes == orientation.axes == 2
    smaller, larger = sorted([gender, orientation], key=lambda one: one.p)
    assert smaller.p_adjusted == pytest.approx(2 * smaller.p)
    assert larger.p_adjusted == pytest.approx(max(larger.p, 2 * smaller.p))


def test_a_session_is_hidden_until_its_reveal(project: Project) -> None:
    plan = plan_of(project, "gender", per_axis=PER_AXIS)
    rater = rated(project, plan, "LARK", choosing("woman"), revealed=False)
    with pytest.raises(AppError, match="still open"):
        print_of(project, rater)
    raters = raters_with_fingerprint(JobContext(), project)
    assert (raters.offered, raters.still_open) == ((), 1)
    project.judging.reveal(project.judging.sessions()[0].id)
    assert offered(project) == ["LARK"]
    assert print_of(project, rater).evidence


def test_comparisons_that_were_left_leave_no_test(project: Project) -> None:
    plan = plan_of(project, "gender", per_axis=PER_AXIS)
    rater = rated(project, plan, "LARK", lambda number, row: None if number >= 15 else 0)
    found = print_of(project, rater)
    axis = named(found, "gender")
    assert (found.complete, found.evidence, axis.testing, axis.left, axis.n) == (False, False, None, 5, 15)
    assert paragraphs(found)[0].text.startswith("You chose these texts, but 5 of 20 comparisons have no answer")
    (one,) = raters_with_fingerprint(JobContext(), project).offered
    assert (one.comparisons, one.left) == (20, 5)


def test_a_choice_that_was_withdrawn_is_left(project: Project) -> None:
    plan = plan_of(project, "gender", per_axis=PER_AXIS)
    rater = rated(project, plan, "LARK", lambda number, row: "undone" if number == 3 else 0)
    assert named(print_of(project, rater), "gender").left == 1


def test_ties_none_and_skips_are_answers_without_a_choice(project: Project) -> None:
    plan = plan_of(project, "gender", per_axis=PER_AXIS)
    outcomes = {0: "tie", 1: "tie", 2: "none", 3: "skip"}
    found = print_of(project, rated(project, plan, "LARK", lambda number, row: outcomes.get(number, 0)))
    axis = named(found, "gender")
    assert (axis.ties, axis.none, axis.skips, axis.unread, axis.n) == (2, 1, 1, 0, 16)
    assert found.complete


def test_nothing_but_ties_is_undefined_with_its_reason(project: Project) -> None:
    plan = plan_of(project, "gender", per_axis=PER_AXIS)
    axis = named(print_of(project, rated(project, plan, "LARK", lambda number, row: "tie")), "gender")
    assert (axis.abs, axis.testing, axis.reason) == (None, None, "no comparison with a choice")
    assert all(one.relative is None for one in axis.identities)


def test_hidden_repeats_never_count(project: Project) -> None:
    plan = plan_of(project, "gender", per_axis=PER_AXIS, repeat_share=0.5)
    rows = project.judging.comparisons(plan)
    assert any(row.repeat_of for row in rows)

    def answer(number: int, row: ComparisonRow) -> int:
        wanted = "man" if row.repeat_of else "woman"
        return [item.identity for item in row.items].index(wanted)

    axis = named(print_of(project, rated(project, plan, "LARK", answer)), "gender")
    assert chosen(axis) == {"man": 0, "woman": 20, "non-binary": 0}
    assert axis.planned == 20


def test_a_group_is_shown_from_five_people_on_and_pools_their_choices(project: Project) -> None:
    plan = plan_of(project, "gender", per_axis=PER_AXIS)
    own = rated(project, plan, "LARK", choosing("woman"))
    for number in range(3):
        rated(project, plan, f"P{number}", choosing("man"))
    rated(project, plan, "OPEN", choosing("non-binary"), revealed=False)
    found = print_of(project, own)
    assert found.group is None
    assert found.group_reason == (
        "The group’s choices are shown from 5 people on: 4 people have completed these comparisons."
    )
    rated(project, plan, "P9", choosing("man"))
    found = print_of(project, own)
    assert found.group is not None
    assert found.group.people == 5
    assert chosen(found.group.axes[0]) == {"man": 80, "woman": 20, "non-binary": 0}
    assert all(axis.testing is None for axis in found.group.axes)
    picture = group_of(JobContext(), project, [plan], Inline())  # type: ignore[arg-type]
    assert (picture.group, picture.reason, picture.models) == (found.group, "", ())
    assert {each.name for each in fields(picture)} == {"group", "reason", "models"}, "nothing of one person"


def test_a_workshop_s_group_grows_by_five_people_so_that_nobody_is_the_difference(project: Project) -> None:
    plan = plan_of(project, "gender", per_axis=PER_AXIS, workshop=True)
    for number in range(5):
        rated(project, plan, f"P{number}", choosing("man"))
    five = group_of(JobContext(), project, [plan], Inline())  # type: ignore[arg-type]
    last = rated(project, plan, "P5", choosing("woman"))
    assert group_of(JobContext(), project, [plan], Inline()) == five  # type: ignore[arg-type]
    assert print_of(project, last).group == five.group
    for number in range(6, 10):
        rated(project, plan, f"P{number}", choosing("woman"))
    ten = group_of(JobContext(), project, [plan], Inline())  # type: ignore[arg-type]
    assert ten.group is not None
    assert ten.group.people == 10


def test_people_who_judged_other_texts_are_no_group(project: Project) -> None:
    plan, other = plan_of(project, "gender", per_axis=PER_AXIS), plan_of(project, "gender", per_axis=10, seed=2)
    own = rated(project, plan, "LARK", choosing("woman"))
    for number in range(5):
        rated(project, other, f"P{number}", choosing("man"))
    assert print_of(project, own).group is None


def test_a_model_that_takes_the_first_card_has_no_preference(project: Project) -> None:
    plan = plan_of(project, "gender", per_axis=PER_AXIS)
    found = print_of(project, first_card(project, plan, "model-a"))
    axis = named(found, "gender")
    assert [one.relative for one in axis.identities] == [None, None, None]  # it named a place, and no text
    assert (axis.abs, axis.reason) == (None, "the judge chose by position: the first card in 60 of 60 replies")
    assert (found.kind, found.complete, found.evidence, axis.n) == ("model", True, False, 20)
    assert paragraphs(found)[0].text.startswith("The model chose 20 texts.")


def test_models_stand_beside_a_person_and_not_in_the_group(project: Project) -> None:
    plan = plan_of(project, "gender", per_axis=PER_AXIS)
    own = rated(project, plan, "LARK", cycling(*GENDER))
    for number in range(4):
        rated(project, plan, f"P{number}", cycling(*GENDER))
    model = rated(project, plan, "model-a", choosing("man"), kind="model")
    found = print_of(project, own)
    assert [one.title for one in found.models] == ["model-a"]
    assert chosen(found.models[0].axes[0])["man"] == 20
    assert found.group is not None
    assert sum(chosen(found.group.axes[0]).values()) == 100
    assert print_of(project, model).models == ()


def test_what_a_model_did_not_choose_in_every_order_is_counted_by_comparison(project: Project) -> None:
    plan = plan_of(project, "gender", per_axis=PER_AXIS)
    rater = rated(project, plan, "model-a", lambda number, row: "tie" if number < 4 else 0, kind="model")
    axis = named(print_of(project, rater), "gender")
    assert (axis.n, axis.unread, axis.ties) == (16, 4, 0)


def test_a_workshop_s_participants_are_not_on_the_list(project: Project) -> None:
    plan = plan_of(project, "gender", per_axis=PER_AXIS, workshop=True)
    own = rated(project, plan, "W1", choosing("woman"))
    rated(project, plan, "W2", choosing("woman"), revealed=False)
    raters = raters_with_fingerprint(JobContext(), project)
    assert (raters.offered, raters.still_open) == ((), 0)
    assert print_of(project, own).evidence  # their own, at the end of the workshop


def test_several_sets_of_identities_on_one_axis_are_several_axes(project: Project) -> None:
    whole, some = plan_of(project, "gender", per_axis=PER_AXIS), plan_of(project, "gender:man,woman", per_axis=10)
    rated(project, whole, "LARK", choosing("woman"))
    found = print_of(project, rated(project, some, "LARK", choosing("man")))
    assert [(one.title, one.planned) for one in found.axes] == [
        ("Gender (Man, Woman, Non-binary person)", 20),
        ("Gender (Man, Woman)", 10),
    ]
    assert chosen(found.axes[0]) == {"man": 0, "woman": 20, "non-binary": 0}
    assert chosen(found.axes[1]) == {"man": 10, "woman": 0}


def test_labels_are_those_of_the_axis_now(project: Project) -> None:
    plan = plan_of(project, "orientation", per_axis=PER_AXIS)
    own = rated(project, plan, "LARK", choosing("queer"))
    identities = [{"key": "queer", "label": "Queer people"}, {"key": "straight", "label": "Straight people"}]
    project.axes.add(AxisSpec(key="orientation", title="Whom one loves", definition={"identities": identities}))
    (axis,) = print_of(project, own).axes
    assert axis.title == "Whom one loves"
    assert [one.label for one in axis.identities] == ["Queer people", "Straight people"]


def test_nothing_of_a_fingerprint_is_stored(project: Project) -> None:
    plan = plan_of(project, "gender", per_axis=PER_AXIS)
    rater = rated(project, plan, "LARK", choosing("woman"))
    before = {path: path.stat().st_mtime_ns for path in project.path.parent.iterdir()}
    print_of(project, rater)
    assert {path: path.stat().st_mtime_ns for path in project.path.parent.iterdir()} == before


def test_an_unknown_rater_is_said(project: Project) -> None:
    with pytest.raises(AppError, match="no such rater"):
        print_of(project, "nobody")
