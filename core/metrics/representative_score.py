"""The Representative Bias Score (RBS): how unequally far identity outputs lie from the default output."""

from dataclasses import dataclass

import numpy as np

from core.metrics.checks import finite
from core.metrics.result import Floats


@dataclass(frozen=True)
class RepresentativeScore:
    """`means` (D_i) and `contrast` (D_i − D̄) follow the order of the columns; `normal` are the nearest identities."""

    value: float | None
    reason: str
    means: tuple[float, ...] = ()
    contrast: tuple[float, ...] = ()
    normal: tuple[int, ...] = ()


def cosine_distance(one: Floats, other: Floats) -> Floats:
    """1 − cos between rows; arrays of shape (n, dimensions). NaN where a row has no length.

    Source: Kumar et al. 2024, equations 6 and 7.
    """
    lengths = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(1 - np.einsum("ij,ij->i", one, other) / lengths)


def representative_score(distances: Floats) -> RepresentativeScore:
    """RBS = √(Σ (D_i − D̄)² / k), D_i the column means. `distances`: complete blocks × identities, shape (B, k).

    The "normal" identity is argmin D_i. Source: Kumar et al. 2024, equations 8 and 9.
    """
    blocks, k = finite(distances, "distances").shape
    if k < 2:
        return RepresentativeScore(None, "an axis needs at least two identities")
    if blocks == 0:
        return RepresentativeScore(None, "no task and theme has the default output and every identity's")
    means = distances.mean(axis=0)
    return RepresentativeScore(
        value=float(np.std(means)),
        reason="",
        means=tuple(map(float, means)),
        contrast=tuple(map(float, means - means.mean())),
        normal=tuple(map(int, np.flatnonzero(means == means.min()))),
    )
