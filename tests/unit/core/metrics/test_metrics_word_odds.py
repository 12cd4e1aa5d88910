"""The plain odds ratio of a word, and the interval of a rare one."""

from math import exp, log, sqrt

import numpy as np
import pytest
from scipy import stats

from biasprint.core.metrics.clusters import Clusters
from biasprint.core.metrics.odds import clustered_odds_ratios, sample_odds_ratio


def test_the_published_ratio_by_hand() -> None:
    # [12 / (100 − 12)] / [5 / (85 − 5)] = (12 / 88) / (5 / 80) = 2.1818; SE = √(1/12 + 1/88 + 1/5 + 1/80) = .55420
    result = sample_odds_ratio(12, 100, 5, 85)
    assert result.value == pytest.approx(12 / 88 * 16)
    assert result.interval.bounds is not None
    half = 1.959964 * sqrt(1 / 12 + 1 / 88 + 1 / 5 + 1 / 80)
    assert result.interval.bounds.low == pytest.approx(exp(log(12 / 88 * 16) - half), rel=1e-5)
    assert result.interval.bounds.high == pytest.approx(exp(log(12 / 88 * 16) + half), rel=1e-5)


@pytest.mark.parametrize("cells", [(0, 100, 5, 85), (12, 12, 5, 85)])
def test_a_cell_of_zero_is_undefined(cells: tuple[int, int, int, int]) -> None:
    assert sample_odds_ratio(*cells).value is None
    assert "0" in sample_odds_ratio(*cells).reason


def test_more_uses_than_words_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(ValueError, match="above its total"):
        sample_odds_ratio(7, 5, 1, 5)


def test_a_higher_level_gives_a_wider_bootstrap_around_the_usual_one() -> None:
    rng = np.random.default_rng(0)
    counts = rng.poisson(3, (60, 2))
    clusters = Clusters.of(np.arange(60) % 2 == 0, [str(i // 2) for i in range(60)])
    tokens = np.full(60, 80)
    usual, wide = (clustered_odds_ratios(counts, tokens, clusters, level=level) for level in (0.95, 0.995))
    for a, b in zip(usual, wide, strict=True):
        assert a.p == b.p
        assert a.interval.bounds is not None
        assert b.interval.bounds is not None
        assert b.interval.bounds.low < a.interval.bounds.low < a.interval.bounds.high < b.interval.bounds.high
        assert b.interval.bounds.level == 0.995


# ---- what one group has alone


def alone(n: int, m: int, bearing: int, blocks: list[str]) -> tuple[Clusters, np.ndarray]:
    """n texts of the first group, of which so many have a word, and m of the second, which have none."""
    return Clusters.of(np.arange(n + m) < n, blocks), np.arange(n + m) < bearing


@pytest.mark.parametrize(("n", "m", "bearing"), [(10, 10, 10), (20, 20, 12), (9, 9, 6)])
def test_the_exact_chance_of_what_one_group_has_alone_is_fishers(n: int, m: int, bearing: int) -> None:
    clusters, has = alone(n, m, bearing, [""] * (n + m))
    fisher = stats.fisher_exact([[bearing, n - bearing], [0, m]]).pvalue
    assert clusters.chance_on_one_side(has) == pytest.approx(fisher, rel=1e-9)


def test_groups_of_unequal_size_add_both_sides_by_hand() -> None:
    clusters, has = alone(6, 4, 3, [""] * 10)
    # All three of ten texts among the six: C(7, 3)/C(10, 6) = 35/210; among the four: C(7, 1)/C(10, 4) = 7/210.
    assert clusters.chance_on_one_side(has) == pytest.approx(42 / 210)
    assert clusters.chance_on_one_side(~has & has) == 1


def test_within_matched_blocks_it_is_the_sign_test() -> None:
    clusters, has = alone(12, 12, 12, [str(place % 12) for place in range(24)])
    assert clusters.chance_on_one_side(has) == pytest.approx(stats.binomtest(12, 12, 0.5).pvalue)


def test_of_many_words_one_that_a_group_has_alone_can_stand_out() -> None:
    clusters, has = alone(20, 20, 20, [""] * 40)
    (found,) = clustered_odds_ratios(3 * has[:, None].astype(np.int64), np.full(40, 100), clusters)
    assert found.p == pytest.approx(stats.fisher_exact([[20, 0], [0, 20]]).pvalue, rel=1e-9)
