"""The interval of RBS, chosen by simulation (tests/unit/core/test_metrics_representative_interval.py).

A percentile bootstrap never covers 0. A plain noncentral F covers 85 % where identities vary unequally.
"""

from math import sqrt

import numpy as np

from core.metrics.checks import finite
from core.metrics.mean_interval import mean_interval
from core.metrics.result import LEVEL, Bounds, Floats, MaybeBounds

FEWEST_BLOCKS = 6


def representative_interval(distances: Floats, level: float = LEVEL) -> MaybeBounds:
    """Bounds of RBS from complete blocks × identities, shape (B, k); the lower end may be 0.

    Two identities: the paired t interval of D_1 − D_2, mapped to |D_1 − D_2| / 2. More: inverting the noncentral F
    of the two-way layout, F = B Σ(D_i − D̄)² / tr S with λ = B k RBS² / σ², S the covariance of the block-centred
    distances; degrees of freedom after Greenhouse and Geisser, and the variance along the observed contrast
    where that is larger than the average one.
    """
    blocks, k = finite(distances, "distances").shape
    if blocks < FEWEST_BLOCKS:
        return MaybeBounds(None, f"fewer than {FEWEST_BLOCKS} complete tasks and themes")
    if k == 2:
        return _from_difference(distances[:, 0] - distances[:, 1], level)
    centred = distances - distances.mean(axis=1, keepdims=True)
    contrast = centred.mean(axis=0)
    residual = centred - contrast
    covariance = residual.T @ residual / (blocks - 1)
    if np.trace(covariance) <= np.finfo(float).eps:
        return MaybeBounds(None, "identities differ by the same amount in every task and theme")
    low, high = _from_noncentral(contrast, covariance, blocks, level)
    return MaybeBounds(Bounds(low, high, "noncentral F inverted, Greenhouse–Geisser", level))


def _from_difference(difference: Floats, level: float) -> MaybeBounds:
    bounds = mean_interval(difference, level).bounds
    assert bounds is not None  # at least FEWEST_BLOCKS
    ends = sorted((abs(bounds.low), abs(bounds.high)))
    low = 0.0 if bounds.low <= 0 <= bounds.high else ends[0]
    return MaybeBounds(Bounds(low / 2, ends[1] / 2, "paired t mapped to |D₁ − D₂| / 2", level))


def _from_noncentral(contrast: Floats, covariance: Floats, blocks: int, level: float) -> tuple[float, float]:
    k = len(contrast)
    total = float(np.trace(covariance))
    sphericity = min(1.0, total**2 / ((k - 1) * float((covariance**2).sum())))
    df = sphericity * (k - 1)
    size = float(contrast @ contrast)
    along = float(contrast @ covariance @ contrast) / size if size > 0 else 0.0
    stretch = max(1.0, along * (k - 1) / total)
    statistic = blocks * size / total
    # A lucky tie is no evidence of less than chance: the upper end starts from F's own expectation.
    tail = (1 - level) / 2
    low, high = (
        sqrt(stretch * _noncentrality(f / stretch, df, df * (blocks - 1), quantile) * total / (df * blocks * k))
        for f, quantile in ((statistic, 1 - tail), (max(1.0, statistic), tail))
    )
    return low, high


def _noncentrality(f: float, df: float, df_error: float, quantile: float) -> float:
    """The λ at which f is the `quantile` of the noncentral F; 0 where even λ = 0 puts f below it."""
    from scipy.optimize import brentq
    from scipy.stats import ncf

    def excess(shift: float) -> float:
        # The series underflows to NaN only where the probability is 0 to machine precision.
        return float(np.nan_to_num(ncf.cdf(f, df, df_error, shift))) - quantile

    if excess(0.0) <= 0:
        return 0.0
    above = 10 * f * df + 50
    while excess(above) > 0:
        above *= 2
    return float(brentq(excess, 0.0, above))
