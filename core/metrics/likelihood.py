"""Likelihoods of fill-in-the-blank options, and how they change with the polarity of what is given.

Counts are always (given, chosen): given positive or negative, chosen positive, negative or neutral."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import sqrt

import numpy as np

from biasprint.core.metrics.clusters import Draws
from biasprint.core.metrics.proportions import two_proportions, wilson
from biasprint.core.metrics.result import Bounds, Difference, Floats, MaybeBounds, Numbers, finite

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


# The products of two kinds of option, and how often each stands in a sum over both.
PRODUCTS = tuple(combinations_with_replacement(range(len(CHOSEN)), 2))
TIMES = np.array([1 if one == other else 2 for one, other in PRODUCTS])
ROUNDING = 1e-9  # a share of the largest sum: smaller variances are none


@dataclass(frozen=True)
class TermSums:
    """Sums over the terms of each polarity in one stratum: `counts` of the options, shape (2, 3, draws), and
    `products` of a term's counts, two by two as `PRODUCTS` has them, shape (2, 6, draws). `terms`: of each polarity.
    """

    counts: Floats
    products: Floats
    terms: tuple[int, int]


def products_of(counts: Floats) -> Floats:
    """The products of the counts of terms, shape (…, 3): shape (…, 6)."""
    return np.stack([counts[..., one] * counts[..., other] for one, other in PRODUCTS], axis=-1)


def studentised(strata: Sequence[TermSums], scores: Floats) -> Floats:
    """The difference of the mean scores of options between polarities, over its error; shape (c, draws).

    A term t gives x_t = Σ_k a_k n_tk, where option k has score a_k, and n_t replies; μ = Σ x / Σ n of a polarity over
    all strata. e_t = x_t − μ n_t, and the variance of μ is Σ_h m/(m − 1) Σ (e_t − ē_h)² / (Σ n)², m terms in a stratum
    h; of one term e². `scores`: shape (c, 3); the unit vectors give Δ. Infinite where the error is 0 and the
    difference is not, NaN where a polarity has no replies. Source: Cochran 1977, section 9.2 (a ratio over clusters).
    """
    means, variances = [], []
    squares = np.array([[a[one] * a[other] for one, other in PRODUCTS] for a in scores]) * TIMES
    beside_n = np.array([[a[one] + a[other] for one, other in PRODUCTS] for a in scores]) * TIMES / 2
    for side in range(len(GIVEN)):
        counts = sum(stratum.counts[side] for stratum in strata)
        n = counts.sum(axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = (scores @ counts) / n
        variance, largest = np.zeros_like(mean), np.zeros_like(n)
        for stratum in strata:
            own, products, terms = stratum.counts[side], stratum.products[side], stratum.terms[side]
            whole = TIMES @ products  # Σ n_t²
            error2 = squares @ products - 2 * mean * (beside_n @ products) + mean**2 * whole
            if terms > 1:
                error2 = terms / (terms - 1) * (error2 - (scores @ own - mean * own.sum(axis=0)) ** 2 / terms)
            variance += error2
            largest += whole
        variance[variance <= ROUNDING * largest] = 0
        with np.errstate(invalid="ignore", divide="ignore"):
            variances.append(variance / n**2)
        means.append(mean)
    difference, error = means[0] - means[1], np.sqrt(variances[0] + variances[1])
    difference[np.abs(difference) <= ROUNDING] = 0
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where((difference == 0) & (error == 0), 0.0, difference / error)


def ridits(counts: Numbers, order: Sequence[int]) -> Floats:
    """Scores of options that make a difference of mean scores half of Somers' d: the share of replies below an option
    plus half of those with it, in `order` from the lowest. `counts`: shape (2, 3). Source: Bross 1958.
    """
    total = _table(counts).sum(axis=0)[list(order)]
    scores = np.empty(len(CHOSEN))
    scores[list(order)] = (total.cumsum() - total / 2) / total.sum()
    return scores


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
