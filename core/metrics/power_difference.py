"""How small a difference so many units can show, and how many units a difference needs."""

from functools import lru_cache
from math import sqrt
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
