"""The difference of the means of two independent groups."""

from math import comb, sqrt

import numpy as np

from core.metrics.checks import constant, finite
from core.metrics.difference import Alternative, Difference, separated, untested
from core.metrics.result import LEVEL, Bounds, Floats, MaybeBounds


def two_sample_difference(
    first: Floats, second: Floats, *, equal_variances: bool = False, alternative: Alternative = "two-sided"
) -> Difference:
    """Mean of `first` minus mean of `second`; Welch's t, or Student's pooled t where `equal_variances`.

    `first`, `second`: independent units, shapes (n,) and (m,). Effect: Cohen's d with the pooled SD (ddof 1).
    Groups of which neither varies are tested by exact permutation, one-sided p = 1 / C(n + m, n), twice that two-sided;
    not where `equal_variances`. No p where a group has fewer than two units or all units are equal. ValueError for NaN.
    """
    from scipy.stats import ttest_ind

    one, other = finite(first), finite(second)
    counts = (len(one), len(other))
    test = "Student's t, pooled" if equal_variances else "Welch's t"
    if min(counts) == 0:
        return untested(None, "a group has no units", test, "Cohen's d", sum(counts), counts)
    value = float(one.mean() - other.mean())
    if min(counts) == 1:
        return untested(value, "a group has only one unit", test, "Cohen's d", sum(counts), counts)
    if constant(one) and constant(other):
        alike = untested(value, "no variation within the groups", test, "Cohen's d", sum(counts), counts)
        if equal_variances or constant(np.concatenate([one, other])):
            return alike
        return separated(alike, "permutation, exact", 1 / comb(sum(counts), counts[0]), alternative)
    both_ways = ttest_ind(one, other, equal_var=equal_variances)
    low, high = both_ways.confidence_interval(LEVEL)
    outcome = ttest_ind(one, other, equal_var=equal_variances, alternative=alternative)
    return Difference(
        value=value,
        reason="",
        interval=MaybeBounds(Bounds(float(low), float(high), f"{test}, df {float(both_ways.df):.4g}")),
        p=float(outcome.pvalue),
        statistic=float(outcome.statistic),
        test=test,
        effect_name="Cohen's d",
        effect=value / _pooled_sd(one, other),
        n=sum(counts),
        n_by_group=counts,
    )


def _pooled_sd(one: Floats, other: Floats) -> float:
    """√(((n − 1) s₁² + (m − 1) s₂²) / (n + m − 2)); n + m > 2."""
    squares = (len(one) - 1) * float(one.var(ddof=1)) + (len(other) - 1) * float(other.var(ddof=1))
    return sqrt(squares / (len(one) + len(other) - 2))
