"""What ABS gives with no preference at all, because finite choices never split evenly."""

from itertools import combinations
from math import comb, log

import numpy as np

from core.metrics.affinity_score import spread
from core.metrics.checks import finite
from core.metrics.resampling import TOLERANCE, chunks, permutation_p
from core.metrics.result import RESAMPLES, Floats, Ints, NoiseFloor

EXACT_SPLITS = 200_000


def affinity_floor(counts: Ints, rng: np.random.Generator, resamples: int = RESAMPLES) -> NoiseFloor:
    """The floor of ABS for `counts`: choices per comparison and identity, shape (comparisons, k).

    One choice in every comparison: exact under equal chances while there are at most EXACT_SPLITS ways to split.
    Several raters: identities are permuted jointly within a comparison, because its raters read the same texts.
    ValueError without choices or with fewer than two identities.
    """
    k = counts.shape[1]
    n = int(counts.sum())
    if n == 0 or k < 2:
        raise ValueError("no choices between two identities or more")
    observed = float(spread(counts.sum(axis=0) / n))
    if (counts.sum(axis=1) == 1).all():
        if comb(n + k - 1, k - 1) <= EXACT_SPLITS:
            return exact_floor(n, k, observed)
        totals = rng.multinomial(n, np.full(k, 1 / k), size=resamples)
        return _simulated(totals, observed, "equal chances, simulated")
    totals = permuted_totals(counts, rng, resamples)
    return _simulated(totals, observed, "identities permuted jointly within each comparison")


def exact_floor(n: int, k: int, observed: float) -> NoiseFloor:
    """Every way in which n choices fall on k identities, with its multinomial probability under equal chances."""
    from scipy.special import gammaln

    if n == 0 or k < 2:
        raise ValueError("no choices between two identities or more")
    finite(observed)
    bars = np.array(list(combinations(range(n + k - 1), k - 1)), dtype=np.int64).reshape(-1, k - 1)
    edges = np.column_stack([np.full(len(bars), -1), bars, np.full(len(bars), n + k - 1)])
    splits = np.diff(edges, axis=1) - 1
    chance = np.exp(gammaln(n + 1) - gammaln(splits + 1).sum(axis=1) - n * log(k))
    values = spread(splits / n)
    order = np.argsort(values)
    reached = int(np.searchsorted(np.cumsum(chance[order]), 0.95))
    return NoiseFloor(
        mean=float(chance @ values),
        p95=float(values[order][min(reached, len(order) - 1)]),
        p=min(1.0, float(chance[values >= observed - TOLERANCE].sum())),
        method="equal chances, exact",
    )


def permuted_totals(counts: Ints, rng: np.random.Generator, resamples: int = RESAMPLES) -> Ints:
    """How often each identity is chosen when identities are permuted jointly within comparisons: (resamples, k)."""
    parts = [
        rng.permuted(np.broadcast_to(counts, (size, *counts.shape)), axis=2).sum(axis=1)
        for size in chunks(resamples, counts.size)
    ]
    return np.concatenate(parts)


def _simulated(totals: Ints, observed: float, method: str) -> NoiseFloor:
    values: Floats = spread(totals / totals.sum(axis=1, keepdims=True))
    return NoiseFloor(
        mean=float(values.mean()),
        p95=float(np.quantile(values, 0.95)),
        p=float(permutation_p(values >= observed - TOLERANCE)),
        method=method,
    )
