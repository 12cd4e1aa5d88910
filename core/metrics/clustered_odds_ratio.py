"""Odds ratios whose interval and p treat texts, not words, as what was sampled."""

from math import exp, sqrt
from statistics import NormalDist

import numpy as np

from core.metrics.affinity_power import ALPHA, POWER
from core.metrics.checks import finite
from core.metrics.clusters import Clusters
from core.metrics.odds_ratio import FEWEST_EXPECTED, OddsRatio, log_odds_ratio, smallest_expected
from core.metrics.resampling import TOLERANCE, generator, permutation_p
from core.metrics.result import LEVEL, RESAMPLES, Bounds, Floats, MaybeBounds, Numbers

# Below this the bootstrap covers less than 93 % (tests/unit/core/test_metrics_odds_ratio_coverage.py).
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
    """One odds ratio (first group over second, Haldane's ½) per column of `counts`.

    `counts`: matches per text and category, shape (n, c); `tokens`: words per text, shape (n,). Interval: percentile
    cluster bootstrap of ln OR at `level`, its tails widened for few clusters (Hesterberg 2015). p: two-sided, groups
    permuted as `Clusters` says. Undefined where a group has no words, an expected count is below FEWEST_EXPECTED,
    or a text has more matches than words.
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
        results.append(OddsRatio(value, "", interval, float(p[column]), exp(float(seen_at[column]))))
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
    from scipy.stats import t

    smallest = min(clusters.on_both_sides)
    reach = t.ppf((1 + level) / 2, clusters.number - len(clusters.strata())) * sqrt(smallest / (smallest - 1))
    return float(NormalDist().cdf(-float(reach)))
