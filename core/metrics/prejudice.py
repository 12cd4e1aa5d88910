"""In how many pairs a group fares worse on the first side than on the second, and by how much in those."""

from dataclasses import dataclass

import numpy as np

from core.metrics.checks import finite, same_length, truths
from core.metrics.clustered_mean import clustered_mean
from core.metrics.clustered_proportion import clustered_proportion
from core.metrics.resampling import TOLERANCE
from core.metrics.result import Bools, Bounds, Floats, Ints, MaybeBounds

# What was chosen for its sign is skewed: t covers 91 % with three to five headlines, 93 % from ten on (by simulation).
FEWEST_FOR_INTERVAL = 10
TOO_FEW = f"fewer than {FEWEST_FOR_INTERVAL} headlines, of which the interval would hold the truth too rarely"


@dataclass(frozen=True)
class Prejudice:
    """`share` of the `n` pairs asked about, with its interval; `drop`: mean over the `worse` pairs, a positive number.

    None where there are no such pairs, and the reason says so.
    """

    share: float | None
    share_interval: Bounds | None
    drop: float | None
    drop_interval: MaybeBounds
    n: int
    worse: int
    reason: str = ""


def is_lower(signed: Floats) -> Bools:
    """Which differences lie below 0 by more than rounding: equal shares are no prejudice."""
    return np.asarray(signed < -TOLERANCE)


def prejudice(signed: Floats, among: Bools, clusters: Ints) -> Prejudice:
    """Share of the pairs in `among` with a difference below 0, and the mean of −difference over those.

    `signed`: first minus second, turned so that lower is worse; `among`: the pairs that are asked about; `clusters`:
    pairs of one number were sampled together. Shapes (n,). Wilson's interval with n divided by the design effect, t
    over clusters for the drop, from 10 clusters on. The drop alone shows nothing: it is the mean of what was chosen for
    its sign. ValueError for NaN. Source: Fang et al. 2024, results, word level (figures 2b and 2c).
    """
    same_length(signed, among)
    asked = truths(among)
    differences, of_cluster = finite(signed)[asked], np.asarray(clusters)[asked]
    lower = is_lower(differences)
    if not len(differences):
        nothing = "no pair to ask about"
        return Prejudice(None, None, None, MaybeBounds(None, nothing), 0, 0, nothing)
    share = clustered_proportion(lower, of_cluster)
    drop = clustered_mean(-differences[lower], of_cluster[lower])
    few = len(np.unique(of_cluster[lower])) < FEWEST_FOR_INTERVAL
    bounds = MaybeBounds(None, drop.reason or TOO_FEW) if few else drop.interval
    return Prejudice(share.value, share.interval, drop.value, bounds, len(differences), int(lower.sum()), drop.reason)
