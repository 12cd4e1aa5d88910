"""How far the means of several groups lie apart: their standard deviation over matched blocks."""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from biasprint.core.metrics.resampling import TOLERANCE, chunks, permutation_p
from biasprint.core.metrics.result import (
    LEVEL,
    NO_BOUNDS,
    RESAMPLES,
    Bounds,
    Floats,
    MaybeBounds,
    NoiseFloor,
    estimates_alone,
    finite,
)


@dataclass(frozen=True)
class Spread:
    """`value`: the standard deviation of the groups' means; None where it is undefined, and `reason` says why.

    `means`: of each group over the blocks, shape (groups,). `blocks`: how many there are.
    """

    value: float | None
    reason: str
    means: Floats
    blocks: int
    interval: MaybeBounds
    floor: NoiseFloor | None


def spread_of_groups(values: Floats, rng: np.random.Generator, *, resamples: int = RESAMPLES) -> Spread:
    """s = √(Σ_g (x̄_g − x̄)² / (k − 1)): the sample standard deviation of the means of k groups.

    s is above 0 without any bias too, so it stands beside its floor: mean and 95th percentile of s with groups permuted
    within blocks; p is the share of permutations with an s as large. The interval is that of the true s by
    inverting the noncentral F of k − 1 and (k − 1)(B − 1) degrees of freedom, F = B s² / MS(groups × blocks).
    `values`: of each block and group, shape (B, k). ValueError for NaN.
    Source: s² is the measure of Wan & Chang 2025 (LABE); the interval after Steiger 2004.
    """
    numbers = finite(values)
    blocks, groups = numbers.shape
    if blocks == 0 or groups < 2:
        why = "no block has a text of every group" if groups > 1 else "there are fewer than two groups"
        return Spread(None, why, np.zeros(0), blocks, MaybeBounds(None, why), None)
    means = numbers.mean(axis=0)
    value = float(means.std(ddof=1))
    if estimates_alone():
        return Spread(value, "", means, blocks, NO_BOUNDS, None)
    bounds = _interval(numbers, value)
    if blocks < 2 or not resamples:
        return Spread(value, "", means, blocks, bounds, None)
    sizes = np.concatenate([_permuted(numbers, rng, size) for size in chunks(resamples, numbers.size)])
    p = float(permutation_p(sizes >= value - TOLERANCE * max(1.0, value)))
    floor = NoiseFloor(float(sizes.mean()), float(np.quantile(sizes, 0.95)), p, "permutation within blocks")
    return Spread(value, "", means, blocks, bounds, floor)


def _permuted(values: Floats, rng: np.random.Generator, size: int) -> Floats:
    drawn = rng.permuted(np.broadcast_to(values, (size, *values.shape)).copy(), axis=2)
    return np.asarray(drawn.mean(axis=1).std(axis=1, ddof=1))


def _interval(values: Floats, value: float) -> MaybeBounds:
    blocks, groups = values.shape
    freedom = (groups - 1) * (blocks - 1)
    if freedom < 1:
        return MaybeBounds(None, "fewer than two blocks")
    rest = values - values.mean(axis=0) - values.mean(axis=1, keepdims=True) + values.mean()
    error = float((rest**2).sum()) / freedom
    if error <= 1e-24 * max(1.0, float((values**2).mean())):
        return MaybeBounds(None, "the groups differ alike in every block")
    observed = blocks * value**2 / error
    low, high = (
        sqrt(_noncentrality(observed, groups - 1, freedom, tail) * error / (blocks * (groups - 1)))
        for tail in ((1 + LEVEL) / 2, (1 - LEVEL) / 2)
    )
    # Of groups that are more alike than chance has it the inverted test leaves nothing: then the value is the bound.
    return MaybeBounds(Bounds(low, max(high, value), "noncentral F", LEVEL))


def _noncentrality(observed: float, between: int, within: int, below: float) -> float:
    """λ at which F is below the observed one with this probability; 0 where it is not so likely even at 0."""
    from scipy.optimize import brentq
    from scipy.stats import f, ncf

    if f.cdf(observed, between, within) <= below:
        return 0.0
    most = 1.0
    while ncf.cdf(observed, between, within, most) > below:
        most *= 2
    return float(brentq(lambda each: ncf.cdf(observed, between, within, each) - below, 0.0, most))
