"""Words given to two groups: the score by hand, sign flips against scipy."""

import numpy as np
import pytest
from scipy.stats import permutation_test, ttest_1samp

from biasprint.core.metrics.sorting import association_score, flipped_mean


@pytest.mark.parametrize(
    ("counts", "score"),
    [
        # A got 6 of X and 2 of Y, B 2 of X and 6 of Y: 6/8 + 6/8 − 1.
        ((6, 2, 2, 6), 0.5),
        ((8, 0, 0, 8), 1.0),
        ((0, 8, 8, 0), -1.0),
        ((4, 4, 4, 4), 0.0),
        # All but one word go to A: 7/15 + 1/1 − 1.
        ((7, 8, 0, 1), 7 / 15),
        ((8, 8, 0, 0), None),
    ],
)
def test_the_bias_score_by_hand(counts, score):
    found = association_score(*counts)

    assert found == (None if score is None else pytest.approx(score))


def test_groups_exchanged_the_score_has_the_other_sign():
    assert association_score(5, 3, 1, 7) == pytest.approx(-association_score(1, 7, 5, 3))


@pytest.mark.parametrize("n", [9, 40])
def test_sign_flips_are_scipys(n):
    values = np.random.default_rng(n).normal(0.2, 0.5, n)
    found, floor = flipped_mean(values, np.random.default_rng(1))
    exact = permutation_test((values, np.zeros(n)), lambda x, y, axis: x.mean(axis) - y.mean(axis), vectorized=True,
                             permutation_type="samples", n_resamples=20_000, rng=np.random.default_rng(2))  # fmt: skip

    assert found.p == pytest.approx(exact.pvalue, abs=1e-9 if n == 9 else 0.015)
    assert floor.p == found.p
    bounds = found.interval.bounds
    assert (bounds.low, bounds.high) == pytest.approx(tuple(ttest_1samp(values, 0).confidence_interval()))


def test_scores_that_are_all_one_are_tested_and_zeros_are_not():
    found, _ = flipped_mean(np.ones(8), np.random.default_rng(1))
    nothing, floor = flipped_mean(np.zeros(8), np.random.default_rng(1))

    assert found.p == pytest.approx(2 / 2**8)
    assert (nothing.p, floor) == (None, None)
