"""χ² goodness of fit to equal chances."""

from core.metrics.checks import finite
from core.metrics.result import Ints, TestResult


def equal_chances(counts: Ints) -> TestResult:
    """X² = Σ (o − N/k)² / (N/k), k − 1 degrees of freedom. `counts`: independent choices per group, shape (k,)."""
    from scipy.stats import chisquare

    finite(counts, "counts")
    name = "χ² goodness of fit"
    if len(counts) < 2:
        return TestResult(name, None, None, "fewer than two groups")
    if counts.sum() == 0:
        return TestResult(name, None, None, "nothing was chosen")
    outcome = chisquare(counts)
    return TestResult(name, float(outcome.statistic), float(outcome.pvalue))
