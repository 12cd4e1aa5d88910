"""The odds ratio of a kind of word between two groups of texts."""

from dataclasses import dataclass
from math import exp, log, sqrt
from statistics import NormalDist

import numpy as np

from core.metrics.checks import finite
from core.metrics.result import LEVEL, Bounds, Floats, MaybeBounds

HALDANE = 0.5
FEWEST_EXPECTED = 5.0


@dataclass(frozen=True)
class OddsRatio:
    """`p`, `detectable` (the smallest ratio above 1 that would be seen at power 0.8) are None where not computed."""

    value: float | None
    reason: str
    interval: MaybeBounds
    p: float | None = None
    detectable: float | None = None


def published_odds_ratio(
    count_first: float, tokens_first: float, count_second: float, tokens_second: float
) -> OddsRatio:
    """[(a + ε) / (n_a − a + ε)] / [(b + ε) / (n_b − b + ε)] with ε = 0.001, the authors' program.

    Log-normal interval exp(ln OR ± z √(1/a + 1/(n_a − a) + 1/b + 1/(n_b − b))), as if tokens were independent.
    Source: Wan et al. 2023, Table 2; ε is in their released code, not in the paper.
    """
    epsilon = 0.001
    cells = (count_first, tokens_first - count_first, count_second, tokens_second - count_second)
    finite(cells, "counts")
    if min(cells) < 0:
        # One token can add several counts, so a short text can hold more counts than tokens.
        return OddsRatio(None, "more matches than words", MaybeBounds(None, "no estimate"))
    a, not_a, b, not_b = (cell + epsilon for cell in cells)
    value = (a / not_a) / (b / not_b)
    if min(cells) == 0:
        return OddsRatio(value, "", MaybeBounds(None, "a count of 0 has no log-normal interval"))
    half = NormalDist().inv_cdf((1 + LEVEL) / 2) * sqrt(sum(1 / cell for cell in cells))
    bounds = Bounds(exp(log(value) - half), exp(log(value) + half), "log-normal")
    return OddsRatio(value, "", MaybeBounds(bounds))


def log_odds_ratio(count_first: Floats, tokens_first: Floats, count_second: Floats, tokens_second: Floats) -> Floats:
    """ln of the odds ratio with Haldane's ½ in every cell; any shapes that broadcast, counts never above tokens."""
    return np.asarray(
        np.log((count_first + HALDANE) / (tokens_first - count_first + HALDANE))
        - np.log((count_second + HALDANE) / (tokens_second - count_second + HALDANE))
    )


def smallest_expected(count: float, tokens_first: float, tokens_second: float) -> float:
    """The smaller of the two counts expected if the words fell on both groups alike, in proportion to their tokens."""
    return count * min(tokens_first, tokens_second) / (tokens_first + tokens_second)
