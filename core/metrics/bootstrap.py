"""The percentile bootstrap of means, in chunks: memory stays flat whatever the number of resamples."""

from math import sqrt
from statistics import NormalDist

import numpy as np

from core.metrics.checks import finite
from core.metrics.result import LEVEL, RESAMPLES, Floats

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


def widened_tail(units: int, level: float = LEVEL) -> float:
    """Φ(−t₍units−1₎ √(units / (units − 1))): the percentile at which a normal bootstrap reaches as far as t does."""
    from scipy.stats import t

    if units < 2:
        raise ValueError("fewer than two units to resample")
    return NormalDist().cdf(-float(t.ppf((1 + level) / 2, units - 1)) * sqrt(units / (units - 1)))
