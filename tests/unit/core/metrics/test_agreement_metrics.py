"""Measures of agreement: against published worked tables and the libraries that have them."""

import numpy as np
import pytest
from statsmodels.stats.inter_rater import aggregate_raters, cohens_kappa
from statsmodels.stats.inter_rater import fleiss_kappa as statsmodels_fleiss
from statsmodels.stats.proportion import proportion_confint

from biasprint.core.metrics.agreement import (
    MISSING,
    Measurement,
    cohen_kappa,
    equally_judged,
    fleiss_kappa,
    gwet_ac1,
    krippendorff_alpha,
    mean_cohen_kappa,
    raw_agreement,
)
from biasprint.core.metrics.clusters import FEWEST_UNITS

# Krippendorff 2011, “Computing Krippendorff's Alpha-Reliability”, section C: 4 observers, 12 units, with gaps (0).
# Gwet takes the same table (Handbook of Inter-Rater Reliability, 2014, table 2.10) and gives percent agreement 0.81818
# and AC1 = 0.77544.
GAPS = np.array(
    [
        [1, 1, 0, 1],
        [2, 2, 3, 2],
        [3, 3, 3, 3],
        [3, 3, 3, 3],
        [2, 2, 2, 2],
        [1, 2, 3, 4],
        [4, 4, 4, 4],
        [1, 1, 2, 1],
        [2, 2, 2, 2],
        [0, 5, 5, 5],
        [0, 0, 1, 1],
        [0, 0, 3, 0],
    ]
)
# The same report, sections A and B: two observers, 10 units in two categories and 12 units in five.
TWO_CATEGORIES = ["0100000010", "1110010000"]
FIVE_CATEGORIES = ["aabbdcccedda", "babbbccceddd"]
# The table that goes with Fleiss' κ everywhere: 14 raters, 10 subjects, 5 categories; κ = 0.210.
FOURTEEN = np.array(
    [
        [0, 0, 0, 0, 14],
        [0, 2, 6, 4, 2],
        [0, 0, 3, 5, 6],
        [0, 3, 9, 2, 0],
        [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0],
        [3, 2, 6, 3, 0],
        [2, 5, 3, 2, 2],
        [6, 5, 2, 1, 0],
        [0, 2, 2, 3, 7],
    ]
)


def counts_of(ratings: np.ndarray, categories: int) -> np.ndarray:
    return (ratings[..., None] == np.arange(categories)).sum(axis=1)


def test_alpha_ac1_and_raw_agreement_are_the_published_ones() -> None:
    counts = counts_of(GAPS - 1, 5)
    assert krippendorff_alpha(counts).value == pytest.approx(0.743, abs=5e-4)
    assert gwet_ac1(counts).value == pytest.approx(0.77544, abs=5e-6)
    assert raw_agreement(counts).value == pytest.approx(0.81818, abs=5e-6)
    # The unit with one judgment pairs with nothing.
    assert [measure(counts).n for measure in (krippendorff_alpha, gwet_ac1, raw_agreement)] == [11, 11, 11]


@pytest.mark.parametrize(("measurement", "value"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_alpha_of_ratings_with_gaps_is_the_published_one(measurement: Measurement, value: float) -> None:
    assert krippendorff_alpha(counts_of(GAPS - 1, 5), measurement).value == pytest.approx(value, abs=5e-4)


@pytest.mark.parametrize(("observers", "value"), [(TWO_CATEGORIES, 0.095), (FIVE_CATEGORIES, 0.692)])
def test_alpha_of_two_observers_is_the_published_one(observers: list[str], value: float) -> None:
    values, ratings = np.unique([list(line) for line in observers], return_inverse=True)
    counts = counts_of(ratings.reshape(2, -1).T, len(values))
    assert krippendorff_alpha(counts).value == pytest.approx(value, abs=5e-4)


@pytest.mark.parametrize(("measurement", "value"), [("nominal", 6 / 11), ("ordinal", 7 / 9), ("interval", 24 / 29)])
def test_alpha_is_the_one_by_hand(measurement: Measurement, value: float) -> None:
    """Two raters of (1, 1), (1, 2), (3, 3); a fourth comparison with one judgment pairs with nothing.

    Coincidences: 1–1 two, 1–2 and 2–1 one each, 3–3 two; n₁ = 3, n₂ = 1, n₃ = 2, n = 6.
    Nominal: 1 − 5 · 2 / (2 (3 · 1 + 3 · 2 + 1 · 2)) = 1 − 10/22.
    Ordinal, mean ranks 1.5, 3.5, 5, δ² 4, 12.25, 2.25: 1 − 5 · 2 · 4 / (2 (3 · 4 + 6 · 12.25 + 2 · 2.25)) = 1 − 40/180.
    Interval, δ² 1, 4, 1: 1 − 5 · 2 / (2 (3 · 1 + 6 · 4 + 2 · 1)) = 1 − 10/58.
    """
    counts = np.array([[2, 0, 0], [1, 1, 0], [0, 0, 2], [0, 1, 0]])
    assert krippendorff_alpha(counts, measurement).value == pytest.approx(value)


def test_the_jackknife_error_of_kappa_is_the_asymptotic_one_of_statsmodels() -> None:
    """Fleiss, Cohen & Everitt 1969, as statsmodels has it; they meet as the comparisons become many."""
    table = np.array([[80, 20], [40, 60]])
    pairs = np.repeat([[0, 0], [0, 1], [1, 0], [1, 1]], table.ravel(), axis=0)
    bounds = cohen_kappa(pairs, 2).interval.bounds
    assert bounds is not None
    assert (bounds.high - bounds.low) / 2 == pytest.approx(1.96 * cohens_kappa(table).std_kappa, rel=0.03)


def test_fleiss_kappa_is_the_published_one() -> None:
    found = fleiss_kappa(FOURTEEN)
    assert found.value == pytest.approx(0.210, abs=5e-4)
    assert found.interval.bounds is not None
    assert found.interval.bounds.low < 0.210 < found.interval.bounds.high


def test_cohen_kappa_is_the_one_by_hand() -> None:
    """20 both yes, 15 both no, 5 and 10 apart: p_o = .7, p_e = .5 · .6 + .5 · .4 = .5, κ = .4."""
    pairs = np.repeat([[0, 0], [0, 1], [1, 0], [1, 1]], [20, 5, 10, 15], axis=0)
    assert cohen_kappa(pairs, 2).value == pytest.approx(0.4)


def test_raw_agreement_by_hand() -> None:
    """Three of three, two of three and one each: pairs that agree 1, 1/3 and 0."""
    assert raw_agreement(np.array([[3, 0, 0], [2, 1, 0], [1, 1, 1]])).value == pytest.approx((1 + 1 / 3 + 0) / 3)


def test_random_tables_agree_with_statsmodels() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        ratings = rng.integers(0, 3, (40, 4))
        table, _ = aggregate_raters(ratings, 3)
        assert fleiss_kappa(counts_of(ratings, 3)).value == pytest.approx(statsmodels_fleiss(table))
        pairs = [(one, other) for one in range(4) for other in range(one + 1, 4)]
        kappas = [
            cohens_kappa(np.histogram2d(ratings[:, one], ratings[:, other], bins=3)[0], return_results=False)
            for one, other in pairs
        ]
        assert mean_cohen_kappa(ratings, 3).value == pytest.approx(np.mean(kappas))


def test_two_raters_without_gaps_have_ac1_by_hand() -> None:
    """90 agree on A, 2 on B, 8 apart: p_a = .92; π = (.94, .06), p_e = 2 · .94 · .06 = .1128; AC1 = .9098."""
    counts = np.repeat([[2, 0], [0, 2], [1, 1]], [90, 2, 8], axis=0)
    assert gwet_ac1(counts).value == pytest.approx((0.92 - 0.1128) / (1 - 0.1128))


@pytest.mark.parametrize("measure", [fleiss_kappa, krippendorff_alpha, raw_agreement, gwet_ac1])
def test_one_judgment_each_is_undefined_with_a_reason(measure) -> None:
    for counts in (np.eye(3, dtype=np.int64), np.zeros((0, 3), dtype=np.int64)):
        found = measure(counts)
        assert found.value is None
        assert found.reason == "no comparison was judged by two raters"
        assert found.interval.bounds is None


def test_one_category_leaves_kappa_and_alpha_undefined_but_not_raw_agreement_and_ac1() -> None:
    counts = np.tile([3, 0, 0], (12, 1))
    for measure in (fleiss_kappa, krippendorff_alpha):
        assert measure(counts).value is None
        assert "same identity" in measure(counts).reason
    assert cohen_kappa(np.zeros((12, 2), dtype=np.int64), 3).value is None
    assert gwet_ac1(counts).value == pytest.approx(1)
    assert gwet_ac1(counts).interval.reason == "the comparisons do not differ"


@pytest.mark.parametrize(("row", "agreed"), [((3, 0, 0), 12), ((1, 1, 1), 0)])
def test_where_all_agree_or_nobody_does_each_comparison_is_one_trial(row: tuple[int, ...], agreed: int) -> None:
    found = raw_agreement(np.tile(row, (12, 1)))
    assert found.value == pytest.approx(agreed / 12)
    bounds = found.interval.bounds
    assert bounds is not None
    assert (bounds.low, bounds.high) == pytest.approx(proportion_confint(agreed, 12, method="wilson"), abs=1e-12)


def test_a_pair_without_a_comparison_in_common_is_undefined() -> None:
    apart = np.array([[0, MISSING], [MISSING, 1]])
    assert cohen_kappa(apart, 2).reason == "the two raters judged no comparison in common"
    assert mean_cohen_kappa(apart, 2).reason == "no comparison was judged by two raters"


def test_a_pair_that_shares_little_weighs_little_in_the_mean_of_pairs() -> None:
    first, second = np.array([0, 1] * 10), np.array([0, 1] * 9 + [1, 0])  # κ = 0.8 over 20 comparisons
    third = np.full(20, MISSING)
    third[:2] = [1, 0]  # beside the first two they say the opposite, κ = −1 with either
    pooled = mean_cohen_kappa(np.column_stack([first, second, third]), 2)
    assert pooled.value == pytest.approx((0.8 * 20 - 1 * 2 - 1 * 2) / 24)


def test_fleiss_kappa_keeps_the_comparisons_that_were_judged_equally_often() -> None:
    counts = np.array([[3, 0], [2, 1], [1, 1], [1, 0], [0, 3]])
    assert sorted(equally_judged(counts).rows.tolist()) == [[0, 3], [2, 1], [3, 0]]
    assert fleiss_kappa(counts).n == 3


def test_few_comparisons_and_lopsided_ones_have_no_interval_and_say_why() -> None:
    few = fleiss_kappa(np.array([[3, 0], [2, 1], [0, 3]]))
    assert few.value is not None
    assert few.interval.reason == f"fewer than {FEWEST_UNITS} comparisons"
    lopsided = np.repeat([[3, 0], [2, 1], [0, 3]], [18, 1, 1], axis=0)
    for measure in (fleiss_kappa, krippendorff_alpha):
        assert measure(lopsided).interval.bounds is None
        assert "of the choices fell on one identity" in measure(lopsided).interval.reason
    assert gwet_ac1(lopsided).interval.bounds is not None


def test_order_of_comparisons_and_names_of_categories_do_not_matter() -> None:
    rng = np.random.default_rng(3)
    counts = rng.multinomial(3, [0.4, 0.3, 0.3], 30)
    for measure in (fleiss_kappa, krippendorff_alpha, gwet_ac1, raw_agreement):
        one, other = measure(counts), measure(counts[rng.permutation(30)][:, [2, 0, 1]])
        assert one.value == pytest.approx(other.value)
        assert one.interval.bounds is not None
        assert other.interval.bounds is not None
        assert one.interval.bounds.low == pytest.approx(other.interval.bounds.low)
