"""The interval of a mean of values between 0 and 1, near an end of which Student's t is too often wrong."""

from math import sqrt

import numpy as np

from core.metrics.checks import constant, finite, same_length
from core.metrics.result import LEVEL, Bounds, Floats, Ints, MaybeBounds


def bounded_mean_interval(values: Floats, clusters: Ints, level: float = LEVEL) -> MaybeBounds:
    """Wilson's interval with the number of trials m = x̄(1 − x̄) / s.e.² that a proportion of this error would have.

    (x̄ + t²/2m ± t √(x̄(1 − x̄)/m + t²/4m²)) / (1 + t²/m), t with C − 1 df over the C clusters; s.e. as `clustered_mean`.
    Values near 0 with a long tail, as Wasserstein distances are, are left out by x̄ ± t s.e. from below too seldom and
    from above too often: see docs/statistics.md. `values` in [0, 1], `clusters`: shapes (n,). ValueError for others.
    """
    from scipy.stats import t

    same_length(values, clusters)
    units = finite(values)
    if len(units) and not 0 <= units.min() <= units.max() <= 1:
        raise ValueError("values must lie between 0 and 1")
    numbers = np.unique(clusters, return_inverse=True)[1]
    count, n = int(numbers.max(initial=-1)) + 1, len(units)
    if count < 2:
        return MaybeBounds(None, "fewer than two units that were sampled apart")
    mean = float(units.mean())
    error2 = count / (count - 1) * float((np.bincount(numbers, units - mean) ** 2).sum()) / n**2
    if constant(units) or error2 == 0:
        return MaybeBounds(None, "no variation between the units")
    quantile = float(t.ppf((1 + level) / 2, count - 1))
    per_trial = quantile**2 * error2 / (mean * (1 - mean))
    centre = (mean + per_trial / 2) / (1 + per_trial)
    half = quantile * sqrt(error2 + per_trial * error2 / (4 * mean * (1 - mean))) / (1 + per_trial)
    return MaybeBounds(
        Bounds(max(0.0, centre - half), min(1.0, centre + half), f"Wilson by effective n, df {count - 1}", level)
    )
