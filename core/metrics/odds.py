"""Odds ratios of counted words: as published, of rare words, of texts that were made together, and their change."""

from dataclasses import dataclass, replace
from math import exp, log, sqrt
from statistics import NormalDist

import numpy as np

from biasprint.core.metrics.clusters import Clusters
from biasprint.core.metrics.means import t_quantile
from biasprint.core.metrics.power import ALPHA, POWER
from biasprint.core.metrics.resampling import (
    TOLERANCE,
    chunks,
    cluster_bootstrap_sums,
    generator,
    permutation_p,
    widened_tail,
)
from biasprint.core.metrics.result import (
    LEVEL,
    NO_BOUNDS,
    RESAMPLES,
    Bools,
    Bounds,
    Floats,
    Ints,
    MaybeBounds,
    Numbers,
    estimates_alone,
    finite,
    same_length,
)

# ---- the formula, and as published

HALDANE = 0.5
FEWEST_EXPECTED = 5.0


@dataclass(frozen=True)
class OddsRatio:
    """`p`, `detectable` (the smallest ratio above 1 that would be seen at power 0.8) are None where not computed."""

    value: float | None
    reason: str
    interval: MaybeBounds
    p: float | None = None
    detectable: float | None = None


def published_odds_ratio(
    count_first: float, tokens_first: float, count_second: float, tokens_second: float
) -> OddsRatio:
    """[(a + ε) / (n_a − a + ε)] / [(b + ε) / (n_b − b + ε)] with ε = 0.001, the authors' program.

    Log-normal interval exp(ln OR ± z √(1/a + 1/(n_a − a) + 1/b + 1/(n_b − b))), as if tokens were independent.
    Source: Wan et al. 2023, Table 2; ε is in their released code, not in the paper.
    """
    epsilon = 0.001
    cells = (count_first, tokens_first - count_first, count_second, tokens_second - count_second)
    finite(cells, "counts")
    if min(cells) < 0:
        # One token can add several counts, so a short text can hold more counts than tokens.
        return OddsRatio(None, "more matches than words", MaybeBounds(None, "no estimate"))
    a, not_a, b, not_b = (cell + epsilon for cell in cells)
    value = (a / not_a) / (b / not_b)
    if min(cells) == 0:
        return OddsRatio(value, "", MaybeBounds(None, "a count of 0 has no log-normal interval"))
    half = NormalDist().inv_cdf((1 + LEVEL) / 2) * sqrt(sum(1 / cell for cell in cells))
    bounds = Bounds(exp(log(value) - half), exp(log(value) + half), "log-normal")
    return OddsRatio(value, "", MaybeBounds(bounds))


def log_odds_ratio(count_first: Floats, tokens_first: Floats, count_second: Floats, tokens_second: Floats) -> Floats:
    """ln of the odds ratio with Haldane's ½ in every cell; any shapes that broadcast, counts never above tokens."""
    return np.asarray(
        np.log((count_first + HALDANE) / (tokens_first - count_first + HALDANE))
        - np.log((count_second + HALDANE) / (tokens_second - count_second + HALDANE))
    )


def telling_log_odds(first: Numbers, second: Numbers, prior_words: float = 500.0) -> tuple[Floats, Floats]:
    """δ_w = ln[(a_w + α_w) / (n_a + α₀ − a_w − α_w)] − the same of b, and z_w = δ_w / √(1/(a_w + α_w) + 1/(b_w + α_w)).

    `first` (a), `second` (b): counts per word, shape (w,). The prior is informative: α_w is the word's share of both
    sides together, times `prior_words` (α₀), so that rare words need more than a chance run to stand out. Both are 0
    for a word that is on neither side. ValueError for NaN, or where there is no word at all.
    Source: Monroe, Colaresi & Quinn 2008, equations 15, 16 and 22.
    """
    same_length(first, second)
    finite(first, "counts"), finite(second, "counts")
    both = first + second
    if both.sum() <= 0:
        raise ValueError("there are no words to compare")
    prior = prior_words * both / both.sum()
    sides = []
    for counts in (first, second):
        with_prior = counts + prior
        rest = counts.sum() + prior_words - with_prior
        sides.append((with_prior, rest))
    seen = (both > 0) & np.all([rest > 0 for _, rest in sides], axis=0)
    delta, z = np.zeros(len(first)), np.zeros(len(first))
    (a, not_a), (b, not_b) = ((counts[seen], rest[seen]) for counts, rest in sides)
    delta[seen] = np.log(a / not_a) - np.log(b / not_b)
    z[seen] = delta[seen] / np.sqrt(1 / a + 1 / b)
    return delta, z


def smallest_expected(count: float, tokens_first: float, tokens_second: float) -> float:
    """The smaller of the two counts expected if the words fell on both groups alike, in proportion to their tokens."""
    return count * min(tokens_first, tokens_second) / (tokens_first + tokens_second)


def sample_odds_ratio(count_first: int, total_first: int, count_second: int, total_second: int) -> OddsRatio:
    """[a / (n_a − a)] / [b / (n_b − b)], with scipy's log-normal interval, as if items were independent.

    Undefined where any of the four cells is 0. ValueError for a count above its total.
    """
    from scipy.stats.contingency import odds_ratio

    cells = (count_first, total_first - count_first, count_second, total_second - count_second)
    if min(cells) < 0:
        raise ValueError("a count is above its total")
    if min(cells) == 0:
        return OddsRatio(None, "one of the four counts is 0", MaybeBounds(None, "no estimate"))
    result = odds_ratio([[cells[0], cells[1]], [cells[2], cells[3]]], kind="sample")
    low, high = result.confidence_interval(LEVEL)
    return OddsRatio(
        float(result.statistic), "", MaybeBounds(Bounds(float(low), float(high), "log-normal, words as independent"))
    )


AT_LEAST = "at least log-normal with ½"


def rare_odds_ratio(
    ratio: OddsRatio, count_first: float, total_first: float, count_second: float, total_second: float
) -> OddsRatio:
    """`ratio` with its interval at least as wide as the log-normal one with ½ in every cell (Gart 1966).

    The bootstrap cannot vary a count of 0, and hardly one of 2: it takes what is rare for certain. The level is that
    of the bootstrap, and is reported as it is: a higher one makes up for the choice of words by their ratios, so that
    no more than 5 % of the intervals shown miss (Benjamini & Yekutieli 2005).
    """
    numbers = finite([count_first, total_first, count_second, total_second], "counts")
    bounds = ratio.interval.bounds
    if ratio.value is None or bounds is None or AT_LEAST in bounds.method:
        return ratio
    cells = (count_first, total_first - count_first, count_second, total_second - count_second)
    centre = float(log_odds_ratio(numbers[:1], numbers[1:2], numbers[2:3], numbers[3:])[0])
    spread = sqrt(sum(1 / (cell + HALDANE) for cell in cells))
    half = NormalDist().inv_cdf((1 + bounds.level) / 2) * spread
    low, high = min(log(bounds.low), centre - half), max(log(bounds.high), centre + half)
    method = f"{bounds.method}, {AT_LEAST}"
    if bounds.level > LEVEL:
        method += f"; at {100 * bounds.level:.4g} %, for words chosen by their ratios"
    return replace(ratio, interval=MaybeBounds(Bounds(exp(low), exp(high), method, bounds.level)))


# ---- texts, not words, as what was sampled

# Below this the bootstrap covers less than 93 % (test_metrics_odds_ratio_coverage.py).
FEWEST_CLUSTERS = 8


def clustered_odds_ratios(
    counts: Numbers,
    tokens: Numbers,
    clusters: Clusters,
    seed: int,
    resamples: int = RESAMPLES,
    *,
    level: float = LEVEL,
) -> list[OddsRatio]:
    """Return one odds ratio (first group over second, Haldane's ½) per column of `counts`.

    `counts`: matches per text and category, shape (n, c); `tokens`: words per text, shape (n,). Interval: percentile
    cluster bootstrap of ln OR at `level`, its tails widened for few clusters (Hesterberg 2015); of what is in one
    group alone at least the log-normal one (`rare_odds_ratio`). p: two-sided, groups permuted as `Clusters` says; of
    what one group has alone the exact chance of it, which no number of drawn permutations could tell. Undefined where
    a group has no words, an expected count is below FEWEST_EXPECTED, or a text has more matches than words.
    """
    finite(counts, "counts")
    finite(tokens, "tokens")
    overfull = np.any(counts > tokens[:, None], axis=0, keepdims=True)[0]
    values = np.column_stack([np.where(overfull, 0, counts), tokens]).astype(np.float64)
    first, second = (clusters.totals(values, of_first=side) for side in (True, False))
    in_first, in_second = first.sum(axis=0), second.sum(axis=0)
    if in_first[-1] == 0 or in_second[-1] == 0:
        nothing = OddsRatio(None, "a group has no words", MaybeBounds(None, "no estimate"))
        return [nothing] * counts.shape[1]
    observed = _log_ratio(in_first, in_second)
    p, seen_at = np.ones(len(observed)), np.zeros(len(observed))
    intervals = [NO_BOUNDS] * len(observed)
    if not estimates_alone():
        null = _null(values, clusters, generator(seed, "odds ratio", "permutation"), resamples)
        p = permutation_p(abs(null) >= abs(observed) - TOLERANCE)
        seen_at = (NormalDist().inv_cdf(1 - ALPHA / 2) + NormalDist().inv_cdf(POWER)) * null.std(axis=0)
        intervals = _intervals(first, second, clusters, generator(seed, "odds ratio", "bootstrap"), resamples, level)
    results = []
    for column, interval in enumerate(intervals):
        if overfull[column]:
            results.append(OddsRatio(None, "more matches than words", MaybeBounds(None, "no estimate")))
            continue
        expected = smallest_expected(in_first[column] + in_second[column], in_first[-1], in_second[-1])
        if expected < FEWEST_EXPECTED:
            reason = f"expected count {expected:.1f} is below {FEWEST_EXPECTED:.0f}"
            results.append(OddsRatio(None, reason, MaybeBounds(None, "no estimate")))
            continue
        value = exp(float(observed[column]))
        if estimates_alone():
            results.append(OddsRatio(value, "", interval))
            continue
        ratio = OddsRatio(value, "", interval, float(p[column]), exp(float(seen_at[column])))
        if min(in_first[column], in_second[column]) == 0:
            cells = (in_first[column], in_first[-1], in_second[column], in_second[-1])
            ratio = replace(rare_odds_ratio(ratio, *cells), p=clusters.chance_on_one_side(counts[:, column] > 0))
        results.append(ratio)
    return results


def _log_ratio(first: Floats, second: Floats) -> Floats:
    """`first`, `second`: sums per category and, in the last column, of tokens; shape (…, c + 1)."""
    return log_odds_ratio(first[..., :-1], first[..., -1:], second[..., :-1], second[..., -1:])


def _null(values: Floats, clusters: Clusters, rng: np.random.Generator, resamples: int) -> Floats:
    total = values.sum(axis=0)
    parts = [_log_ratio(sums, total - sums) for sums in clusters.permuted_sums(values, rng, resamples)]
    return np.concatenate(parts)


def _intervals(
    first: Floats, second: Floats, clusters: Clusters, rng: np.random.Generator, resamples: int, level: float
) -> list[MaybeBounds]:
    columns = first.shape[1]
    if min(clusters.on_both_sides) < FEWEST_CLUSTERS:
        reason = f"fewer than {FEWEST_CLUSTERS} texts or matched blocks on a side to resample"
        return [MaybeBounds(None, reason)] * (columns - 1)
    draws = np.concatenate(
        [
            _log_ratio(sums[:, :columns], sums[:, columns:])
            for sums in clusters.resampled_sums(np.hstack([first, second]), rng, resamples)
        ]
    )
    tail = _widened_tail(clusters, level)
    low, high = np.exp(np.quantile(draws, [tail, 1 - tail], axis=0))
    unit = "matched blocks" if clusters.matched.all() else "texts and blocks" if clusters.matched.any() else "texts"
    method = f"cluster bootstrap over {clusters.number} {unit}"
    return [MaybeBounds(Bounds(float(a), float(b), method, level)) for a, b in zip(low, high, strict=True)]


def _widened_tail(clusters: Clusters, level: float) -> float:
    """The percentile that a normal bootstrap needs to reach as far as Student's t with the unbiased variance."""
    smallest = min(clusters.on_both_sides)
    reach = t_quantile((1 + level) / 2, clusters.number - len(clusters.strata())) * sqrt(smallest / (smallest - 1))
    return float(NormalDist().cdf(-reach))


# ---- the same texts asked for twice, with and without an instruction


@dataclass(frozen=True)
class OddsRatioChange:
    """`value`: odds ratio with the instruction over that without. None where undefined; `reason` says why."""

    value: float | None
    reason: str
    interval: MaybeBounds
    p: float | None = None


def odds_ratio_changes(
    plain: Numbers,
    plain_tokens: Numbers,
    treated: Numbers,
    treated_tokens: Numbers,
    first: Bools,
    cluster: Ints,
    seed: int,
    resamples: int = RESAMPLES,
) -> list[OddsRatioChange]:
    """OR with the instruction / OR without it, per column; both first group over second, Haldane's ½ in each cell.

    Row i of `plain` (n, c) and of `treated` are the two texts of one prompt; `…_tokens` (n,): their words; `first`
    (n,): is it of the first group; `cluster` (n,): numbers from 0, what was sampled together. Interval: percentile
    bootstrap over clusters, tails widened for few of them. p: two-sided, the two texts of a prompt swapped at random.
    ValueError for unequal lengths or NaN.
    """
    before = finite(np.column_stack([plain, plain_tokens]))
    after = finite(np.column_stack([treated, treated_tokens]))
    if not len(before) == len(after) == len(first) == len(cluster):
        raise ValueError("every text needs its twin, a group and a cluster")
    cells = np.hstack([side[:, None] * part for part in (before, after) for side in (first, ~first)])
    totals = cells.sum(axis=0)
    if min(_parts(totals)[place][..., -1].min() for place in range(4)) == 0:
        return [OddsRatioChange(None, "a group has no words", MaybeBounds(None, "no estimate"))] * plain.shape[1]
    observed = _log_change(totals)
    if estimates_alone():
        return [_change(at, float(value), None, NO_BOUNDS, totals) for at, value in enumerate(observed)]
    p = permutation_p(
        np.abs(_swapped(before, after, first, generator(seed, "odds ratio change", "swap"), resamples))
        >= np.abs(observed) - TOLERANCE
    )
    intervals = _intervals_of_changes(cells, first, cluster, seed, resamples)
    return [
        _change(column, float(observed[column]), float(p[column]), intervals[column], totals)
        for column in range(plain.shape[1])
    ]


def _change(column: int, log_change: float, p: float | None, interval: MaybeBounds, totals: Floats) -> OddsRatioChange:
    in_plain, out_plain, in_treated, out_treated = _parts(totals)
    expected = min(
        smallest_expected(inside[column] + outside[column], inside[-1], outside[-1])
        for inside, outside in ((in_plain, out_plain), (in_treated, out_treated))
    )
    if expected < FEWEST_EXPECTED:
        reason = f"expected count {expected:.1f} is below {FEWEST_EXPECTED:.0f}"
        return OddsRatioChange(None, reason, MaybeBounds(None, "no estimate"))
    sides = (in_plain, out_plain, in_treated, out_treated)
    if interval.bounds is not None and min(side[column] for side in sides) == 0:
        interval = MaybeBounds(_at_least_log_normal(interval.bounds, log_change, [(s[column], s[-1]) for s in sides]))
    return OddsRatioChange(exp(log_change), "", interval, p)


def _at_least_log_normal(bounds: Bounds, centre: float, sides: list[tuple[float, float]]) -> Bounds:
    """The bootstrap cannot vary a count of 0: then the interval reaches at least as far as with ½ in every cell."""
    variance = sum(1 / (count + HALDANE) + 1 / (words - count + HALDANE) for count, words in sides)
    half = NormalDist().inv_cdf((1 + bounds.level) / 2) * sqrt(variance)
    low, high = min(bounds.low, exp(centre - half)), max(bounds.high, exp(centre + half))
    return Bounds(low, high, f"{bounds.method}, {AT_LEAST}", bounds.level)


def _parts(sums: Floats) -> list[Floats]:
    """First group and second group without the instruction, then with it; columns and, last, tokens."""
    return np.split(sums, 4, axis=-1)


def _log_change(sums: Floats) -> Floats:
    in_plain, out_plain, in_treated, out_treated = _parts(sums)

    def ratio(inside: Floats, outside: Floats) -> Floats:
        return log_odds_ratio(inside[..., :-1], inside[..., -1:], outside[..., :-1], outside[..., -1:])

    return ratio(in_treated, out_treated) - ratio(in_plain, out_plain)


def _swapped(before: Floats, after: Floats, first: Bools, rng: np.random.Generator, resamples: int) -> Floats:
    """ln changes with the two texts of each prompt swapped at random: shape (resamples, c)."""
    drawn = []
    for size in chunks(resamples, len(before)):
        flips = (rng.random((size, len(before))) < 0.5).astype(np.float64)
        parts = []
        for own, other in ((before, after), (after, before)):
            moved = other - own
            parts += [own[side].sum(axis=0) + flips[:, side] @ moved[side] for side in (first, ~first)]
        drawn.append(_log_change(np.hstack(parts)))
    return np.concatenate(drawn)


def _intervals_of_changes(cells: Floats, first: Bools, cluster: Ints, seed: int, resamples: int) -> list[MaybeBounds]:
    clusters = int(cluster.max()) + 1
    columns = cells.shape[1] // 4 - 1
    per_cluster = np.zeros((clusters, cells.shape[1]))
    np.add.at(per_cluster, cluster, cells)
    fewest = min(len(np.unique(cluster[side])) for side in (first, ~first))
    if fewest < FEWEST_CLUSTERS:
        reason = f"fewer than {FEWEST_CLUSTERS} matched blocks or texts of a group to resample"
        return [MaybeBounds(None, reason)] * columns
    draws = _log_change(cluster_bootstrap_sums(per_cluster, generator(seed, "odds ratio change"), resamples))
    tail = widened_tail(fewest)
    low, high = np.exp(np.quantile(draws, [tail, 1 - tail], axis=0))
    method = f"cluster bootstrap over {clusters} blocks or texts"
    return [MaybeBounds(Bounds(float(a), float(b), method)) for a, b in zip(low, high, strict=True)]
