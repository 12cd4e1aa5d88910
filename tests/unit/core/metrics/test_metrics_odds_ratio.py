"""Odds ratios: against scipy and statsmodels, brute force, blocks, invariances."""

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import brentq
from scipy.special import expit
from scipy.stats.contingency import expected_freq
from seeded_part import seeded_part
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
    result = clustered_odds_ratios(counts, tokens, Clusters.of(first, blocks))[0]
    a, n = counts[first].sum(), tokens[first].sum()
    b, m = counts[~first].sum(), tokens[~first].sum()
    assert result.value == pytest.approx((a + 0.5) * (m - b + 0.5) / ((n - a + 0.5) * (b + 0.5)))


def by_hand(counts: np.ndarray, tokens: np.ndarray, first: np.ndarray, units: list[np.ndarray]) -> tuple[float, ...]:
    """ln OR, its p and 95 % interval, each unit left out by itself; strata are the groups unless a unit has both."""

    def ratio(kept: np.ndarray) -> float:
        sums = [values[side & kept].sum() for side in (first, ~first) for values in (counts[:, 0], tokens)]
        return float(log_odds_ratio(*map(np.array, sums)))

    without = np.array([ratio(~unit) for unit in units])
    side = np.array([0 if first[unit].any() and (~first[unit]).any() else 1 + first[unit].any() for unit in units])
    influence = np.concatenate([without[side == each].mean() - without[side == each] for each in np.unique(side)])
    parts = [(without[side == each], (side == each).sum()) for each in np.unique(side)]
    squares = [((own - own.mean()) ** 2).sum() for own, _ in parts]
    freedom = sum(squares) ** 2 / sum(square**2 / (m - 1) for square, (_, m) in zip(squares, parts, strict=True))
    error = np.sqrt(sum(squares))
    skew = (influence**3).sum() / error**3
    value = ratio(np.ones(len(first), dtype=bool))

    def straightened(theta: float) -> float:
        t = (value - theta) / error
        return float(((1 + skew * t / 3) ** 3 - 1) / skew + skew / 6)

    reach = stats.t.ppf(0.975, freedom)
    low, high = (brentq(lambda theta, to=to: straightened(theta) - to, -20, 20) for to in (reach, -reach))
    return value, 2 * stats.t.sf(abs(straightened(0.0)), freedom), low, high


@pytest.mark.parametrize("matched", [True, False])
def test_interval_and_p_are_halls_t_of_texts_or_blocks_left_out_one_by_one(matched: bool) -> None:
    counts, tokens, first, blocks = letters(10, seed=4, shift=0.8)
    keys = np.array(blocks if matched else [str(place) for place in range(20)])
    expected = by_hand(counts, tokens, first, [keys == key for key in dict.fromkeys(keys.tolist())])
    result = clustered_odds_ratios(counts, tokens, Clusters.of(first, blocks if matched else [""] * 20))[0]
    bounds = result.interval.bounds
    assert bounds is not None
    got = [np.log(result.value or 0), result.p, np.log(bounds.low), np.log(bounds.high)]
    assert got == pytest.approx(list(expected), rel=1e-6)


NOISE = 2 * np.sqrt(0.05 * 0.95 / 500)
UNEQUAL = {  # texts of each group, and how much the log odds of a word vary between them
    "few that vary against many alike": ((12, 60), (1.2, 0.2)), "the other way round": ((60, 12), (1.2, 0.2)),
    "many that vary against few alike": ((12, 60), (0.2, 1.2)), "as many, one varies": ((20, 20), (1.2, 0.2)),
    "very few": ((8, 8), (1.0, 0.2)), "alike": ((60, 60), (0.6, 0.6)),
}  # fmt: skip


@pytest.mark.parametrize(("sizes", "spreads"), seeded_part(UNEQUAL.values(), 2, seed=6), ids=UNEQUAL)
def test_groups_of_other_sizes_and_spreads_raise_no_false_alarm(
    sizes: tuple[int, int], spreads: tuple[float, float]
) -> None:
    rng, trials = np.random.default_rng(1), 500
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)

    def rate(centre: float, spread: float) -> float:
        return float(weights @ expit(centre + spread * nodes)) / float(weights.sum())

    centres = [brentq(lambda centre, spread=spread: rate(centre, spread) - 0.02, -9, 0) for spread in spreads]
    first = np.repeat([True, False], sizes)
    clusters = Clusters.of(first, [""] * sum(sizes))
    centre, spread = (np.repeat(each, sizes) for each in (centres, spreads))
    alarms = contradictions = 0
    for _ in range(trials):
        tokens = rng.integers(220, 380, sum(sizes))
        counts = rng.binomial(tokens, expit(centre + spread * rng.normal(size=len(first))))
        (found,) = clustered_odds_ratios(counts[:, None], tokens, clusters)
        bounds = found.interval.bounds
        assert bounds is not None
        assert found.p is not None
        alarms += found.p <= 0.05
        contradictions += (found.p <= 0.05) != (not bounds.low <= 1 <= bounds.high)
    assert 0.03 - NOISE <= alarms / trials <= 0.07 + NOISE
    assert contradictions == 0


def test_blocks_of_one_group_move_as_wholes() -> None:
    first = np.array([True] * 6 + [False] * 6)
    blocks = ["a", "a", "a", "b", "b", "b", "c", "c", "c", "d", "d", "d"]
    clusters = Clusters.of(first, blocks)
    values = np.arange(12.0)[:, None]
    sums = np.concatenate(list(clusters.permuted_sums(values, generator(0), 500)))
    # 6 ways to choose two of four blocks (sums 3, 12, 21, 30): only these totals can occur.
    assert set(sums.ravel()) == {15.0, 24.0, 33.0, 42.0, 51.0}
    assert not clusters.matched.any()


def test_lone_texts_beside_matched_blocks_are_used_too() -> None:
    counts, tokens, first, blocks = letters(10, seed=5)
    clusters = Clusters.of(np.append(first, [True, False]), [*blocks, "", ""])
    assert clusters.number == 12
    assert clusters.on_both_sides == (11, 11)
    result = clustered_odds_ratios(np.vstack([counts, [[4], [9]]]), np.append(tokens, [300, 280]), clusters)[0]
    assert result.interval.bounds is not None
    assert result.interval.bounds.method == "at least log-normal with ½, over 12 texts and blocks"


def test_what_cannot_be_estimated_says_why() -> None:
    tokens, first = np.full(20, 300), np.tile([True, False], 10)
    lone = Clusters.of(first, [""] * 20)
    rare = clustered_odds_ratios(np.eye(20, 1, dtype=int) * 3, tokens, lone)[0]
    assert (rare.value, rare.reason) == (None, "expected count 1.5 is below 5")
    no_words = clustered_odds_ratios(np.ones((20, 1)), np.where(first, 0, 300), lone)[0]
    assert (no_words.value, no_words.reason) == (None, "a group has no words")
    overfull = clustered_odds_ratios(np.full((20, 1), 301), tokens, lone)[0]
    assert (overfull.value, overfull.reason) == (None, "more matches than words")
    one_group = clustered_odds_ratios(np.ones((20, 1)), tokens, Clusters.of(np.ones(20, bool), [""] * 20))[0]
    assert (one_group.value, one_group.reason) == (None, "a group has no words")


def test_few_texts_have_an_estimate_but_no_interval() -> None:
    counts, tokens, first, blocks = letters(4, seed=2)
    result = clustered_odds_ratios(counts, tokens, Clusters.of(first, blocks))[0]
    assert result.value is not None
    assert result.interval.bounds is None
    assert "fewer than 5" in result.interval.reason


def test_order_of_texts_and_names_of_blocks_do_not_matter() -> None:
    counts, tokens, first, blocks = letters(20, seed=6, shift=0.3)
    order = np.random.default_rng(0).permutation(40)
    one = clustered_odds_ratios(counts, tokens, Clusters.of(first, blocks))[0]
    renamed = [blocks[place][::-1] for place in order]
    other = clustered_odds_ratios(counts[order], tokens[order], Clusters.of(first[order], renamed))[0]
    assert other.value == pytest.approx(one.value)
    assert other.p == pytest.approx(one.p)
    assert one.interval.bounds is not None
    assert other.interval.bounds is not None
    assert other.interval.bounds.low == pytest.approx(one.interval.bounds.low)


def test_the_other_way_round_it_is_the_reciprocal() -> None:
    counts, tokens, first, blocks = letters(20, seed=7, shift=0.3)
    one = clustered_odds_ratios(counts, tokens, Clusters.of(first, blocks))[0]
    other = clustered_odds_ratios(counts, tokens, Clusters.of(~first, blocks))[0]
    assert one.value is not None
    assert other.value == pytest.approx(1 / one.value)
    assert other.p == pytest.approx(one.p)
