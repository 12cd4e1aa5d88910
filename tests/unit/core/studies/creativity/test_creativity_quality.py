"""How far people's judgments can be trusted: repeats, places of cards, times, and what single raters carry."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest, median_abs_deviation
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa
from statsmodels.stats.proportion import proportion_confint

from biasprint.core.findings import Finding, StudyResult
from biasprint.core.metrics.result import holm
from biasprint.core.studies.creativity.choices import JudgmentTable
from biasprint.core.studies.creativity.judgments import measure_judgments

THREE, PAIR = ("white", "black", "asian"), ("straight", "queer")
AXES = {"race": THREE, "orientation": PAIR}
Row = Mapping[str, Any]


def row(comparison: str, chosen: str, rater: str = "R01", **others: Any) -> Row:
    """A person's choice on the race axis, unless `others` says something else; tie, none and skip are outcomes."""
    axis = others.pop("axis", "race")
    outcome = chosen if chosen in ("tie", "none", "skip") else "choice"
    plain = {"shown": AXES[axis], "repeat_of": "", "seconds": 0.0, "rater_kind": "person", "read_as": ""}
    made = {"comparison": comparison, "rater": rater, "axis": axis, "outcome": outcome}
    return {**plain, **made, "chosen": chosen if outcome == "choice" else "", **others}


def measured(rows: Sequence[Row], resamples: int = 400) -> StudyResult:
    table = JudgmentTable(**{name: tuple(one[name] for one in rows) for name in rows[0]})
    result = measure_judgments(table, axes=AXES, resamples=resamples, parts=True)
    json.dumps(result.to_json(), allow_nan=False)
    return result


def of(result: StudyResult, name: str, **dims: str) -> dict[str, Finding]:
    found = [one for one in result.findings if one.id == f"creativity.quality.{name}" and dict(one.dims) == dims]
    assert len({one.label for one in found}) == len(found)
    return {one.label: one for one in found}


# Hidden repeats.


def repeated(*pairs: tuple[str, str], rater: str = "R01") -> list[Row]:
    """First and second answers to comparisons c0, c1, …"""
    first = [row(f"c{place}", before, rater) for place, (before, _) in enumerate(pairs)]
    return first + [row(f"again{place}", after, rater, repeat_of=f"c{place}") for place, (_, after) in enumerate(pairs)]


def test_repeats_answered_the_same_are_a_share_with_wilsons_interval_beside_chance() -> None:
    same = [("white", "white")] * 6 + [("black", "white")] * 2
    found = of(measured(repeated(*same)), "consistency", rater="R01")["R01"]
    assert found.estimate == pytest.approx(6 / 8)
    assert found.n_by_group == {"same": 6, "different": 2}
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx(proportion_confint(6, 8, method="wilson"))
    assert found.contrast == pytest.approx({"same": 6 / 8 - 1 / 3})
    assert "Chance is 0.333" in found.note


def test_ties_count_as_answers_and_raise_what_chance_gives() -> None:
    """By hand: of 8 judgments 4 are ties and 4 choices among three: ¼ + ¼ / 3."""
    rows = repeated(("tie", "tie"), ("tie", "white"), ("white", "white"), ("black", "tie"))
    found = of(measured(rows), "consistency", rater="R01")["R01"]
    assert found.estimate == pytest.approx(0.5)
    assert found.contrast == pytest.approx({"same": 0.5 - (1 / 4 + 1 / 12)})


def test_chance_is_what_somebody_gets_who_takes_any_card() -> None:
    """A simulated rater: a third ties, otherwise any of three cards, both times."""
    rng = np.random.default_rng(0)
    says = np.array(["tie", *THREE])
    drawn = rng.choice(says, p=[1 / 3, 2 / 9, 2 / 9, 2 / 9], size=(4000, 2))
    found = of(measured(repeated(*drawn.tolist()), 10), "consistency", rater="R01")["R01"]
    assert found.contrast is not None
    assert found.contrast["same"] == pytest.approx(0, abs=3 * np.sqrt(0.26 * 0.74 / 4000))


def test_everyones_repeats_have_the_comparison_as_their_unit() -> None:
    answers = [("white", "white")] * 5 + [("black", "white")] * 5
    rows = [one for rater in ("R01", "R02", "R03") for one in repeated(*answers, rater=rater)]
    result = measured(rows)
    everyone = of(result, "consistency")["everyone"]
    assert (everyone.estimate, everyone.n) == (0.5, 30)
    assert everyone.interval is not None
    # Three raters who agree throughout are worth one.
    alone = proportion_confint(5, 10, method="wilson")
    assert everyone.interval.high - everyone.interval.low >= 0.9 * (alone[1] - alone[0])
    assert {label for rater in ("R01", "R02", "R03") for label in of(result, "consistency", rater=rater)} == {
        "R01", "R02", "R03",
    }  # fmt: skip


def test_repeats_that_cannot_be_compared_are_counted_and_none_is_no_consistency() -> None:
    rows = repeated(("white", "white"), ("skip", "white"), ("white", "skip"))
    lonely = row("again9", "white", repeat_of="c9")
    found = of(measured([*rows, lonely]), "consistency", rater="R01")["R01"]
    assert (found.estimate, found.n) == (1.0, 1)
    assert found.dropped == {"skip": 2, "the first time was not judged": 1}
    nothing = of(measured([row("c0", "white"), row("c1", "black")]), "consistency")["everyone"]
    assert (nothing.estimate, nothing.reason) == (None, "no hidden repeat was judged")


def test_a_revised_answer_counts_as_it_stands_now() -> None:
    rows = [*repeated(("white", "black")), row("c0", "black")]
    assert of(measured(rows), "consistency", rater="R01")["R01"].estimate == 1


def test_repeats_stay_out_of_the_scores() -> None:
    rows = [row(f"c{place}", THREE[place % 3]) for place in range(12)]
    repeats = [row(f"again{place}", "white", repeat_of=f"c{place}") for place in range(6)]

    def scores(given: Sequence[Row]) -> list[float | None]:
        wanted = ("creativity.abs", "creativity.share", "creativity.quality.position")
        return [one.estimate for one in measured(given).findings if one.id in wanted]

    assert scores([*rows, *repeats]) == scores(rows)


# Places of cards.


def placed(counts: Sequence[int], rater: str = "R01", axis: str = "race", start: int = 0) -> list[Row]:
    """So many choices of the first, second, … card; the identity in that place changes from row to row."""
    rows = []
    for place, count in enumerate(counts):
        for number in range(count):
            turn = (len(rows) + number) % len(AXES[axis])
            shown = AXES[axis][turn:] + AXES[axis][:turn]
            rows.append(row(f"{axis}{start + len(rows)}", shown[place], rater, axis=axis, shown=shown))
    return rows


def test_each_card_is_tested_against_chance_and_the_family_is_all_cards_of_all_raters() -> None:
    result = measured([*placed((14, 4, 2)), *placed((7, 7, 6), "R02")])
    first = of(result, "position", cards="3", rater="R01")
    second = of(result, "position", cards="3", rater="R02")
    assert [one.estimate for one in first.values()] == pytest.approx([0.7, 0.2, 0.1])
    expected = [binomtest(count, 20, 1 / 3).pvalue for count in (14, 4, 2, 7, 7, 6)]
    assert [one.p for one in (*first.values(), *second.values())] == pytest.approx(expected)
    assert [one.p_adjusted for one in (*first.values(), *second.values())] == pytest.approx(holm(expected))
    assert first["first"].contrast == pytest.approx({"first": 0.7 - 1 / 3})
    assert first["first"].n_by_group == {"first": 14, "second": 4, "third": 2}


def test_two_cards_and_three_are_told_apart() -> None:
    result = measured([*placed((10, 10, 10)), *placed((16, 4), axis="orientation")])
    assert set(of(result, "position", cards="3")) == {"first", "second", "third"}
    pair = of(result, "position", cards="2")
    assert pair["first"].estimate == pytest.approx(0.8)
    assert pair["first"].p == pytest.approx(binomtest(16, 20, 0.5).pvalue)


def test_a_liking_for_an_identity_is_no_liking_for_a_place() -> None:
    rows = []
    for number in range(60):
        shown = THREE[number % 3 :] + THREE[: number % 3]
        rows.append(row(f"c{number}", "white", shown=shown))
    found = of(measured(rows), "position", cards="3")
    assert [one.estimate for one in found.values()] == pytest.approx([1 / 3] * 3)
    assert all(one.p_adjusted == 1 for one in found.values())


def test_raters_of_one_comparison_are_not_as_many_comparisons() -> None:
    """Three raters who take the same card each time: pooled p is near one rater's, far from three times as many's."""
    rows = [one for rater in ("R01", "R02", "R03") for one in placed((14, 4, 2), rater)]
    found = of(measured(rows, 4000), "position", cards="3")["first"]
    assert found.n == 60
    assert found.p == pytest.approx(binomtest(14, 20, 1 / 3).pvalue, rel=0.6)
    assert (found.p or 0) > 100 * binomtest(42, 60, 1 / 3).pvalue


# Times.


def timed(seconds: Sequence[float], rater: str = "R01") -> list[Row]:
    return [row(f"c{place}", THREE[place % 3], rater, seconds=time) for place, time in enumerate(seconds)]


USUAL = [8.0, 9.5, 10.0, 11.0, 12.5, 9.0, 10.5, 13.0, 7.5, 10.0, 11.5, 9.8]


def test_times_far_from_the_raters_own_median_are_named_with_how_far() -> None:
    times = [*USUAL, 0.4, 240.0]
    found = of(measured(timed(times)), "time", rater="R01")["R01"]
    logs = np.log(times)
    scores = (logs - np.median(logs)) / median_abs_deviation(logs, scale="normal")
    far = {f"c{place}": score for place, score in enumerate(scores) if abs(score) > 3.5}
    assert set(far) == {"c12", "c13"}
    assert found.contrast == pytest.approx(far)
    assert found.estimate == pytest.approx(2 / 14)
    assert found.n_by_group == {"short": 1, "long": 1}
    assert f"usual time is {np.median(times):.3g} s" in found.note
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx(proportion_confint(2, 14, method="wilson"))


def test_a_slow_rater_is_not_far_from_themselves() -> None:
    slow = [20 * time for time in USUAL]
    result = measured([*timed(USUAL), *timed(slow, "R02")])
    for rater in ("R01", "R02"):
        assert of(result, "time", rater=rater)[rater].estimate == 0
    assert of(result, "time")["everyone"].n == 24


def test_nothing_is_left_out_for_its_time() -> None:
    rows = timed([*USUAL, 0.4, 240.0])
    score = next(one for one in measured(rows).findings if one.id == "creativity.abs")
    assert score.n == 14


def test_a_few_times_or_none_are_no_rule() -> None:
    few = of(measured([*timed(USUAL), *timed(USUAL[:4], "R02")]), "time", rater="R02")["R02"]
    assert (few.estimate, few.reason) == (None, "fewer than 10 times")
    everyone = of(measured([*timed(USUAL), *timed(USUAL[:4], "R02")]), "time")["everyone"]
    assert (everyone.n, everyone.dropped) == (12, {"rater without a usual time": 4})
    partly = of(measured(timed([*USUAL, 0.0])), "time", rater="R01")["R01"]
    assert (partly.n, partly.dropped) == (12, {"time not recorded": 1})
    assert of(measured(timed([0.0] * 12)), "time") == {}


# Without one rater.


def rated(ratings: np.ndarray) -> list[Row]:
    return [
        row(f"c{line}", THREE[choice], f"R{rater + 1:02}")
        for line, by_rater in enumerate(ratings)
        for rater, choice in enumerate(by_rater)
    ]


def test_each_measure_is_made_again_without_each_rater() -> None:
    ratings = np.random.default_rng(1).integers(0, 3, (30, 3))
    ratings[:18, 2] = 0  # the third rater mostly takes the first identity
    result = measured(rated(ratings))
    whole = next(one for one in result.findings if (one.id, one.dims) == ("creativity.abs", {"axis": "race"}))
    for rater in range(3):
        label, others = f"R{rater + 1:02}", np.delete(ratings, rater, axis=1)
        score = of(result, "without.abs", axis="race")[label]
        shares = np.bincount(others.ravel(), minlength=3) / others.size
        assert score.estimate == pytest.approx(np.std(shares))
        assert whole.estimate is not None
        assert score.contrast == pytest.approx({label: whole.estimate - np.std(shares)})
        assert score.floor is not None
        assert (score.p, score.power) == (None, None)
        kappa = of(result, "without.fleiss_kappa", axis="race")[label]
        assert kappa.estimate == pytest.approx(fleiss_kappa(aggregate_raters(others, 3)[0]))
        assert kappa.interval is not None
    adds = {label: one.contrast[label] for label, one in of(result, "without.abs", axis="race").items() if one.contrast}
    assert max(adds, key=adds.__getitem__) == "R03"
    names = ("fleiss_kappa", "krippendorff_alpha", "gwet_ac1", "raw", "cohen_kappa")
    for name in names:
        assert set(of(result, f"without.{name}", axis="race")) == {"R01", "R02", "R03"}


def test_of_two_raters_one_is_left_who_agrees_with_nobody() -> None:
    result = measured(rated(np.random.default_rng(2).integers(0, 3, (12, 2))))
    assert {one.id for one in result.findings if ".without." in one.id} == {"creativity.quality.without.abs"}
    assert set(of(result, "without.abs", axis="race")) == {"R01", "R02"}


def test_of_many_raters_none_is_left_out_and_it_says_why() -> None:
    result = measured(rated(np.random.default_rng(2).integers(0, 3, (4, 21))))
    (found,) = [one for one in result.findings if ".without." in one.id]
    assert (found.estimate, found.dims) == (None, {"axis": "race"})
    assert "21 raters" in str(found.reason)


def test_one_rater_cannot_be_left_out() -> None:
    result = measured(rated(np.random.default_rng(3).integers(0, 3, (12, 1))))
    assert not any(".without." in one.id for one in result.findings)


def test_agreement_has_intervals_overall_by_axis_and_by_task() -> None:
    ratings = np.random.default_rng(4).integers(0, 3, (40, 3))
    rows = [
        {**one, "task": "haiku" if int(one["comparison"][1:]) % 2 else "song", "theme": "", "model": "m"}
        for one in rated(ratings)
    ]
    names = ("fleiss_kappa", "krippendorff_alpha", "gwet_ac1", "cohen_kappa", "raw")
    found = [
        one
        for one in measured(rows).findings
        if one.id in {f"creativity.agreement.{name}" for name in names} and one.variant == "default"
    ]
    assert {one.dims.get("task", "") for one in found} == {"", "haiku", "song"}
    for one in found:
        assert one.interval is not None, one.title
        assert "jackknife over comparisons" in one.interval.method
