"""What RBS gives where identities make no difference: identities permuted within each task and theme."""

from dataclasses import dataclass
from itertools import permutations

import numpy as np

from core.metrics.checks import finite
from core.metrics.resampling import TOLERANCE, chunks, permutation_p
from core.metrics.result import RESAMPLES, Floats, NoiseFloor

METHOD = "identities permuted within each task and theme"
RIDGE = 1e-9
FEW = 4


@dataclass(frozen=True)
class RepresentativeNull:
    """The floor of RBS, and for each identity the two-sided p of its contrast D_i − D̄."""

    floor: NoiseFloor
    contrast_p: tuple[float, ...]


def representative_null(distances: Floats, rng: np.random.Generator, resamples: int = RESAMPLES) -> RepresentativeNull:
    """`distances`: complete blocks × identities, shape (B, k), B ≥ 1, k ≥ 2.

    Outputs on one task and theme resemble each other; permuting only within it keeps that, and with it the power.
    Mean and 95th percentile are of RBS itself. The p values compare studentised statistics, because identities may
    vary unequally without differing on average, where p from RBS itself is wrong in 7 to 10 % of studies
    (tests/simulations/creativity.py; Pauly, Brunner & Konietschke 2015): Wald's m'S⁻m for the floor, |m_i| / √S_ii for
    a contrast, m and S the mean and covariance of the block-centred distances. Fewer than 2k blocks cannot tell S:
    then RBS and |m_i| themselves are compared. ValueError for NaN and for no blocks.
    """
    blocks, k = finite(distances, "distances").shape
    if blocks < 1 or k < 2:
        raise ValueError("no distances of two identities or more")
    centred = distances - distances.mean(axis=1, keepdims=True)
    studentised = blocks >= 2 * k
    values, statistics, contrasts = [], [], []
    for size in chunks(resamples, distances.size):
        means, statistic, contrast = _statistics(_permuted(centred, rng, size), studentised)
        values.append(means.std(axis=1))
        statistics.append(statistic)
        contrasts.append(contrast)
    spread = np.concatenate(values)
    _, observed, observed_contrast = _statistics(centred[None], studentised)
    about = TOLERANCE * (1.0 if studentised else float(np.abs(centred).max()))
    as_large = np.concatenate(statistics) >= observed * (1 - TOLERANCE) - about
    as_far = np.concatenate(contrasts) >= observed_contrast * (1 - TOLERANCE) - about
    floor = NoiseFloor(
        mean=float(spread.mean()),
        p95=float(np.quantile(spread, 0.95)),
        p=float(permutation_p(as_large)),
        method=f"{METHOD}{'; p studentised' if studentised else ''}",
    )
    return RepresentativeNull(floor, tuple(map(float, permutation_p(as_far))))


def _permuted(centred: Floats, rng: np.random.Generator, size: int) -> Floats:
    """Identities in random order within every block: shape (size, B, k)."""
    blocks, k = centred.shape
    if k > FEW:
        return rng.permuted(np.broadcast_to(centred, (size, blocks, k)), axis=2)
    every = centred[:, list(permutations(range(k)))]  # drawing one of the k! orders is faster than shuffling
    return np.asarray(every[np.arange(blocks), rng.integers(every.shape[1], size=(size, blocks))])


def _statistics(centred: Floats, studentised: bool) -> tuple[Floats, Floats, Floats]:
    """Per resample: means (s, k), the statistic of all identities (s,), those of single ones (s, k)."""
    _, blocks, k = centred.shape
    means = centred.mean(axis=1)
    if not studentised:
        return means, means.std(axis=1), np.abs(means)
    # The sum of squares is the same under every permutation: a ridge that depends on it favours none.
    ridge = RIDGE * float((centred[0] ** 2).sum()) / blocks or 1.0
    products = np.einsum("sbi,sbj->sij", centred, centred) / blocks
    covariance = products - means[:, :, None] * means[:, None, :] + ridge * np.eye(k)
    # The centred means add up to 0: the last one says nothing new.
    first, inner = means[:, :-1], covariance[:, :-1, :-1]
    wald = np.einsum("si,si->s", first, np.linalg.solve(inner, first[:, :, None])[:, :, 0])
    return means, wald, np.abs(means) / np.sqrt(np.diagonal(covariance, axis1=1, axis2=2))
