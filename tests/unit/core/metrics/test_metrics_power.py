"""Detectable differences and needed numbers: against scipy's noncentral t, printed tables, and statsmodels' search."""

from math import sqrt

import numpy as np
import pytest
from scipy.stats import nct, t
from statsmodels.stats.power import TTestIndPower, TTestPower

from biasprint.core.metrics.power import detectable_difference, needed_n, within_sd


def power_of_t(noncentrality: float, df: int) -> float:
    """Chance of a two-sided t-test at 5 %; the lower tail underflows to NaN where it is 0."""
    critical = t.isf(0.025, df)
    return float(nct.sf(critical, df, noncentrality) + np.nan_to_num(nct.cdf(-critical, df, noncentrality)))


@pytest.mark.parametrize("n", [2, 3, 8, 60, 8629])
def test_detectable_paired_difference_has_the_power_of_noncentral_t(n: int) -> None:
    found = detectable_difference(2.5, n)
    assert found is not None
    assert power_of_t(found / 2.5 * sqrt(n), n - 1) == pytest.approx(0.8, abs=1e-9)


@pytest.mark.parametrize(("n", "m"), [(2, 2), (8, 8), (30, 5), (200, 900)])
def test_detectable_difference_of_groups_has_the_power_of_noncentral_t(n: int, m: int) -> None:
    found = detectable_difference(0.3, n, m)
    assert found is not None
    assert power_of_t(found / 0.3 / sqrt(1 / n + 1 / m), n + m - 2) == pytest.approx(0.8, abs=1e-9)


@pytest.mark.parametrize(("effect", "n"), [(0.5, 64), (0.8, 26)])
def test_needed_numbers_are_the_printed_ones(effect: float, n: int) -> None:
    """Cohen 1992, “A power primer”, table 2: medium and large mean difference at α = .05, per group."""
    assert needed_n(effect, 1.0, two_samples=True) == n


@pytest.mark.parametrize("effect", [0.1, 0.35, 0.8, 2.0])
def test_needed_numbers_agree_with_statsmodels(effect: float) -> None:
    assert needed_n(effect, 1.0) == int(np.ceil(TTestPower().solve_power(effect, power=0.8, alpha=0.05)))
    expected = int(np.ceil(TTestIndPower().solve_power(effect, power=0.8, alpha=0.05)))
    assert needed_n(-effect, 1.0, two_samples=True) == expected


def test_two_units_are_enough_for_a_huge_effect() -> None:
    """There statsmodels' own search for n ends in NaN."""
    for effect in (10.0, 26.0, 48.0, 100.0, 1e9, 1e17):
        assert needed_n(effect, 1.0) in (2, 3)
        assert needed_n(effect, 1.0, two_samples=True) == 2
    assert needed_n(1e9, 1.0) == 2


def test_what_varies_by_rounding_alone_does_not_vary() -> None:
    rounding = np.array([0.3 - 0.1, 0.4 - 0.2, 0.0, 0.1 + 0.2 - 0.3])
    assert np.std(rounding[:2], ddof=1) > 0, "rounding, as in a column of differences"
    assert within_sd(rounding[:2]) == within_sd(rounding[2:]) == within_sd(rounding[:2], rounding[2:]) == 0
    assert detectable_difference(within_sd(rounding[:2]), 2) is None
    one, other = np.array([0.1, 0.3, 0.2]), np.array([0.5, 0.9])
    assert within_sd(one, other) == pytest.approx(np.sqrt((2 * one.var(ddof=1) + other.var(ddof=1)) / 3))
    assert within_sd(one) == pytest.approx(one.std(ddof=1))


def test_what_no_number_finds_is_none() -> None:
    assert needed_n(0.0, 1.0) is None
    assert needed_n(1.0, 0.0) is None
    assert detectable_difference(1.0, 1) is None
    assert detectable_difference(1.0, 5, 1) is None
    assert detectable_difference(0.0, 5) is None
