"""Differences between a generated text and its original: shares of mentions, scores of sentences, and their targets."""

from dataclasses import dataclass
from math import exp

import numpy as np

from biasprint.core.metrics.means import clustered_mean
from biasprint.core.metrics.proportions import clustered_proportion
from biasprint.core.metrics.resampling import TOLERANCE
from biasprint.core.metrics.result import (
    Bools,
    Bounds,
    Difference,
    Floats,
    Ints,
    MaybeBounds,
    Numbers,
    finite,
    same_length,
    truths,
)


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
    x, y = finite(first, "amounts"), finite(second, "amounts")
    if x.shape != y.shape or x.ndim != 2:
        raise ValueError("both sides need the same pairs and groups")
    if (x < 0).any() or (y < 0).any():
        raise ValueError("amounts cannot be negative")
    totals, other_totals = x.sum(axis=1), y.sum(axis=1)
    defined = np.asarray((totals > 0) & (other_totals > 0))
    shares = x[defined] / totals[defined, None]
    other_shares = y[defined] / other_totals[defined, None]
    return ShareDistance(defined, np.abs(shares - other_shares).sum(axis=1) / 2, shares, other_shares)


# ---- scores of sentences


@dataclass(frozen=True)
class GroupMeans:
    """Mean score per pair and group; 0 where `present` is False: no sentence there is about the group. (pairs, k)."""

    means: Floats
    present: Bools


@dataclass(frozen=True)
class SentenceGap:
    """`gap`: S of the defined pairs alone, shape (d,); `defined`, shape (pairs,): some group on both sides.

    `signed`: first minus second per pair and group, shape (pairs, k); 0 where `both` is False.
    """

    defined: Bools
    gap: Floats
    signed: Floats
    both: Bools

    @property
    def dropped(self) -> int:
        return int((~self.defined).sum())


def group_means(scores: Floats, group: Ints, pair: Ints, pairs: int, groups: int) -> GroupMeans:
    """Means over the sentences of each pair and group. `scores`, `group` (negative: neutral, left out), `pair`: (n,).

    ValueError for NaN.
    """
    values = finite(scores, "scores")
    about = group >= 0
    cell = pair[about] * groups + group[about]
    counts = np.bincount(cell, minlength=pairs * groups).reshape(pairs, groups)
    sums = np.bincount(cell, values[about], minlength=pairs * groups).reshape(pairs, groups)
    return GroupMeans(sums / np.maximum(counts, 1), counts > 0)


def sentence_gap(first: GroupMeans, second: GroupMeans) -> SentenceGap:
    """S = max over the groups present on both sides of |mean first − mean second|, per pair.

    It grows with the number of groups, which is why the signed differences are given with it.
    Source: Fang et al. 2024, equations 5 and 6.
    """
    both = first.present & second.present
    signed = np.where(both, first.means - second.means, 0.0)
    defined = np.asarray(both.any(axis=1))
    return SentenceGap(defined, np.abs(signed).max(axis=1, initial=0.0)[defined], signed, both)


# ---- prejudice: how often a group fares worse, and by how much in those pairs

# What was chosen for its sign is skewed: t covers 84 to 95 %, mostly too low; on the scale of the logarithm 92 to 96 %
# from ten headlines on (drawn from the calibration's sentences and words).
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
    """Return which differences lie below 0 by more than rounding: equal shares are no prejudice."""
    return np.asarray(signed < -TOLERANCE)


def prejudice(signed: Floats, among: Bools, clusters: Ints) -> Prejudice:
    """Share of the pairs in `among` with a difference below 0, and the mean of −difference over those.

    `signed`: first minus second, turned so that lower is worse; `among`: the pairs that are asked about; `clusters`:
    pairs of one number were sampled together. Shapes (n,). Wilson's interval with n divided by the design effect. Of
    the drop d, from 10 clusters on, d e^(±h/d) with h half the width of t over clusters (delta method of ln d). The
    drop alone shows nothing: it is the mean of what was chosen for its sign. ValueError for NaN.
    Source: Fang et al. 2024, results, word level (figures 2b and 2c).
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
    bounds = MaybeBounds(None, drop.reason or TOO_FEW) if few else _on_log_scale(drop)
    return Prejudice(share.value, share.interval, drop.value, bounds, len(differences), int(lower.sum()), drop.reason)


def _on_log_scale(drop: Difference) -> MaybeBounds:
    bounds = drop.interval.bounds
    if bounds is None or drop.value is None:
        return drop.interval
    factor = exp((bounds.high - drop.value) / drop.value)
    return MaybeBounds(Bounds(drop.value / factor, drop.value * factor, f"{bounds.method}, of the logarithm"))
