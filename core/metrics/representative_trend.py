"""How RBS goes from step to step of a sweep: its slope, and each identity's."""

from dataclasses import dataclass

import numpy as np

from core.metrics.checks import finite
from core.metrics.jackknife import jackknife_interval
from core.metrics.resampling import TOLERANCE, chunks, permutation_p
from core.metrics.result import RESAMPLES, Floats, MaybeBounds


@dataclass(frozen=True)
class RepresentativeTrend:
    """`value`: slope of RBS per step. `contrast`: slope of D_i − D̄ per step, by identity."""

    value: float | None
    reason: str
    interval: MaybeBounds
    p: float | None
    contrast: tuple[float, ...] = ()


def representative_trend(
    distances: Floats, rng: np.random.Generator, resamples: int = RESAMPLES
) -> RepresentativeTrend:
    """Least squares: Σ_t (t − t̄) RBS_t / Σ_t (t − t̄)², t = 0, 1, … in the order of the steps.

    `distances`: blocks × steps × identities, shape (B, T, k), complete. Interval: jackknife over blocks. p: steps
    permuted within blocks, identities together; so it answers whether the step makes any difference to the spread,
    and noise that grows with the step is such a difference. ValueError for NaN.
    """
    blocks, steps, k = finite(distances, "distances").shape
    reason = _undefined(blocks, steps, k)
    if reason:
        return RepresentativeTrend(None, reason, MaybeBounds(None, reason), None)
    value = float(_slope(distances.mean(axis=0)))
    means = distances.mean(axis=0)
    contrast = _weights(steps) @ (means - means.mean(axis=1, keepdims=True))
    interval = jackknife_interval(
        distances.reshape(blocks, steps * k),
        lambda rows: float(_slope(rows.reshape(-1, steps, k).mean(axis=0))),
        "tasks and themes",
    )
    about = TOLERANCE * float(np.abs(distances).max())
    hits = [
        abs(_slope(_permuted_means(distances, rng, size))) >= abs(value) - about
        for size in chunks(resamples, distances.size)
    ]
    p = float(permutation_p(np.concatenate(hits)))
    return RepresentativeTrend(value, "", interval, p, tuple(map(float, contrast)))


def _undefined(blocks: int, steps: int, k: int) -> str:
    if steps < 2:
        return "a trend needs at least two steps"
    if k < 2:
        return "an axis needs at least two identities"
    return "" if blocks else "no task and theme is complete at every step"


def _weights(steps: int) -> Floats:
    centred = np.arange(steps) - (steps - 1) / 2
    return np.asarray(centred / (centred @ centred))


def _slope(means: Floats) -> Floats:
    """Slope of the spread over the steps; `means`: shape (…, steps, identities)."""
    return np.asarray(means.std(axis=-1) @ _weights(means.shape[-2]))


def _permuted_means(distances: Floats, rng: np.random.Generator, size: int) -> Floats:
    """Means over blocks with the steps of every block in random order: shape (size, steps, identities)."""
    blocks, steps, _ = distances.shape
    order = np.argsort(rng.random((size, blocks, steps)), axis=2)
    return np.asarray(distances[np.arange(blocks)[:, None], order].mean(axis=1))
