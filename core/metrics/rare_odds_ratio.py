"""An honest interval for the odds ratio of a rare word."""

from dataclasses import replace
from math import exp, log, sqrt
from statistics import NormalDist

from core.metrics.checks import finite
from core.metrics.odds_ratio import HALDANE, OddsRatio, log_odds_ratio
from core.metrics.result import LEVEL, Bounds, MaybeBounds


def rare_odds_ratio(
    ratio: OddsRatio, count_first: int, total_first: int, count_second: int, total_second: int
) -> OddsRatio:
    """`ratio` with its interval at least as wide as the log-normal one with ½ in every cell (Gart 1966).

    The bootstrap cannot vary a count of 0, and hardly one of 2: it takes what is rare for certain. The level is that
    of the bootstrap; it is reported as the usual one, because a higher one only makes up for the choice of words by
    their ratios (the share of intervals that miss, among those shown: Benjamini & Yekutieli 2005).
    """
    numbers = finite([count_first, total_first, count_second, total_second], "counts")
    bounds = ratio.interval.bounds
    if ratio.value is None or bounds is None:
        return ratio
    cells = (count_first, total_first - count_first, count_second, total_second - count_second)
    centre = float(log_odds_ratio(numbers[:1], numbers[1:2], numbers[2:3], numbers[3:])[0])
    spread = sqrt(sum(1 / (cell + HALDANE) for cell in cells))
    half = NormalDist().inv_cdf((1 + bounds.level) / 2) * spread
    low, high = min(log(bounds.low), centre - half), max(log(bounds.high), centre + half)
    method = f"{bounds.method}, at least log-normal with ½"
    if bounds.level > LEVEL:
        method += f"; at {100 * bounds.level:.4g} %, for words chosen by their ratios"
    return replace(ratio, interval=MaybeBounds(Bounds(exp(low), exp(high), method, LEVEL)))
