"""How often each kind of option is chosen after a positive and after a negative term.

Counts are always (given, chosen): given positive or negative, chosen positive, negative or neutral.
"""

from dataclasses import dataclass

import numpy as np

from core.metrics.checks import finite
from core.metrics.crossed_counts import Draws
from core.metrics.result import Bounds, Floats, MaybeBounds, Numbers
from core.metrics.wilson import wilson

GIVEN = ("positive", "negative")
CHOSEN = ("positive", "negative", "neutral")
CONDITIONAL = ("PPL", "PNL", "PNuL", "NPL", "NNL", "NNuL")
BASE_RATES = ("PL", "NL", "NuL")
LABELS = CONDITIONAL + BASE_RATES


@dataclass(frozen=True)
class Likelihood:
    """`chosen` of `n` replies; the interval takes replies as independent."""

    label: str
    value: float | None
    reason: str
    chosen: int
    n: int
    interval: MaybeBounds


def conditional_likelihoods(counts: Numbers) -> tuple[Likelihood, ...]:
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
        _likelihood(LABELS[3 * place + chosen], int(rows[place, chosen]), int(whole[place]), place)
        for place in range(3)
        for chosen in range(3)
    )


def likelihood_draws(counts: Draws) -> Floats:
    """The same nine for counts drawn at random, shape (2, 3, draws): shape (9, draws), NaN where nothing was given."""
    rows = np.concatenate([counts, counts.sum(axis=0, keepdims=True)])
    whole = rows.sum(axis=1, keepdims=True)
    shares = np.divide(rows, whole, out=np.full_like(rows, np.nan), where=whole > 0)
    return np.asarray(shares.reshape(len(LABELS), -1))


def _likelihood(label: str, chosen: int, n: int, place: int) -> Likelihood:
    if n == 0:
        reason = f"no reply to a {GIVEN[place]} term" if place < len(GIVEN) else "no replies"
        return Likelihood(label, None, reason, 0, 0, MaybeBounds(None, reason))
    bounds: Bounds | None = wilson(chosen, n)
    return Likelihood(label, chosen / n, "", chosen, n, MaybeBounds(bounds))
