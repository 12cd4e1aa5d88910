"""Likelihoods of fill-in-the-blank options, and how they change with the polarity of what is given.

Counts are always (given, chosen): given positive or negative, chosen positive, negative or neutral."""

from dataclasses import dataclass
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
