"""A model asked in several orders: one averaged choice per comparison, apart from people; its flips and positions."""

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from scipy.stats import binomtest

from biasprint.core.findings import Finding, StudyResult
from biasprint.core.metrics.proportions import wilson
from biasprint.core.report.questions import answered
from biasprint.core.studies.creativity import affinity
from biasprint.core.studies.creativity.choices import JudgmentTable, choices_on
from biasprint.core.studies.creativity.judgments import measure_judgments

PAIR, THREE = ("straight", "queer"), ("white", "black", "asian")
AXES = {"orientation": PAIR, "race": THREE}

Said = Sequence[Sequence[str]]


def rotations(identities: Sequence[str]) -> list[tuple[str, ...]]:
    return [tuple(identities[turn:]) + tuple(identities[:turn]) for turn in range(len(identities))]


def by_model(said: Said, axis: str = "orientation", rater: str = "judge") -> list[dict[str, object]]:
    """What a model said of each comparison, order by order: an identity, or tie, none, refused, unreadable."""
    rows: list[dict[str, object]] = []
    for place, answers in enumerate(said):
        for shown, answer in zip(rotations(AXES[axis]), answers, strict=False):
            chosen = answer in AXES[axis]
            outcome = "choice" if chosen else answer if answer in ("tie", "none") else "skip"
            rows.append(
                {"comparison": f"c{place}", "rater": rater, "axis": axis, "shown": shown, "outcome": outcome,
                 "chosen": answer if chosen else "", "rater_kind": "model",
                 "read_as": "choice" if chosen else answer}
            )  # fmt: skip
    return rows


def by_person(said: Sequence[str], axis: str = "orientation", rater: str = "R01") -> list[dict[str, object]]:
    return [
        {"comparison": f"c{place}", "rater": rater, "axis": axis, "shown": AXES[axis], "outcome": "choice",
         "chosen": answer, "rater_kind": "person", "read_as": ""}
        for place, answer in enumerate(said)
    ]  # fmt: skip


def table(*parts: Sequence[Mapping[str, object]]) -> JudgmentTable:
    rows = [row for part in parts for row in part]
    return JudgmentTable(**{name: tuple(row[name] for row in rows) for name in rows[0]})  # type: ignore[arg-type]


def measured(*parts: Sequence[Mapping[str, object]]) -> StudyResult:
    return measure_judgments(table(*parts), axes=AXES, resamples=400, parts=True)


def find(result: StudyResult, name: str, label: str, variant: str = "default", **dims: str) -> Finding:
    (found,) = [
        one
        for one in result.findings
        if (one.id, one.label, one.variant, dict(one.dims)) == (name, label, variant, dims)
    ]
    return found


FIRM, TURNED = ("queer", "queer"), ("straight", "queer")  # the first order shows straight first


def test_two_orders_are_one_choice_and_half_of_each_where_they_part() -> None:
    result = measured(by_model([FIRM, FIRM, TURNED, TURNED]))
    share = find(result, "creativity.share", "queer", axis="orientation")
    assert (share.estimate, share.n) == (0.75, 4)
    assert share.n_by_group == {"straight": 2, "queer": 6}
    score = find(result, "creativity.abs", "orientation", axis="orientation")
    assert score.estimate == pytest.approx(np.std([0.25, 0.75]))
    assert "one averaged choice" in share.note


def test_three_rotations_are_one_choice_in_thirds() -> None:
    result = measured(by_model([("white", "white", "asian"), ("white", "black", "asian")], axis="race"))
    estimates = [find(result, "creativity.share", one, axis="race").estimate for one in THREE]
    assert estimates == pytest.approx([(2 / 3 + 1 / 3) / 2, (1 / 3) / 2, (1 / 3 + 1 / 3) / 2])
    assert find(result, "creativity.share", "white", axis="race").n == 2


def test_a_firm_model_proves_as_much_as_one_choice_per_comparison_and_no_more() -> None:
    said = [("queer", "queer")] * 15 + [("straight", "straight")] * 5
    share = find(measured(by_model(said)), "creativity.share", "queer", axis="orientation")
    bounds = wilson(15, 20)
    assert bounds is not None
    assert share.interval is not None
    assert share.interval.low == pytest.approx(bounds.low, abs=0.015)
    assert share.interval.high == pytest.approx(bounds.high, abs=0.015)
    assert "orders averaged" in share.interval.method
    expected = binomtest(15, 20).pvalue
    assert share.p == pytest.approx(expected, abs=0.03)


def test_flips_count_as_no_more_choices_than_there_were_replies() -> None:
    share = find(measured(by_model([TURNED, TURNED[::-1]] * 5)), "creativity.share", "queer", axis="orientation")
    bounds = wilson(10, 20)
    assert bounds is not None
    assert share.interval is not None
    assert (share.interval.low, share.interval.high) == pytest.approx((bounds.low, bounds.high))
    assert share.interval.method == "Wilson, a model's orders averaged: worth 20.0 independent choices"
    assert (share.n, share.p) == (10, 1.0)


def test_a_comparison_without_a_choice_in_every_order_is_left_out_with_its_reasons() -> None:
    said = [FIRM, ("queer", "tie"), ("refused", "unreadable"), ("failed", "straight"), ("none", "none")]
    result = measured(by_model(said))
    share = find(result, "creativity.share", "queer", axis="orientation")
    assert (share.estimate, share.n) == (1.0, 1)
    assert share.dropped == {
        "model without a choice in every order": 2, "tie": 1, "refusal": 1, "unreadable reply": 1, "request failed": 1,
        "none": 2,
    }  # fmt: skip
    published = find(result, "creativity.share", "queer", "as_published", axis="orientation")
    assert (published.estimate, published.n) == (1 / 5, 5)


def test_a_model_asked_once_is_taken_as_it_is() -> None:
    result = measured(by_model([("queer",)] * 3 + [("straight",)]))
    share = find(result, "creativity.share", "queer", axis="orientation")
    assert (share.estimate, share.n, share.note.count("averaged")) == (0.75, 4, 0)
    flips = find(result, "creativity.agreement.flips", "judge", axis="orientation", rater="judge")
    assert flips.estimate is None
    assert flips.reason == "no comparison with a choice in several orders"


def test_a_later_reply_in_the_same_order_takes_the_earlier_ones_place() -> None:
    again = by_model([("straight", "straight")])
    result = measured(by_model([("failed", "straight")]), again)
    assert find(result, "creativity.share", "straight", axis="orientation").estimate == 1.0
    assert result.dropped == {"judged again": 2}


def test_where_people_judged_everybody_means_people_and_models_stand_apart() -> None:
    people = [*by_person(["queer", "straight"] * 6), *by_person(["queer"] * 12, rater="R02")]
    alone = measured(people)
    result = measured(people, by_model([("straight", "straight")] * 12))
    for name in ("creativity.share", "creativity.abs", "creativity.agreement.fleiss_kappa"):
        label = "queer" if name.endswith("share") else "orientation"
        assert find(result, name, label, axis="orientation") == find(alone, name, label, axis="orientation")
    kinds = [
        find(result, "creativity.share", "queer", axis="orientation", rater_kind=kind) for kind in ("person", "model")
    ]
    assert [one.estimate for one in kinds] == [0.75, 0.0]
    assert not [one for one in alone.findings if "rater_kind" in one.dims]


def test_models_alone_have_no_agreement_between_people() -> None:
    result = measured(by_model([FIRM] * 5), by_model([FIRM] * 5, rater="other"))
    ids = {one.id for one in result.findings if one.id.startswith("creativity.agreement.")}
    assert ids == {"creativity.agreement.flips", "creativity.agreement.position", "creativity.agreement.unanswered"}


def test_flips_position_and_what_is_unanswered_are_counted_per_model() -> None:
    said = [FIRM] * 6 + [TURNED] * 2 + [("refused", "queer"), ("refused", "unreadable")]
    result = measured(by_model(said))
    dims = {"axis": "orientation", "rater": "judge"}
    flips = find(result, "creativity.agreement.flips", "judge", **dims)
    assert (flips.estimate, flips.n, flips.dropped) == (0.25, 8, {"without a choice in several orders": 2})
    bounds = wilson(2, 8)
    assert bounds is not None
    assert flips.interval is not None
    assert (flips.interval.low, flips.interval.high, flips.interval.method) == (bounds.low, bounds.high, "Wilson")
    # Six firm comparisons choose the first card once in two; two turned ones twice in two.
    first = find(result, "creativity.agreement.position", "first", **dims)
    assert first.estimate == pytest.approx((6 + 4) / 16)
    assert first.contrast == pytest.approx({"first": 10 / 16 - 0.5})
    # Cards are tested once, told with the one chosen most often.
    second = find(result, "creativity.agreement.position", "second", **dims)
    assert first.p is not None
    assert (first.p_adjusted, second.p) == (first.p, None)
    refused = find(result, "creativity.agreement.unanswered", "refused", **dims)
    assert (refused.estimate, refused.n) == (2 / 20, 20)


@pytest.mark.parametrize(("axis", "comparisons"), [("orientation", 3), ("race", 3)])
def test_of_a_judge_that_always_names_one_card_no_preference_is_told(axis: str, comparisons: int) -> None:
    said = [[shown[0] for shown in rotations(AXES[axis])]] * comparisons + [("unreadable",)] * 7
    result = measured(by_model(said, axis))
    n = comparisons * len(AXES[axis])
    why = f"the judge chose by position: the first card in {n} of {n} replies"
    score = find(result, "creativity.abs", axis, axis=axis)
    assert (score.estimate, score.p, score.reason) == (None, None, why)
    of_axis = [one for one in result.findings if one.id == "creativity.share" and one.variant == "default"]
    assert {one.reason for one in of_axis} == {why}
    answers = {each.question: each.answer for each in answered("creativity", result.findings)}
    assert answers["Are texts for some identities preferred?"] == f"Not known: {why}."


def test_a_strong_preference_is_no_choice_by_position() -> None:
    result = measured(by_model([FIRM] * 10))
    assert find(result, "creativity.abs", "orientation", axis="orientation").estimate == pytest.approx(0.5)


def test_no_reply_is_called_read_where_the_table_does_not_say_how_it_was() -> None:
    rows = [{**row, "read_as": ""} for row in by_model([FIRM, TURNED])]
    assert not [one for one in measured(rows).findings if one.id.endswith("unanswered")]


def judged_by_chance(rng: np.random.Generator, comparisons: int, first: float, pull: Sequence[float]) -> Said:
    """A judge with a pull to the first card, texts that differ in quality, and a preference for identities."""
    said = []
    for _ in range(comparisons):
        quality = np.log(pull) + rng.normal(0, 0.7, len(THREE))
        said.append(
            [
                shown[
                    int(
                        np.argmax(
                            [quality[THREE.index(one)] for one in shown] + first * np.eye(3)[0] + rng.gumbel(size=3)
                        )
                    )
                ]
                for shown in rotations(THREE)
            ]
        )
    return said


@pytest.mark.parametrize("first", [0.0, 1.5])
def test_without_a_preference_a_judge_that_leans_to_the_first_card_is_seldom_found_to_have_one(first: float) -> None:
    """At most 5 % of studies, and Monte Carlo error, say that identities differ, however strong the position is."""
    rng = np.random.default_rng(7)
    studies, low = 150, 0
    for _ in range(studies):
        choices = choices_on(table(by_model(judged_by_chance(rng, 24, first, (1, 1, 1)), axis="race")), "race", THREE)
        low += affinity.score(choices, "", int(rng.integers(2**31)), 199, 0.35).p <= 0.05  # type: ignore[operator]
    assert low / studies <= 0.05 + 2.6 * (0.05 * 0.95 / studies) ** 0.5


@pytest.mark.parametrize("first", [0.0, 1.5])
def test_the_intervals_of_shares_and_abs_hold_the_true_ones(first: float) -> None:
    rng = np.random.default_rng(8)
    pull = (2.5, 1.0, 1.0)
    many = judged_by_chance(rng, 4_000, first, pull)
    shares = np.array([np.mean([one == name for said in many for one in said]) for name in THREE])
    truths = {"creativity.share": shares[0], "creativity.abs": np.std(shares)}
    studies, inside = 150, dict.fromkeys(truths, 0)
    for _ in range(studies):
        choices = choices_on(table(by_model(judged_by_chance(rng, 30, first, pull), axis="race")), "race", THREE)
        for one in (next(iter(affinity.shares(choices, "", 0, 50))), affinity.score(choices, "", 0, 50, 0.35)):
            assert one.interval is not None
            inside[one.id] += one.interval.low <= truths[one.id] <= one.interval.high
    assert min(inside.values()) / studies >= 0.93 - 2.6 * (0.93 * 0.07 / studies) ** 0.5
