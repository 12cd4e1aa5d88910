"""Intervals and p values from the resampled and permuted counts of a cell."""

from functools import cache

import numpy as np

from core.metrics.proportions import wilson
from core.metrics.resampling import TOLERANCE, permutation_p, widened_tail
from core.metrics.result import LEVEL, Bounds, Floats, MaybeBounds
from core.studies.completion.cells import Cell

METHOD = "two-way cluster bootstrap over given terms and option pairs, percentile, widened for few of them"
FEWEST = 2
# Without this share of resamples with a value, those that have one are no fair picture.
MOST_UNDEFINED = 0.05


def clustered_interval(draws: Floats, estimate: float, units: int) -> MaybeBounds:
    """The percentile interval of `draws` (resamples,); `units`: the fewest terms or pairs behind the estimate."""
    if units < FEWEST:
        return MaybeBounds(None, "fewer than two given terms or option pairs")
    defined = draws[np.isfinite(draws)]
    if len(defined) < (1 - MOST_UNDEFINED) * len(draws):
        return MaybeBounds(None, "too many resamples have no value")
    if np.ptp(defined) == 0:
        return MaybeBounds(None, "no resample differs from the replies")
    low, high = np.quantile(defined, [_tail(units), 1 - _tail(units)])
    return MaybeBounds(Bounds(min(float(low), estimate), max(float(high), estimate), METHOD))


@cache
def _tail(units: int) -> float:
    return widened_tail(units, LEVEL)


def share_interval(draws: Floats, estimate: float, units: int) -> MaybeBounds:
    """The same for a proportion. One of 0 or 1 has no spread to resample: Wilson's, taking each unit as one reply."""
    if estimate in (0.0, 1.0) and units >= FEWEST:
        bounds = wilson(estimate * units, units)
        assert bounds is not None
        return MaybeBounds(Bounds(bounds.low, bounds.high, "Wilson, one reply for each given term or option pair"))
    return clustered_interval(draws, estimate, units)


def term_p(cell: Cell, permuted: Floats, estimate: float) -> tuple[float | None, str]:
    """Two-sided p of a difference from permuting polarity over terms, shape (resamples,); or why there is none."""
    if min(cell.terms) < FEWEST:
        return None, "No p: fewer than two given terms of a polarity."
    defined = permuted[np.isfinite(permuted)]
    return float(permutation_p(np.abs(defined) >= abs(estimate) - TOLERANCE)), ""


def times_as_wide(clustered: MaybeBounds, independent: Bounds | None) -> str:
    """A sentence on what it changes that replies share their terms and options."""
    bounds = clustered.bounds
    if bounds is None or bounds.method != METHOD or independent is None or independent.high == independent.low:
        return ""
    ratio = (bounds.high - bounds.low) / (independent.high - independent.low)
    return f"Replies share terms and options: the interval is {ratio:.1f} times as wide as if they were independent."
