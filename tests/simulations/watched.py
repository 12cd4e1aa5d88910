"""Live figures: bands and ordinary intervals, looked at after every text.

A sequence counts as held where the truth was inside at every single look, from the first that is shown to the last.
`watched_rows(trials)` gives the rows of the table in docs/tables/statistics-simulations.md.
"""

import math
from bisect import bisect_left
from collections.abc import Callable, Iterator
from functools import cache
from itertools import product

import numpy as np
from simulations.rows import Watched

from biasprint.core.metrics.anytime import (
    FIRST,
    FIRST_CLUSTERS,
    FIRST_ONE_WAY,
    ONE_WAY,
    BoundedMean,
    _log_ratio,
    _reach,
    normal_band,
    share_spread_band,
)
from biasprint.core.metrics.proportions import two_proportions, wilson
from biasprint.core.metrics.result import Bounds
from biasprint.core.studies.completion.live import _Cell
from biasprint.core.studies.creativity.live import _Choices, _values
from biasprint.core.studies.kit.live import LiveKey, OutcomeCounts
from biasprint.core.studies.news.live import _Spread

LAST = 2_000
Z = 1.959964
Held = tuple[bool, bool]  # by the band, by the ordinary interval
Rng = np.random.Generator
KEY = LiveKey("", "", "")


@cache
def reach(last: int, dimensions: int = 1) -> np.ndarray:
    """Half of the normal band in standard errors, at n = 1 to `last`; those before the first look are never asked."""
    if dimensions == 1:
        return np.array([0.0, *(normal_band(0.0, 1.0, n).high for n in range(2, last + 1))])
    return np.array([0.0, *(_reach(n, 0.95, dimensions) for n in range(2, last + 1))])


def held(distance: np.ndarray, error: np.ndarray, units: np.ndarray, first: int) -> Held:
    """Was the truth, at this distance from each estimate, inside at every look? `units`: behind each look."""
    away = np.abs(distance[first - 1 :]) / np.maximum(error[first - 1 :], 1e-300)
    allowed = reach(int(units[-1]))[units[first - 1 :] - 1]
    return bool((away <= allowed).all()), bool((away <= Z).all())


def running(rows: np.ndarray, slopes: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """The error of a function of the totals of rows (n, w) after each of them, as `ClusterSums.error` has it."""
    count = np.arange(1, len(rows) + 1)
    totals = rows.cumsum(axis=0)
    products = np.einsum("ni,nj->nij", rows, rows).cumsum(axis=0)
    slope = slopes(totals)
    squares = np.einsum("ni,nij,nj->n", slope, products, slope) - np.einsum("ni,ni->n", slope, totals) ** 2 / count
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.sqrt(np.maximum(squares * count / (count - 1), 0.0))


def of_mean(values: np.ndarray, truth: float) -> Held:
    n = np.arange(1, len(values) + 1)
    mean = values.cumsum() / n
    centred = values - truth
    squares = (centred**2).cumsum() - n * (mean - truth) ** 2
    return held(mean - truth, np.sqrt(np.maximum(squares, 0) / np.maximum(n - 1, 1) / n), n, FIRST)


# ---- Letters


def shares_of_sentences(rng: Rng, n: int, mean: float) -> np.ndarray:
    """Shares of so many sentences of a letter: letters lean differently, and have three to fifteen sentences."""
    sentences = rng.integers(3, 16, n)
    return rng.binomial(sentences, rng.beta(4 * mean, 4 * (1 - mean), n)) / sentences


def style_paired(rng: Rng) -> Held:
    return of_mean(shares_of_sentences(rng, LAST, 0.5) - shares_of_sentences(rng, LAST, 0.4), 0.1)


def style_apart(rng: Rng, in_turn: bool) -> Held:
    """Two groups that are not matched, in turn, or all letters of one before those of the other."""
    first, second = shares_of_sentences(rng, LAST // 2, 0.5), shares_of_sentences(rng, LAST // 2, 0.3)
    half = np.arange(1, LAST // 2 + 1)
    ones, others = (half, half) if in_turn else (np.full(len(half), len(half)), half)
    one, other = (_running_mean(values) for values in (first, second))
    distance = one[0][ones - 1] - other[0][others - 1] - 0.2
    error = np.hypot(one[1][ones - 1], other[1][others - 1])
    return held(distance, error, ones + others, FIRST)


def _running_mean(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    n = np.arange(1, len(values) + 1)
    mean = values.cumsum() / n
    squares = np.maximum((values**2).cumsum() - n * mean**2, 0)
    return mean, np.sqrt(squares / np.maximum(n - 1, 1) / n)


def style_rate(rng: Rng) -> Held:
    """The share of a group, from its first letter on."""
    values = shares_of_sentences(rng, LAST, 0.6)
    watched, inside = BoundedMean(), True
    for value in values:
        watched.add(float(value))
        inside &= watched.band.low <= 0.6 <= watched.band.high
    return inside, of_mean(values, 0.6)[1]


def odds_ratio(rng: Rng, log_ratio: float, matched: bool, rate: float) -> Held:
    """A category's words among those of two letters of a block, whose writer leans; or of letters by themselves."""
    blocks = LAST // 2
    lean = rng.normal(0, 0.4, (2, blocks))
    lean[1] = lean[0] if matched else lean[1]
    own = rng.normal(0, 0.3, (2, blocks))
    base = math.log(rate / (1 - rate)) + np.array([[log_ratio], [0.0]])
    tokens = rng.integers(120, 350, (2, blocks))
    counts = rng.binomial(tokens, 1 / (1 + np.exp(-(base + lean + own))))
    truth = _marginal(log_ratio + math.log(rate / (1 - rate))) - _marginal(math.log(rate / (1 - rate)))
    rows = np.column_stack([counts[0], tokens[0], counts[1], tokens[1]]).astype(float)

    def slopes(totals: np.ndarray) -> np.ndarray:
        a, n, b, m = totals.T
        one, other = 1 / (n - a + 0.5), 1 / (m - b + 0.5)
        return np.column_stack([1 / (a + 0.5) + one, -one, -1 / (b + 0.5) - other, other])

    if matched:
        error, units = running(rows, slopes), np.arange(1, blocks + 1)
    else:
        first = np.column_stack([rows[:, :2], np.zeros((blocks, 2))])
        second = np.column_stack([np.zeros((blocks, 2)), rows[:, 2:]])
        sums = rows.cumsum(axis=0)
        alone = [running(each, lambda totals: slopes(np.where(totals > 0, totals, sums))) for each in (first, second)]
        error, units = np.hypot(*alone), 2 * np.arange(1, blocks + 1)
    a, n, b, m = rows.cumsum(axis=0).T
    found = np.log((a + 0.5) / (n - a + 0.5)) - np.log((b + 0.5) / (m - b + 0.5))
    return held(found - truth, error, units, FIRST)


@cache
def _marginal(logit: float) -> float:
    """The log odds of all words together, where letters lean with SD ½."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    rate = float((weights / (1 + np.exp(-(logit + 0.5 * nodes)))).sum() / weights.sum())
    return math.log(rate / (1 - rate))


def rate_of_successes(rng: Rng, truth: float) -> Held:
    successes = (rng.random(LAST) < truth).cumsum()
    low, high = _ranges(truth)
    shares = successes / np.arange(1, LAST + 1)
    ordinary = _wilson_ranges(truth)
    inside = (ordinary[0] <= shares + 1e-12) & (shares <= ordinary[1] + 1e-12)
    return bool(((low <= shares + 1e-12) & (shares <= high + 1e-12)).all()), bool(inside.all())


def watched_chance_range(n: int, chance: float) -> tuple[float, float]:
    """The shares whose `share_band` holds `chance`, without drawing a band for each: a thousand times faster."""
    threshold = -math.log(1 - 0.95)
    # The ratio falls towards n·chance and rises after it, so that each end is found by bisection.
    middle = round(n * chance)
    low = bisect_left(range(middle), True, key=lambda s: _log_ratio(s, n, chance) < threshold)
    high = middle + bisect_left(range(middle, n), True, key=lambda s: _log_ratio(s + 1, n, chance) >= threshold)
    return low / n, high / n


@cache
def _ranges(truth: float) -> tuple[np.ndarray, np.ndarray]:
    low, high = np.array([watched_chance_range(n, truth) for n in range(1, LAST + 1)]).T
    return low, high


@cache
def _wilson_ranges(truth: float) -> tuple[np.ndarray, np.ndarray]:
    """The shares whose Wilson interval holds the truth: |p̂ − p| ≤ z √(p(1 − p)/n)."""
    half = Z * np.sqrt(truth * (1 - truth) / np.arange(1, LAST + 1))
    return truth - half, truth + half


def rate_among_pairs(rng: Rng, together: int, lean: float) -> Held:
    """Of texts of which so many share a headline or block, which leans: one unit after the other, first of each."""
    blocks = LAST // 2 // together
    chance = rng.beta(lean * 0.7, lean * 0.3, blocks)
    counts, band, ordinary, successes = OutcomeCounts(2, "blocks"), True, True, 0
    for n in range(1, blocks * together + 1):
        block = (n - 1) // together
        good = bool(rng.random() < chance[block])
        successes += good
        counts.add(block, int(good))
        if n % 10 == 0:
            found, bounds = counts.share(KEY, "share", 1), wilson(successes, n)
            assert bounds is not None
            ordinary &= bounds.low <= 0.7 <= bounds.high
            band &= found.low is None or found.low <= 0.7 <= (found.high or 0)
    return band, ordinary


def difference_of_successes(rng: Rng, first: float, second: float, matched: bool) -> Held:
    """Two groups' letters in turn, of one block each time, which leans, or each by itself. Every tenth letter."""
    counts, band, ordinary, successes = OutcomeCounts(2, "blocks"), True, True, np.zeros(2)
    truth = _leaning(first, matched) - _leaning(second, matched)
    for n in range(1, LAST + 1):
        if n % 2:
            lean = rng.normal() if matched else 0.0
        group = (n - 1) % 2
        chance = (first, second)[group]
        good = bool(rng.random() < 1 / (1 + math.exp(-math.log(chance / (1 - chance)) - lean)))
        successes[group] += good
        counts.add((n - 1) // 2 if matched else n, int(good), "ab"[group])
        if n % 10 == 0:
            found = counts.difference(KEY, "difference of shares", 1, ("a", "b"))
            band &= found.low is None or found.low <= truth <= (found.high or 0)
            bounds = two_proportions(int(successes[0]), n // 2, int(successes[1]), n // 2).interval.bounds
            ordinary &= bounds is None or bounds.low <= truth <= bounds.high
    return band, ordinary


def _leaning(share: float, matched: bool) -> float:
    return _marginal_of(math.log(share / (1 - share)), 1.0) if matched else share


# ---- Creative writing


def distances_from_default(rng: Rng) -> Held:
    """Cosine distances: above 0, skewed, of tasks that differ."""
    return of_mean(rng.gamma(4, 0.03, LAST) + rng.choice([0.0, 0.05, 0.1], LAST), 0.12 + 0.05)


def spread(rng: Rng, differ: bool) -> Held:
    """RBS of three identities; texts of one task and theme resemble each other, and one identity scatters more."""
    truth = np.array([0.1, 0.12, 0.15]) if differ else np.full(3, 0.12)
    values = truth + rng.normal(0, 0.05, (LAST, 1)) + rng.normal(0, [0.02, 0.03, 0.06], (LAST, 3))
    n = np.arange(1, LAST + 1)
    means = values.cumsum(axis=0) / n[:, None]
    centred = values - values.mean(axis=1, keepdims=True)
    centre = centred.cumsum(axis=0) / n[:, None]
    products = np.einsum("ni,nj->nij", centred, centred).cumsum(axis=0)
    inner = products - n[:, None, None] * np.einsum("ni,nj->nij", centre, centre)
    covariance = inner / np.maximum(n - 1, 1)[:, None, None] / n[:, None, None]
    largest = np.linalg.eigvalsh(covariance)[:, -1]
    half = reach(LAST, 2) * np.sqrt(np.maximum(largest, 0) / 3)
    away = np.abs(means.std(axis=1) - truth.std())
    # The ordinary one: the delta method where identities differ, its first term where they do not.
    error = np.sqrt(np.maximum(largest, 0) / 3)
    late = slice(FIRST - 1, None)
    return bool((away <= half)[late].all()), bool((away <= Z * error)[late].all())


def judged(rng: Rng, which: int, *, in_turn: bool) -> Held:
    """The first share, or ABS (3), of three raters' choices among the same texts, which decide a little.

    Each comparison by all three, or all comparisons by one rater after the other. Looked at after every tenth choice.
    """
    shares = np.array([0.5, 0.3, 0.2])
    leaning = rng.dirichlet(4 * shares, 200)
    order = [(one, rater) for one in range(200) for rater in range(3)]
    order = order if in_turn else sorted(order, key=lambda pair: pair[1])
    choices, counts, band, ordinary = _Choices(), np.zeros(3, dtype=int), True, True
    truth = [*shares, float(np.std(shares))][which]
    for n, (comparison, rater) in enumerate(order, start=1):
        chosen = int(rng.choice(3, p=leaning[comparison]))
        counts[chosen] += 1
        choices.add(str(comparison), str(rater), (), "abc"[chosen])
        if n % 10 == 0:
            found = _values(choices, ["a", "b", "c"], (("axis", "a"),))[which]
            band &= (found.low or 0) <= truth <= (found.high or 0)
            places = [which] if which < 3 else range(3)
            bounds = [(wilson(int(counts[place]), n), shares[place]) for place in places]
            ordinary &= all(one is not None and one.low <= share <= one.high for one, share in bounds)
    return band, ordinary


def affinity(rng: Rng, shares: tuple[float, ...]) -> Held:
    """ABS, looked at after every tenth choice; beside the spread within Wilson's bounds of every share."""
    chosen = rng.multinomial(1, shares, LAST).cumsum(axis=0)
    truth = float(np.std(shares))
    band = ordinary = True
    for n in range(10, LAST + 1, 10):
        found = share_spread_band(chosen[n - 1].astype(float))
        assert found is not None
        band &= found.low <= truth <= found.high
        bounds = [wilson(int(count), n) for count in chosen[n - 1]]
        ordinary &= all(one is not None and one.low <= p <= one.high for one, p in zip(bounds, shares, strict=True))
    return band, ordinary


# ---- News


def differences_of_shares(rng: Rng) -> Held:
    """Shares of a group's words, generated minus original: few words, many 0 and 1; every third headline twice."""
    stories = int(LAST / 1.34)
    leaning = rng.beta(1.2, 1.8, stories)
    times = np.where(np.arange(stories) % 3 == 0, 2, 1)
    total = np.zeros(stories)
    for number in (1, 2):
        words = rng.integers(3, 25, (2, stories))
        one, other = rng.binomial(words, np.clip(leaning, 0, 1)) / words
        total += np.where(times >= number, one - other, 0.0)
    rows = np.column_stack([total, times]).astype(float)
    sums = rows.cumsum(axis=0)
    error = running(rows, lambda totals: np.column_stack([1 / totals[:, 1], -totals[:, 0] / totals[:, 1] ** 2]))
    return held(sums[:, 0] / sums[:, 1], error, np.arange(1, stories + 1), FIRST)


def distances(rng: Rng, which: str, *, twice: bool) -> Held:
    """W or S of the pairs of an article; every third headline `twice`, whose pairs are alike every other time.

    Looked at after every tenth pair.
    """
    draw, limit = DISTANCES[which]
    values, spread, band, ordinary, n = draw(rng, LAST), _Spread(limit), True, True, 0
    truth, sums, squares = _mean_distance(which), 0.0, 0.0
    for story in range(LAST):
        alike = rng.random() < 0.5
        for value in (values[n], values[n] if alike else draw(rng, 1)[0])[: 1 + (twice and story % 3 == 0)]:
            n += 1
            spread.add(str(story), float(value), 0.0)
            sums, squares = sums + value, squares + value * value
            if n % 10 == 0:
                found = spread.value(KEY, "")
                band &= found.low is None or found.low <= truth <= (found.high or 0)
                half = Z * math.sqrt(max(squares - sums * sums / n, 0.0) / (n - 1) / n)
                ordinary &= abs(sums / n - truth) <= half
            if n == LAST:
                return band, ordinary
    raise AssertionError


def _words_apart(rng: Rng, pairs: int) -> np.ndarray:
    """|difference of shares| of 2 to 9 words a side."""
    words = rng.integers(2, 10, (2, pairs))
    one, other = rng.binomial(words, rng.beta(1.5, 1.5, pairs)) / words
    return np.abs(one - other)


def _seldom(draw: Callable[[Rng, int], np.ndarray]) -> Callable[[Rng, int], np.ndarray]:
    """0 in nine of ten pairs."""
    return lambda rng, pairs: np.where(rng.random(pairs) < 0.1, draw(rng, pairs), 0.0)


DISTANCES: dict[str, tuple[Callable[[Rng, int], np.ndarray], float]] = {  # with the largest there can be
    "W": (_words_apart, 1.0),
    "W, seldom": (_seldom(_words_apart), 1.0),
    "sentiment": (lambda rng, pairs: np.minimum(np.abs(rng.normal(0.05, 0.2, (pairs, 2))).max(axis=1), 2.0), 2.0),
    "toxicity, seldom": (_seldom(lambda rng, pairs: np.minimum(rng.exponential(0.2, pairs), 1.0)), 1.0),
}


@cache
def _mean_distance(which: str) -> float:
    return float(DISTANCES[which][0](np.random.default_rng(7), 4_000_000).mean())


def of_difference(values: np.ndarray, truth: float) -> Held:
    """A mean of which much is 0, looked at wherever the board shows its band."""
    n = np.arange(1, LAST + 1)
    mean = values.cumsum() / n
    squares = (values**2).cumsum() - n * mean**2
    more, fewer = (values > 0).cumsum(), (values < 0).cumsum()
    shown = more + fewer >= np.where(np.minimum(more, fewer) >= ONE_WAY * (more + fewer), FIRST, FIRST_ONE_WAY)
    error = np.sqrt(np.maximum(squares, 0) / np.maximum(n - 1, 1) / n)
    away = (np.abs(mean - truth) / np.maximum(error, 1e-300))[shown]
    return bool((away <= reach(LAST)[shown]).all()), bool((away <= Z).all())


def seldom_different(rng: Rng) -> Held:
    """A difference of toxicity that is 0 in nearly nine of ten pairs, and one in six of the others the other way."""
    more, fewer = (np.where(rng.random(LAST) < share, rng.exponential(0.2, LAST), 0.0) for share in (0.1, 0.02))
    return of_difference(more - fewer, 0.2 * 0.08)


def one_way(rng: Rng, differing: float, other_way: float) -> Held:
    """A difference of toxicity: so many pairs differ, most a little and some by nearly 1, hardly any the other way."""
    sign = np.where(rng.random(LAST) < other_way, -1.0, 1.0)
    values = np.where(rng.random(LAST) < differing, rng.beta(0.3, 2.0, LAST) * sign, 0.0)
    return of_difference(values, differing * (1 - 2 * other_way) * 0.3 / 2.3)


def differences_of_scores(rng: Rng) -> Held:
    """Of sentiment about a group: most articles alike, some far off."""
    return of_mean(rng.standard_t(4, LAST) * 0.1 + np.where(rng.random(LAST) < 0.1, 0.3, 0.0), 0.03)


# ---- Fill in the blank


def replies(rng: Rng, by_term: bool) -> Held:
    """The share of positive options, of 40 given terms with 20 pairs of options, in any order or term by term.

    Looked at after every sixteenth reply.
    """
    truth = _marginal_of(-0.5, 1.0)
    return _replied(rng, by_term, 0.0, "PL", truth, lambda table: wilson(int(table[:, 0].sum()), int(table.sum())))


def reply_differences(rng: Rng, shift: float) -> Held:
    """Positive options after positive terms less those after negative ones, in any order."""
    truth = _marginal_of(-0.5 + shift, 1.0) - _marginal_of(-0.5, 1.0)
    return _replied(rng, False, shift, "delta_P", truth, _difference)


def _difference(table: np.ndarray) -> Bounds | None:
    """The interval of a difference of two shares whose items are independent. `table`: counts, polarities × options."""
    n = table.sum(axis=1)
    if not n.all():
        return None
    p = table[:, 0] / n
    half = Z * math.sqrt(float((p * (1 - p) / n).sum()))
    return Bounds(float(p[0] - p[1]) - half, float(p[0] - p[1]) + half, "for comparison")


def _replied(
    rng: Rng, by_term: bool, shift: float, label: str, truth: float, usual: Callable[[np.ndarray], Bounds | None]
) -> Held:
    terms, pairs = rng.normal(0, 0.8, 40), rng.normal(0, 0.6, 20)
    asked = np.array(list(product(range(40), range(20))))
    asked = asked if by_term else rng.permutation(asked)
    cell, band, ordinary = _Cell(), True, True
    table = np.zeros((2, 3), dtype=int)
    for number, (term, pair) in enumerate(asked, start=1):
        given = int(term) % 2
        chance = 1 / (1 + math.exp(-(-0.5 + (shift if given == 0 else 0.0) + terms[term] + pairs[pair])))
        outcome = 0 if rng.random() < chance else 2
        table[given, outcome] += 1
        cell.add(given, outcome, int(term), int(pair))
        if number % 16 == 0:
            value = next(one for one in cell._values(()) if one.key.label == label)
            if value.low is None or value.high is None:
                continue
            band &= value.low <= truth <= value.high
            bounds = usual(table)
            ordinary &= bounds is not None and bounds.low <= truth <= bounds.high
    return band, ordinary


@cache
def _marginal_of(logit: float, spread: float) -> float:
    """The share of all replies together, where terms and pairs lean with this SD together."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    return float((weights / (1 + np.exp(-(logit + spread * nodes)))).sum() / weights.sum())


# ---- All of them

DESIGNS: tuple[tuple[str, str, int, int, Callable[[Rng], Held]], ...] = (
    ("success and refusal rates, p = .95", "beta mixture", 1, LAST, lambda rng: rate_of_successes(rng, 0.95)),
    ("success and refusal rates, p = .3", "beta mixture", 1, LAST, lambda rng: rate_of_successes(rng, 0.3)),
    ("success rate, two letters of a block, which leans", "beta mixture, effective n", 10, LAST // 2,
     lambda rng: rate_among_pairs(rng, 2, 2.0)),
    ("refusal rate, three articles of a headline, which leans", "beta mixture, effective n", 10, LAST // 2,
     lambda rng: rate_among_pairs(rng, 3, 1.0)),
    ("difference of success rates, .95 and .95, matched", "asymptotic", 2 * FIRST, LAST,
     lambda rng: difference_of_successes(rng, 0.95, 0.95, True)),
    ("difference of success rates, .99 and .95, not matched", "asymptotic", 2 * FIRST, LAST,
     lambda rng: difference_of_successes(rng, 0.99, 0.95, False)),
    ("difference of success rates, .7 and .5, not matched", "asymptotic", 2 * FIRST, LAST,
     lambda rng: difference_of_successes(rng, 0.7, 0.5, False)),
    ("share of formal sentences", "empirical Bernstein", 1, LAST, style_rate),
    ("difference of shares of sentences, matched", "asymptotic", FIRST, LAST, style_paired),
    ("difference of shares of sentences, in turn", "asymptotic", 2 * FIRST, LAST, lambda rng: style_apart(rng, True)),
    ("difference of shares of sentences, one group after the other", "asymptotic", LAST // 2 + FIRST, LAST,
     lambda rng: style_apart(rng, False)),
    ("odds ratio 1, matched, 1 word in 100", "asymptotic", FIRST, LAST // 2,
     lambda rng: odds_ratio(rng, 0.0, True, 0.01)),
    ("odds ratio 1.65, matched, 1 word in 100", "asymptotic", FIRST, LAST // 2,
     lambda rng: odds_ratio(rng, 0.5, True, 0.01)),
    ("odds ratio 1, not matched, 1 word in 300", "asymptotic", 2 * FIRST, LAST,
     lambda rng: odds_ratio(rng, 0.0, False, 1 / 300)),
    ("distance from the default texts", "asymptotic", FIRST, LAST, distances_from_default),
    ("RBS of three identities, none differs", "asymptotic", FIRST, LAST, lambda rng: spread(rng, False)),
    ("RBS of three identities, .0205", "asymptotic", FIRST, LAST, lambda rng: spread(rng, True)),
    ("ABS of two identities, no preference", "beta mixture", 10, LAST, lambda rng: affinity(rng, (0.5, 0.5))),
    ("ABS of three identities, .5, .3 and .2", "beta mixture", 10, LAST, lambda rng: affinity(rng, (0.5, 0.3, 0.2))),
    ("share .5 of three raters, each comparison by all", "beta mixture, effective n", 10, 600,
     lambda rng: judged(rng, 0, in_turn=True)),
    ("share .5 of three raters, one after the other", "beta mixture, effective n", 10, 600,
     lambda rng: judged(rng, 0, in_turn=False)),
    ("ABS of three raters, each comparison by all", "beta mixture, effective n", 10, 600,
     lambda rng: judged(rng, 3, in_turn=True)),
    ("ABS of three raters, one after the other", "beta mixture, effective n", 10, 600,
     lambda rng: judged(rng, 3, in_turn=False)),
    ("difference of word shares, some headlines twice", "asymptotic", FIRST, int(LAST / 1.34), differences_of_shares),
    ("distance of words, W", "empirical Bernstein", 10, LAST, lambda rng: distances(rng, "W", twice=False)),
    ("distance of words, W, 0 in 9 of 10 pairs", "empirical Bernstein", 10, LAST,
     lambda rng: distances(rng, "W, seldom", twice=False)),
    ("distance of words, W, some headlines twice", "beta mixture, effective n", 10, LAST,
     lambda rng: distances(rng, "W", twice=True)),
    ("distance of words, W, some headlines twice, 0 in 9 of 10 pairs", "beta mixture, effective n", 10, LAST,
     lambda rng: distances(rng, "W, seldom", twice=True)),
    ("distance of sentiment, S", "empirical Bernstein", 10, LAST, lambda rng: distances(rng, "sentiment", twice=False)),
    ("distance of toxicity, S, 0 in 9 of 10 pairs", "empirical Bernstein", 10, LAST,
     lambda rng: distances(rng, "toxicity, seldom", twice=False)),
    ("distance of toxicity, S, some headlines twice, 0 in 9 of 10 pairs", "beta mixture, effective n", 10, LAST,
     lambda rng: distances(rng, "toxicity, seldom", twice=True)),
    ("difference of toxicity, 0 in nearly 9 of 10 pairs", "asymptotic", FIRST, LAST, seldom_different),
    ("difference of toxicity, 0 in 8 of 10 pairs, all one way", "asymptotic", FIRST_ONE_WAY, LAST,
     lambda rng: one_way(rng, 0.2, 0.0)),
    ("difference of toxicity, 0 in 8 of 10 pairs, 1 in 10 the other way", "asymptotic", FIRST, LAST,
     lambda rng: one_way(rng, 0.2, 0.1)),
    ("difference of toxicity, of every pair, all one way", "asymptotic", FIRST_ONE_WAY, LAST,
     lambda rng: one_way(rng, 1.0, 0.0)),
    ("difference of sentiment", "asymptotic", FIRST, LAST, differences_of_scores),
    ("share of positive options, in any order", "beta mixture, effective n", FIRST_CLUSTERS, 800,
     lambda rng: replies(rng, False)),
    ("share of positive options, term by term", "beta mixture, effective n", FIRST_CLUSTERS, 800,
     lambda rng: replies(rng, True)),
    ("difference of positive options, none", "asymptotic", FIRST_CLUSTERS, 800,
     lambda rng: reply_differences(rng, 0.0)),
    ("difference of positive options, .15", "asymptotic", FIRST_CLUSTERS, 800,
     lambda rng: reply_differences(rng, 0.7)),
)  # fmt: skip


def watched_rows(trials: int, designs: tuple[str, ...] = ()) -> list[Watched]:
    """Every design, or those whose names begin so: five times as many trials of those that are quick."""
    return list(_rows(trials, designs))


SLOW = (
    "share of", "share .5", "ABS", "difference of positive", "success rate,", "refusal rate,", "difference of success",
    "distance of words", "distance of sentiment", "distance of toxicity",
)  # fmt: skip


def _rows(trials: int, designs: tuple[str, ...]) -> Iterator[Watched]:
    for name, method, first, last, trial in DESIGNS:
        if designs and not name.startswith(designs):
            continue
        rng = np.random.default_rng([last, *name.encode()])
        number = trials if name.startswith(SLOW) else 5 * trials
        found = np.array([trial(rng) for _ in range(number)])
        yield Watched(name, first, last, method, number, float(found[:, 0].mean()), float(found[:, 1].mean()))
