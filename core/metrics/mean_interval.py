"""Student's interval of a mean."""

import numpy as np

from core.metrics.checks import finite
from core.metrics.result import LEVEL, Bounds, Floats, MaybeBounds


def mean_interval(values: Floats, level: float = LEVEL) -> MaybeBounds:
    """x̄ ± t₍n−1₎ s/√n. `values`: independent units, shape (n,). Fewer than two have none. ValueError for NaN."""
    from scipy.stats import t

    finite(values)
    if len(values) < 2:
        return MaybeBounds(None, "a mean of fewer than two units has no interval")
    half = float(t.ppf((1 + level) / 2, len(values) - 1) * values.std(ddof=1) / np.sqrt(len(values)))
    mean = float(values.mean())
    return MaybeBounds(Bounds(mean - half, mean + half, f"t, df {len(values) - 1}", level))
