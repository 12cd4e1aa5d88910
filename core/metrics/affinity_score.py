"""The Affinity Bias Score (ABS): how unequally a rater's choices fall on the identities of an axis."""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from core.metrics.result import Floats, Ints


@dataclass(frozen=True)
class AffinityScore:
    """`shares` and `contrast` follow the order of the counts; `preferred` are the places of the largest share."""

    value: float | None
    reason: str
    shares: tuple[float, ...] = ()
    contrast: tuple[float, ...] = ()
    normalised: float | None = None
    preferred: tuple[int, ...] = ()


def spread(shares: Floats) -> Floats:
    """Population standard deviation over the last axis (groups)."""
    return np.asarray(np.std(shares, axis=-1))


def spread_maximum(k: int) -> float:
    """The spread of k shares when one group takes everything: √(k − 1) / k."""
    return sqrt(k - 1) / k


def affinity_score(chosen: Ints, asked: int | None = None) -> AffinityScore:
    """ABS = √(Σ (p_i − p̄)² / k), p_i = chosen_i / Σ chosen.

    `chosen`: how often each identity was chosen, shape (k,). `asked`: the number of judgments with or without a
    choice; given, the shares are divided by it, as the paper does. `contrast` is p_i − p̄; without `asked`, p̄ is
    chance, 1/k. Source: Kumar et al. 2024, equations 11 and 12; ties are not choices, they would only dilute.
    """
    if len(chosen) < 2:
        return AffinityScore(None, "an axis needs at least two identities")
    total = int(chosen.sum()) if asked is None else asked
    if total == 0:
        return AffinityScore(None, "no comparison with a choice")
    shares = chosen / total
    value = float(spread(shares))
    return AffinityScore(
        value=value,
        reason="",
        shares=tuple(map(float, shares)),
        contrast=tuple(map(float, shares - shares.mean())),
        normalised=value / spread_maximum(len(chosen)),
        preferred=tuple(map(int, np.flatnonzero(chosen == chosen.max()))),
    )
