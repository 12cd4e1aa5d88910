"""How much the replies change with the polarity of what is given: Δ for each kind of option, and all three at once.

Counts are (given, chosen), as in `conditional_likelihood`.
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from core.metrics.checks import finite
from core.metrics.conditional_likelihood import CHOSEN, GIVEN
from core.metrics.crossed_counts import Draws
from core.metrics.difference import Difference
from core.metrics.result import Floats, Numbers
from core.metrics.two_proportions import two_proportions

LABELS = ("delta_P", "delta_N", "delta_Nu")


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
