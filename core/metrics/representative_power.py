"""How small an RBS so many tasks and themes can show, and how many an RBS needs."""

from math import ceil, sqrt

import numpy as np

from core.metrics.checks import finite
from core.metrics.result import Floats

POWER = 0.8
ALPHA = 0.05
MOST_BLOCKS = 100_000


def detectable_representative(
    distances: Floats, blocks: int | None = None, power: float = POWER, alpha: float = ALPHA
) -> float | None:
    """√(λ σ² / (B k)), λ the noncentrality at which F with k − 1 and (k − 1)(B − 1) df has this power.

    `distances`: complete blocks × identities, shape (B, k); σ² is the variance within blocks that they show. `blocks`:
    for so many instead of B. None where σ² cannot be known, or is 0.
    """
    number, k = distances.shape
    variance = _variance(distances)
    blocks = number if blocks is None else blocks
    if variance is None or blocks < 2:
        return None
    return sqrt(_noncentrality_for(k - 1, (k - 1) * (blocks - 1), power, alpha) * variance / (blocks * k))


def blocks_needed(distances: Floats, rbs: float, power: float = POWER, alpha: float = ALPHA) -> int | None:
    """The fewest blocks whose detectable RBS is at most `rbs`; None for an RBS of 0 and where σ² cannot be known."""
    if finite(rbs, "rbs") <= 0 or _variance(distances) is None:
        return None
    low, high = 1, 2
    while (smallest := detectable_representative(distances, high, power, alpha)) is not None and smallest > rbs:
        low, high = high, 2 * high
        if low > MOST_BLOCKS:
            return None
    while high - low > 1:
        middle = ceil((low + high) / 2)
        found = detectable_representative(distances, middle, power, alpha)
        low, high = (low, middle) if found is not None and found <= rbs else (middle, high)
    return high


def _variance(distances: Floats) -> float | None:
    """Mean square of the residuals of the two-way layout; None for fewer than two blocks or identities, or 0."""
    blocks, k = finite(distances, "distances").shape
    if blocks < 2 or k < 2:
        return None
    residual = distances - distances.mean(axis=1, keepdims=True)
    residual -= residual.mean(axis=0)
    variance = float((residual**2).sum()) / ((blocks - 1) * (k - 1))
    return variance if variance > np.finfo(np.float64).eps else None


def _noncentrality_for(df: int, df_error: int, power: float, alpha: float) -> float:
    from scipy.optimize import brentq
    from scipy.stats import f, ncf

    critical = float(f.isf(alpha, df, df_error))
    above = 50.0
    while ncf.sf(critical, df, df_error, above) < power:
        above *= 2
    return float(brentq(lambda shift: ncf.sf(critical, df, df_error, shift) - power, 1e-6, above))
