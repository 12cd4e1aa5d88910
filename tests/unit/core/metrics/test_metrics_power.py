"""Detectable differences and needed numbers: against statsmodels."""

import numpy as np
import pytest
from statsmodels.stats.power import TTestIndPower, TTestPower

from core.metrics.power import detectable_difference, needed_n


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


def test_what_no_number_finds_is_none() -> None:
    assert needed_n(0.0, 1.0) is None
    assert needed_n(1.0, 0.0) is None
    assert detectable_difference(1.0, 1) is None
    assert detectable_difference(1.0, 5, 1) is None
    assert detectable_difference(0.0, 5) is None
