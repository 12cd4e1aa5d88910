"""Odds ratios: against scipy and statsmodels, brute force, blocks, invariances."""

from itertools import product

import numpy as np
import pytest
from scipy import stats
from scipy.stats.contingency import expected_freq
from statsmodels.stats.contingency_tables import Table2x2

from biasprint.core.metrics.clusters import Clusters
from biasprint.core.metrics.odds import clustered_odds_ratios, log_odds_ratio, published_odds_ratio, smallest_expected
from biasprint.core.metrics.resampling import generator


def letters(pairs: int, seed: int, shift: float = 0.0) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[str]]:
    """Pairs of texts; pairs differ in how often they use the words. counts (n, 1), tokens, first, blocks."""
    rng = np.random.default_rng(seed)
    logits = -3.9 + rng.normal(0, 0.6, (pairs, 1)) + np.array([shift / 2, -shift / 2])
    tokens = rng.poisson(280, (pairs, 2))
    counts = rng.binomial(tokens, 1 / (1 + np.exp(-logits)))
    first = np.tile([True, False], pairs)
    return counts.reshape(-1, 1), tokens.ravel(), first, [f"cell {place // 2}" for place in range(2 * pairs)]


def test_the_published_formula_by_hand() -> None:
    # Agentic in Table 2: 37 of 17,218 against 32 of 17,638.
    result = published_odds_ratio(37, 17218, 32, 17638)
    assert result.value == pytest.approx((37.001 / 17181.001) / (32.001 / 17606.001))
    assert result.value == pytest.approx(1.1848, abs=5e-5)


def test_the_published_interval_is_statsmodels_log_normal_one() -> None:
    bounds = published_odds_ratio(37, 17218, 32, 17638).interval.bounds
    assert bounds is not None
    table = Table2x2(np.array([[37, 17181], [32, 17606]]))
    assert (bounds.low, bounds.high) == pytest.approx(table.oddsratio_confint(), rel=1e-4)


def test_published_corner_cases_are_undefined_with_a_reason() -> None:
    assert published_odds_ratio(5, 4, 1, 10).value is None
    empty = published_odds_ratio(0, 100, 3, 100)
    assert empty.value == pytest.approx((0.001 / 100.001) / (3.001 / 97.001))
    assert empty.interval.bounds is None
    assert empty.interval.reason


def test_haldane_adds_one_half_to_every_cell() -> None:
    expected = stats.contingency.odds_ratio([[3 + 1, 0 + 1], [5 + 1, 2 + 1]], kind="sample").statistic
    # scipy takes whole numbers only: doubling each half-corrected cell gives (7 · 5) / (1 · 11).
    doubled = stats.contingency.odds_ratio([[7, 1], [11, 5]], kind="sample").statistic
    got = np.exp(log_odds_ratio(np.array(3.0), np.array(3.0), np.array(5.0), np.array(7.0)))
    assert got == pytest.approx(doubled)
    assert got != pytest.approx(expected)


def test_the_expected_count_is_that_of_the_contingency_table() -> None:
    table = np.array([[7, 993], [3, 497]])
    assert smallest_expected(10, 1000, 500) == pytest.approx(expected_freq(table)[:, 0].min())


def test_the_estimate_is_haldanes_over_the_summed_texts() -> None:
    counts, tokens, first, blocks = letters(12, seed=1)
    result = clustered_odds_ratios(counts, tokens, Clusters.of(first, blocks), seed=0, resamples=200)[0]
    a, n = counts[first].sum(), tokens[first].sum()
    b, m = counts[~first].sum(), tokens[~first].sum()
    assert result.value == pytest.approx((a + 0.5) * (m - b + 0.5) / ((n - a + 0.5) * (b + 0.5)))


def test_p_within_blocks_equals_going_through_every_swap() -> None:
    counts, tokens, first, blocks = letters(8, seed=3, shift=0.5)
    result = clustered_odds_ratios(counts, tokens, Clusters.of(first, blocks), seed=0, resamples=20_000)[0]
    statistic = []
    for swaps in product([False, True], repeat=8):
        side = first ^ np.repeat(swaps, 2)
        sums = [float(values[mask].sum()) for mask in (side, ~side) for values in (counts[:, 0], tokens)]
        statistic.append(abs(float(log_odds_ratio(*map(np.array, sums)))))
    # The first in the product is no swap at all: the observed table.
    assert result.p == pytest.approx(np.mean(np.array(statistic) >= statistic[0] - 1e-9), abs=0.01)


def test_without_blocks_texts_change_groups_freely() -> None:
    counts, tokens, first, _ = letters(10, seed=4, shift=0.8)
    result = clustered_odds_ratios(counts, tokens, Clusters.of(first, [""] * 20), seed=0, resamples=5000)[0]

    def statistic(a: np.ndarray, b: np.ndarray) -> float:
        return float(log_odds_ratio(a[:, 0].sum(), a[:, 1].sum(), b[:, 0].sum(), b[:, 1].sum()))

    pairs = np.column_stack([counts, tokens]).astype(float)
    rng = np.random.default_rng(1)
    orders = [rng.permutation(20) for _ in range(5000)]
    null = np.array([statistic(pairs[order[:10]], pairs[order[10:]]) for order in orders])
    expected = np.mean(abs(null) >= abs(statistic(pairs[first], pairs[~first])))
    assert result.p == pytest.approx(expected, abs=0.02)


def test_blocks_of_one_group_move_as_wholes() -> None:
    first = np.array([True] * 6 + [False] * 6)
    blocks = ["a", "a", "a", "b", "b", "b", "c", "c", "c", "d", "d", "d"]
    clusters = Clusters.of(first, blocks)
    values = np.arange(12.0)[:, None]
    sums = np.concatenate(list(clusters.permuted_sums(values, generator(0), 500)))
    # 6 ways to choose two of four blocks (sums 3, 12, 21, 30): only these totals can occur.
    assert set(sums.ravel()) == {15.0, 24.0, 33.0, 42.0, 51.0}
    assert not clusters.matched.any()


def test_matched_blocks_are_resampled_whole() -> None:
    first = np.tile([True, False], 9)
    clusters = Clusters.of(first, [str(place // 2) for place in range(18)])
    marks = np.column_stack([np.arange(9), np.arange(9)]).astype(float)
    drawn = np.concatenate(list(clusters.resampled_sums(marks, generator(0), 200)))
    assert (drawn[:, 0] == drawn[:, 1]).all()
    assert len(set(drawn[:, 0])) > 20


def test_lone_texts_beside_matched_blocks_are_used_too() -> None:
    counts, tokens, first, blocks = letters(10, seed=5)
    clusters = Clusters.of(np.append(first, [True, False]), [*blocks, "", ""])
    assert clusters.number == 12
    assert clusters.on_both_sides == (11, 11)
    result = clustered_odds_ratios(
        np.vstack([counts, [[4], [9]]]), np.append(tokens, [300, 280]), clusters, seed=0, resamples=200
    )[0]
    assert result.interval.bounds is not None
    assert result.interval.bounds.method == "cluster bootstrap over 12 texts and blocks"


def test_what_cannot_be_estimated_says_why() -> None:
    tokens, first = np.full(20, 300), np.tile([True, False], 10)
    lone = Clusters.of(first, [""] * 20)
    rare = clustered_odds_ratios(np.eye(20, 1, dtype=int) * 3, tokens, lone, 0, 50)[0]
    assert (rare.value, rare.reason) == (None, "expected count 1.5 is below 5")
    no_words = clustered_odds_ratios(np.ones((20, 1)), np.where(first, 0, 300), lone, 0, 50)[0]
    assert (no_words.value, no_words.reason) == (None, "a group has no words")
    overfull = clustered_odds_ratios(np.full((20, 1), 301), tokens, lone, 0, 50)[0]
    assert (overfull.value, overfull.reason) == (None, "more matches than words")
    one_group = clustered_odds_ratios(np.ones((20, 1)), tokens, Clusters.of(np.ones(20, bool), [""] * 20), 0, 50)[0]
    assert (one_group.value, one_group.reason) == (None, "a group has no words")


def test_few_texts_have_an_estimate_but_no_interval() -> None:
    counts, tokens, first, blocks = letters(7, seed=2)
    result = clustered_odds_ratios(counts, tokens, Clusters.of(first, blocks), seed=0, resamples=50)[0]
    assert result.value is not None
    assert result.interval.bounds is None
    assert "fewer than 8" in result.interval.reason


def test_order_of_texts_and_names_of_blocks_do_not_matter() -> None:
    counts, tokens, first, blocks = letters(20, seed=6, shift=0.3)
    order = np.random.default_rng(0).permutation(40)
    one = clustered_odds_ratios(counts, tokens, Clusters.of(first, blocks), 1, 4000)[0]
    renamed = [blocks[place][::-1] for place in order]
    other = clustered_odds_ratios(counts[order], tokens[order], Clusters.of(first[order], renamed), 1, 4000)[0]
    assert other.value == pytest.approx(one.value)
    assert other.p == pytest.approx(one.p, abs=0.03)
    assert one.interval.bounds is not None
    assert other.interval.bounds is not None
    assert other.interval.bounds.low == pytest.approx(one.interval.bounds.low, rel=0.03)


def test_the_other_way_round_it_is_the_reciprocal() -> None:
    counts, tokens, first, blocks = letters(20, seed=7, shift=0.3)
    one = clustered_odds_ratios(counts, tokens, Clusters.of(first, blocks), 1, 2000)[0]
    other = clustered_odds_ratios(counts, tokens, Clusters.of(~first, blocks), 1, 2000)[0]
    assert one.value is not None
    assert other.value == pytest.approx(1 / one.value)
    assert other.p == pytest.approx(one.p, abs=0.03)


def test_the_same_seed_gives_the_same_result_in_any_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    counts, tokens, first, blocks = letters(12, seed=8)
    clusters = Clusters.of(first, blocks)
    whole = clustered_odds_ratios(counts, tokens, clusters, 1, 500)
    assert clustered_odds_ratios(counts, tokens, clusters, 1, 500) == whole
    assert clustered_odds_ratios(counts, tokens, clusters, 2, 500) != whole
    monkeypatch.setattr("biasprint.core.metrics.resampling.CHUNK_CELLS", 24 * 7)
    chunked = clustered_odds_ratios(counts, tokens, clusters, 1, 500)
    assert chunked[0].p == whole[0].p
