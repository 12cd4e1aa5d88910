"""Resampling: bootstraps of units, clusters and crossed factors; permutations within pairs, blocks and over terms."""

from itertools import permutations, product

import numpy as np
import pytest
from scipy import stats

from core.metrics.block_permutation import permute_within_blocks
from core.metrics.bootstrap import bootstrap_means, percentile_interval, widened_tail
from core.metrics.cluster_bootstrap import cluster_bootstrap_sums
from core.metrics.sign_flip import sign_flip_p
from core.metrics.term_permutation import permute_over_terms
from core.metrics.two_way_bootstrap import two_way_weights


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


def test_percentile_interval_agrees_with_scipys_bootstrap() -> None:
    values = stats.expon.rvs(size=60, random_state=3)
    ours = percentile_interval(bootstrap_means(values, rng(), 20_000)[:, 0], float(values.mean()), "bootstrap")
    theirs = stats.bootstrap((values,), np.mean, n_resamples=20_000, method="percentile", rng=2).confidence_interval
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.015)


def test_few_units_widen_the_tails_to_students_t() -> None:
    # A normal bootstrap of n units has variance s²(n − 1)/n²; its widened percentile must reach t s/√n.
    n = 6
    reach = -stats.norm.ppf(widened_tail(n)) * np.sqrt((n - 1) / n)
    assert reach == pytest.approx(stats.t.ppf(0.975, n - 1))
    draws = stats.norm.ppf((np.arange(9999) + 0.5) / 9999)
    assert percentile_interval(draws, 0.0, "", units=n).high > percentile_interval(draws, 0.0, "").high
    assert percentile_interval(draws, 0.0, "").high == pytest.approx(1.96, abs=0.01)


def test_an_interval_holds_its_estimate() -> None:
    bounds = percentile_interval(np.array([1.0, 2.0, 3.0]), 5.0, "x")
    assert bounds.low <= 5.0 <= bounds.high


def test_cluster_sums_keep_items_of_a_cluster_together() -> None:
    # Two clusters of 1 and 10: of two drawn, the sums are 2, 11 or 20, with chances ¼, ½, ¼.
    sums = cluster_bootstrap_sums(np.array([[1.0, 1.0], [10.0, 1.0]]), rng(), 8000)
    values, counts = np.unique(sums[:, 0], return_counts=True)
    assert values == pytest.approx([2, 11, 20])
    assert counts / 8000 == pytest.approx([0.25, 0.5, 0.25], abs=0.02)
    assert (sums[:, 1] == 2).all()


def test_two_way_weights_are_products_of_the_draws_of_both_factors() -> None:
    first, second = np.array([7, 7, 9, 9]), np.array([0, 1, 0, 1])
    weights = np.concatenate(list(two_way_weights(first, second, rng(), 4000)))
    assert weights.shape == (4000, 4)
    assert weights.mean(axis=0) == pytest.approx(np.ones(4), abs=0.1)
    # Two levels drawn twice: (2, 0), (1, 1), (0, 2); crossed, the four weights are an outer product and add to 4.
    assert (weights.sum(axis=1) == 4).all()
    assert (weights[:, 0] * weights[:, 3] == weights[:, 1] * weights[:, 2]).all()
    assert set(np.unique(weights)) == {0, 1, 2, 4}


def test_two_way_weights_see_what_one_way_clustering_misses() -> None:
    # Effects of both factors, no noise of its own: the variance of the mean is about σ²/a + σ²/b.
    generator = rng(4)
    one, other = generator.normal(size=40), generator.normal(size=25)
    first, second = (axis.ravel() for axis in np.indices((40, 25)))
    values = one[first] + other[second]
    weights = np.concatenate(list(two_way_weights(first, second, generator, 3000)))
    variance = float(np.var(weights @ values / weights.sum(axis=1)))
    assert variance == pytest.approx(one.var() / 40 + other.var() / 25, rel=0.1)


def test_sign_flips_of_few_pairs_are_exact() -> None:
    differences = np.array([0.3, 1.1, -0.4, 0.9, 0.7])
    sums = [abs(np.dot(signs, differences)) for signs in product((1, -1), repeat=5)]
    expected = np.mean(np.array(sums) >= abs(differences.sum()) - 1e-12)
    assert float(sign_flip_p(differences, rng())) == pytest.approx(expected)
    both = sign_flip_p(np.column_stack([differences, -differences]), rng())
    assert both == pytest.approx([expected, expected])


def test_sign_flips_of_many_pairs_agree_with_scipys_permutation_test() -> None:
    differences = stats.norm.rvs(0.25, 1, size=40, random_state=8)
    expected = stats.permutation_test(
        (differences, np.zeros(40)), lambda x, y: np.mean(x - y), permutation_type="samples", n_resamples=9999, rng=1
    ).pvalue
    assert float(sign_flip_p(differences, rng(), 20_000)) == pytest.approx(expected, abs=0.02)


def test_sign_flips_do_not_depend_on_the_unit_of_measurement() -> None:
    differences = np.array([0.3, 0.3, -0.3, 0.1, 0.2])
    expected = sign_flip_p(differences, rng())
    assert sign_flip_p(differences * 1e-13, rng()) == sign_flip_p(differences * 1e13, rng()) == expected


def test_blocks_are_permuted_within_and_evenly() -> None:
    group, block = np.array([0, 1, 2, 0, 1, 5, 5]), np.array([3, 3, 3, 1, 1, 8, 8])
    shuffled = np.concatenate(list(permute_within_blocks(group, block, rng(), 6000)))
    for members in (block == 3, block == 1, block == 8):
        assert (np.sort(shuffled[:, members], axis=1) == np.sort(group[members])).all()
    orders, counts = np.unique(shuffled[:, :3], axis=0, return_counts=True)
    assert len(orders) == len(list(permutations(range(3))))
    assert counts / 6000 == pytest.approx(np.full(6, 1 / 6), abs=0.02)


def test_labels_move_with_their_terms() -> None:
    term, label = np.array([4, 4, 2, 2, 2, 9]), np.array([True, True, False, False, False, False])
    shuffled = np.concatenate(list(permute_over_terms(term, label, rng(), 3000)))
    assert shuffled.dtype == bool
    assert (shuffled[:, 0] == shuffled[:, 1]).all()
    assert (shuffled[:, 2] == shuffled[:, 4]).all()
    # One of three terms carries the label: each a third of the time.
    assert shuffled[:, [0, 2, 5]].mean(axis=0) == pytest.approx(np.full(3, 1 / 3), abs=0.03)
    assert (shuffled[:, [0, 2, 5]].sum(axis=1) == 1).all()


def test_terms_trade_labels_only_within_their_stratum() -> None:
    term, label, stratum = np.arange(4), np.array([True, False, True, False]), np.array([0, 0, 1, 1])
    shuffled = np.concatenate(list(permute_over_terms(term, label, rng(), 200, stratum=stratum)))
    assert (shuffled[:, :2].sum(axis=1) == 1).all()
    assert (shuffled[:, 2:].sum(axis=1) == 1).all()


def test_nothing_to_resample_is_refused() -> None:
    with pytest.raises(ValueError, match="no units"):
        bootstrap_means(np.array([]), rng())
    with pytest.raises(ValueError, match="no pairs"):
        sign_flip_p(np.array([]), rng())
    with pytest.raises(ValueError, match="no items"):
        next(two_way_weights(np.array([], dtype=int), np.array([], dtype=int), rng()))
    with pytest.raises(ValueError, match="more than one label"):
        next(permute_over_terms(np.array([1, 1]), np.array([True, False]), rng()))
    with pytest.raises(ValueError, match="no resamples"):
        percentile_interval(np.array([]), 0.0, "x")
    with pytest.raises(ValueError, match="fewer than two"):
        widened_tail(1)
