"""The interval of ABS. A percentile bootstrap would be wrong: near no preference its coverage is 0."""

from math import sqrt

import numpy as np

from core.metrics.affinity_score import spread, spread_maximum
from core.metrics.result import LEVEL, Bounds, Floats, Ints, MaybeBounds
from core.metrics.wilson import wilson


def affinity_interval(chosen: Ints, design_effect: float = 1.0, level: float = LEVEL) -> MaybeBounds:
    """Bounds of ABS from the choices per identity, shape (k,); the lower end may be 0.

    Two identities: Wilson's bounds of p mapped to |p − ½|. More: inverting the noncentral χ² with
    X² = N k² ABS², k − 1 degrees of freedom, and a continuity correction of half a lattice step, k/N.
    `design_effect` divides N where several raters judged the same comparisons.

    Coverage (tests/unit/core/test_metrics_affinity_coverage.py): at least 93 % for three and four identities from 6
    choices on; for two, Wilson's own, which dips to 89 % for shares beyond .9 with 12 choices. With five and more
    identities, very lopsided shares and fewer than 60 choices it can fall to 87 %.
    """
    n = float(chosen.sum())
    if n == 0:
        return MaybeBounds(None, "no comparison with a choice")
    if len(chosen) < 2:
        return MaybeBounds(None, "an axis needs at least two identities")
    suffix = "" if design_effect == 1 else f", choices divided by the design effect {design_effect:.2f}"
    if len(chosen) == 2:
        low, high = _from_wilson(float(chosen[0]) / design_effect, n / design_effect, level)
        return MaybeBounds(Bounds(low, high, "Wilson's bounds of p mapped to |p − ½|" + suffix, level))
    low, high = _from_noncentral(chosen / n, n / design_effect, level)
    return MaybeBounds(Bounds(low, high, "noncentral χ² inverted, continuity-corrected" + suffix, level))


def _from_wilson(successes: float, n: float, level: float) -> tuple[float, float]:
    bounds = wilson(successes, n, level)
    assert bounds is not None  # n > 0
    left, right = abs(bounds.low - 0.5), abs(bounds.high - 0.5)
    crosses = bounds.low <= 0.5 <= bounds.high
    return (0.0 if crosses else min(left, right)), max(left, right)


def _from_noncentral(shares: Floats, n: float, level: float) -> tuple[float, float]:
    k = len(shares)
    tail = (1 - level) / 2
    statistic = n * k * k * float(spread(shares)) ** 2
    step = k / n
    stretch = _variance_ratio(shares)
    # A lucky even split is no evidence of less than chance: the upper end starts from X²'s own expectation.
    for_high = max(statistic, k - 1) + step
    low, high = (
        sqrt(stretch * _noncentrality(x / stretch, k - 1, quantile) / (n * k * k))
        for x, quantile in ((max(0.0, statistic - step), 1 - tail), (for_high, tail))
    )
    return low, min(high, spread_maximum(k))


def _variance_ratio(shares: Floats) -> float:
    """Variance of X² at these shares over the noncentral χ²'s (both to first order in N), at least 1.

    The noncentral χ² is exact only near equal shares; one identity far above the others makes X² vary more.
    """
    k = len(shares)
    squares, cubes = float((shares**2).sum()), float((shares**3).sum())
    noncentral = k * squares - 1
    return max(1.0, k * k * (cubes - squares**2) / noncentral) if noncentral > 0 else 1.0


def _noncentrality(x: float, df: int, quantile: float) -> float:
    """The λ at which x is the `quantile` of the noncentral χ²; 0 where even λ = 0 puts x below it."""
    from scipy.optimize import brentq
    from scipy.special import chndtr

    if chndtr(x, df, 0.0) <= quantile:
        return 0.0
    above = 2 * x + 20 * sqrt(x + df) + 50
    return float(brentq(lambda shift: np.nan_to_num(chndtr(x, df, shift)) - quantile, 0.0, above))
