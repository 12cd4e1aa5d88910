"""Is a difference small enough not to matter? Only then may anything be said to make no difference."""

from dataclasses import dataclass

import numpy as np

from core.metrics.checks import constant, finite
from core.metrics.result import Floats

ALPHA = 0.05


@dataclass(frozen=True)
class Equivalence:
    """`p` is the larger of the two one-sided p values; None where undefined, and `reason` says why."""

    p: float | None
    equivalent: bool
    margin: float
    reason: str = ""


def equivalence(
    difference: Floats | tuple[Floats, Floats], margin: float, *, equal_variances: bool = False, alpha: float = ALPHA
) -> Equivalence:
    """Two one-sided t-tests (TOST) of −margin < mean difference < margin.

    `difference`: differences of pairs, shape (n,), or a tuple of two independent samples (Welch, or pooled where
    `equal_variances`). Both tests must be significant at `alpha`: the 90 % interval lies within the margin.
    ValueError for NaN or a margin that is not positive. Source: Schuirmann 1987.
    """
    from scipy.stats import ttest_1samp, ttest_ind

    if not margin > 0:
        raise ValueError("the margin must be positive")
    samples = [finite(sample) for sample in (difference if isinstance(difference, tuple) else (difference,))]
    if min(map(len, samples)) < 2:
        return Equivalence(None, False, margin, "fewer than two units")
    if all(constant(sample) for sample in samples):
        return Equivalence(None, False, margin, "no variation between the units")
    if len(samples) == 1:
        above = ttest_1samp(samples[0], -margin, alternative="greater")
        below = ttest_1samp(samples[0], margin, alternative="less")
    else:
        one, other = samples
        above = ttest_ind(one + margin, other, equal_var=equal_variances, alternative="greater")
        below = ttest_ind(one - margin, other, equal_var=equal_variances, alternative="less")
    p = float(np.max([above.pvalue, below.pvalue]))
    return Equivalence(p, p <= alpha, margin)
