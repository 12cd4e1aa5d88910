"""How small an ABS so many choices can show, and how many choices an ABS needs."""

from math import ceil, sqrt

from core.metrics.affinity_score import spread_maximum

POWER = 0.8
ALPHA = 0.05


def detectable_affinity(n: float, k: int, power: float = POWER, alpha: float = ALPHA) -> float | None:
    """√(λ / (N k²)), λ the noncentrality at which the χ² test of k − 1 degrees of freedom has this power.

    None where even a rater who always chooses the same identity would be missed.
    """
    if n <= 0 or k < 2:
        return None
    smallest = sqrt(_noncentrality_for(k - 1, power, alpha) / n) / k
    return smallest if smallest <= spread_maximum(k) else None


def choices_needed(abs_value: float, k: int, power: float = POWER, alpha: float = ALPHA) -> int | None:
    """The number of independent choices, λ / (k² ABS²), rounded up; None for an ABS of 0."""
    if abs_value <= 0 or k < 2:
        return None
    return ceil(_noncentrality_for(k - 1, power, alpha) / (k * abs_value) ** 2)


def _noncentrality_for(df: int, power: float, alpha: float) -> float:
    from scipy.optimize import brentq
    from scipy.stats import chi2, ncx2

    critical = float(chi2.isf(alpha, df))
    return float(brentq(lambda shift: ncx2.sf(critical, df, shift) - power, 1e-6, 1e4))
