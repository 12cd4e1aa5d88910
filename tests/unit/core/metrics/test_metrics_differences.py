"""Differences of means and proportions, and equivalence: against scipy, statsmodels and hand calculation."""

from math import asin, sqrt

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import minimize_scalar
from scipy.special import xlogy
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.proportion import confint_proportions_2indep, proportions_ztest
from statsmodels.stats.weightstats import CompareMeans, DescrStatsW, ttost_ind, ttost_paired

from biasprint.core.metrics.means import (
    base_rate_equivalence,
    clustered_mean,
    equivalence,
    one_sample_mean,
    paired_difference,
    two_sample_difference,
    worth_mean,
)
from biasprint.core.metrics.proportions import (
    RateRatio,
    miettinen_nurminen,
    paired_proportions,
    paired_within,
    rate_ratio,
    scores_within,
    two_proportions,
)
from biasprint.core.metrics.result import Difference

FIRST = np.array([5.1, 4.8, 6.0, 5.5, 5.9, 4.2, 6.3])
SECOND = np.array([4.9, 4.1, 5.2, 5.6, 5.0, 4.4, 5.1])


def bounds(result: Difference | RateRatio) -> tuple[float, float]:
    assert result.interval.bounds is not None
    return result.interval.bounds.low, result.interval.bounds.high


def pairs(both: int, only_first: int, only_second: int, neither: int) -> tuple[np.ndarray, np.ndarray]:
    first = [True] * (both + only_first) + [False] * (only_second + neither)
    second = [True] * both + [False] * only_first + [True] * only_second + [False] * neither
    return np.array(first), np.array(second)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_paired_difference_agrees_with_scipy(alternative: str) -> None:
    result = paired_difference(FIRST, SECOND, alternative=alternative)
    expected = stats.ttest_rel(FIRST, SECOND, alternative=alternative)
    assert (result.statistic, result.p) == pytest.approx((expected.statistic, expected.pvalue))
    assert bounds(result) == pytest.approx(tuple(stats.ttest_rel(FIRST, SECOND).confidence_interval()))
    assert (result.n, result.n_by_group) == (7, (7, 7))


def test_paired_difference_by_hand() -> None:
    # Differences 1, 2, 3: mean 2, SD 1, t = 2 / (1/√3), d_z = 2.
    result = paired_difference(np.array([2.0, 4.0, 6.0]), np.array([1.0, 2.0, 3.0]))
    assert (result.value, result.statistic, result.effect) == pytest.approx((2, 2 * sqrt(3), 2))


def test_one_sample_mean_agrees_with_scipy() -> None:
    result = one_sample_mean(FIRST, against=5)
    expected = stats.ttest_1samp(FIRST, 5)
    assert (result.statistic, result.p) == pytest.approx((expected.statistic, expected.pvalue))
    assert result.value == pytest.approx(FIRST.mean() - 5)
    assert bounds(result) == pytest.approx(tuple(np.array(expected.confidence_interval()) - 5))


@pytest.mark.parametrize("equal_variances", [False, True])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_two_samples_agree_with_scipy_and_statsmodels(equal_variances: bool, alternative: str) -> None:
    result = two_sample_difference(FIRST, SECOND[:5], equal_variances=equal_variances, alternative=alternative)
    expected = stats.ttest_ind(FIRST, SECOND[:5], equal_var=equal_variances, alternative=alternative)
    assert (result.statistic, result.p) == pytest.approx((expected.statistic, expected.pvalue))
    means = CompareMeans(DescrStatsW(FIRST), DescrStatsW(SECOND[:5]))
    assert bounds(result) == pytest.approx(means.tconfint_diff(usevar="pooled" if equal_variances else "unequal"))


def test_cohens_d_by_hand() -> None:
    # Means 2 and 5, variances 1 and 4 with n 3 and 3: pooled SD √2.5.
    result = two_sample_difference(np.array([1.0, 2.0, 3.0]), np.array([3.0, 5.0, 7.0]))
    assert (result.value, result.effect) == pytest.approx((-3, -3 / sqrt(2.5)))


@pytest.mark.parametrize("cells", [(10, 5, 1, 4), (3, 9, 2, 6), (20, 30, 12, 40), (5, 12, 13, 0), (0, 0, 3, 9)])
def test_mcnemar_agrees_with_statsmodels(cells: tuple[int, int, int, int]) -> None:
    both, only_first, only_second, neither = cells
    result = paired_proportions(*pairs(*cells))
    exact = only_first + only_second < 25
    expected = mcnemar([[both, only_first], [only_second, neither]], exact=exact, correction=True)
    assert result.p == pytest.approx(min(1.0, expected.pvalue))
    assert ("exact" in result.test) == exact
    assert result.value == pytest.approx((only_first - only_second) / sum(cells))


def test_mcnemar_exact_by_hand() -> None:
    # 5 against 1: P(X ≤ 1 of 6) · 2 = 2 · 7/64.
    result = paired_proportions(*pairs(10, 5, 1, 4))
    assert result.p == pytest.approx(14 / 64)
    assert result.effect == pytest.approx(5 / 6 - 0.5)


def test_pairs_that_all_agree_have_no_effect_size_but_an_interval() -> None:
    result = paired_proportions(*pairs(6, 0, 0, 2))
    assert (result.value, result.p, result.effect) == (0, 1, None)
    assert bounds(result)[0] < 0 < bounds(result)[1]


@pytest.mark.parametrize("counts", [(12, 40, 5, 42), (1, 9, 8, 9), (0, 10, 4, 12)])
def test_two_proportions_agree_with_statsmodels(counts: tuple[int, int, int, int]) -> None:
    x, n, y, m = counts
    result = two_proportions(*counts)
    assert (result.statistic, result.p) == pytest.approx(proportions_ztest([x, y], [n, m]))
    assert result.effect == pytest.approx(2 * asin(sqrt(x / n)) - 2 * asin(sqrt(y / m)))


def test_few_units_are_tested_exactly() -> None:
    # 4 of 4 against 0 of 4 is the one most extreme table on its side: Σ over both sides of pˣ at p = ½ is 2 · 2⁻⁸.
    few = two_proportions(4, 4, 0, 4, exact=None)
    assert (few.test, few.p) == ("Boschloo, exact", pytest.approx(2 / 2**8, rel=1e-3))
    rare = two_proportions(1, 300, 6, 300, exact=None)
    assert (rare.test, rare.p) == ("Fisher, exact", pytest.approx(stats.fisher_exact([[1, 299], [6, 294]]).pvalue))
    assert two_proportions(150, 300, 120, 300, exact=None).test == "pooled z"
    assert two_proportions(4, 4, 0, 4, exact=True) == few


def test_proportions_that_never_vary_are_not_tested() -> None:
    result = two_proportions(5, 5, 7, 7)
    assert (result.value, result.p) == (0, None)
    assert result.reason


@pytest.mark.parametrize("corrected", [True, False])
@pytest.mark.parametrize("counts", [(36, 40, 16, 80), (7, 34, 1, 34), (12, 40, 20, 38), (3, 50, 9, 60), (1, 9, 8, 9)])
def test_a_ratio_of_rates_agrees_with_statsmodels(counts: tuple[int, int, int, int], corrected: bool) -> None:
    found = rate_ratio(*counts, corrected=corrected)
    expected = confint_proportions_2indep(*counts, method="score", compare="ratio", correction=corrected)
    assert found.value == pytest.approx(counts[0] / counts[1] / (counts[2] / counts[3]))
    assert bounds(found) == pytest.approx(expected)


def test_a_ratio_of_rates_is_koopmans_of_1984() -> None:
    # His example, 36 of 40 against 16 of 80, as DescTools' BinomRatioCI(method = "koopman") prints it.
    found = rate_ratio(36, 40, 16, 80, corrected=False)
    assert found.value == pytest.approx(4.5)
    assert bounds(found) == pytest.approx((2.9396, 7.1522), abs=1e-4)


def test_a_ratio_of_rates_of_nobody_and_of_everybody_has_an_interval() -> None:
    # All of 10 and of 10: θ < 1 is kept while (1 − θ)² ≤ z² θ (1 − θ) / n · N / (N − 1).
    factor = 1 + stats.norm.ppf(0.975) ** 2 * 20 / 19 / 10
    assert bounds(rate_ratio(10, 10, 10, 10)) == pytest.approx((1 / factor, factor))
    low, high = bounds(rate_ratio(0, 10, 5, 10))
    assert low == 0
    assert 0.5 < high < 1
    assert bounds(rate_ratio(3, 10, 10, 10))[1] < 1
    nobody = rate_ratio(3, 10, 0, 10)
    assert (nobody.value, nobody.reason, nobody.interval.bounds) == (None, "the second rate is 0", None)


@pytest.mark.parametrize("rates", [(0.3, 0.5), (0.1, 0.2), (0.5, 0.5), (0.8, 0.9)])
def test_the_interval_of_a_ratio_of_rates_covers(rates: tuple[float, float]) -> None:
    """Enumerated: every outcome of 25 and 20 candidates with its chance."""
    n, m = 25, 20
    covered = defined = 0.0
    for x, of_x in enumerate(stats.binom.pmf(range(n + 1), n, rates[0])):
        for y, of_y in enumerate(stats.binom.pmf(range(m + 1), m, rates[1])):
            found = rate_ratio(x, n, y, m).interval.bounds
            if found is not None:
                defined += of_x * of_y
                covered += of_x * of_y * (found.low <= rates[0] / rates[1] <= found.high)
    assert covered / defined >= 0.93


@pytest.mark.parametrize("margin", [0.2, 0.6, 1.5])
def test_equivalence_agrees_with_statsmodels(margin: float) -> None:
    paired = equivalence(FIRST - SECOND, margin)
    assert paired.p == pytest.approx(min(1.0, 2 * ttost_paired(FIRST, SECOND, -margin, margin)[0]))
    welch = equivalence((FIRST, SECOND[:5]), margin)
    assert welch.p == pytest.approx(min(1.0, 2 * ttost_ind(FIRST, SECOND[:5], -margin, margin, usevar="unequal")[0]))
    for alike, shown in ((paired, paired_difference(FIRST, SECOND)), (welch, two_sample_difference(FIRST, SECOND[:5]))):
        low, high = bounds(shown)
        assert alike.equivalent == (alike.p <= 0.05) == (-margin < low and high < margin)


@pytest.mark.parametrize("part", [0.2, 0.5, 1.0])
def test_equivalence_in_units_of_the_base_rate_is_welchs_contrast_of_the_two_means(part: float) -> None:
    one, other = FIRST - FIRST.min() + 1, SECOND[:5] - SECOND.min() + 1
    found = base_rate_equivalence(one, other, part)
    base = (one.mean() + other.mean()) / 2
    assert found.margin == pytest.approx(part * base)
    ps = []
    for sign in (1, -1):  # x̄ − ȳ − margin < 0, and x̄ − ȳ + margin > 0, as weights of the two means
        weights = (1 - sign * part / 2, -(1 + sign * part / 2))
        parts = [
            weight**2 * sample.var(ddof=1) / len(sample) for weight, sample in zip(weights, (one, other), strict=True)
        ]
        statistic = (weights[0] * one.mean() + weights[1] * other.mean()) / sum(parts) ** 0.5
        freedom = sum(parts) ** 2 / (parts[0] ** 2 / (len(one) - 1) + parts[1] ** 2 / (len(other) - 1))
        ps.append(stats.t.cdf(sign * statistic, freedom))
    assert found.p == pytest.approx(min(1.0, 2 * max(ps)))


def test_no_evidence_of_a_difference_is_not_equivalence() -> None:
    few = np.array([-1.0, 1.2, 0.1])
    assert one_sample_mean(few).p > 0.05
    assert not equivalence(few, 0.5).equivalent
    many = np.tile([-1.0, 1.0], 200)
    assert equivalence(many, 0.5).equivalent


def test_equivalence_needs_a_margin() -> None:
    with pytest.raises(ValueError, match="positive"):
        equivalence(FIRST, 0.0)


EMPTY, ONE, FLAT = np.array([]), np.array([1.0]), np.array([0.4 - 0.2, 0.3 - 0.1, 0.2])


@pytest.mark.parametrize(
    ("result", "value"),
    [
        (paired_difference(EMPTY, EMPTY), None),
        (paired_difference(ONE, ONE + 1), -1),
        (paired_difference(FLAT, FLAT), 0),
        (paired_difference(np.array([0.1 + 0.2, 0.3, 0.3]), np.full(3, 0.3)), 0),
        (two_sample_difference(EMPTY, ONE), None),
        (two_sample_difference(ONE, FLAT), 0.8),
        (two_sample_difference(FLAT, np.full(4, 0.2)), 0),
        (two_sample_difference(FLAT, np.zeros(3), equal_variances=True), 0.2),
        (one_sample_mean(ONE), 1),
        (two_proportions(0, 0, 3, 4), None),
        (paired_proportions(EMPTY, EMPTY), None),
    ],
)
def test_what_cannot_be_tested_says_why(result: Difference, value: float | None) -> None:
    assert result.value == (None if value is None else pytest.approx(value))
    assert result.p is None
    assert result.reason
    assert result.interval.bounds is None
    assert result.interval.reason


def permuted_p(first: np.ndarray, second: np.ndarray, how: str, alternative: str) -> float:
    """scipy's exact permutation test of the difference of means; rounded, so that equal differences count as equal."""
    return float(
        stats.permutation_test(
            (first, second),
            lambda one, other: round(float(np.mean(one) - np.mean(other)), 9),
            permutation_type=how,
            vectorized=False,
            n_resamples=np.inf,
            alternative=alternative,
        ).pvalue
    )


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("sign", [1, -1])
def test_perfect_separation_is_tested_by_exact_permutation(sign: int, alternative: str) -> None:
    flat, zero = sign * FLAT, np.zeros(3)
    paired = paired_difference(flat, zero, alternative=alternative)
    assert paired.value == pytest.approx(sign * 0.2)
    assert paired.p == pytest.approx(permuted_p(flat, zero, "samples", alternative))
    assert paired.interval.reason == "no variation between the units"
    assert one_sample_mean(flat, alternative=alternative).p == paired.p
    for other in (zero, np.zeros(5)):
        apart = two_sample_difference(flat, other, alternative=alternative)
        assert apart.p == pytest.approx(permuted_p(flat, other, "independent", alternative))
        assert (apart.reason, apart.interval.reason) == ("", "no variation within the groups")


def test_separated_clusters_are_flipped_as_wholes() -> None:
    """Three clusters: of 2³ arrangements of signs, two lie as far from 0."""
    assert clustered_mean(np.full(6, 0.5), np.array([0, 0, 1, 1, 1, 2])).p == 2 / 8
    assert clustered_mean(np.zeros(6), np.array([0, 0, 1, 1, 1, 2])).p is None


def test_what_is_no_pair_or_no_number_is_refused() -> None:
    with pytest.raises(ValueError, match="as many values"):
        paired_difference(FIRST, SECOND[:3])
    with pytest.raises(ValueError, match="finite"):
        two_sample_difference(FIRST, np.array([1.0, np.nan]))
    with pytest.raises(ValueError, match="true or false"):
        paired_proportions(np.array([0.0, np.nan]), np.array([0.0, 1.0]))
    with pytest.raises(ValueError, match="between 0 and n"):
        two_proportions(5, 4, 1, 4)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("swapped", [False, True])
def test_a_group_that_does_not_vary_is_tested_exactly_and_without_a_warning(swapped: bool) -> None:
    alike, varied = np.full(30, 1 / 3), np.linspace(0.2, 0.5, 30)
    one, other = (varied, alike) if swapped else (alike, varied)
    error = varied.std(ddof=1) / sqrt(30)  # Welch's, with nothing from the group that does not vary: 29 df
    statistic = (one.mean() - other.mean()) / error
    found = two_sample_difference(one, other)
    assert found.statistic == pytest.approx(statistic, rel=1e-12)
    assert found.p == pytest.approx(2 * stats.t.sf(abs(statistic), 29), rel=1e-9)
    within = equivalence((one, other), 0.05)
    assert within.p == pytest.approx(2 * stats.t.sf((0.05 - abs(one.mean() - other.mean())) / error, 29), rel=1e-9)
    by_base_rate = base_rate_equivalence(one, other, 0.5)
    less, more = (1.25 if swapped else 0.75), (0.75 if swapped else 1.25)  # of the constant group, of the other's
    sides = [(less * 1 / 3 - more * 0.35) / (more * error), (more * 1 / 3 - less * 0.35) / (less * error)]
    expected = 2 * max(stats.t.sf(abs(side), 29) for side in sides)
    assert by_base_rate.p == pytest.approx(expected, rel=1e-9)


# ---- what does not vary: clusters whose means are alike, people who agree, groups that are alike


def test_clusters_that_vary_only_within_are_flipped_as_wholes() -> None:
    """Eight headlines with 0.2 and 0.4 each: t over clusters would divide by a rounding error (p = 10⁻¹¹³)."""
    values, clusters = np.array([0.2, 0.4] * 8), np.repeat(np.arange(8), 2)
    found = clustered_mean(values, clusters)
    assert found.p == 2 / 2**8 == stats.binomtest(8, 8, 0.5).pvalue
    assert (found.test, found.interval.bounds) == ("sign flips of clusters, exact", None)
    assert clustered_mean(values - 0.3, clusters).p is None  # every headline's mean is 0: there is nothing to flip


def test_people_who_all_differ_alike_are_flipped_as_wholes() -> None:
    person, unit = np.repeat(np.arange(4), 3), np.tile(np.arange(3), 4)
    assert worth_mean(np.ones(12), np.ones(12), person, unit).p == stats.binomtest(3, 3, 0.5).pvalue  # 3 comparisons
    assert worth_mean(np.zeros(12), np.ones(12), person, unit).p is None


def test_groups_that_do_not_vary_have_no_interval_and_are_not_called_alike() -> None:
    flat = np.full(6, 0.02)
    for found in (
        equivalence(flat, 0.05),
        equivalence((flat, np.zeros(4)), 0.05),
        base_rate_equivalence(flat, flat, 1.0),
    ):
        assert (found.p, found.equivalent, found.reason) == (None, False, "no variation between the units")
    assert base_rate_equivalence(np.zeros(6), np.zeros(6), 0.5).reason == "no base rate: all values are 0"


# ---- score intervals of differences of shares


def likeliest(delta: float, x: int, n: int, y: int, m: int) -> float:
    """z of Miettinen and Nurminen with the likeliest shares found by search, not from the cubic."""
    low, high = max(0.0, delta) + 1e-9, min(1.0, 1 + delta) - 1e-9
    share = minimize_scalar(
        lambda p: -(xlogy(x, p) + xlogy(n - x, 1 - p) + xlogy(y, p - delta) + xlogy(m - y, 1 - p + delta)),
        bounds=(low, high), method="bounded", options={"xatol": 1e-12},
    ).x  # fmt: skip
    variance = share * (1 - share) / n + (share - delta) * (1 - share + delta) / m
    return float((x / n - y / m - delta) / sqrt(variance * (n + m) / (n + m - 1)))


@pytest.mark.parametrize("counts", [(12, 40, 5, 42), (3, 8, 1, 15), (56, 70, 48, 80)])
def test_the_interval_of_two_shares_is_miettinen_and_nurminens(counts: tuple[int, int, int, int]) -> None:
    low, high = bounds(two_proportions(*counts))
    for end in (low, high):
        assert abs(likeliest(end, *counts)) == pytest.approx(stats.norm.ppf(0.975), rel=1e-5)
    for delta in (-0.2, 0.0, 0.1):
        assert miettinen_nurminen(*counts)(delta) == pytest.approx(likeliest(delta, *counts), rel=1e-5)


@pytest.mark.parametrize("counts", [(15, 15, 15, 15), (9, 9, 0, 9), (0, 8, 0, 8), (1, 1, 0, 1)])
def test_it_has_a_width_where_a_group_all_agrees(counts: tuple[int, int, int, int]) -> None:
    low, high = bounds(two_proportions(*counts))
    assert -1 <= low < high <= 1


def chance_of(only_first: int, only_second: int, n: int, delta: float) -> float:
    """z of Tango with the likeliest chance of the second alone found by search."""

    def worse(q: float) -> float:
        rest = n - only_first - only_second
        return -float(xlogy(only_first, q + delta) + xlogy(only_second, q) + xlogy(rest, 1 - 2 * q - delta))

    q = minimize_scalar(
        worse, bounds=(max(0.0, -delta) + 1e-9, (1 - delta) / 2 - 1e-9), method="bounded", options={"xatol": 1e-12}
    ).x
    return float(((only_first - only_second) - n * delta) / sqrt(n * (2 * q + delta * (1 - delta))))


@pytest.mark.parametrize("cells", [(10, 5, 1, 4), (3, 9, 2, 6), (20, 30, 12, 40), (5, 12, 3, 0)])
def test_the_interval_of_pairs_is_tangos(cells: tuple[int, int, int, int]) -> None:
    only_first, only_second, n = cells[1], cells[2], sum(cells)
    found = paired_proportions(*pairs(*cells))
    for end in bounds(found):
        if end == 0:  # Tango's leaves 0 out where McNemar's test does not reject it
            assert found.p is not None
            assert found.p > 0.05
            assert abs(chance_of(only_first, only_second, n, 1e-9)) > stats.norm.ppf(0.975)
            continue
        assert abs(chance_of(only_first, only_second, n, end)) == pytest.approx(stats.norm.ppf(0.975), rel=1e-4)


@pytest.mark.parametrize("margin", [0.05, 0.1, 0.2, 0.4])
def test_shares_are_called_alike_only_where_the_shown_interval_lies_within_the_margin(margin: float) -> None:
    for x, n, y, m in ((6, 6, 6, 6), (15, 15, 15, 15), (0, 40, 1, 40), (50, 100, 51, 100), (300, 600, 300, 600)):
        low, high = bounds(two_proportions(x, n, y, m))
        alike = scores_within(miettinen_nurminen(x, n, y, m), margin)
        assert alike.equivalent == (alike.p <= 0.05) == (-margin < low and high < margin)
    for cells in ((6, 0, 0, 0), (0, 0, 0, 6), (20, 1, 1, 20), (200, 5, 4, 200), (15, 0, 0, 15), (30, 0, 0, 30)):
        low, high = bounds(paired_proportions(*pairs(*cells)))
        alike = paired_within(cells[1], cells[2], sum(cells), margin)
        assert alike.equivalent == (alike.p <= 0.05) == (-margin < low and high < margin), cells


def test_six_pairs_that_all_say_no_are_not_called_alike() -> None:
    found = paired_within(0, 0, 6, 0.1)
    assert (found.p, found.equivalent) == (pytest.approx(0.9**6), False)
