"""Seeded resampling: bootstraps and permutations within blocks, in chunks of flat memory.

The worth of choices that belong together, by one person or in one comparison, in independent choices.

Choices of one person resemble each other, and so do choices among the same texts. Taken as independent they make
intervals too narrow; here both count, and how badly few persons tell how much they differ.
"""

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from math import inf, isinf
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from biasprint.core.metrics.result import RESAMPLES, Bools, Floats, Ints, Numbers, finite, same_length

ROUNDING = 1e-9


@dataclass(frozen=True)
class Worth:
    """n choices are worth n / `effect` independent ones; `freedom`: the degrees of freedom with which that is known.

    `clusters`: how many there are of the kind that tells least.
    """

    effect: float = 1.0
    freedom: float = inf
    clusters: int = 0

    @property
    def words(self) -> str:
        """For the method of an interval; empty where nothing goes together."""
        if self.effect == 1 and isinf(self.freedom):
            return ""
        known = "" if isinf(self.freedom) else f", t with {self.freedom:.1f} df"
        return f"divided by the design effect {self.effect:.2f}{known}"


def worth_of_choices(counts: Numbers, *groupings: Ints) -> Worth:
    """Return the worth of choices that belong together in each of these ways, crossed.

    `counts`: choices per judgment and identity, shape (c, k). `groupings`: numbers, shape (c,): of the person, of the
    comparison. Choices that are all the same count once for each cluster. ValueError without choices, and for NaN.
    """
    counts = finite(counts)
    sizes = counts.sum(axis=1)
    n = float(sizes.sum())
    if n == 0:
        raise ValueError("no choices")
    shares = counts.sum(axis=0) / n
    uneven = 1 - float(shares @ shares)
    return worth(counts - sizes[:, None] * shares, sizes, n * uneven if uneven > ROUNDING else 0.0, *groupings)


def worth(residuals: Floats, sizes: Floats, independent: float, *groupings: Ints, single: bool = False) -> Worth:
    """Design effect δ = T / `independent` of residuals (c, k) that belong together, and its degrees of freedom.

    T = Σ_g |S_g|² / (1 − m_g/N) for one grouping, S_g the sum of the residuals of cluster g, m_g of `sizes` (c,), N of
    all: the cluster-robust variance CR2 of a mean, times N². Of two groupings T₁ + T₂ less Σ |residual|², which both
    hold, and at least either of them. δ is at least 1: clusters that are by chance alike are worth no more than they
    hold. Degrees of freedom by Satterthwaite, Σ_g Σ_h of the squares as if choices were independent; times the rank of
    the spread for several identities. `single`: residuals of a model, whose variance is not `independent` even where
    each cluster has one.
    Source: Bell & McCaffrey 2002; Cameron, Gelbach & Miller 2011 (two groupings). With Student's t it covers where the
    sandwich with the normal quantile covers 80 to 90 % (docs/tables/statistics-simulations.md).
    """
    numbered = [np.unique(grouping, return_inverse=True)[1] for grouping in groupings]
    for grouping in numbered:
        same_length(residuals, grouping)
    least = min(int(grouping.max()) + 1 for grouping in numbered)
    together = [grouping for grouping in numbered if np.bincount(grouping).max() > 1]
    if not together and not single:
        return Worth(clusters=least)
    n = float(sizes.sum())
    if least == 1 or independent == 0:
        return Worth(max(1.0, n / least), clusters=least)
    kinds = [
        of_clusters(_sums(residuals, grouping), np.bincount(grouping, sizes).astype(np.float64))
        for grouping in together or numbered[:1]
    ]
    both = sum(total for total, _ in kinds) - (len(kinds) - 1) * float((residuals**2).sum())
    total = max(both, *(total for total, _ in kinds))
    uncertain = sum(total**2 / freedom for total, freedom in kinds)
    freedom = total**2 / uncertain if uncertain > 0 else min(freedom for _, freedom in kinds)
    return Worth(max(1.0, total / independent), freedom, least)


def of_clusters(sums: Floats, sizes: Floats) -> tuple[float, float]:
    """T of one grouping, and its degrees of freedom. `sums`: S_g, shape (g, k); `sizes`: m_g, shape (g,), g ≥ 2."""
    n = float(sizes.sum())
    inflated = 1 / (1 - sizes / n)
    spread = (sums * inflated[:, None]).T @ sums
    crossed = inflated * sizes**2
    squares = float((sizes**2).sum() + (crossed.sum() ** 2 - (crossed**2).sum()) / n**2)
    total = float(np.trace(spread))
    rank = total**2 / float((spread**2).sum()) if total > 0 else 1.0
    return total, n**2 / squares * rank


def _sums(residuals: Floats, grouping: Ints) -> Floats:
    sums = np.zeros((int(grouping.max()) + 1, residuals.shape[1]))
    np.add.at(sums, grouping, residuals)
    return sums


# ---- streams, chunks, p

CHUNK_CELLS = 4_000_000
# Permuted statistics that equal the observed one up to rounding count as equal.
TOLERANCE = 1e-9


def generator(seed: int, *purpose: str) -> np.random.Generator:
    """A stream of its own for every purpose: adding one measure does not change the numbers of another."""
    return np.random.default_rng([seed, *(zlib.crc32(word.encode()) for word in purpose)])


def chunks(resamples: int, cells_each: int) -> Iterator[int]:
    """Sizes that add up to `resamples`, each with at most CHUNK_CELLS cells in memory (and at least one resample)."""
    size = max(1, CHUNK_CELLS // max(1, cells_each))
    for start in range(0, resamples, size):
        yield min(size, resamples - start)


def permutation_p(at_least: Bools | Floats) -> Floats:
    """(1 + hits) / (1 + R) over the first axis: the observed arrangement is one of the possible ones, so p is never 0.

    Source: Phipson & Smyth 2010.
    """
    hits = finite(at_least, "hits").sum(axis=0)
    return np.asarray((1 + hits) / (1 + len(at_least)))


# As many as a processor keeps near: with sixteen times as many a resample takes twice the time.
DRAWN_AT_ONCE = 250_000


def bootstrap_means(values: Floats, rng: np.random.Generator, resamples: int = RESAMPLES) -> Floats:
    """Means of `values` over n units drawn with replacement: shape (resamples, c).

    `values`: independent units, shape (n,) or (n, c); the columns of a unit stay together. ValueError for NaN or no
    units.
    """
    rows = finite(values)
    n = len(rows)
    if n == 0:
        raise ValueError("no units to resample")
    columns = [np.ascontiguousarray(column) for column in rows.reshape(n, -1).T]
    means = np.empty((resamples, len(columns)))
    size = max(1, DRAWN_AT_ONCE // n)
    for start in range(0, resamples, size):
        part = means[start : start + size]
        drawn = rng.integers(0, n, size=(len(part), n))
        for place, column in enumerate(columns):
            part[:, place] = column.take(drawn).mean(axis=1)
    return means


def cluster_bootstrap_sums(per_cluster: Floats, rng: np.random.Generator, resamples: int = RESAMPLES) -> Floats:
    """Sums of `per_cluster` over as many clusters drawn with replacement: shape (resamples, c).

    `per_cluster`: sums (or counts) of each cluster's items, shape (clusters, c); ratios are made from the sums, so
    that larger clusters weigh more. ValueError for NaN or no clusters.
    """
    return bootstrap_means(per_cluster, rng, resamples) * len(per_cluster)


Label = TypeVar("Label", bound=np.generic)


def shuffled_within(labels: NDArray[Label], stratum: Ints, rng: np.random.Generator, size: int) -> NDArray[Label]:
    """`size` shuffles of `labels` (n,) within the strata, whole numbers of shape (n,): shape (size, n)."""
    sorted_labels = labels[np.argsort(stratum, kind="stable")]
    # Sorting by stratum plus a random fraction shuffles within each stratum at once.
    order = np.argsort(stratum + rng.random((size, len(labels))), axis=1)
    shuffled = np.empty((size, len(labels)), dtype=labels.dtype)
    np.put_along_axis(shuffled, order, np.broadcast_to(sorted_labels, shuffled.shape), axis=1)
    return shuffled


def shuffled_sums(labels: Floats, stratum: Ints, values: Floats, rng: np.random.Generator, size: int) -> Floats:
    """`shuffled_within(…) @ values`, `values` (n, c): shape (size, c). Where all strata are pairs, without sorting."""
    if len(labels) == 0 or (np.unique(stratum, return_counts=True)[1] != 2).any():
        return np.asarray(shuffled_within(labels, stratum, rng, size) @ values)
    i, j = np.argsort(stratum, kind="stable").reshape(-1, 2).T
    drawn = rng.random((size, len(labels)))
    swapped = drawn.take(i, axis=1) > drawn.take(j, axis=1)
    moved = (labels[j] - labels[i])[:, None] * (values[i] - values[j])
    return np.asarray(labels @ values + swapped.astype(np.float64) @ moved)


# A random number just below 1 times the blocks left must not round up to them: the last wanted ones would be missed.
BELOW_ONE = np.float32(1 - 2**-22)


def dealt_sums(
    values: Floats, first: Bools, unit: Ints, rng: np.random.Generator, resamples: int = RESAMPLES
) -> Iterator[Floats]:
    """Sums of `values` over the first side, the blocks of each unit dealt at random: chunks of shape (chunk, units, c).

    As many blocks go to each side as it had. `values`: per block, shape (b, c); `first`: is it on the first side;
    `unit`: the pair it belongs to, numbered from 0 without a gap; shapes (b,). The second side is the unit's total
    less the first. Drawn block after block by selection sampling (Knuth, Algorithm 3.4.2 S), all units at once, so that
    memory is that of the sums. ValueError for NaN.
    """
    same_length(values, first)
    same_length(values, unit)
    units = int(unit.max(initial=-1)) + 1
    columns = np.ascontiguousarray(finite(values).reshape(len(values), -1).T)
    sizes = np.bincount(unit, minlength=units)
    # Units with the most blocks first: at every step those that still have one stand in front.
    ranks = np.argsort(-sizes, kind="stable")
    rank_of = np.empty(units, dtype=np.int64)
    rank_of[ranks] = np.arange(units)
    wanted = np.bincount(unit, first, minlength=units)[ranks].astype(np.float32)
    order = np.argsort(rank_of[unit], kind="stable")
    starts = np.concatenate([[0], np.cumsum(sizes[ranks])[:-1]])
    for size in chunks(resamples, units * len(columns)):
        sums = np.zeros((len(columns), size, units))
        missing = np.broadcast_to(wanted, (size, units)).copy()
        for step in range(int(sizes.max(initial=0))):
            active = int((sizes > step).sum())
            left = (sizes[ranks[:active]] - step).astype(np.float32) * BELOW_ONE
            taken = rng.random((size, active), dtype=np.float32) * left < missing[:, :active]
            missing[:, :active] -= taken
            blocks = order[starts[:active] + step]
            for column, total in zip(columns, sums, strict=True):
                total[:, :active] += taken * column[blocks]
        yield np.moveaxis(sums[:, :, rank_of], 0, 2)


def recombined_sums(
    values: Floats, members: Floats, rng: np.random.Generator, resamples: int = RESAMPLES
) -> Iterator[Floats]:
    """Sums over the pairs of each part, one permutation of every pair drawn at random: chunks of (chunk, parts, c).

    Pairs are permuted independently of each other, so any combination of their permuted values is a permutation of
    all. `values`: of each pair under each of its permutations, shape (pairs, draws, c), draws ≥ 2. `members`: which
    pairs are of which part, (parts, pairs). Deviations from the mean are widened by √((draws + 1) / (draws − 1)): a
    pair's few draws vary less than all of its permutations would, and their mean is itself uncertain.
    ValueError for NaN or fewer than two draws.
    """
    pairs, draws, columns = finite(values).shape
    if draws < 2:
        raise ValueError("each pair needs at least two permutations")
    centre = members @ values.mean(axis=1)
    wider = np.sqrt((draws + 1) / (draws - 1))
    by_column = np.ascontiguousarray(np.moveaxis(values, 2, 0)).reshape(columns, -1)
    for size in chunks(resamples, pairs * columns):
        drawn = rng.integers(0, draws, size=(size, pairs)) + np.arange(pairs) * draws
        sums = np.stack([column.take(drawn) @ members.T for column in by_column], axis=2)
        yield centre + wider * (sums - centre)
