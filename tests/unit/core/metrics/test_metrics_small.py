"""Wilson, Holm, t, ANOVA, χ²: against statsmodels and scipy."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from biasprint.core.metrics.means import mean_difference, mean_interval
from biasprint.core.metrics.proportions import equal_chances, wilson
from biasprint.core.metrics.resampling import chunks, generator, permutation_p
from biasprint.core.metrics.result import holm


@pytest.mark.parametrize(("successes", "n"), [(0, 5), (5, 5), (1, 12), (7, 20), (180, 360)])
def test_wilson_agrees_with_statsmodels(successes: int, n: int) -> None:
    bounds = wilson(successes, n)
    assert bounds is not None
    assert (bounds.low, bounds.high) == pytest.approx(proportion_confint(successes, n, method="wilson"), abs=1e-12)


def test_wilson_without_trials_is_undefined_and_impossible_counts_are_refused() -> None:
    assert wilson(0, 0) is None
    with pytest.raises(ValueError, match="between 0 and n"):
        wilson(3, 2)


@pytest.mark.parametrize("p_values", [[0.01, 0.04, 0.03, 0.005], [1.0, 0.2, 0.2], [0.0465] + [0.3] * 8])
def test_holm_agrees_with_statsmodels(p_values: list[float]) -> None:
    assert holm(p_values) == pytest.approx(multipletests(p_values, method="holm")[1])


def test_holm_neither_counts_nor_changes_what_was_not_tested() -> None:
    assert holm([0.01, None, 0.04]) == [pytest.approx(0.02), None, pytest.approx(0.04)]
    assert holm([]) == []


def test_t_interval_agrees_with_scipy() -> None:
    values = np.array([1.0, 2.0, 4.0, 8.0])
    bounds = mean_interval(values).bounds
    assert bounds is not None
    expected = stats.t.interval(0.95, 3, values.mean(), stats.sem(values))
    assert (bounds.low, bounds.high) == pytest.approx(expected)


def test_a_mean_of_one_has_no_interval_but_a_reason() -> None:
    assert mean_interval(np.array([1.0])).bounds is None
    assert mean_interval(np.array([1.0])).reason


def test_two_groups_are_tested_by_t_and_three_by_anova() -> None:
    a, b, c = np.array([1.0, 2.0, 3.0]), np.array([2.0, 3.0, 5.0]), np.array([0.0, 1.0, 1.5])
    assert mean_difference([a, b]).p == pytest.approx(stats.ttest_ind(a, b).pvalue)
    assert mean_difference([a, b, c]).p == pytest.approx(stats.f_oneway(a, b, c).pvalue)
    assert (mean_difference([a, b]).name, mean_difference([a, b, c]).name) == ("t", "ANOVA")


@pytest.mark.parametrize("samples", [[], [np.array([1.0, 2.0])], [np.ones(3), np.zeros(3)], [np.ones(1), np.ones(5)]])
def test_a_test_that_cannot_be_made_says_why(samples: list[np.ndarray]) -> None:
    result = mean_difference(samples)
    assert result.p is None
    assert result.reason


def test_goodness_of_fit_is_pearsons_by_hand() -> None:
    # (20 − 12)²/12 + (10 − 12)²/12 + (6 − 12)²/12 = 104/12
    result = equal_chances(np.array([20, 10, 6]))
    assert result.statistic == pytest.approx(104 / 12)
    assert result.p == pytest.approx(np.exp(-104 / 24))  # the survival function of χ² with 2 df
    assert equal_chances(np.array([0, 0])).p is None
    assert equal_chances(np.array([4])).p is None


def test_chunks_add_up_and_stay_small() -> None:
    sizes = list(chunks(10_000, 3_000))
    assert sum(sizes) == 10_000
    assert max(sizes) * 3_000 <= 4_000_000
    assert list(chunks(3, 10**9)) == [1, 1, 1]


def test_a_permutation_p_is_never_zero() -> None:
    assert permutation_p(np.zeros(99, dtype=bool)) == pytest.approx(0.01)
    assert permutation_p(np.ones((99, 2), dtype=bool)) == pytest.approx([1.0, 1.0])


def test_streams_depend_on_seed_and_purpose() -> None:
    draws = [generator(seed, purpose).random() for seed, purpose in [(1, "a"), (1, "a"), (1, "b"), (2, "a")]]
    assert draws[0] == draws[1]
    assert len(set(draws)) == 3
