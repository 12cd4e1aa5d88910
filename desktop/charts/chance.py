"""The range of shares when nothing is preferred.

Pure arithmetic, no numpy: these are evaluated for a handful of shares at every refresh.
"""

import math
from statistics import NormalDist

LEVEL = 0.95


def chance_range(n: int, chance: float, level: float = LEVEL) -> tuple[float, float]:
    """Return the central range of the share of n independent choices at probability `chance`.

    The binomial quantiles at (1 − level)/2 and (1 + level)/2, divided by n.
    """
    tail = (1 - level) / 2
    return _binomial_quantile(n, chance, tail) / n, _binomial_quantile(n, chance, 1 - tail) / n


def effective_choices(share: float, low: float, high: float, level: float = LEVEL) -> float:
    """Return the number of independent choices that a Wilson interval of this width implies: n for independent raters.

    Several raters of the same comparison give less information than as many choices, and their interval is wider.
    Solves Wilson's half-width h = √a √(p(1−p) + a/4) / (1 + a) for a = z²/n.
    """
    z, h2, spread = NormalDist().inv_cdf((1 + level) / 2), ((high - low) / 2) ** 2, share * (1 - share)
    b = 2 * h2 - spread
    a = (b + math.sqrt(b * b + 4 * (0.25 - h2) * h2)) / (2 * (0.25 - h2))
    return z * z / a


def _binomial_quantile(n: int, p: float, q: float) -> int:
    """Return the smallest k with P(X ≤ k) ≥ q."""
    # Beyond twelve standard deviations lies less than 1e-30: summed from there, large n stay cheap.
    first = max(0, math.floor(n * p - 12 * math.sqrt(n * p * (1 - p))))
    cumulative = 0.0
    for k in range(first, n + 1):
        log_choose = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
        cumulative += math.exp(log_choose + k * math.log(p) + (n - k) * math.log(1 - p))
        if cumulative >= q:
            return k
    return n
