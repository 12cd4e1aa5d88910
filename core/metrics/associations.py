"""Statistics of order: Kendall's τ, Spearman's ρ, outliers by medians, the band of a distribution function.

Likelihoods of fill-in-the-blank options, and how they change with the polarity of what is given.

Counts are always (given, chosen): given positive or negative, chosen positive, negative or neutral.
"""

from dataclasses import dataclass
from math import log, sqrt
from statistics import NormalDist
from typing import Literal

import numpy as np

from biasprint.core.metrics.clusters import Draws
from biasprint.core.metrics.proportions import two_proportions, wilson
from biasprint.core.metrics.result import (
    LEVEL,
    NO_BOUNDS,
    Bounds,
    Difference,
    Floats,
    Ints,
    MaybeBounds,
    Numbers,
    estimates_alone,
    finite,
    same_length,
)

# ---- likelihoods
# Counts are always (given, chosen): given positive or negative, chosen positive, negative or neutral.

GIVEN = ("positive", "negative")
CHOSEN = ("positive", "negative", "neutral")
CONDITIONAL = ("PPL", "PNL", "PNuL", "NPL", "NNL", "NNuL")
BASE_RATES = ("PL", "NL", "NuL")
LIKELIHOODS = CONDITIONAL + BASE_RATES


@dataclass(frozen=True)
class LikelihoodShare:
    """`chosen` of `n` replies; the interval takes replies as independent."""

    label: str
    value: float | None
    reason: str
    chosen: int
    n: int
    interval: MaybeBounds


def conditional_likelihoods(counts: Numbers) -> tuple[LikelihoodShare, ...]:
    """PPL = n(P, P) / n(P), …, NNuL; then the base rates PL = n(·, P) / n, NL, NuL: nine, in the order of `LABELS`.

    `counts`: shape (2, 3). Wilson's interval. None where nothing was given that way. ValueError for NaN.
    Source: Kamruzzaman et al. 2024, experimental setup.
    """
    table = finite(counts, "counts")
    if table.shape != (len(GIVEN), len(CHOSEN)):
        raise ValueError("counts are given (2) × chosen (3)")
    rows = np.vstack([table, table.sum(axis=0)])
    whole = rows.sum(axis=1)
    return tuple(
        _likelihood(LIKELIHOODS[3 * place + chosen], int(rows[place, chosen]), int(whole[place]), place)
        for place in range(3)
        for chosen in range(3)
    )


def likelihood_draws(counts: Draws) -> Floats:
    """Compute the nine statistics for random counts, (2, 3, draws): shape (9, draws), NaN where nothing was given."""
    rows = np.concatenate([counts, counts.sum(axis=0, keepdims=True)])
    whole = rows.sum(axis=1, keepdims=True)
    shares = np.divide(rows, whole, out=np.full_like(rows, np.nan), where=whole > 0)
    return np.asarray(shares.reshape(len(LIKELIHOODS), -1))


def _likelihood(label: str, chosen: int, n: int, place: int) -> LikelihoodShare:
    if n == 0:
        reason = f"no reply to a {GIVEN[place]} term" if place < len(GIVEN) else "no replies"
        return LikelihoodShare(label, None, reason, 0, 0, MaybeBounds(None, reason))
    bounds: Bounds | None = wilson(chosen, n)
    return LikelihoodShare(label, chosen / n, "", chosen, n, MaybeBounds(bounds))


# ---- Δ, and one test of all three

DELTAS = ("delta_P", "delta_N", "delta_Nu")


@dataclass(frozen=True)
class Omnibus:
    """Pearson's χ² of the 2 × 3 table; `p` takes replies as independent. `association`: Cramér's V."""

    statistic: float | None
    p: float | None
    association: float | None
    degrees: int
    reason: str = ""


def likelihood_deltas(counts: Numbers) -> tuple[Difference, ...]:
    """ΔPL = PPL − NPL, ΔNL = PNL − NNL, ΔNuL = PNuL − NNuL, as differences of two independent proportions.

    `counts`: shape (2, 3). They sum to 0. Source: Kamruzzaman et al. 2024, Figure 3.
    """
    table = _table(counts)
    first, second = (int(total) for total in table.sum(axis=1))
    return tuple(
        two_proportions(int(table[0, chosen]), first, int(table[1, chosen]), second) for chosen in range(len(CHOSEN))
    )


def delta_values(counts: Numbers) -> tuple[float | None, ...]:
    """Return the three Δ alone, without interval and test; None where a side of the table is empty."""
    table = _table(counts)
    first, second = (int(total) for total in table.sum(axis=1))
    if not (first and second):
        return (None,) * len(CHOSEN)
    return tuple(int(x) / first - int(y) / second for x, y in zip(*table, strict=True))


def delta_draws(counts: Draws) -> Floats:
    """The three Δ for counts drawn at random, shape (2, 3, draws): shape (3, draws), NaN where a side is empty."""
    whole = counts.sum(axis=1, keepdims=True)
    shares = np.divide(counts, whole, out=np.full_like(counts, np.nan), where=whole > 0)
    return np.asarray(shares[0] - shares[1])


def omnibus(counts: Numbers) -> Omnibus:
    """χ² = Σ (o − e)² / e over the options that were chosen at all, V = √(χ² / n); two degrees of freedom for three.

    None where a side is empty or only one kind of option was ever chosen.
    """
    from scipy.stats import chi2_contingency

    table = _table(counts)
    chosen = table[:, table.sum(axis=0) > 0]
    if (table.sum(axis=1) == 0).any():
        return Omnibus(None, None, None, 0, "no reply to a term of one polarity")
    if chosen.shape[1] < 2:
        return Omnibus(None, None, None, 0, "every reply chose the same kind of option")
    statistic, p, degrees, _ = chi2_contingency(chosen, correction=False)
    return Omnibus(float(statistic), float(p), sqrt(float(statistic) / table.sum()), int(degrees))


def association_draws(counts: Draws) -> Floats:
    """Cramér's V for counts drawn at random, shape (2, 3, draws): shape (draws,), NaN where a side is empty."""
    rows = counts.sum(axis=1, keepdims=True)
    columns = counts.sum(axis=0, keepdims=True)
    n = counts.sum(axis=(0, 1), keepdims=True)
    expected = np.divide(rows * columns, n, out=np.zeros_like(counts), where=n > 0)
    cells = np.divide((counts - expected) ** 2, expected, out=np.zeros_like(counts), where=expected > 0)
    squared = np.divide(cells.sum(axis=(0, 1)), n[0, 0], out=np.full_like(n[0, 0], np.nan), where=(rows > 0).all(0)[0])
    return np.asarray(np.sqrt(squared))


def _table(counts: Numbers) -> Floats:
    table = finite(counts, "counts")
    if table.shape != (len(GIVEN), len(CHOSEN)):
        raise ValueError("counts are given (2) × chosen (3)")
    return table


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
