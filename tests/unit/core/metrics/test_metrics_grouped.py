"""Any score by any group, against scipy, statsmodels, a hand calculation, and glassbox-hiring's recorded values."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binomtest, ttest_ind, ttest_rel
from seeded_part import seeded_part
from statsmodels.stats.meta_analysis import effectsize_smd
from statsmodels.stats.weightstats import ttost_ind, ttost_paired

from biasprint.core.metrics.grouped import group_difference, hedges_g, selection_rates, stratified_log_odds
from biasprint.core.metrics.proportions import agreeing_pairs
from biasprint.core.metrics.result import NO_BOUNDS, Difference

RECORDED = json.loads((Path(__file__).parents[3] / "data" / "glassbox.json").read_text(encoding="utf-8"))
RNG = np.random.default_rng(3)
ONE, OTHER = RNG.normal(0.4, 1, 14), RNG.normal(0, 1, 14)
BOTH = np.concatenate([ONE, OTHER])
FIRST = np.repeat([True, False], 14)
PAIRED, ALONE = [str(n) for n in range(14)] * 2, [""] * 28


def of(blocks, values=BOTH, first=FIRST, **given):
    return group_difference(values, first, blocks, np.random.default_rng(1), **given)


def test_unmatched_units_have_welchs_interval_and_test():
    found = of(ALONE).difference
    whole = ttest_ind(ONE, OTHER, equal_var=False)

    assert (found.interval.bounds.low, found.interval.bounds.high) == pytest.approx(whole.confidence_interval())
    assert (found.p, found.test) == (pytest.approx(whole.pvalue), "Welch's t")


def test_pairs_have_the_paired_interval_and_test():
    found = of(PAIRED)
    whole = ttest_rel(ONE, OTHER)

    bounds = found.difference.interval.bounds
    assert found.matched
    assert (bounds.low, bounds.high) == pytest.approx(whole.confidence_interval())
    assert (found.difference.p, found.difference.test) == (pytest.approx(whole.pvalue), "paired t")


@pytest.mark.parametrize(
    ("sizes", "spreads"), seeded_part([(sizes, (3, 1)) for sizes in ((8, 24), (8, 40), (24, 8), (8, 8))], 1)
)
def test_groups_of_other_sizes_and_spreads_raise_no_false_alarm(sizes, spreads):
    rng, trials = np.random.default_rng(11), 500
    first = np.repeat([True, False], sizes)
    alarms, contradictions = 0, 0
    for _ in range(trials):
        values = np.concatenate([rng.normal(0, spread, size) for size, spread in zip(sizes, spreads, strict=True)])
        found = group_difference(values, first, [""] * len(values), rng, resamples=1).difference
        alarms += found.p <= 0.05
        contradictions += (found.p <= 0.05) != (not found.interval.bounds.low <= 0 <= found.interval.bounds.high)

    assert abs(alarms / trials - 0.05) < 0.02 + 2 * np.sqrt(0.05 * 0.95 / trials)
    assert contradictions == 0


def test_hedges_g_is_statsmodels():
    expected, _ = effectsize_smd(ONE.mean(), ONE.std(ddof=1), 14, OTHER.mean(), OTHER.std(ddof=1), 14)

    # statsmodels' correction is Hedges' approximation 1 − 3 / (4 N − 9) of the exact one.
    assert hedges_g(ONE, OTHER) == pytest.approx(expected, rel=2e-3)


@pytest.mark.parametrize(("blocks", "test"), [(ALONE, ttost_ind), (PAIRED, ttost_paired)])
def test_equivalence_is_statsmodels_tost(blocks, test):
    options = {"usevar": "unequal"} if test is ttost_ind else {}

    assert of(blocks, margin=1.5).equivalence.p == pytest.approx(2 * test(ONE, OTHER, -1.5, 1.5, **options)[0])


def test_perfect_separation_is_answered():
    found = of(PAIRED, values=FIRST.astype(float))

    assert found.difference.value == 1
    assert found.difference.p < 0.001


def test_several_texts_of_a_block_are_one_unit():
    tripled = of(PAIRED * 3, values=np.tile(BOTH, 3), first=np.tile(FIRST, 3))

    assert tripled.difference.n == 14
    assert tripled.difference.interval == of(PAIRED).difference.interval


def test_a_text_without_its_counterpart_is_left_out_and_counted():
    found = of([*PAIRED[:-1], "alone"])

    assert (found.difference.n, found.alone) == (13, 2)


def test_no_bias_is_found_as_often_as_the_level_says():
    rng = np.random.default_rng(8)
    found = [
        group_difference(rng.exponential(size=24), np.arange(24) % 2 == 0, [str(n // 2) for n in range(24)], rng,
                         resamples=400).difference.p
        for _ in range(400)
    ]  # fmt: skip

    assert 0.02 < np.mean(np.array(found) <= 0.05) < 0.09


def test_the_floor_is_the_difference_without_bias():
    floor = of(PAIRED).floor

    # Sign flips of 14 differences: their mean size is near that of a normal with the same variance.
    spread = np.sqrt(((ONE - OTHER) ** 2).sum()) / 14
    assert floor.mean == pytest.approx(spread * np.sqrt(2 / np.pi), rel=0.05)
    assert floor.p == of(PAIRED).difference.p


def rates_of(counts):
    """Each unit by itself."""
    selected = [yes < chosen for chosen, n in counts.values() for yes in range(n)]
    groups = [name for name, (_, n) in counts.items() for _ in range(n)]
    return selection_rates(np.array(selected), groups, [""] * len(groups))


@pytest.mark.parametrize("case", RECORDED["cases"])
def test_impact_ratios_are_glassbox_hirings(case):
    reference, found = rates_of({name: tuple(count) for name, count in case["counts"].items()})

    assert reference == case["reference"]
    for name, one in found.items():
        assert one.rate == pytest.approx(case["rates"][name])
        assert (one.interval.low, one.interval.high) == pytest.approx(case["intervals"][name], abs=1e-9)
        assert (one.ratio.value if one.ratio else None) == pytest.approx(case["ratios"][name])


def test_an_impact_ratio_by_hand():
    # 64 of 100 against 80 of 100.
    _, found = rates_of({"a": (64, 100), "b": (80, 100)})

    assert found["a"].ratio.value == pytest.approx(0.8)
    assert found["a"].ratio.interval.bounds.low < 0.8 < found["a"].ratio.interval.bounds.high


def test_small_cells_are_withheld_and_never_the_reference():
    reference, found = rates_of({"a": (4, 4), "b": (6, 10)})

    assert reference == "b"
    assert found["a"].rate is None
    assert "fewer than 5" in found["a"].reason


@pytest.mark.parametrize("groups", [2, 3, 4, 6, 8])
def test_without_a_difference_few_studies_have_a_ratio_to_the_highest_that_leaves_out_1(groups):
    rng, names, below = np.random.default_rng(groups), [f"g{place}" for place in range(groups)], 0
    for _ in range(400):
        _, found = rates_of({name: (rng.binomial(60, 0.4), 60) for name in names})
        below += any(one.ratio.interval.bounds.high < 1 for one in found.values() if one.ratio)

    assert below / 400 <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 400)


def test_against_a_base_each_interval_is_for_its_own_ratio():
    selected = np.repeat([True, False, True, False, True, False], [20, 30, 30, 20, 25, 25])
    groups = ["a"] * 50 + ["b"] * 50 + ["c"] * 50
    reference, found = selection_rates(selected, groups, [""] * 150, "c")
    highest, chosen = selection_rates(selected, groups, [""] * 150)

    assert (reference, highest) == ("c", "b")
    assert found["c"].ratio is None
    assert found["a"].ratio.value == pytest.approx(20 / 25)
    assert {found[name].ratio.interval.bounds.level for name in "ab"} == {0.95}
    assert chosen["a"].ratio.interval.bounds.level == pytest.approx(1 - 0.05 / 3)
    assert selection_rates(selected, groups, [""] * 150, "nobody")[0] == "b"


def rankings(rng, number, chances):
    """One top place in every ranking: of each candidate whether it has it, its group, its ranking."""
    names = list(chances)
    top = rng.choice(len(names), size=number, p=list(chances.values()))
    selected = (top[:, None] == np.arange(len(names))).ravel()
    return selected, names * number, [str(one) for one in range(number) for _ in names]


def test_candidates_of_one_ranking_widen_the_impact_ratios_interval():
    selected, groups, blocks = rankings(np.random.default_rng(4), 60, {"a": 0.5, "b": 0.5})
    _, together = selection_rates(selected, groups, blocks)
    _, apart = selection_rates(selected, groups, [""] * len(groups))

    def width(found):
        (ratio,) = [one.ratio for one in found.values() if one.ratio]
        return np.log(ratio.interval.bounds.high / ratio.interval.bounds.low)

    # Of two candidates one wins: what one gains the other loses, so that the variance is twice as large.
    assert width(together) / width(apart) == pytest.approx(np.sqrt(2), abs=0.1)


def test_the_impact_ratio_of_rankings_is_inside_its_interval_as_often_as_it_says():
    rng, inside = np.random.default_rng(5), []
    chances = {"a": 0.1, "b": 0.3, "c": 0.2, "d": 0.4}
    for _ in range(300):
        reference, found = selection_rates(*rankings(rng, 60, chances))
        bounds = found["a"].ratio.interval.bounds
        inside.append(bounds.low <= chances["a"] / chances[reference] <= bounds.high)

    assert np.mean(inside) >= 0.93


def test_fewer_than_five_blocks_are_withheld():
    # 20 samples of 4 prompts are 4 prompts.
    _, found = selection_rates(np.tile([True, False], 20), ["a", "b"] * 20, [str(n % 4) for n in range(40)])

    assert found["a"].rate is None


def test_log_odds_over_strata_are_statsmodels():
    from statsmodels.stats.contingency_tables import StratifiedTable

    tables = np.random.default_rng(6).integers(1, 9, size=(15, 4))
    found = stratified_log_odds(tables)
    whole = StratifiedTable([table.reshape(2, 2) for table in tables])

    assert found.value == pytest.approx(whole.logodds_pooled)
    low, high = whole.logodds_pooled_confint()
    assert (found.interval.bounds.low, found.interval.bounds.high) == pytest.approx((low, high), abs=0.35)


def test_log_odds_without_a_no_are_undefined():
    found = stratified_log_odds(np.array([[3, 0, 2, 0]] * 12))

    assert (found.value, found.reason) == (None, "a group always has the same answer")
    assert stratified_log_odds(np.array([[3, 1, 0, 0]])).reason == "no stratum has both groups"


@pytest.mark.parametrize("value", [1.0, -1.0, 0.0])
def test_shares_of_pairs_that_all_agree_have_exact_intervals(value):
    """All of six differ in one direction: 2ψ − 1 for Clopper and Pearson's ψ; none does: 1 − 0.05^(1/6), by hand."""
    bounds = agreeing_pairs(Difference(value, "", NO_BOUNDS, None, None, "", "", None, 6, (6, 6))).bounds
    least = 2 * binomtest(6, 6).proportion_ci().low - 1
    low, high = {1.0: (least, 1.0), -1.0: (-1.0, -least), 0.0: (-0.393038, 0.393038)}[value]
    assert (bounds.low, bounds.high) == pytest.approx((low, high), abs=1e-6)


@pytest.mark.parametrize("n", [5, 6])  # McNemar's exact p is 0.0625, and 0.03125
def test_shares_of_pairs_that_all_differ_leave_out_no_difference_where_mcnemars_test_does(n):
    bounds = agreeing_pairs(Difference(1.0, "", NO_BOUNDS, None, None, "", "", None, n, (n, n))).bounds
    assert (bounds.low > 0) == (binomtest(n, n).pvalue < 0.05)
