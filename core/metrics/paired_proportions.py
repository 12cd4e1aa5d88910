"""The difference of two proportions on the same units: McNemar."""

from math import sqrt
from statistics import NormalDist

from core.metrics.checks import same_length, truths
from core.metrics.difference import Difference, untested
from core.metrics.result import LEVEL, Bools, Bounds, MaybeBounds

FEWEST_FOR_CHI_SQUARED = 25


def paired_proportions(first: Bools, second: Bools) -> Difference:
    """Share of `first` minus share of `second` over pairs; McNemar, exact below 25 discordant pairs, else χ² with
    continuity correction. p is 1 where no pair is discordant: the exact test then has one outcome.

    Interval: adjusted Wald, one added to each discordant count and two to n (Bonett & Price 2012); it covers 93 % and
    more, 92 % where nearly all of 12 pairs or fewer are discordant. Effect: Cohen's g, the share of discordant pairs
    that favour the first, minus ½. Shapes (n,). ValueError for unequal lengths.
    """
    from statsmodels.stats.contingency_tables import mcnemar

    same_length(first, second)
    one, other, n = truths(first), truths(second), len(first)
    if n == 0:
        return untested(None, "no pairs", "McNemar", "Cohen's g", 0, (0, 0))
    only_first, only_second = int((one & ~other).sum()), int((other & ~one).sum())
    discordant = only_first + only_second
    exact = discordant < FEWEST_FOR_CHI_SQUARED
    table = [[int((one & other).sum()), only_first], [only_second, int((~one & ~other).sum())]]
    outcome = mcnemar(table, exact=exact, correction=True) if discordant else None
    return Difference(
        value=(only_first - only_second) / n,
        reason="",
        interval=MaybeBounds(_bonett_price(only_first, only_second, n)),
        p=min(1.0, float(outcome.pvalue)) if outcome else 1.0,
        statistic=float(outcome.statistic) if outcome else 0.0,
        test="McNemar, exact" if exact else "McNemar, χ² with continuity correction",
        effect_name="Cohen's g",
        effect=only_first / discordant - 0.5 if discordant else None,
        n=n,
        n_by_group=(n, n),
    )


def _bonett_price(only_first: int, only_second: int, n: int) -> Bounds:
    one, other = (only_first + 1) / (n + 2), (only_second + 1) / (n + 2)
    half = NormalDist().inv_cdf((1 + LEVEL) / 2) * sqrt((one + other - (one - other) ** 2) / (n + 2))
    return Bounds(max(-1.0, one - other - half), min(1.0, one - other + half), "Bonett–Price, paired proportions")
