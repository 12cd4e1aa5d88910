"""Simulated decisions, given to the shares, impact ratios and “alike” of the program."""

from collections.abc import Callable
from functools import cache

import numpy as np
from simulations.independent.tally import Answer, Setting, answer

from biasprint.core.metrics.grouped import selection_rates
from biasprint.core.metrics.means import Equivalence
from biasprint.core.metrics.proportions import (
    miettinen_nurminen,
    paired_proportions,
    paired_within,
    scores_within,
    two_proportions,
)
from biasprint.core.metrics.result import Bounds, Difference

NO_DIFFERENCE = 1.0


@cache
def independent_shares(x: int, n: int, y: int, m: int) -> Difference:
    return two_proportions(x, n, y, m, exact=None)


@cache
def pairs_of_shares(both: int, only_first: int, only_second: int, neither: int) -> Difference:
    repeats = [both, only_first, only_second, neither]
    return paired_proportions(
        np.repeat([True, True, False, False], repeats), np.repeat([True, False, True, False], repeats)
    )


@cache
def alike_by_groups(x: int, n: int, y: int, m: int, margin: float) -> Equivalence:
    return scores_within(miettinen_nurminen(x, n, y, m), margin)


@cache
def alike_by_pairs(only_first: int, only_second: int, n: int, margin: float) -> Equivalence:
    return paired_within(only_first, only_second, n, margin)


def leaves(bounds: Bounds | None, margin: float) -> bool:
    return bounds is None or not (-margin < bounds.low and bounds.high < margin)


def independent(n: int, m: int, share: float, difference: float = 0.0) -> Callable[..., Answer]:
    """Decisions on texts of two groups; the first group's share is larger by the difference."""

    def study(rng: np.random.Generator) -> Answer:
        found = independent_shares(int(rng.binomial(n, share + difference)), n, int(rng.binomial(m, share)), m)
        return answer(found.p, found.interval.bounds, difference)

    return study


def pairs(n: int, both: float, only_first: float, only_second: float) -> Callable[..., Answer]:
    """Decisions on pairs of texts, by the chances of the four outcomes."""
    chances = [both, only_first, only_second, 1 - both - only_first - only_second]

    def study(rng: np.random.Generator) -> Answer:
        found = pairs_of_shares(*map(int, rng.multinomial(n, chances)))
        return answer(found.p, found.interval.bounds, only_first - only_second)

    return study


def groups_at_the_margin(n: int, share: float, margin: float) -> Callable[..., Answer]:
    """A true difference as large as the margin: is it called alike?"""

    def study(rng: np.random.Generator) -> Answer:
        x, y = int(rng.binomial(n, share + margin)), int(rng.binomial(n, share))
        bounds = independent_shares(x, n, y, n).interval.bounds
        alike = alike_by_groups(x, n, y, n, margin).equivalent
        covered = bounds and bounds.low <= margin <= bounds.high
        return Answer(alike, covered, alike and leaves(bounds, margin))

    return study


def pairs_at_the_margin(n: int, both: float, only_second: float, margin: float) -> Callable[..., Answer]:
    """As `groups_at_the_margin`, of pairs."""
    chances = [both, only_second + margin, only_second, 1 - both - 2 * only_second - margin]

    def study(rng: np.random.Generator) -> Answer:
        cells = tuple(map(int, rng.multinomial(n, chances)))
        bounds = pairs_of_shares(*cells).interval.bounds
        alike = alike_by_pairs(cells[1], cells[2], n, margin).equivalent
        covered = bounds and bounds.low <= margin <= bounds.high
        return Answer(alike, covered, alike and leaves(bounds, margin))

    return study


def highest_of(groups: int, each: int, share: float, grow: int = 0) -> Callable[..., Answer]:
    """Groups with the same share, none of them named as the base: is some ratio to the highest called other than 1?"""
    sizes = [each + grow * place for place in range(groups)]
    names = [f"group {place}" for place, size in enumerate(sizes) for _ in range(size)]

    def study(rng: np.random.Generator) -> Answer:
        _, rates = selection_rates(rng.random(len(names)) < share, names, [""] * len(names))
        bounds = [rate.ratio.interval.bounds for rate in rates.values() if rate.ratio]
        alarm = any(not each.low <= NO_DIFFERENCE <= each.high for each in bounds if each)
        return Answer(alarm, None)

    return study


def differing_from_the_highest(rng: np.random.Generator) -> Answer:
    """Shares of .5, .45, .3 and .2 of 40 texts each: do all intervals of ratios to the highest hold at once?"""
    truth = {"a": 0.5, "b": 0.45, "c": 0.3, "d": 0.2}
    names = [name for name in truth for _ in range(40)]
    base, rates = selection_rates(rng.random(160) < np.repeat(list(truth.values()), 40), names, [""] * 160)
    bounds = {name: rate.ratio.interval.bounds for name, rate in rates.items() if rate.ratio}
    hold = (each.low <= truth[name] / truth[base] <= each.high for name, each in bounds.items() if each)
    return Answer(None, all(hold))


def to_a_base(n: int, m: int, share: float, ratio: float) -> Callable[..., Answer]:
    """The ratio to a base that was named before; an alarm is an interval without 1."""
    names = ["other"] * n + ["base"] * m

    def study(rng: np.random.Generator) -> Answer:
        selected = rng.random(n + m) < np.where(np.arange(n + m) < n, share * ratio, share)
        _, rates = selection_rates(selected, names, [""] * (n + m), "base")
        found = rates["other"].ratio
        return by_interval(found.interval.bounds if found else None, ratio)

    return study


def by_interval(bounds: Bounds | None, truth: float) -> Answer:
    if bounds is None:
        return Answer(False if truth == NO_DIFFERENCE else None, None)
    alarm = not bounds.low <= NO_DIFFERENCE <= bounds.high if truth == NO_DIFFERENCE else None
    return Answer(alarm, bounds.low <= truth <= bounds.high)


def prompts_to_a_base(rng: np.random.Generator) -> Answer:
    """Thirty prompts of each group, four samples of each, which mostly agree with each other."""
    chance = np.repeat(rng.beta(0.8, 1.2, 60), 4)
    names = ["other"] * 120 + ["base"] * 120
    blocks = [f"prompt {number}" for number in np.repeat(np.arange(60), 4)]
    _, rates = selection_rates(rng.random(240) < chance, names, blocks, "base")
    found = rates["other"].ratio
    return by_interval(found.interval.bounds if found else None, NO_DIFFERENCE)


THE_ISSUE = (
    *(
        Setting(f"some ratio to the highest of {k}, 40 texts each", highest_of(k, 40, 0.4), 1000, discrete=True)
        for k in (3, 4, 6, 8)
    ),
    Setting("“alike” at ±.2 by shares, 6 pairs", pairs_at_the_margin(6, 0.1, 0.05, 0.2), 4000, discrete=True),
    Setting("“alike” at ±.5 by shares, 15 and 15 texts", groups_at_the_margin(15, 0.25, 0.5), 4000, discrete=True),
)
FURTHER = (
    Setting("“alike” at ±.1 by shares, 300 and 300 texts", groups_at_the_margin(300, 0.02, 0.1), 4000, discrete=True),
    Setting("“alike” at ±.1 by shares, 120 pairs", pairs_at_the_margin(120, 0.4, 0.01, 0.1), 4000, discrete=True),
    Setting("ratios to the highest of 5, 15 to 75 texts, share .1", highest_of(5, 15, 0.1, 15), 1000, discrete=True),
    Setting("ratios to the highest of 4 that differ, all at once", differing_from_the_highest, 1000, discrete=True),
    Setting("ratio to a named base, 30 and 60 texts", to_a_base(30, 60, 0.5, 1.0), 1000, discrete=True),
    Setting("ratio .6 to a named base, 30 and 60 texts", to_a_base(30, 60, 0.5, 0.6), 1000, discrete=True),
    Setting("ratio to a named base, 30 prompts with 4 samples", prompts_to_a_base, 1000),
    Setting("shares of .04, 30 and 50 texts", independent(30, 50, 0.04), 4000, discrete=True),
    Setting("shares of .95, 10 and 60 texts", independent(10, 60, 0.95), 4000, discrete=True),
    Setting("shares of .7 and .4, 12 and 40 texts", independent(12, 40, 0.4, 0.3), 4000, discrete=True),
    Setting("shares of .9, 20 pairs", pairs(20, 0.85, 0.05, 0.05), 4000, discrete=True),
    Setting("shares of .65 and .55, 100 pairs", pairs(100, 0.45, 0.2, 0.1), 4000, discrete=True),
    Setting("shares of .8 and .5, 30 pairs", pairs(30, 0.45, 0.35, 0.05), 4000, discrete=True),
)
SETTINGS = THE_ISSUE + FURTHER
