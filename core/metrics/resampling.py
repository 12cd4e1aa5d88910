"""Seeded resampling: bootstraps and permutations within blocks, in chunks of flat memory."""

import zlib
from collections.abc import Iterator
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from biasprint.core.metrics.result import (
    RESAMPLES,
    Bools,
    Floats,
    Ints,
    finite,
    same_length,
)

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
