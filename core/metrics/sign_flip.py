"""Permutation within pairs: which of a pair came first is swapped, that is, the sign of its difference."""

from collections.abc import Iterator

import numpy as np

from core.metrics.checks import finite
from core.metrics.resampling import TOLERANCE, chunks, permutation_p
from core.metrics.result import RESAMPLES, Floats


def sign_flip_p(differences: Floats, rng: np.random.Generator, resamples: int = RESAMPLES) -> Floats:
    """Two-sided p of a mean of 0, one per column; exact where 2ⁿ arrangements are no more than `resamples`.

    `differences`: pairs, shape (n,) or (n, c). Returns shape () or (c,). Columns are flipped together, so that their
    dependence is kept. Zero differences count as pairs. ValueError for NaN or no pairs.
    """
    values = finite(differences, "differences")
    n = len(values)
    if n == 0:
        raise ValueError("no pairs to permute")
    columns = values.reshape(n, -1)
    observed = np.abs(columns.sum(axis=0))
    # Equal up to rounding is equal, whatever the unit of measurement.
    reach = observed - TOLERANCE * np.abs(columns).sum(axis=0)
    exact = 2**n <= resamples if n < 60 else False
    hits = np.concatenate(
        [
            np.abs(2 * (flips @ columns) - columns.sum(axis=0)) >= reach
            for flips in (_every(n) if exact else _random(n, rng, resamples))
        ]
    )
    p = hits.mean(axis=0) if exact else permutation_p(hits)
    return np.asarray(p).reshape(values.shape[1:])


def _every(n: int) -> Iterator[Floats]:
    numbers = np.arange(2**n)
    yield ((numbers[:, None] >> np.arange(n)) & 1).astype(np.float64)


def _random(n: int, rng: np.random.Generator, resamples: int) -> Iterator[Floats]:
    for size in chunks(resamples, n):
        bits = np.frombuffer(rng.bytes(-(-size * n // 8)), dtype=np.uint8)
        yield np.unpackbits(bits, count=size * n).reshape(size, n).astype(np.float64)
