"""The spread of groups' means: by hand, its interval against what it is made of, and what it does without bias."""

import numpy as np
import pytest

from biasprint.core.metrics.grouped import spread_of_groups
from biasprint.core.metrics.representative import representative_interval, representative_null, sign_flips
from biasprint.core.metrics.resampling import generator

RNG = generator(0, "test")


def test_spread_by_hand():
    # Means 1, 2 and 6: their mean is 3, s² = (4 + 1 + 9) / 2.
    values = np.array([[0.0, 1.0, 5.0], [2.0, 3.0, 7.0], [1.0, 2.0, 6.0]])
    found = spread_of_groups(values, RNG, resamples=200)
    assert found.value == pytest.approx(7**0.5)
    assert found.means.tolist() == [1, 2, 6]
    assert found.interval.bounds is None  # nothing varies but the blocks themselves


def test_the_interval_is_that_of_the_spread_of_identities_in_other_units():
    # s has k − 1 where RBS has k. That of two groups is of the sign flips of their difference: |x̄₁ − x̄₂| / √2.
    values = np.random.default_rng(3).normal(size=(30, 4)) + np.array([0.0, 0.5, 1.0, 0.2])
    found = spread_of_groups(values, generator(1), resamples=2_000)
    inner = representative_interval(values, representative_null(values, generator(1), 2_000)).bounds
    assert found.interval.bounds is not None
    assert (found.interval.bounds.low, found.interval.bounds.high) == pytest.approx(
        (inner.low * (4 / 3) ** 0.5, inner.high * (4 / 3) ** 0.5)
    )
    assert found.floor is not None
    assert found.floor.p < 0.01
    known = sign_flips(values[:, 2] - values[:, 0], generator(2), 200)
    two = spread_of_groups(values[:, [0, 2]], generator(2), resamples=200).interval.bounds
    assert sorted(np.abs([known.low, known.high]) / 2**0.5) == pytest.approx([two.low, two.high])


def test_groups_of_unequal_spread_raise_no_more_alarms_than_promised():
    rng = np.random.default_rng(11)
    studies = [rng.normal(size=(12, 4)) * np.array([5.0, 1.0, 1.0, 1.0]) for _ in range(300)]
    found = [spread_of_groups(study, rng, resamples=200).floor for study in studies]
    # 10 % without studentising; 5 % and two and a half standard errors of 300 studies.
    assert np.mean([floor.p <= 0.05 for floor in found]) < 0.082


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
