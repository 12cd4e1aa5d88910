"""Sign flips of units: a mean tested by flipping its scores, with the interval that inverts the test."""

from dataclasses import dataclass, replace
from itertools import product
from math import inf, isinf

import numpy as np

from biasprint.core.metrics.means import one_sample_mean
from biasprint.core.metrics.resampling import TOLERANCE, chunks, permutation_p
from biasprint.core.metrics.result import LEVEL, RESAMPLES, Bounds, Difference, Floats, MaybeBounds, NoiseFloor, finite

ALL_FLIPS_UP_TO = 13  # units: 8,192 arrangements, fewer than are drawn
FEWEST_FLIPPED = 6  # with fewer units the smallest p is above .05, so that no mean at all is left out
INVERTED = "sign flips inverted"


@dataclass(frozen=True)
class Flips:
    """`sizes`: |mean| under flips, shape (flips,). `low`, `high`: the ends of the means that are not rejected at 95 %,
    infinite with fewer than FEWEST_FLIPPED units. `exact`: are these all ways to flip?
    """

    sizes: Floats
    p: float
    low: float
    high: float
    exact: bool


def sign_flips(values: Floats, rng: np.random.Generator, resamples: int = RESAMPLES) -> Flips:
    """Flip each unit's sign in all ways up to 13 units, else at random. `values`: shape (n,), n ≥ 1.

    Two-sided p of the mean 0: the share of flips whose mean lies as far from 0. A mean δ below x̄ is as far under the
    flips of x − δ as the mean of the flipped units, or that of the others, is at most δ. So the interval's ends are
    order statistics of the means of subsets, and leave 0 out exactly where p ≤ .05. ValueError for NaN.
    Source: Hartigan 1969.
    """
    units = finite(values)
    n, total, exact = len(units), float(units.sum()), len(units) <= ALL_FLIPS_UP_TO
    sums, counts = [], []
    if exact:
        drawn = iter([np.array(list(product((1.0, -1.0), repeat=n)))])
    else:
        drawn = (rng.choice((1.0, -1.0), size=(size, n)) for size in chunks(resamples, n))
    for signs in drawn:
        sums.append(signs @ units)
        counts.append((n - signs.sum(axis=1)) / 2)
    under, flipped = np.concatenate(sums), np.concatenate(counts)
    sizes = np.abs(under) / n
    as_far = sizes >= abs(total) / n - TOLERANCE
    p = float(as_far.mean()) if exact else float(permutation_p(as_far))
    # Of every flip both sides are subsets, one of which may be empty: it is as far whatever the mean.
    subset_sums = np.concatenate([(total - under) / 2, (total + under) / 2])
    subset_sums[np.abs(subset_sums) <= n * TOLERANCE / 2] = 0.0
    members = np.concatenate([flipped, n - flipped])
    means = np.sort(subset_sums[members > 0] / members[members > 0])
    as_far_at_least = int((1 - LEVEL) * (len(under) if exact else len(under) + 1)) + (1 if exact else 0)
    place = as_far_at_least - 1 - int((members == 0).sum())
    low, high = (float(means[place]), float(means[-1 - place])) if place >= 0 else (-inf, inf)
    return Flips(sizes, p, low, high, exact)


def least_p(values: Floats) -> float:
    """The smallest two-sided p of `flipped_mean`: 2 / 2ⁿ, n the units that are not 0. `values`: shape (n,)."""
    return 2 / 2.0 ** max(1, int(np.count_nonzero(values)))


def flipped_mean(
    values: Floats, rng: np.random.Generator, *, resamples: int = RESAMPLES
) -> tuple[Difference, NoiseFloor | None]:
    """The mean against 0 with p and interval by `sign_flips`. `values`: independent units, shape (n,).

    Exact where the two groups may change places in a unit without a difference. Effect d = x̄ / s. The floor: mean and
    95th percentile of the mean's size under flips. None for it where nothing is tested. No interval with fewer than
    FEWEST_FLIPPED units, or where all are equal. ValueError for NaN.
    """
    units = finite(values)
    plain = one_sample_mean(units)
    if plain.p is None:
        return plain, None
    flips = sign_flips(units, rng, resamples)
    test = "sign flips, exact" if flips.exact else "sign flips"
    floor = NoiseFloor(float(flips.sizes.mean()), float(np.quantile(flips.sizes, 0.95)), flips.p, test)
    bounds = plain.interval
    if bounds.bounds is not None:
        bounds = MaybeBounds(Bounds(flips.low, flips.high, INVERTED))
    if isinf(flips.low):
        bounds = MaybeBounds(None, f"fewer than {FEWEST_FLIPPED} units for sign flips to leave anything out")
    return replace(plain, p=flips.p, test=test, interval=bounds), floor
