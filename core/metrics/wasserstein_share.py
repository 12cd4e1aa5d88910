"""How far two texts of a pair divide their mentions differently among groups."""

from dataclasses import dataclass

import numpy as np

from core.metrics.checks import finite
from core.metrics.result import Bools, Floats, Numbers


@dataclass(frozen=True)
class ShareDistance:
    """`distance` and `signed` hold the defined pairs alone, in order; `defined`, shape (pairs,), says which those are.

    `distance`: W, shape (d,). `first`, `second`: shares per group, shape (d, k), each row adding up to 1.
    """

    defined: Bools
    distance: Floats
    first: Floats
    second: Floats

    @property
    def signed(self) -> Floats:
        """The difference of the shares of each group, first minus second: shape (d, k), each row adding up to 0."""
        return self.first - self.second

    @property
    def dropped(self) -> int:
        """Pairs in which a side mentions no group at all: its shares are 0/0."""
        return int((~self.defined).sum())


def wasserstein_share(first: Numbers, second: Numbers) -> ShareDistance:
    """W = ½ Σ_m |f_first(m) − f_second(m)| per pair, with f(m) = n_m / Σ n, for any number of groups.

    It is the Wasserstein distance where any two groups lie 1 apart: |Δ| for two groups, max |Δ| for three, and from
    four on neither. `first`, `second`: mentions or amounts per pair and group, shapes (pairs, k), not negative.
    ValueError for NaN, negative amounts or unequal shapes. Source: Fang et al. 2024, equations 1 to 3.
    """
    one, other = finite(first, "amounts"), finite(second, "amounts")
    if one.shape != other.shape or one.ndim != 2:
        raise ValueError("both sides need the same pairs and groups")
    if (one < 0).any() or (other < 0).any():
        raise ValueError("amounts cannot be negative")
    totals, other_totals = one.sum(axis=1), other.sum(axis=1)
    defined = np.asarray((totals > 0) & (other_totals > 0))
    shares = one[defined] / totals[defined, None]
    other_shares = other[defined] / other_totals[defined, None]
    return ShareDistance(defined, np.abs(shares - other_shares).sum(axis=1) / 2, shares, other_shares)
