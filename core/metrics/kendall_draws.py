"""Kendall's τ of many tables of two rows at once, for resampling; one table is in `kendall`."""

import numpy as np

from core.metrics.crossed_counts import Draws
from core.metrics.result import Floats


def kendall_draws(tables: Draws) -> tuple[Floats, Floats]:
    """τ-b and τ-c for tables drawn at random, shape (2, columns, draws), lower category first: each of shape (draws,).

    P − Q = Σ_j n₀ⱼ (Σ_{i>j} n₁ᵢ − Σ_{i<j} n₁ᵢ); τ-b divides by √((n₀ − n₁)(n₀ − n₂)), τ-c = 4 (P − Q) / n².
    NaN where one of the two never varies. Source: Kendall 1945, Stuart 1953.
    """
    low, high = tables.astype(np.float64)
    below = np.cumsum(high, axis=0) - high
    above = high.sum(axis=0) - below - high
    surplus = (low * (above - below)).sum(axis=0)
    n = low.sum(axis=0) + high.sum(axis=0)
    untied_rows = n**2 - low.sum(axis=0) ** 2 - high.sum(axis=0) ** 2
    untied_columns = n**2 - ((low + high) ** 2).sum(axis=0)
    scale = np.sqrt(untied_rows * untied_columns)
    nowhere = np.full_like(n, np.nan)
    varies = scale > 0
    return (
        np.divide(2 * surplus, scale, out=nowhere.copy(), where=varies),
        np.divide(4 * surplus, n**2, out=nowhere, where=varies),
    )
