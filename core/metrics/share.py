"""The share of choices that fell on one identity, against chance."""

from dataclasses import dataclass

from core.metrics.checks import finite
from core.metrics.resampling import TOLERANCE, permutation_p
from core.metrics.result import Bounds, Ints
from core.metrics.wilson import wilson


@dataclass(frozen=True)
class Share:
    value: float
    interval: Bounds
    p: float
    test: str


def share(chosen: int, n: int, chance: float) -> Share:
    """p = chosen / n of n independent choices: Wilson's interval, the exact two-sided binomial test against `chance`.

    `n` must be positive: without choices there is no share.
    """
    from scipy.stats import binomtest

    bounds = wilson(chosen, n)
    if bounds is None:
        raise ValueError("a share needs at least one choice")
    return Share(chosen / n, bounds, float(binomtest(chosen, n, chance).pvalue), "exact binomial")


def clustered_share(chosen: int, n: int, chance: float, design_effect: float, null: Ints) -> Share:
    """The same where several raters judged a comparison: Wilson with n divided by the design effect, and p from `null`.

    `null`: how often this identity is chosen under joint permutation within comparisons, shape (resamples,).
    """
    bounds = wilson(chosen / design_effect, n / design_effect)
    if bounds is None:
        raise ValueError("a share needs at least one choice")
    finite([chance, design_effect], "chance and design effect")
    as_far = abs(null / n - chance) >= abs(chosen / n - chance) - TOLERANCE
    method = f"Wilson, choices divided by the design effect {design_effect:.2f}"
    interval = Bounds(bounds.low, bounds.high, method, bounds.level)
    return Share(chosen / n, interval, float(permutation_p(as_far)), "permutation within comparisons")
