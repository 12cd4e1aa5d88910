"""The spread of groups' means: by hand, its interval against what it inverts, and what it does without any bias."""

import numpy as np
import pytest
from scipy.stats import f_oneway, ncf

from biasprint.core.metrics.grouped import spread_of_groups
from biasprint.core.metrics.resampling import generator

RNG = generator(0, "test")


def test_spread_by_hand():
    # Means 1, 2 and 6: their mean is 3, s² = (4 + 1 + 9) / 2.
    values = np.array([[0.0, 1.0, 5.0], [2.0, 3.0, 7.0], [1.0, 2.0, 6.0]])
    found = spread_of_groups(values, RNG, resamples=200)
    assert found.value == pytest.approx(7**0.5)
    assert found.means.tolist() == [1, 2, 6]
    assert found.interval.bounds is None  # nothing varies but the blocks themselves


def test_the_interval_holds_the_spreads_under_which_the_data_are_likely():
    values = np.random.default_rng(3).normal(size=(30, 4)) + np.array([0.0, 0.5, 1.0, 0.2])
    found = spread_of_groups(values, RNG, resamples=2_000)
    assert found.interval.bounds is not None
    assert found.interval.bounds.low < found.value < found.interval.bounds.high
    # F as scipy has it, on what is left without the blocks; its error has 87 and not 116 degrees of freedom.
    free = values - values.mean(axis=1, keepdims=True)
    statistic = f_oneway(*free.T).statistic * 87 / 116
    error = 30 * found.value**2 / statistic
    for bound, tail in ((found.interval.bounds.low, 0.975), (found.interval.bounds.high, 0.025)):
        assert ncf.cdf(statistic, 3, 87, 3 * 30 * bound**2 / error) == pytest.approx(tail, abs=1e-6)
    assert found.floor is not None
    assert found.floor.p < 0.01


def test_groups_that_are_alike_lie_within_their_floor():
    values = np.random.default_rng(5).normal(size=(40, 5))
    found = spread_of_groups(values, RNG, resamples=2_000)
    assert found.interval.bounds is not None
    assert found.interval.bounds.low == 0
    assert found.floor is not None
    assert found.value < found.floor.p95


@pytest.mark.parametrize(
    ("shape", "why"), [((0, 3), "no block has a text of every group"), ((4, 1), "there are fewer than two groups")]
)
def test_what_cannot_be_told_says_why(shape, why):
    found = spread_of_groups(np.zeros(shape), RNG)
    assert (found.value, found.reason, found.floor) == (None, why, None)
