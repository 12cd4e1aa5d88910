"""Two arms that were drawn at random among the same raters and comparisons: the difference of their means."""

from dataclasses import dataclass
from math import comb, prod, sqrt

import numpy as np

from biasprint.core.metrics.result import (
    LEVEL,
    Bools,
    Bounds,
    Difference,
    Floats,
    Ints,
    MaybeBounds,
    finite,
    same_length,
    truths,
)
from biasprint.core.metrics.student import t_quantile, two_sided_t
from biasprint.core.metrics.worth import worth

TEST = "t over people"


@dataclass(frozen=True)
class ArmEffect:
    """`value`: mean of the treated less that of the others. Interval and test are of `centre`, which is drawn a little
    towards 0, with its standard error and degrees of freedom. `counts`: treated, others. `widest`: how far it can go.
    """

    value: float
    centre: float
    error: float
    freedom: float
    counts: tuple[int, int]
    widest: float = 1.0

    @property
    def difference(self) -> Difference:
        """With its interval, and tested against 0."""
        half = t_quantile((1 + LEVEL) / 2, self.freedom) * self.error
        low, high = max(-self.widest, self.centre - half), min(self.widest, self.centre + half)
        bounds = MaybeBounds(Bounds(low, high, f"Agresti–Caffo, clustered, t with {self.freedom:.1f} df"))
        statistic = self.centre / self.error
        p = two_sided_t(abs(statistic), self.freedom)
        n = sum(self.counts)
        return Difference(self.value, "", bounds, p, statistic, TEST, "difference", self.value, n, self.counts)


def arm_effect(values: Floats, treated: Bools, *groupings: Ints) -> ArmEffect | None:
    """Mean of the treated less mean of the others, with a variance of clusters that may cross; None for an empty arm.

    `values` in [0, 1], `treated`, each of `groupings` (numbers of the rater, of the comparison), one at least: shapes
    (n,). For the variance each arm is given a 0 and a 1 that belong to nothing (Agresti & Caffo 2000), so that an arm
    in which all did the same is not taken for certain. It is that of the influences, ± (x − x̄) / m in an arm of m,
    summed within clusters (`core.metrics.worth`): raters have both arms, so that how much they differ in general
    cancels, and how much they differ in the effect stays. ValueError for NaN, values beyond 0 and 1, unequal lengths.
    """
    same_length(values, treated)
    units, first = finite(values), truths(treated)
    if len(units) and not 0 <= units.min() <= units.max() <= 1:
        raise ValueError("values must lie between 0 and 1")
    counts = (int(first.sum()), int((~first).sum()))
    if min(counts) == 0:
        return None
    x = np.concatenate([units, [0.0, 1.0, 0.0, 1.0]])
    arm = np.concatenate([first, [True, True, False, False]])
    alone = [np.concatenate([each, each.max() + np.arange(1, 5)]) for each in groupings]
    upper, lower = float(x[arm].mean()), float(x[~arm].mean())
    influence = np.where(arm, (x - upper) / arm.sum(), (lower - x) / (~arm).sum())
    independent = float((influence**2).sum())
    known = worth(influence[:, None], np.ones(len(x)), independent, *alone, single=True)
    value = float(units[first].mean() - units[~first].mean())
    return ArmEffect(value, upper - lower, sqrt(independent * known.effect), known.freedom, counts)


def apart_by_chance(followed: Bools, treated: Bools, rater: Ints) -> float | None:
    """p of arms that are wholly apart, all of the treated and none of the others or the reverse; None where not so.

    Two-sided, 2 Π 1 / C(n, m) over raters, each with n answers, m of them treated: which these are was drawn for each
    rater, and no other draw is as far (Fisher's randomisation test).
    """
    if not (treated.any() and (~treated).any()) or not (
        np.array_equal(followed, treated) or np.array_equal(followed, ~treated)
    ):
        return None
    numbers = np.unique(rater, return_inverse=True)[1]
    answers, drawn = np.bincount(numbers), np.bincount(numbers, treated)
    return min(1.0, 2 * prod(1 / comb(int(n), int(m)) for n, m in zip(answers, drawn, strict=True)))


def difference_of_effects(one: ArmEffect, other: ArmEffect) -> ArmEffect:
    """One effect less another, of other raters: variances add, degrees of freedom by Satterthwaite."""
    error = sqrt(one.error**2 + other.error**2)
    freedom = error**4 / (one.error**4 / one.freedom + other.error**4 / other.freedom)
    counts = (sum(one.counts), sum(other.counts))
    return ArmEffect(one.value - other.value, one.centre - other.centre, error, freedom, counts, 2.0)
