"""The mean difference of matched units."""

import numpy as np

from core.metrics.checks import finite, same_length
from core.metrics.difference import Alternative, Difference
from core.metrics.one_sample_mean import t_of
from core.metrics.result import Floats


def paired_difference(first: Floats, second: Floats, *, alternative: Alternative = "two-sided") -> Difference:
    """Mean of first − second over pairs, paired t with n − 1 df, effect d_z = mean / SD of the differences (ddof 1).

    `first`, `second`: one value per pair, shape (n,). Pairs that all differ by the same amount are
    tested by exact sign flips. No p where n < 2 or no pair differs. ValueError for NaN or unequal lengths.
    """
    same_length(first, second)
    one, other, n = finite(first), finite(second), len(first)
    magnitude = float(np.abs([one, other]).max(initial=0.0))
    return t_of(one - other, (n, n), "paired t", "d_z", alternative, magnitude=magnitude)
