"""How small a difference so many units can show, and how many units a difference needs."""

from functools import lru_cache
from math import asin, ceil, sin, sqrt
from statistics import NormalDist

import numpy as np

from core.metrics.checks import finite

POWER = 0.8
ALPHA = 0.05


def detectable_difference(
    sd: float, n: int, n_second: int | None = None, *, power: float = POWER, alpha: float = ALPHA
) -> float | None:
    """The smallest mean difference that a two-sided t-test finds with this power: δ sd √(1/n [+ 1/n_second]).

    δ: noncentrality at which t with n − 1 (n + n_second − 2) df has the power. One number: pairs, `sd` that of their
    differences; two: independent groups, `sd` within them. None with fewer than two units, or without spread.
    """
    if min(n, n if n_second is None else n_second) < 2 or finite(sd) <= 0:
        return None
    df = n - 1 if n_second is None else n + n_second - 2
    return _noncentrality(df, power, alpha) * sd * sqrt(1 / n + (1 / n_second if n_second else 0.0))


def needed_n(
    effect: float, sd: float, *, two_samples: bool = False, power: float = POWER, alpha: float = ALPHA
) -> int | None:
    """The smallest number of pairs (of units per group where `two_samples`) that finds a mean difference `effect`.

    None for an effect or a standard deviation of 0: no number, or any number, would do.
    """
    if finite(effect) == 0 or finite(sd) <= 0:
        return None

    def enough(n: int) -> bool:
        found = detectable_difference(sd, n, n if two_samples else None, power=power, alpha=alpha)
        return found is not None and found <= abs(effect)

    low, high = 1, 2
    while not enough(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def detectable_proportion(
    baseline: float, n: int, n_second: int | None = None, *, power: float = POWER, alpha: float = ALPHA
) -> float | None:
    """The smallest rise (or, where there is no room for it, fall) from `baseline` that a two-sided z-test finds.

    By Cohen's h: h = (z₁₋α/₂ + z_power) √(1/n [+ 1/n_second]); one number: against a fixed baseline. Signed.
    None where even going to 1 or to 0 would be missed.
    """
    if n < 1 or n_second == 0:
        return None
    h = _z(power, alpha) * sqrt(1 / n + (1 / n_second if n_second else 0.0))
    angle = 2 * asin(sqrt(finite(baseline)))
    ends = [end for end in (angle + h, angle - h) if 0 <= end <= 2 * asin(1)]
    return sin(ends[0] / 2) ** 2 - baseline if ends else None


def needed_n_proportions(
    first: float, second: float, *, two_samples: bool = True, power: float = POWER, alpha: float = ALPHA
) -> int | None:
    """Units per group (units, against a fixed `second`, where not `two_samples`): ⌈2 (z / h)²⌉; None where equal."""
    h = abs(2 * asin(sqrt(finite(first))) - 2 * asin(sqrt(finite(second))))
    return ceil((2 if two_samples else 1) * (_z(power, alpha) / h) ** 2) if h > 0 else None


def _z(power: float, alpha: float) -> float:
    return NormalDist().inv_cdf(1 - alpha / 2) + NormalDist().inv_cdf(power)


@lru_cache(maxsize=4096)
def _noncentrality(df: int, power: float, alpha: float) -> float:
    from scipy.optimize import brentq
    from scipy.special import nctdtr, stdtrit

    critical = float(stdtrit(df, 1 - alpha / 2))

    def missing(shift: float) -> float:
        # The lower tail's series underflows to NaN only where its probability is 0 to machine precision.
        return float(1 - nctdtr(df, shift, critical) + np.nan_to_num(nctdtr(df, shift, -critical))) - power

    above = _z(power, alpha)
    while missing(above) < 0:
        above *= 2
    return float(brentq(missing, 0.0, above, xtol=1e-10))
