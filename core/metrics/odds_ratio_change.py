"""How an instruction changes an odds ratio: the same texts asked for twice, with and without it."""

from dataclasses import dataclass
from math import exp

import numpy as np

from core.metrics.bootstrap import widened_tail
from core.metrics.checks import finite
from core.metrics.cluster_bootstrap import cluster_bootstrap_sums
from core.metrics.clustered_odds_ratio import FEWEST_CLUSTERS
from core.metrics.odds_ratio import FEWEST_EXPECTED, log_odds_ratio, smallest_expected
from core.metrics.resampling import TOLERANCE, chunks, generator, permutation_p
from core.metrics.result import RESAMPLES, Bools, Bounds, Floats, Ints, MaybeBounds, Numbers


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
    one = finite(np.column_stack([plain, plain_tokens]))
    two = finite(np.column_stack([treated, treated_tokens]))
    if not len(one) == len(two) == len(first) == len(cluster):
        raise ValueError("every text needs its twin, a group and a cluster")
    cells = np.hstack([side[:, None] * part for part in (one, two) for side in (first, ~first)])
    totals = cells.sum(axis=0)
    if min(_parts(totals)[place][..., -1].min() for place in range(4)) == 0:
        return [OddsRatioChange(None, "a group has no words", MaybeBounds(None, "no estimate"))] * plain.shape[1]
    observed = _log_change(totals)
    p = permutation_p(
        np.abs(_swapped(one, two, first, generator(seed, "odds ratio change", "swap"), resamples))
        >= np.abs(observed) - TOLERANCE
    )
    intervals = _intervals(cells, first, cluster, seed, resamples)
    return [
        _change(column, float(observed[column]), float(p[column]), intervals[column], totals)
        for column in range(plain.shape[1])
    ]


def _change(column: int, log_change: float, p: float, interval: MaybeBounds, totals: Floats) -> OddsRatioChange:
    in_plain, out_plain, in_treated, out_treated = _parts(totals)
    expected = min(
        smallest_expected(inside[column] + outside[column], inside[-1], outside[-1])
        for inside, outside in ((in_plain, out_plain), (in_treated, out_treated))
    )
    if expected < FEWEST_EXPECTED:
        reason = f"expected count {expected:.1f} is below {FEWEST_EXPECTED:.0f}"
        return OddsRatioChange(None, reason, MaybeBounds(None, "no estimate"))
    return OddsRatioChange(exp(log_change), "", interval, p)


def _parts(sums: Floats) -> list[Floats]:
    """First group and second group without the instruction, then with it; columns and, last, tokens."""
    return np.split(sums, 4, axis=-1)


def _log_change(sums: Floats) -> Floats:
    in_plain, out_plain, in_treated, out_treated = _parts(sums)

    def ratio(inside: Floats, outside: Floats) -> Floats:
        return log_odds_ratio(inside[..., :-1], inside[..., -1:], outside[..., :-1], outside[..., -1:])

    return ratio(in_treated, out_treated) - ratio(in_plain, out_plain)


def _swapped(one: Floats, two: Floats, first: Bools, rng: np.random.Generator, resamples: int) -> Floats:
    """ln changes with the two texts of each prompt swapped at random: shape (resamples, c)."""
    drawn = []
    for size in chunks(resamples, len(one)):
        flips = (rng.random((size, len(one))) < 0.5).astype(np.float64)
        parts = []
        for own, other in ((one, two), (two, one)):
            moved = other - own
            parts += [own[side].sum(axis=0) + flips[:, side] @ moved[side] for side in (first, ~first)]
        drawn.append(_log_change(np.hstack(parts)))
    return np.concatenate(drawn)


def _intervals(cells: Floats, first: Bools, cluster: Ints, seed: int, resamples: int) -> list[MaybeBounds]:
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
