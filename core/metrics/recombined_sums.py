"""Permuted sums over pairs from a few permutations of each pair, where permuting costs too much for many."""

from collections.abc import Iterator

import numpy as np

from core.metrics.checks import finite
from core.metrics.resampling import chunks
from core.metrics.result import RESAMPLES, Floats


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
