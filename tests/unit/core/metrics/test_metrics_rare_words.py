"""Odds ratios of words that few letters have: against a loop by the formula, scipy's exact ones, and simulations."""

from itertools import pairwise
from math import inf, log, sqrt

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import brentq
from scipy.special import expit

from biasprint.core.metrics.clusters import Clusters
from biasprint.core.metrics.odds import NO_DIFFERENCE, UNBOUNDED, OddsRatio, clustered_odds_ratios

WORDS = 2_000
Z = stats.norm.ppf(0.975)


def letters(
    n: tuple[int, int], rate: float, matched: bool, seed: int, *, clumped: float = 400.0, odds: float = 1.0
) -> tuple[np.ndarray, np.ndarray, Clusters]:
    """Counts of many words that have nothing to do with each other, tokens, and clusters; of matched ones as many."""
    rng = np.random.default_rng(seed)
    first = np.repeat([True, False], n)
    cell = rng.normal(0, 0.6, (n[0], WORDS)) if matched else np.zeros((n[0], WORDS))
    own = np.concatenate([cell, cell]) if matched else np.zeros((sum(n), WORDS))
    chance = expit(np.log(rate) + own + np.where(first, log(odds), 0)[:, None])
    tokens = rng.integers(120, 380, sum(n))
    counts = rng.binomial(tokens[:, None], rng.beta(chance * clumped, (1 - chance) * clumped))
    blocks = [str(place % n[0]) for place in range(sum(n))] if matched else [""] * sum(n)
    return counts, tokens, Clusters.of(first, blocks)


def by_loop(counts: list[int], tokens: list[int], first: list[bool], unit: list[int]) -> tuple[float, float, float]:
    """p of the robust score of ratio 1 and the ends of its interval, unit by unit, in plain Python."""
    n, m = (sum(words for words, of in zip(tokens, first, strict=True) if of == side) for side in (True, False))
    a, b = (sum(count for count, of in zip(counts, first, strict=True) if of == side) for side in (True, False))
    rate = (a + b) / (n + m)
    squares = common = 0.0
    for each in sorted(set(unit)):
        added = apart = 0.0
        for count, words, of, own in zip(counts, tokens, first, unit, strict=True):
            if own == each:
                added += (m if of else -n) / (n + m) * (count - words * rate)
                apart += (1 if of else -1) * (count - words * rate)
        squares, common = squares + added**2, common + apart**2
    expected = min(n, m) * rate
    own_design = squares / (n * m / (n + m) * rate * (1 - rate))
    design = (expected * own_design + 5 * common / ((n + m) * rate * (1 - rate))) / (expected + 5)

    def score(log_ratio: float) -> float:
        ratio = np.exp(log_ratio)

        def too_many(odds: float) -> float:
            return n * ratio * odds / (1 + ratio * odds) + m * odds / (1 + odds) - a - b

        odds = brentq(too_many, 0, 10, xtol=1e-15)
        here, there = ratio * odds / (1 + ratio * odds), odds / (1 + odds)
        information = 1 / (1 / (n * here * (1 - here)) + 1 / (m * there * (1 - there)))
        return (a - n * here) / sqrt(design * information)

    low, high = (brentq(lambda at, to=to: score(at) - to, -12, 12) for to in (Z, -Z))
    return 2 * stats.norm.sf(abs(score(0.0))), low, high


@pytest.mark.parametrize("matched", [True, False])
def test_p_and_interval_are_those_of_a_loop_by_the_formula(matched: bool) -> None:
    counts, tokens, clusters = letters((40, 40 if matched else 25), 0.0015, matched, seed=1, odds=2.0)
    for column in range(10):
        (found,) = clustered_odds_ratios(counts[:, [column]], tokens, clusters)
        one = counts[:, column].tolist(), tokens.tolist(), clusters.first.tolist(), clusters.cluster.tolist()
        bounds = found.interval.bounds
        assert bounds is not None
        assert bounds.method == f"score over {clusters.number} {'matched blocks' if matched else 'texts'}"
        assert [found.p, log(bounds.low), log(bounds.high)] == pytest.approx(by_loop(*one), rel=1e-6, abs=1e-9)


def test_of_letters_with_the_word_once_it_nears_the_exact_conditional_one() -> None:
    """300 of 2,000 letters have a word once, and 240 of 2,000 others: each word of a letter is one trial of scipy's."""
    has = np.concatenate([np.arange(2_000) < 300, np.arange(2_000) < 240])
    clusters = Clusters.of(np.arange(4_000) < 2_000, [""] * 4_000)
    (found,) = clustered_odds_ratios(has[:, None].astype(int), np.full(4_000, 200), clusters)
    exact = stats.contingency.odds_ratio([[300, 400_000 - 300], [240, 400_000 - 240]], kind="conditional")
    bounds = found.interval.bounds
    assert bounds is not None
    # The exact interval is a little wider than needed, since counts are whole.
    expected = exact.confidence_interval(0.95)
    # A letter has a word at most once: it varies a little less than a count, 1 − 270/2,000 of it.
    assert log(bounds.high / bounds.low) == pytest.approx(log(expected.high / expected.low) * sqrt(0.865), rel=0.03)
    assert sqrt(bounds.high * bounds.low) == pytest.approx(exact.statistic, rel=0.01)
    assert found.p == pytest.approx(stats.fisher_exact([[300, 1_700], [240, 1_760]]).pvalue, rel=0.15)


@pytest.mark.parametrize(
    ("n", "rate", "matched", "clumped"),
    [
        ((30, 30), 0.0015, True, 400),
        ((160, 160), 0.0004, True, 400),
        ((160, 160), 0.0005, False, 60),
        ((30, 30), 0.0015, False, 400),
        ((50, 15), 0.002, False, 400),
    ],
)
def test_rare_words_raise_few_false_alarms_and_their_intervals_hold(
    n: tuple[int, int], rate: float, matched: bool, clumped: float
) -> None:
    """Of some 2,000 words: 3 to 7 % alarms, ± 1 of the simulation. Rare words are discrete, so that fewer are right."""
    for odds in (1.0, 4.0):
        counts, tokens, clusters = letters(n, rate, matched, seed=2, clumped=clumped, odds=odds)
        found = [each for each in clustered_odds_ratios(counts, tokens, clusters) if each.value is not None]
        held = [
            each.interval.bounds is None or each.interval.bounds.low <= odds <= each.interval.bounds.high
            for each in found
        ]
        assert len(found) > WORDS / 2
        assert np.mean(held) >= 0.935
        if odds == 1:
            assert 0.025 <= np.mean([each.p is not None and each.p <= 0.05 for each in found]) <= 0.08


def test_what_is_planted_in_rare_words_is_found() -> None:
    """The jackknife's t found 71 % of such words at 5 %, and 2 % at .0001, which many words at once ask for."""
    counts, tokens, clusters = letters((160, 160), 0.0004, True, seed=3, odds=3.0)
    p = np.array([each.p or 1.0 for each in clustered_odds_ratios(counts, tokens, clusters)])
    assert np.mean(p <= 0.05) > 0.85
    assert np.mean(p <= 1e-4) > 0.15


def contradicts(ratio: OddsRatio) -> bool:
    bounds = ratio.interval.bounds
    return bounds is not None and ratio.p is not None and (ratio.p <= 0.05) == (bounds.low <= 1 <= bounds.high)


def test_p_and_interval_never_contradict_each_other() -> None:
    """Over all words, common ones too; of a group's own words p is exact."""
    for matched in (True, False):
        for odds in (1.0, 4.0, 40.0):
            counts, tokens, clusters = letters((30, 30), 0.001, matched, seed=4, odds=odds, clumped=80)
            found = clustered_odds_ratios(counts, tokens, clusters)
            assert sum(bool(each.interval.bounds) and each.interval.bounds.high == inf for each in found) > 10
            assert not any(map(contradicts, found))


def test_what_one_group_has_alone_is_bounded_on_one_side() -> None:
    counts = np.zeros((40, 2), dtype=int)
    counts[:8, 0] = counts[20:28, 1] = 2
    clusters = Clusters.of(np.arange(40) < 20, [""] * 40)
    above, below = clustered_odds_ratios(counts, np.full(40, 100), clusters)
    assert above.interval.bounds is not None
    assert below.interval.bounds is not None
    assert above.p == below.p == pytest.approx(stats.fisher_exact([[8, 12], [0, 20]]).pvalue)
    assert 1 < above.interval.bounds.low < (above.value or 0) < above.interval.bounds.high == inf
    assert below.interval.bounds.low == 0
    assert below.interval.bounds.high == pytest.approx(1 / above.interval.bounds.low)


def test_where_nothing_can_be_bounded_there_is_no_interval_but_a_reason() -> None:
    counts = np.zeros((40, 2), dtype=int)
    counts[0, 0] = 12  # in one letter alone
    counts[[0, 20, 1, 21, 2, 22], 1] = 4  # in both letters of three pairs
    clusters = Clusters.of(np.arange(40) < 20, [str(place % 20) for place in range(40)])
    once, alike = clustered_odds_ratios(counts, np.full(40, 100), clusters)
    assert (once.p, once.interval.bounds, once.interval.reason) == (1, None, UNBOUNDED)
    assert (alike.p, alike.interval.bounds, alike.interval.reason) == (1, None, NO_DIFFERENCE)


def test_more_of_a_word_on_one_side_is_never_less_evidence() -> None:
    """Of 30 letters with it, 20 to 29 in the first group: t of the jackknife falls again where the other has few."""
    clusters = Clusters.of(np.arange(160) < 80, [""] * 160)
    tokens = np.full(160, 200)
    counts = np.zeros((160, 11), dtype=int)
    for column in range(11):
        counts[: 20 + column, column] = 1
        counts[80 : 90 - column, column] = 1
    p = [each.p or 0.0 for each in clustered_odds_ratios(counts, tokens, clusters)]
    assert all(more < less for less, more in pairwise(p))
