"""Sign flips: p against scipy, the interval as the means that scipy's test does not reject."""

import numpy as np
import pytest
from scipy.stats import permutation_test

from biasprint.core.metrics.representative import flipped_mean, sign_flips


def scipys_p(values):
    return permutation_test((values, np.zeros(len(values))), lambda x, y, axis: x.mean(axis) - y.mean(axis),
                            vectorized=True, permutation_type="samples", n_resamples=np.inf).pvalue  # fmt: skip


@pytest.mark.parametrize("n", [9, 40])
def test_sign_flips_are_scipys(n):
    values = np.random.default_rng(n).normal(0.2, 0.5, n)
    found, floor = flipped_mean(values, np.random.default_rng(1))
    exact = permutation_test((values, np.zeros(n)), lambda x, y, axis: x.mean(axis) - y.mean(axis), vectorized=True,
                             permutation_type="samples", n_resamples=20_000, rng=np.random.default_rng(2))  # fmt: skip

    assert found.p == pytest.approx(exact.pvalue, abs=1e-9 if n == 9 else 0.015)
    assert floor.p == found.p


def test_scores_that_are_all_one_are_tested_and_zeros_are_not():
    found, _ = flipped_mean(np.ones(8), np.random.default_rng(1))
    nothing, floor = flipped_mean(np.zeros(8), np.random.default_rng(1))

    assert found.p == pytest.approx(2 / 2**8)
    assert (nothing.p, floor) == (None, None)


@pytest.mark.parametrize("n", [6, 7, 9, 11])
def test_the_interval_is_of_the_means_that_scipys_flips_do_not_reject(n):
    values = np.random.default_rng(n).exponential(size=n)
    flips = sign_flips(values, np.random.default_rng(1))

    for end, inwards in ((flips.low, 1e-6), (flips.high, -1e-6)):
        assert scipys_p(values - end - inwards) > 0.05
        assert scipys_p(values - end + inwards) <= 0.05


@pytest.mark.parametrize("n", [6, 10, 13, 14, 30])
def test_the_interval_leaves_0_out_exactly_where_the_test_rejects_it(n):
    rng, rejected = np.random.default_rng(n), 0
    for _ in range(100):
        values = rng.choice([-1.0, -0.5, 0.0, 0.5, 1.0], size=n) + rng.choice([0.0, 0.5])
        flips = sign_flips(values, rng, 199)
        assert (flips.p <= 0.05) == (not flips.low <= 0 <= flips.high)
        assert flips.low <= values.mean() <= flips.high
        rejected += flips.p <= 0.05
    assert 0 < rejected < 100


def test_so_few_units_that_no_mean_is_rejected_have_no_interval_and_the_reason():
    found, _ = flipped_mean(np.array([0.2, 0.3, 0.5, 0.4]), np.random.default_rng(1))

    assert found.p == pytest.approx(2 / 2**4)
    assert found.interval.bounds is None
    assert found.interval.reason == "fewer than 6 units for sign flips to leave anything out"
