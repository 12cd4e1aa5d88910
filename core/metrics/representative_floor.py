"""What RBS gives where identities make no difference: identities permuted within each task and theme."""

from dataclasses import dataclass

import numpy as np

from core.metrics.resampling import TOLERANCE, chunks, permutation_p
from core.metrics.result import RESAMPLES, Floats, NoiseFloor


@dataclass(frozen=True)
class RepresentativeNull:
    """The floor of RBS, and for each identity the two-sided p of its contrast D_i − D̄."""

    floor: NoiseFloor
    contrast_p: tuple[float, ...]


def representative_null(distances: Floats, rng: np.random.Generator, resamples: int = RESAMPLES) -> RepresentativeNull:
    """`distances`: complete blocks × identities, shape (B, k), B ≥ 1, k ≥ 2.

    Outputs on one task and theme resemble each other; permuting only within it keeps that, and with it the power.
    """
    means = np.concatenate(
        [
            rng.permuted(np.broadcast_to(distances, (size, *distances.shape)), axis=2).mean(axis=1)
            for size in chunks(resamples, distances.size)
        ]
    )
    observed = distances.mean(axis=0)
    values = means.std(axis=1)
    # The grand mean is the same under every permutation within blocks.
    as_far = abs(means - observed.mean()) >= abs(observed - observed.mean()) - TOLERANCE
    floor = NoiseFloor(
        mean=float(values.mean()),
        p95=float(np.quantile(values, 0.95)),
        p=float(permutation_p(values >= observed.std() - TOLERANCE)),
        method="identities permuted within each task and theme",
    )
    return RepresentativeNull(floor, tuple(map(float, permutation_p(as_far))))
