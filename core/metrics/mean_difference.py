"""The test of equal means as the creativity paper runs it: t for two groups, one-way ANOVA for more."""

from collections.abc import Sequence

from core.metrics.checks import constant, finite
from core.metrics.result import Floats, TestResult


def mean_difference(samples: Sequence[Floats]) -> TestResult:
    """Student's t (equal variances) for two samples, one-way ANOVA for three and more, as if all were independent.

    `samples`: one array of units per group. Source: Kumar et al. 2024, Table 1 (unit of the test assumed).
    ValueError for NaN.
    """
    from scipy.stats import f_oneway, ttest_ind

    for sample in samples:
        finite(sample)
    name = "t" if len(samples) == 2 else "ANOVA"
    if len(samples) < 2 or any(len(sample) < 2 for sample in samples):
        return TestResult(name, None, None, "fewer than two groups with two units each")
    if all(constant(sample) for sample in samples):
        return TestResult(name, None, None, "no variation within the groups")
    outcome = ttest_ind(*samples) if len(samples) == 2 else f_oneway(*samples)
    return TestResult(name, float(outcome.statistic), float(outcome.pvalue))
