"""The mean of units of which some were sampled together."""

import numpy as np

from core.metrics.checks import constant, finite, same_length
from core.metrics.difference import Difference, separated, untested
from core.metrics.one_sample_mean import one_sample_mean
from core.metrics.result import LEVEL, Bounds, Floats, Ints, MaybeBounds


def clustered_mean(values: Floats, clusters: Ints) -> Difference:
    """x̄ against 0, with clusters as the units: s.e.² = C/(C−1) Σ_c (Σ_{i∈c} (x_i − x̄))² / n², t with C − 1 df.

    Where every cluster has one unit this is Student's one-sample t. `values`, `clusters`: shapes (n,). Effect: x̄ over
    the SD of the units. Units that are all equal are tested by exact sign flips of clusters. No p where there are fewer
    than two clusters or the clusters do not vary. ValueError for NaN.
    Source: the linearised variance of a ratio (Cochran 1977, section 9.2), a mean over clusters of unequal size.
    """
    from scipy.stats import t

    same_length(values, clusters)
    units = finite(values)
    numbers = np.unique(clusters, return_inverse=True)[1]
    count, n = int(numbers.max(initial=-1)) + 1, len(units)
    if count == n:
        return one_sample_mean(units)
    test, mean = "t over clusters", float(units.mean())
    if count < 2:
        return untested(mean, "all were sampled together: nothing to compare them with", test, "d", n, (count,))
    if constant(units):
        alike = untested(mean, "no variation between the units", test, "d", n, (count,))
        return separated(alike, "sign flips of clusters, exact", 0.5**count) if units.any() else alike
    between = np.bincount(numbers, units - mean)
    error = float(np.sqrt(count / (count - 1) * (between**2).sum())) / n
    effect = mean / float(units.std(ddof=1))
    if error == 0:
        return untested(mean, "no variation between the clusters", test, "d", n, (count,))
    half = float(t.ppf((1 + LEVEL) / 2, count - 1)) * error
    bounds = Bounds(mean - half, mean + half, f"t over {count} clusters")
    p = float(2 * t.sf(abs(mean / error), count - 1))
    return Difference(mean, "", MaybeBounds(bounds), p, mean / error, test, "d", effect, n, (count,))
