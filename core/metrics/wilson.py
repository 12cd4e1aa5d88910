"""Wilson's score interval of a proportion."""

from math import sqrt
from statistics import NormalDist

from core.metrics.result import LEVEL, Bounds


def wilson(successes: float, n: float, level: float = LEVEL) -> Bounds | None:
    """(p + z²/2n ± z √(p(1−p)/n + z²/4n²)) / (1 + z²/n), within [0, 1].

    `n` may be fractional: the effective number of independent trials behind a proportion. None where n is 0.
    Source: Wilson 1927, without continuity correction.
    """
    if n <= 0:
        return None
    if not 0 <= successes <= n:
        raise ValueError("successes must lie between 0 and n")
    z = NormalDist().inv_cdf((1 + level) / 2)
    p = successes / n
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    # At 0 and n the bound is exactly 0 or 1; rounding must not push it outside.
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    high = 1.0 if successes == n else min(1.0, centre + half)
    return Bounds(low, high, "Wilson", level)
