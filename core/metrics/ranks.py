"""Statistics of order: Kendall's τ, Spearman's ρ, outliers by medians, the band of a distribution function."""

from dataclasses import dataclass
from math import log, sqrt
from statistics import NormalDist
from typing import Literal

import numpy as np

from biasprint.core.metrics.clusters import Draws
from biasprint.core.metrics.result import (
    LEVEL,
    NO_BOUNDS,
    Bounds,
    Floats,
    Ints,
    MaybeBounds,
    Numbers,
    estimates_alone,
    finite,
    same_length,
)

# ---- Kendall's τ of one table

Variant = Literal["b", "c"]
MOST_CELLS = 250_000


@dataclass(frozen=True)
class KendallTau:
    """`p` and `interval` are asymptotic, as if the items were independent."""

    value: float | None
    reason: str
    interval: MaybeBounds
    p: float | None
    n: int


def kendall_tau(first: Numbers, second: Numbers | None = None, *, variant: Variant = "b") -> KendallTau:
    """τ-b = (P − Q) / √((n₀ − n₁)(n₀ − n₂)); τ-c = 2m (P − Q) / (n² (m − 1)), m the smaller number of categories.

    `first`, `second`: ordered values per item, shape (n,); or `first` alone: a table of counts, ordered rows × ordered
    columns. p: scipy's, normal with the variance under independence given the ties; exact of two items. Interval: ± z
    times the delta method's standard error (Brown & Benedetti 1977). None where one of the two is constant. ValueError
    for NaN.
    """
    from scipy.stats import kendalltau

    rows, columns = _items(first) if second is None else _categories(first, second)
    n = len(rows)
    if n == 0 or rows.max() == 0 or columns.max() == 0:
        reason = "one of the two never varies" if n else "no items"
        return KendallTau(None, reason, MaybeBounds(None, "no estimate"), None, n)
    # The variance divides by n − 2; two items that differ in both have no ties, which the exact test asks for.
    outcome = kendalltau(rows, columns, method="exact" if n == 2 else "asymptotic", variant=variant)
    value = float(outcome.statistic)
    return KendallTau(value, "", _interval(rows, columns, value, variant), float(outcome.pvalue), n)


def _interval(rows: Ints, columns: Ints, value: float, variant: Variant) -> MaybeBounds:
    if estimates_alone():
        return NO_BOUNDS
    shape = (int(rows.max()) + 1, int(columns.max()) + 1)
    if shape[0] * shape[1] > MOST_CELLS:
        return MaybeBounds(None, "too many categories for the delta method")
    table = np.bincount(rows * shape[1] + columns, minlength=shape[0] * shape[1]).reshape(shape)
    error = standard_error(table, variant)
    if error <= 1e-9:
        return MaybeBounds(None, "the standard error is 0")
    half = NormalDist().inv_cdf((1 + LEVEL) / 2) * error
    return MaybeBounds(Bounds(max(-1.0, value - half), min(1.0, value + half), "normal, delta method"))


def standard_error(table: Ints, variant: Variant) -> float:
    """Asymptotic standard error of τ; `table` without empty rows or columns, at least 2 × 2."""
    n = float(table.sum())
    surplus = _concordant(table) - _concordant(table[:, ::-1])[:, ::-1]
    doubled = float((table * surplus).sum())  # P − Q, every pair counted twice
    if variant == "c":
        m = min(table.shape)
        variance = 4 * m**2 / ((m - 1) ** 2 * n**4) * (float((table * surplus**2).sum()) - doubled**2 / n)
        return sqrt(max(0.0, variance))
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    untied_rows, untied_columns = n**2 - float((rows**2).sum()), n**2 - float((columns**2).sum())
    scale = sqrt(untied_rows * untied_columns)
    tau = doubled / scale
    margins = rows[:, None] * untied_columns + columns[None, :] * untied_rows
    spread = float((table * (2 * scale * surplus + tau * margins) ** 2).sum())
    return sqrt(max(0.0, spread - n**3 * tau**2 * (untied_rows + untied_columns) ** 2)) / scale**2


def _concordant(table: Ints) -> Floats:
    """Per cell, how many items lie above in both or below in both."""
    padded = np.pad(table.astype(np.float64), 1)
    before = padded.cumsum(axis=0).cumsum(axis=1)[:-2, :-2]
    after = padded[::-1, ::-1].cumsum(axis=0).cumsum(axis=1)[::-1, ::-1][2:, 2:]
    return np.asarray(before + after)


def _items(table: Numbers) -> tuple[Ints, Ints]:
    """The row and column of every counted item, numbered without the empty ones: they would change m."""
    counts = finite(table, "counts")
    if counts.ndim != 2 or (counts < 0).any() or (counts % 1).any():
        raise ValueError("a table is rows × columns of counts")
    rows, columns = (place.ravel().repeat(counts.astype(np.int64).ravel()) for place in np.indices(counts.shape))
    return _categories(rows, columns)


def _categories(first: Numbers, second: Numbers) -> tuple[Ints, Ints]:
    same_length(first, second)
    rows, columns = (np.unique(finite(side), return_inverse=True)[1] for side in (first, second))
    return rows, columns


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
    scale = np.sqrt(np.maximum(0, untied_rows * untied_columns))
    nowhere = np.full_like(n, np.nan)
    varies = scale > 0
    return (
        np.divide(2 * surplus, scale, out=nowhere.copy(), where=varies),
        np.divide(4 * surplus, n**2, out=nowhere, where=varies),
    )


# The rule: a modified z beyond 3.5 (Iglewicz & Hoaglin 1993). Fewer times than this have no usual one.
FARTHEST = 3.5
FEWEST = 10
# SD of a normal distribution over its median absolute deviation.
NORMAL_OVER_MAD = 1.4826022185056018


@dataclass(frozen=True)
class LogOutliers:
    """`median`: of the times; `scores`: each time's modified z, below 0 where it was short. Empty where undefined."""

    median: float | None
    reason: str
    scores: tuple[float, ...] = ()

    @property
    def far(self) -> tuple[bool, ...]:
        return tuple(abs(score) > FARTHEST for score in self.scores)


def log_outliers(times: Floats) -> LogOutliers:
    """z_i = (ln t_i − M) / (1.4826 · MAD), M the median of ln t and MAD the median of |ln t − M|.

    Times are skewed: on the log scale half as long is as far off as twice as long. `times` > 0, shape (n,).
    ValueError for NaN and for times that are not positive.
    Source: Iglewicz & Hoaglin 1993; the log scale as usual for response times.
    """
    if (finite(times, "times") <= 0).any():
        raise ValueError("times must be positive")
    if len(times) < FEWEST:
        return LogOutliers(None, f"fewer than {FEWEST} times")
    logs = np.log(times)
    middle = float(np.median(logs))
    deviation = float(np.median(abs(logs - middle)))
    if deviation <= 1e-9:
        return LogOutliers(None, "half of the times or more are the same: nothing says which is far off")
    scores = (logs - middle) / (NORMAL_OVER_MAD * deviation)
    return LogOutliers(float(np.exp(middle)), "", tuple(map(float, scores)))


# ---- Spearman's ρ of two measurements


@dataclass(frozen=True)
class SpearmanRho:
    """`p` is two-sided, Student's t on n − 2 degrees of freedom: as if the items were independent."""

    value: float | None
    reason: str
    interval: MaybeBounds
    p: float | None
    n: int


FEWEST_RANKED = 4  # for an interval


def spearman_rho(first: Numbers, second: Numbers) -> SpearmanRho:
    """ρ = Pearson's r of the ranks, ties at their mean rank.

    `first`, `second`: values per item, shape (n,). Interval: tanh(artanh ρ ± z √((1 + ρ²/2) / (n − 3))), Bonett &
    Wright 2000. None where one of the two never varies. ValueError for NaN.
    """
    from scipy.stats import spearmanr

    same_length(first, second)
    n = len(first)
    finite(first), finite(second)
    if n < 2 or np.ptp(first) == 0 or np.ptp(second) == 0:
        reason = "one of the two never varies" if n else "no items"
        return SpearmanRho(None, reason, MaybeBounds(None, "no estimate"), None, n)
    outcome = spearmanr(first, second)
    value = float(outcome.statistic)
    p = float(outcome.pvalue) if n > 2 else None
    return SpearmanRho(value, "", _rho_interval(value, n), p, n)


def _rho_interval(value: float, n: int) -> MaybeBounds:
    if n < FEWEST_RANKED:
        return MaybeBounds(None, f"fewer than {FEWEST_RANKED} items")
    if abs(value) > 1 - 1e-12:
        return MaybeBounds(None, "the ranks are the same, or the reverse")
    half = NormalDist().inv_cdf((1 + LEVEL) / 2) * sqrt((1 + value**2 / 2) / (n - 3))
    low, high = np.tanh([np.arctanh(value) - half, np.arctanh(value) + half])
    return MaybeBounds(Bounds(float(low), float(high), "Bonett and Wright 2000"))


# ---- the band of an empirical distribution function


def distribution_band(n: int, level: float = LEVEL) -> float:
    """ε = √(ln(2 / (1 − level)) / (2n)): F̂ ± ε holds the whole distribution function at once, for independent items.

    Source: Dvoretzky, Kiefer & Wolfowitz 1956, with the constant of Massart 1990. ValueError for n below 1.
    """
    if n < 1:
        raise ValueError("a distribution needs an item")
    return sqrt(log(2 / (1 - level)) / (2 * n))
