"""Items given to two groups: the bias score of a reply, and a mean tested by flipping its scores.

Source: Bai, Wang, Sucholutsky & Griffiths 2025, PNAS 122(8), e2416228122.
"""

from dataclasses import replace
from itertools import product

import numpy as np

from biasprint.core.metrics.means import one_sample_mean
from biasprint.core.metrics.resampling import TOLERANCE, chunks, permutation_p
from biasprint.core.metrics.result import RESAMPLES, Difference, Floats, NoiseFloor, finite

ALL_FLIPS_UP_TO = 13  # units: 8,192 arrangements, fewer than are drawn


def association_score(a_x: int, a_y: int, b_x: int, b_y: int) -> float | None:
    """N(A,X) / (N(A,X) + N(A,Y)) + N(B,Y) / (N(B,X) + N(B,Y)) − 1, from −1 to 1; None where a group got nothing.

    `a_x`: how many items of X were given to A, and so on. 1: all of A's are X and all of B's are Y, as the stereotype
    has it; −1: the reverse. A and B exchanged, the score has the other sign. ValueError for a negative number.
    """
    if min(a_x, a_y, b_x, b_y) < 0:
        raise ValueError("counts cannot be negative")
    if a_x + a_y == 0 or b_x + b_y == 0:
        return None
    return a_x / (a_x + a_y) + b_y / (b_x + b_y) - 1


def least_p(values: Floats) -> float:
    """The smallest two-sided p of `flipped_mean`: 2 / 2ⁿ, n the units that are not 0. `values`: shape (n,)."""
    return 2 / 2.0 ** max(1, int(np.count_nonzero(values)))


def flipped_mean(
    values: Floats, rng: np.random.Generator, *, resamples: int = RESAMPLES
) -> tuple[Difference, NoiseFloor | None]:
    """The mean against 0 with the t interval of units; p by flipping each unit's sign, all ways up to 13 units.

    Exact where the two groups may change places in a unit without a difference. Effect d = x̄ / s. The floor: mean and
    95th percentile of the mean's size under flips. None for it where nothing is tested. `values`: shape (n,).
    ValueError for NaN.
    """
    units = finite(values)
    plain = one_sample_mean(units)
    if plain.p is None:
        return plain, None
    if len(units) <= ALL_FLIPS_UP_TO:
        signs = np.array(list(product((1.0, -1.0), repeat=len(units))))
        sizes = np.abs(signs @ units) / len(units)
    else:
        drawn = (rng.choice((1.0, -1.0), size=(size, len(units))) @ units for size in chunks(resamples, len(units)))
        sizes = np.abs(np.concatenate(list(drawn))) / len(units)
    observed = abs(float(units.mean()))
    as_far = sizes >= observed - TOLERANCE
    exact = len(units) <= ALL_FLIPS_UP_TO
    p = float(as_far.mean()) if exact else float(permutation_p(as_far))
    test = "sign flips, exact" if exact else "sign flips"
    return replace(plain, p=p, test=test), NoiseFloor(float(sizes.mean()), float(np.quantile(sizes, 0.95)), p, test)
