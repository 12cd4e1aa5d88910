"""What shares look like when nothing is preferred, and a band for a share that is looked at again and again.

Pure arithmetic, no numpy: these are evaluated for a handful of shares at every refresh.
"""

import math
from bisect import bisect_left
from statistics import NormalDist

LEVEL = 0.95


def chance_range(n: int, chance: float, level: float = LEVEL) -> tuple[float, float]:
    """Central range of the share of n independent choices at probability `chance`.

    The binomial quantiles at (1 − level)/2 and (1 + level)/2, divided by n.
    """
    tail = (1 - level) / 2
    return _binomial_quantile(n, chance, tail) / n, _binomial_quantile(n, chance, 1 - tail) / n


def effective_choices(share: float, low: float, high: float, level: float = LEVEL) -> float:
    """How many independent choices a Wilson interval of this width speaks of: n where raters judged apart.

    Several raters of the same comparison tell less than as many choices, and their interval is wider accordingly.
    Solves Wilson's half-width h = √a √(p(1−p) + a/4) / (1 + a) for a = z²/n.
    """
    z, h2, spread = NormalDist().inv_cdf((1 + level) / 2), ((high - low) / 2) ** 2, share * (1 - share)
    b = 2 * h2 - spread
    a = (b + math.sqrt(b * b + 4 * (0.25 - h2) * h2)) / (2 * (0.25 - h2))
    return z * z / a


def anytime_band(chosen: float, n: float, level: float = LEVEL) -> tuple[float, float]:
    """A confidence sequence for a share: holds for all n together, so that one may look at any time.

    All p with B(s + 1, n − s + 1) / (pˢ (1 − p)ⁿ⁻ˢ) < 1 / (1 − level): the likelihood of s chosen among n, averaged
    over p uniform on [0, 1], against the likelihood at p. That ratio is a martingale with mean 1 when p is true, so
    by Ville's inequality it ever reaches 20 in at most 5 % of sequences. Wider than Wilson's interval at the same n.
    """
    if n == 0:
        return 0.0, 1.0
    return _edge(chosen, n, level, lower=True), _edge(chosen, n, level, lower=False)


def anytime_chance_range(n: int, chance: float, level: float = LEVEL) -> tuple[float, float]:
    """The shares whose `anytime_band` holds `chance`: the counterpart of `chance_range` while looking on."""
    threshold = -math.log(1 - level)
    # The ratio falls towards n·chance and rises after it, so that each end is found by bisection.
    middle = round(n * chance)
    low = bisect_left(range(middle), True, key=lambda s: _log_ratio(s, n, chance) < threshold)
    high = middle + bisect_left(range(middle, n), True, key=lambda s: _log_ratio(s + 1, n, chance) >= threshold)
    return low / n, high / n


def _log_ratio(chosen: float, n: float, p: float) -> float:
    """Log of the averaged likelihood over the likelihood at p; infinite where p excludes what was seen."""
    averaged = math.lgamma(chosen + 1) + math.lgamma(n - chosen + 1) - math.lgamma(n + 2)
    at_p = 0.0
    for times, probability in ((chosen, p), (n - chosen, 1 - p)):
        if times and probability <= 0:
            return math.inf
        at_p += times * math.log(probability) if times else 0.0
    return averaged - at_p


def _edge(chosen: float, n: float, level: float, *, lower: bool) -> float:
    """One end of the band, by bisection between the observed share (inside) and 0 or 1."""
    threshold = -math.log(1 - level)
    inside, outside = chosen / n, 0.0 if lower else 1.0
    if _log_ratio(chosen, n, outside) < threshold:
        return outside
    for _ in range(60):
        middle = (inside + outside) / 2
        if _log_ratio(chosen, n, middle) < threshold:
            inside = middle
        else:
            outside = middle
    return inside


def _binomial_quantile(n: int, p: float, q: float) -> int:
    """The smallest k with P(X ≤ k) ≥ q."""
    # Beyond twelve standard deviations lies less than 1e-30: summed from there, large n stay cheap.
    first = max(0, math.floor(n * p - 12 * math.sqrt(n * p * (1 - p))))
    cumulative = 0.0
    for k in range(first, n + 1):
        log_choose = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
        cumulative += math.exp(log_choose + k * math.log(p) + (n - k) * math.log(1 - p))
        if cumulative >= q:
            return k
    return n
