"""Detectable differences and needed numbers: against statsmodels, and by simulation against the formula."""

from math import asin, sqrt

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.power import NormalIndPower, TTestIndPower, TTestPower

from core.metrics.power_by_simulation import power_by_simulation, smallest_effect
from core.metrics.power_difference import detectable_difference, detectable_proportion, needed_n, needed_n_proportions


@pytest.mark.parametrize("n", [2, 3, 8, 60, 8629])
def test_detectable_paired_difference_agrees_with_statsmodels(n: int) -> None:
    found = detectable_difference(2.5, n)
    assert found is not None
    assert TTestPower().power(found / 2.5, n, 0.05, alternative="two-sided") == pytest.approx(0.8, abs=1e-6)


@pytest.mark.parametrize(("n", "m"), [(2, 2), (8, 8), (30, 5), (200, 900)])
def test_detectable_difference_of_groups_agrees_with_statsmodels(n: int, m: int) -> None:
    found = detectable_difference(0.3, n, m)
    assert found is not None
    assert TTestIndPower().power(found / 0.3, n, 0.05, ratio=m / n) == pytest.approx(0.8, abs=1e-6)


@pytest.mark.parametrize("effect", [0.1, 0.35, 0.8, 2.0])
def test_needed_numbers_agree_with_statsmodels(effect: float) -> None:
    assert needed_n(effect, 1.0) == int(np.ceil(TTestPower().solve_power(effect, power=0.8, alpha=0.05)))
    expected = int(np.ceil(TTestIndPower().solve_power(effect, power=0.8, alpha=0.05)))
    assert needed_n(-effect, 1.0, two_samples=True) == expected


def test_needed_proportions_agree_with_statsmodels() -> None:
    h = 2 * asin(sqrt(0.5)) - 2 * asin(sqrt(0.3))
    expected = int(np.ceil(NormalIndPower().solve_power(h, power=0.8, alpha=0.05)))
    assert needed_n_proportions(0.5, 0.3) == needed_n_proportions(0.3, 0.5) == expected
    step = detectable_proportion(0.3, expected, expected)
    assert step == pytest.approx(0.2, abs=0.002)
    # Above .99 there is no room to rise, so the smallest fall is given.
    fall = detectable_proportion(0.99, 100)
    assert fall is not None
    assert 2 * asin(sqrt(0.99)) - 2 * asin(sqrt(0.99 + fall)) == pytest.approx((1.95996 + 0.84162) / 10, abs=1e-5)


def test_what_no_number_finds_is_none() -> None:
    assert needed_n(0.0, 1.0) is None
    assert needed_n(1.0, 0.0) is None
    assert detectable_difference(1.0, 1) is None
    assert detectable_difference(1.0, 5, 1) is None
    assert detectable_difference(0.0, 5) is None
    assert detectable_proportion(0.5, 1) is None
    assert needed_n_proportions(0.4, 0.4) is None


def shifted(effect: float, rng: np.random.Generator) -> np.ndarray:
    return rng.normal(effect, 1, 20)


def t_test(sample: np.ndarray) -> float:
    return float(stats.ttest_1samp(sample, 0).pvalue)


def test_simulated_power_agrees_with_the_formula() -> None:
    expected = TTestPower().power(0.5, 20, 0.05)
    result = power_by_simulation(shifted, t_test, 0.5, seed=3, trials=600)
    assert result.value == pytest.approx(expected, abs=4 * sqrt(expected * (1 - expected) / 600))
    assert result.interval.low <= result.value <= result.interval.high
    assert power_by_simulation(shifted, t_test, 0.5, seed=3, trials=600) == result


def test_smallest_effect_by_simulation_agrees_with_the_formula() -> None:
    expected = detectable_difference(1.0, 20)
    assert expected is not None
    assert smallest_effect(shifted, t_test, 0, 2, seed=3, trials=300) == pytest.approx(expected, rel=0.12)


def test_an_effect_beyond_reach_and_an_undefined_test_are_never_found() -> None:
    assert smallest_effect(shifted, t_test, 0, 0.01, seed=3, trials=50) is None
    assert power_by_simulation(shifted, lambda sample: None, 5.0, seed=3, trials=10).value == 0
    with pytest.raises(ValueError, match="at least one trial"):
        power_by_simulation(shifted, t_test, 1.0, seed=3, trials=0)
