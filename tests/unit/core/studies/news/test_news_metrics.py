"""The news paper's equations on small cases worked by hand, and the statistics around them."""

from itertools import combinations

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.stats import sem, ttest_1samp, wasserstein_distance_nd

from biasprint.core.metrics.means import clustered_mean
from biasprint.core.metrics.proportions import clustered_proportion, wilson
from biasprint.core.metrics.resampling import dealt_sums
from biasprint.core.metrics.topics import group_means, prejudice, sentence_gap, wasserstein_share

STUDIES = 1000


def test_two_groups_lie_as_far_apart_as_the_share_of_either() -> None:
    # Equations 1 and 2: f_h = (1/4, 3/4), f_o = (2/3, 1/3). Equation 3 for M = 2: |1/4 − 2/3| = 5/12.
    result = wasserstein_share(np.array([[1, 3]]), np.array([[4, 2]]))
    assert result.distance == pytest.approx([5 / 12])
    assert result.signed == pytest.approx(np.array([[-5 / 12, 5 / 12]]))


def test_three_groups_lie_as_far_apart_as_the_largest_difference() -> None:
    # f_h = (.5, .5, 0), f_o = (.2, .2, .6): differences .3, .3, −.6. Equation 3 for M = 3: max = .6 = ½ (.3 + .3 + .6).
    result = wasserstein_share(np.array([[5, 5, 0]]), np.array([[1, 1, 3]]))
    assert result.distance == pytest.approx([0.6])


def test_four_groups_need_half_the_sum() -> None:
    # Differences .25, .25, −.25, −.25: half a unit of mass must move, though no group differs by more than .25.
    first, second = np.array([[1, 1, 0, 0]]), np.array([[1, 1, 1, 1]])
    result = wasserstein_share(first, second)
    assert np.abs(result.signed).max() == pytest.approx(0.25)
    # Points that lie 1 apart from each other: the unit vectors over √2. scipy solves the transport of equation 3.
    corners = np.eye(4) / np.sqrt(2)
    assert result.distance == pytest.approx([wasserstein_distance_nd(corners, corners, first[0], second[0])])
    assert result.distance == pytest.approx([0.5])


def test_a_side_without_group_words_leaves_the_pair_out() -> None:
    result = wasserstein_share(np.array([[1, 0], [0, 0], [2, 2]]), np.array([[0, 1], [1, 1], [0, 0]]))
    assert result.defined.tolist() == [True, False, False]
    assert result.distance == pytest.approx([1.0])
    assert result.dropped == 2


def test_a_models_bias_is_the_mean_over_its_pairs() -> None:
    # Equation 4: W of 1, 0 and ½ over three pairs that are defined, and a fourth that is not.
    first = np.array([[2, 0], [1, 1], [1, 1], [0, 0]])
    second = np.array([[0, 3], [2, 2], [4, 0], [1, 1]])
    assert wasserstein_share(first, second).distance.mean() == pytest.approx((1 + 0 + 0.5) / 3)


def test_prejudice_counts_pairs_with_a_lower_share_and_the_drop_in_those() -> None:
    # Shares of women, generated − original: −.4, −.1, 0, +.3 where the original mentions women; −.2 elsewhere.
    signed = np.array([-0.4, -0.1, 0.0, 0.3, -0.2])
    asked = np.array([True, True, True, True, False])
    result = prejudice(signed, asked, np.arange(5))
    assert result.share == pytest.approx(2 / 4)
    assert result.drop == pytest.approx((0.4 + 0.1) / 2)
    assert (result.n, result.worse) == (4, 2)
    expected = wilson(2, 4)
    assert expected is not None
    assert result.share_interval is not None
    assert (result.share_interval.low, result.share_interval.high) == (expected.low, expected.high)


def test_a_drop_over_few_pairs_has_no_interval() -> None:
    nine, ten = (prejudice(-np.linspace(0.1, 0.5, n), np.ones(n, bool), np.arange(n)) for n in (9, 10))
    assert nine.drop_interval.bounds is None
    assert "fewer than 10" in nine.drop_interval.reason
    # s.e.(ln m) = s.e.(m) / m, with Student's quantile for 9 degrees of freedom from a table.
    error = sem(np.linspace(0.1, 0.5, 10)) / 0.3
    expected = (0.3 * np.exp(-2.262157 * error), 0.3 * np.exp(2.262157 * error))
    assert ten.drop_interval.bounds is not None
    assert (ten.drop_interval.bounds.low, ten.drop_interval.bounds.high) == pytest.approx(expected)


@pytest.mark.soak
def test_the_interval_of_a_skewed_drop_holds_as_often_as_it_says() -> None:
    """Exponential drops, as those of sentences nearly are: t alone ends below the truth too often."""
    rng, held, with_t = np.random.default_rng(7), 0, 0
    for _ in range(STUDIES):
        drops = rng.exponential(0.12, 14)
        bounds = prejudice(-drops, np.ones(14, bool), np.arange(14)).drop_interval.bounds
        assert bounds is not None
        held += bounds.low <= 0.12 <= bounds.high
        t = ttest_1samp(drops, 0).confidence_interval()
        with_t += t.low <= 0.12 <= t.high
    error = 2 * np.sqrt(0.93 * 0.07 / STUDIES)
    assert held / STUDIES >= 0.93 - error
    assert held / STUDIES > with_t / STUDIES + 0.01


def test_equal_shares_are_no_prejudice_whatever_the_last_digit() -> None:
    signed = np.array([(0.1 + 0.2) - 0.3, 0.3 - (0.1 + 0.2)])
    assert prejudice(signed, np.array([True, True]), np.arange(2)).share == 0.0


def test_prejudice_of_nobody_has_a_reason() -> None:
    result = prejudice(np.array([-0.2]), np.array([False]), np.arange(1))
    assert result.share is None
    assert result.drop is None
    assert result.reason


def test_the_gap_of_sentences_is_the_largest_among_groups_on_both_sides() -> None:
    # Equation 5, one pair. Generated: women .2 and .4 (mean .3), men −.1. Original: women .1, men .5 and .1 (mean .3).
    # |.3 − .1| = .2 and |−.1 − .3| = .4; the neutral sentences with .9 and −.9 do not count.
    generated = group_means(np.array([0.2, 0.4, -0.1, 0.9]), np.array([0, 0, 1, -1]), np.zeros(4, int), 1, 2)
    original = group_means(np.array([0.1, 0.5, 0.1, -0.9]), np.array([0, 1, 1, -1]), np.zeros(4, int), 1, 2)
    result = sentence_gap(generated, original)
    assert result.gap == pytest.approx([0.4])
    assert result.signed == pytest.approx(np.array([[0.2, -0.4]]))


def test_a_group_on_one_side_only_has_no_gap() -> None:
    generated = group_means(np.array([0.2, 0.9]), np.array([0, 1]), np.array([0, 1]), 2, 2)
    original = group_means(np.array([0.1, 0.1, 0.3]), np.array([0, 1, 0]), np.array([0, 0, 1]), 2, 2)
    result = sentence_gap(generated, original)
    assert result.defined.tolist() == [True, False]
    assert result.gap == pytest.approx([0.1])
    assert result.both.tolist() == [[True, False], [False, False]]
    assert result.dropped == 1


def test_a_mean_of_unclustered_units_is_a_plain_t_test() -> None:
    values = np.random.default_rng(1).normal(0.3, 1, 25)
    result = clustered_mean(values, np.arange(25))
    assert result.p == pytest.approx(ttest_1samp(values, 0).pvalue)


def test_a_clustered_mean_has_the_error_of_statsmodels() -> None:
    rng = np.random.default_rng(2)
    clusters = np.repeat(np.arange(12), [1, 2, 3] * 4)
    values = rng.normal(size=12)[clusters] + rng.normal(size=len(clusters))
    # statsmodels also corrects by (n − 1)/(n − k), which is 1 for a mean alone, and by C/(C − 1), as here.
    fit = sm.OLS(values, np.ones(len(values))).fit(cov_type="cluster", cov_kwds={"groups": clusters}, use_t=True)
    result = clustered_mean(values, clusters)
    assert result.value == pytest.approx(fit.params[0])
    assert result.statistic == pytest.approx(fit.tvalues[0])
    assert result.p == pytest.approx(fit.pvalues[0])
    assert result.interval.bounds is not None
    assert (result.interval.bounds.low, result.interval.bounds.high) == pytest.approx(tuple(fit.conf_int()[0]))


def test_copies_of_a_pair_make_a_proportion_no_surer() -> None:
    once = clustered_proportion(np.array([True, True, False, True]), np.arange(4))
    twice = clustered_proportion(np.repeat([True, True, False, True], 2), np.repeat(np.arange(4), 2))
    assert once.interval is not None
    assert twice.interval is not None
    assert twice.value == once.value
    assert twice.interval.high - twice.interval.low >= once.interval.high - once.interval.low


def test_blocks_are_dealt_in_every_way_equally_often() -> None:
    # Four blocks of one pair, two of them on the first side: the six pairs of blocks, each a sixth of the time.
    values = np.array([[1.0], [2.0], [4.0], [8.0]])
    first = np.array([True, True, False, False])
    deals = np.concatenate(list(dealt_sums(values, first, np.zeros(4, int), np.random.default_rng(3), 12_000)))
    seen, counts = np.unique(deals, return_counts=True)
    assert seen.tolist() == sorted(sum(pair) for pair in combinations([1, 2, 4, 8], 2))
    assert np.abs(counts / 12_000 - 1 / 6).max() < 5 * np.sqrt(1 / 6 * 5 / 6 / 12_000)


def test_each_pair_keeps_its_blocks_and_their_number() -> None:
    # Pair 0: one of two blocks on the first side; pair 1: all three; pair 2: none of two.
    values = np.array([[1.0], [3.0], [5.0], [5.0], [5.0], [7.0], [7.0]])
    first = np.array([True, False, True, True, True, False, False])
    unit = np.array([0, 0, 1, 1, 1, 2, 2])
    deals = np.concatenate(list(dealt_sums(values, first, unit, np.random.default_rng(4), 200)))[:, :, 0]
    assert set(deals[:, 0]) == {1.0, 3.0}
    assert set(deals[:, 1]) == {15.0}
    assert set(deals[:, 2]) == {0.0}
