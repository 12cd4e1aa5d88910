"""Seeded resampling in chunks, so that memory stays flat whatever the number of items."""

import zlib
from collections.abc import Iterator

import numpy as np

from core.metrics.checks import finite
from core.metrics.result import Bools, Floats

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
