"""What a plan can show, asked of the planner for the numbers that a plan has."""

from collections import Counter
from collections.abc import Iterator
from itertools import product
from math import factorial, prod
from pathlib import Path

import numpy as np
import pytest
from compare_projects import Writing, haikus
from inline_compute import Inline

from biasprint.core.errors import AppError, UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.judging.plan import PlanSettings
from biasprint.core.metrics.affinity import affinity_score
from biasprint.core.project.specs import PromptSpec
from biasprint.core.prompts import load_axis
from biasprint.core.runs.compare.drawing import sizes, texts_alone
from biasprint.core.runs.compare.planning import PREFERENCES, Size, outlooks, preference_of
from biasprint.core.runs.compare.pool import CompareRequest
from biasprint.core.studies.kit.importing import store_axis


@pytest.fixture
def writing(tmp_path: Path) -> Iterator[Writing]:
    made = Writing(tmp_path / "p.biasprint")
    yield made
    made.project.close()


def ask(sizes_: dict[str, Size], **options):
    return outlooks(JobContext(), Inline(), sizes_, **options)  # type: ignore[arg-type]


def exact_power(n: int, shares: tuple[float, ...]) -> float:
    """By adding up: every split of n choices whose spread is at least as unlikely as 5 % under equal chances."""
    k = len(shares)
    ways = [way for way in product(range(n + 1), repeat=k) if sum(way) == n]
    chances = {way: factorial(n) / prod(map(factorial, way)) for way in ways}
    spread = {way: sum(part**2 for part in way) for way in ways}
    p = {way: sum(chances[other] for other in ways if spread[other] >= spread[way]) / k**n for way in ways}
    return sum(
        chances[way] * prod(share**part for share, part in zip(shares, way, strict=True))
        for way in ways
        if p[way] <= 0.05
    )


@pytest.mark.parametrize(("comparisons", "identities"), [(12, 2), (12, 3), (20, 3)])
def test_the_chance_is_the_exact_one(comparisons: int, identities: int) -> None:
    (found,) = ask({"a": Size(comparisons, identities)})
    assert found.chance == pytest.approx(exact_power(comparisons, PREFERENCES[identities]), abs=1e-4)
    assert f"With {comparisons} comparisons" in found.sees


def test_the_planned_preferences_are_the_same_share_of_the_largest_score() -> None:
    normalised = [affinity_score(np.array(shares) * 1000).normalised for shares in PREFERENCES.values()]
    assert normalised == pytest.approx([0.35, 0.35], abs=1e-3)


def test_axes_with_two_and_three_identities_are_spoken_of_apart_and_the_smallest_speaks() -> None:
    found = ask({"a": Size(40, 3), "b": Size(12, 3), "c": Size(50, 2)}, raters=3)
    assert [(one.identities, one.comparisons, one.axes, one.raters) for one in found] == [(2, 50, 3, 3), (3, 12, 3, 3)]
    assert all(one.needed is not None and one.needed > 0 for one in found)
    assert set(found[0].stored()) == set(vars(found[0])) - {"sees", "needs", "detects", "ranked"}


def test_a_preference_of_ones_own_goes_to_the_axes_that_it_fits() -> None:
    found = ask({"a": Size(60, 3), "b": Size(60, 2)}, preference=(0.8, 0.1, 0.1))
    assert [one.shares for one in found] == [PREFERENCES[2], (0.8, 0.1, 0.1)]
    with pytest.raises(UsageError, match="3 shares, and the comparisons show 2 texts"):
        ask({"b": Size(60, 2)}, preference=(0.8, 0.1, 0.1))


def test_what_is_written_as_a_preference() -> None:
    assert preference_of(".55/.30/.15") == pytest.approx((0.55, 0.30, 0.15))
    for wrong in ("", "1", "a/b", ".5/.6", "-.5/1.5", ".25/.25/.25/.25", "nan/1"):
        with pytest.raises(UsageError, match="is no preference"):
            preference_of(wrong)


def test_the_numbers_are_those_that_would_be_drawn_and_nothing_is_stored(writing: Writing) -> None:
    haikus(writing, "one", samples=3)
    study = writing.project.studies.of_kind("creativity")
    assert study is not None
    request = CompareRequest(study, axes=("gender",))
    repeats = PlanSettings(repeat_share=0.5)
    assert sizes(JobContext(), writing.project, request, repeats, None, Inline()) == {"gender": Size(6, 3)}  # type: ignore[arg-type]
    assert sizes(JobContext(), writing.project, request, repeats, 4, Inline()) == {"gender": Size(4, 3)}  # type: ignore[arg-type]
    assert writing.project.judging.plans() == ()


def test_before_anything_is_written_the_number_that_is_asked_for_is_taken(writing: Writing) -> None:
    haikus(writing, "one")
    study_id = writing.project.studies.add("letters", "Letters").number("study")
    study = next(row for row in writing.project.studies.all() if row.id == study_id)
    with pytest.raises(AppError):
        sizes(JobContext(), writing.project, CompareRequest(study, axes=("gender",)), PlanSettings(), None, Inline())  # type: ignore[arg-type]
    planned = sizes(
        JobContext(), writing.project, CompareRequest(study, axes=("gender",)), PlanSettings(), 60, Inline()
    )  # type: ignore[arg-type]
    assert planned == {"gender": Size(60, 3)}


def test_a_split_and_recommendations_are_planned_with() -> None:
    (whole,), (split,), (swayed,) = (
        ask({"a": Size(60, 3)}, raters=3, settings=settings)
        for settings in (PlanSettings(), PlanSettings(split=3, overlap=0.2), PlanSettings(sway=0.5))
    )
    assert split.chance < whole.chance
    assert "split in 3 parts among 3 raters" in split.sees
    assert swayed.chance < whole.chance
    assert "with a recommendation beside 50 %" in swayed.detects
    ranked = [ask({"a": Size(300, 2, 5)}, raters=3, settings=PlanSettings(split=parts))[0] for parts in (0, 3)]
    assert ranked[0].chance > ranked[1].chance == ask({"a": Size(300, 2, 5)})[0].chance


def test_a_ranking_is_spoken_of_by_its_places() -> None:
    found = ask({"model": Size(120, 2, 8), "b": Size(20, 2)}, preference=(0.7, 0.3))
    assert [(one.identities, one.ranked) for one in found] == [(2, False), (8, True)]
    assert found[1].shares == (0.7, 0.3)
    assert found[1].stored()["ranked"] is True
    assert "told apart" in found[1].sees
    with pytest.raises(UsageError, match="3 shares"):
        ask({"model": Size(120, 3, 8)}, preference=(0.5, 0.3, 0.2))


def ranked(writing: Writing, **asked):
    for model in ("one", "two", "three", "four"):
        haikus(writing, model, samples=2)
    return writing.draw("creativity", kind="model", **asked)


def test_any_number_of_models_is_drawn_some_at_a_time(writing: Writing) -> None:
    with pytest.raises(UsageError, match="two or three models, and 4 have"):
        ranked(writing)
    drawn = writing.draw("creativity", kind="model", cards=2, per_axis=18, seed=1, raters=2)
    rows = writing.project.judging.comparisons(drawn.plan_id)
    met = [frozenset(item.identity for item in row.items) for row in rows]
    assert {met.count(pair) for pair in met} == {3}
    assert len(set(met)) == 6
    assert drawn.outlooks[0].ranked
    assert drawn.outlooks[0].identities == 4
    again = writing.draw("creativity", kind="model", cards=2, per_axis=18, seed=1)
    assert (again.made, again.plan_id) == (False, drawn.plan_id)


def test_identities_are_ranked_in_pairs_too(writing: Writing) -> None:
    haikus(writing, "one", samples=2)
    drawn = writing.draw("creativity", axes=["gender"], cards=2, per_axis=9)
    assert Counter(len(row.items) for row in writing.project.judging.comparisons(drawn.plan_id)) == {2: 9}


def test_what_cannot_be_ranked_says_why_and_makes_no_plan(writing: Writing) -> None:
    with pytest.raises(UsageError, match="worst of two"):
        ranked(writing, cards=2, worst=True)
    with pytest.raises(UsageError, match="fingerprints"):
        writing.draw("creativity", kind="model", cards=2, workshop=True)
    assert writing.project.judging.plans() == ()


def test_one_text_of_each_is_no_ranking(writing: Writing) -> None:
    store_axis(writing.project, load_axis("gender"))
    prompts = [
        PromptSpec(key=f"h/{who}", text=who, task="haiku", theme="rain", axis="gender", identity=who)
        for who in ("man", "woman", "non-binary")
    ]
    writing.write("creativity", prompts, {one.key: f"of {one.identity}" for one in prompts})
    with pytest.raises(AppError, match="has one text alone") as told:
        writing.draw("creativity", axes=["gender"], cards=2)
    assert told.value.kept == "No plan was made."
    assert writing.project.judging.plans() == ()
    assert texts_alone(writing.draw("creativity", axes=["gender"]).drawn) == ("gender",)
