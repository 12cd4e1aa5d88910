"""The mean of independent units against a fixed value."""

import numpy as np

from core.metrics.checks import constant, finite
from core.metrics.difference import Alternative, Difference, separated, untested
from core.metrics.mean_interval import mean_interval
from core.metrics.result import Floats


def one_sample_mean(values: Floats, against: float = 0.0, *, alternative: Alternative = "two-sided") -> Difference:
    """x̄ − `against`, Student's one-sample t with n − 1 df, effect d = (x̄ − against) / s (ddof 1).

    `values`: independent units, shape (n,). Values that are all equal are tested by exact sign flips. No p where n < 2
    or all are equal to `against`. ValueError for NaN.
    """
    units = finite(values) - finite(against)
    return t_of(units, (len(units),), "one-sample t", "d", alternative, magnitude=abs(against))


def t_of(
    differences: Floats,
    n_by_group: tuple[int, ...],
    test: str,
    effect_name: str,
    alternative: Alternative,
    *,
    magnitude: float = 0.0,
) -> Difference:
    """The t-test of a mean of 0; `differences` finite, shape (n,), of numbers as large as `magnitude`.

    Where all differ alike, t is undefined and the exact sign-flip test has p = 2 / 2ⁿ (one-sided 1 / 2ⁿ).
    """
    from scipy.stats import ttest_1samp

    n = len(differences)
    if n == 0:
        return untested(None, "no units", test, effect_name, 0, n_by_group)
    value = float(differences.mean())
    if n == 1:
        return untested(value, "one unit has no spread to test against", test, effect_name, n, n_by_group)
    if constant(differences, magnitude):
        alike = untested(value, "no variation between the units", test, effect_name, n, n_by_group)
        nothing = constant(np.append(differences, 0.0), magnitude)
        return alike if nothing else separated(alike, "sign flips, exact", 0.5**n, alternative)
    outcome = ttest_1samp(differences, 0.0, alternative=alternative)
    effect = value / float(differences.std(ddof=1))
    interval = mean_interval(differences)
    return Difference(
        value, "", interval, float(outcome.pvalue), float(outcome.statistic), test, effect_name, effect, n, n_by_group
    )
