"""The plain odds ratio of one item between two groups, as a paper prints it."""

from core.metrics.odds_ratio import OddsRatio
from core.metrics.result import LEVEL, Bounds, MaybeBounds


def sample_odds_ratio(count_first: int, total_first: int, count_second: int, total_second: int) -> OddsRatio:
    """[a / (n_a − a)] / [b / (n_b − b)], with scipy's log-normal interval, as if items were independent.

    Undefined where any of the four cells is 0. ValueError for a count above its total.
    """
    from scipy.stats.contingency import odds_ratio

    cells = (count_first, total_first - count_first, count_second, total_second - count_second)
    if min(cells) < 0:
        raise ValueError("a count is above its total")
    if min(cells) == 0:
        return OddsRatio(None, "one of the four counts is 0", MaybeBounds(None, "no estimate"))
    result = odds_ratio([[cells[0], cells[1]], [cells[2], cells[3]]], kind="sample")
    low, high = result.confidence_interval(LEVEL)
    return OddsRatio(
        float(result.statistic), "", MaybeBounds(Bounds(float(low), float(high), "log-normal, words as independent"))
    )
