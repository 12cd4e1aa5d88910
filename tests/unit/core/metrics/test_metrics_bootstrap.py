"""Resampling: bootstraps of units and clusters; permutations within blocks."""

from itertools import permutations

import numpy as np
import pytest

from biasprint.core.metrics.resampling import (
    bootstrap_means,
    cluster_bootstrap_sums,
    shuffled_sums,
    shuffled_within,
)


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_bootstrap_means_have_the_moments_of_resampling() -> None:
    # The mean of n draws with replacement has the population's variance over n.
    values = np.array([1.0, 2.0, 4.0, 8.0, 16.0])
    draws = bootstrap_means(values, rng(), 40_000)
    assert draws.shape == (40_000, 1)
    assert draws.mean() == pytest.approx(values.mean(), abs=4 * np.sqrt(values.var() / 5 / 40_000))
    assert draws.var() == pytest.approx(values.var() / 5, rel=0.03)


def test_bootstrap_reaches_every_unit_and_keeps_columns_together() -> None:
    n = 70_000  # more than 16 bits count
    draws = bootstrap_means(np.column_stack([np.arange(n), -np.arange(n)]), rng(), 20)
    assert draws[:, 0] == pytest.approx(-draws[:, 1])
    assert draws[:, 0].mean() == pytest.approx(n / 2, rel=0.01)
    last = np.zeros(3)
    last[-1] = 1
    assert bootstrap_means(last, rng(), 2000).mean() == pytest.approx(1 / 3, abs=0.03)


def test_bootstrap_is_seeded_and_its_chunks_do_not_show() -> None:
    values = rng(3).normal(size=3000)
    assert (bootstrap_means(values, rng(5), 3000) == bootstrap_means(values, rng(5), 3000)).all()
    assert np.unique(bootstrap_means(values, rng(5), 3000)).size == 3000


def test_cluster_sums_keep_items_of_a_cluster_together() -> None:
    # Two clusters of 1 and 10: of two drawn, the sums are 2, 11 or 20, with chances ¼, ½, ¼.
    sums = cluster_bootstrap_sums(np.array([[1.0, 1.0], [10.0, 1.0]]), rng(), 8000)
    values, counts = np.unique(sums[:, 0], return_counts=True)
    assert values == pytest.approx([2, 11, 20])
    assert counts / 8000 == pytest.approx([0.25, 0.5, 0.25], abs=0.02)
    assert (sums[:, 1] == 2).all()


def test_blocks_are_permuted_within_and_evenly() -> None:
    group, block = np.array([0, 1, 2, 0, 1, 5, 5]), np.array([3, 3, 3, 1, 1, 8, 8])
    shuffled = shuffled_within(group, np.unique(block, return_inverse=True)[1], rng(), 6000)
    for members in (block == 3, block == 1, block == 8):
        assert (np.sort(shuffled[:, members], axis=1) == np.sort(group[members])).all()
    orders, counts = np.unique(shuffled[:, :3], axis=0, return_counts=True)
    assert len(orders) == len(list(permutations(range(3))))
    assert counts / 6000 == pytest.approx(np.full(6, 1 / 6), abs=0.02)


@pytest.mark.parametrize("stratum", [np.repeat(np.arange(9), 2), np.tile(np.arange(9), 2), np.arange(18) // 3])
def test_sums_of_shuffles_are_those_of_the_shuffled_labels(stratum: np.ndarray) -> None:
    labels, values = (rng().random(18) < 0.5).astype(float), rng().normal(size=(18, 2))
    expected = shuffled_within(labels, stratum, rng(), 500) @ values
    assert shuffled_sums(labels, stratum, values, rng(), 500) == pytest.approx(expected)


def test_nothing_to_resample_is_refused() -> None:
    with pytest.raises(ValueError, match="no units"):
        bootstrap_means(np.array([]), rng())
