"""What every measure of agreement between raters returns, and what they all ask of their input."""

from dataclasses import dataclass

import numpy as np

from core.metrics.checks import finite
from core.metrics.jackknife import Statistic, jackknife_interval
from core.metrics.result import Ints, MaybeBounds

UNIT = "comparisons"
# One identity with more of the choices than this leaves κ to the few comparisons where another was chosen.
LOPSIDED = 0.7
FEWEST_OTHERS = 30


@dataclass(frozen=True)
class Agreement:
    """`n`: comparisons it rests on. The interval resamples comparisons: it holds for the raters present, no others."""

    value: float | None
    reason: str
    interval: MaybeBounds
    n: int


def undefined(reason: str, n: int = 0) -> Agreement:
    return Agreement(None, reason, MaybeBounds(None, reason), n)


def pairable(counts: Ints) -> Ints:
    """The comparisons with two judgments or more. `counts`: judgments per comparison and category, shape (C, k).

    ValueError for NaN and for counts below 0.
    """
    if (finite(counts, "counts") < 0).any():
        raise ValueError("counts must not be negative")
    return np.asarray(counts[counts.sum(axis=1) >= 2])


def agreement_of(rows: Ints, statistic: Statistic, n: int, *, least: float = -1.0) -> Agreement:
    """The statistic of all rows with its jackknife interval; `rows` stand for comparisons."""
    value = statistic(rows)
    if value is None:
        return undefined("every choice fell on the same identity: nothing to agree or disagree on", n)
    return Agreement(value, "", jackknife_interval(rows, statistic, UNIT, least=least, most=1.0), n)


def too_lopsided(chosen: Ints, comparisons: int) -> str:
    """Why a chance-corrected measure has no interval that can be trusted; empty where it has one.

    `chosen`: judgments per category, shape (k,). Where one category has more than LOPSIDED of the judgments, at least
    FEWEST_OTHERS comparisons' worth of the others are needed (tests/simulations/creativity.py: 63 to 90 % coverage).
    """
    share = float(chosen.max() / chosen.sum())
    if share <= LOPSIDED or comparisons * (1 - share) >= FEWEST_OTHERS:
        return ""
    return f"{share:.0%} of the choices fell on one identity, and {comparisons} comparisons are too few for that"


def unless_lopsided(found: Agreement, chosen: Ints) -> Agreement:
    """The same without an interval where that could not be trusted."""
    reason = too_lopsided(chosen, found.n) if found.interval.bounds else ""
    return Agreement(found.value, found.reason, MaybeBounds(None, reason), found.n) if reason else found
