"""Shares that a classifier counted, corrected for its known errors, with intervals that carry those errors.

A classifier with sensitivity se and specificity sp gives a share of π·se + (1 − π)(1 − sp) where the true share is π.
What is known of se and sp comes from a labelled sample of limited size, so that they have intervals of their own
(Wilson's). They are taken to be the same for every group, and to hold for these texts as for the labelled ones.
"""

from dataclasses import dataclass
from math import hypot, sqrt

from biasprint.core.metrics.proportions import edge, wilson
from biasprint.core.metrics.result import Bounds, MaybeBounds, estimates_alone

METHOD = "Rogan–Gladen, MOVER"
NO_N = "the card does not say on how many texts the scorer was tried"
NO_BETTER = "the scorer may be no better than guessing: sensitivity and specificity may add up to no more than 1"
NO_PLAIN = "the number itself has no interval"


@dataclass(frozen=True)
class KnownError:
    """Right answers on labelled texts: `found` of the `present` that have the quality, `rejected` of the `absent`."""

    found: int
    present: int
    rejected: int
    absent: int

    def __post_init__(self) -> None:
        if not (0 <= self.found <= self.present and 0 <= self.rejected <= self.absent):
            raise ValueError("right answers must lie between 0 and the number of texts")

    @property
    def sensitivity(self) -> float:
        return self.found / self.present

    @property
    def specificity(self) -> float:
        return self.rejected / self.absent

    @property
    def youden(self) -> float:
        """J = se + sp − 1: the factor by which the errors shrink every difference of shares."""
        return self.sensitivity + self.specificity - 1

    def youden_bounds(self, level: float) -> Bounds:
        """The interval of J from Wilson's intervals of se and sp (MOVER)."""
        se, sp = _wilson(self.found, self.present, level), _wilson(self.rejected, self.absent, level)
        below = hypot(self.sensitivity - se.low, self.specificity - sp.low)
        above = hypot(se.high - self.sensitivity, sp.high - self.specificity)
        return Bounds(self.youden - below, self.youden + above, "MOVER of Wilson", level)

    def reason_against(self, level: float) -> str:
        """Return why nothing can be corrected by this error; empty where it can."""
        if not (self.present and self.absent):
            return NO_N
        bounds = self.youden_bounds(level)
        return NO_BETTER if bounds.low <= 0 or bounds.high >= 2 * self.youden else ""


@dataclass(frozen=True)
class Corrected:
    """`value`: the corrected number; None where it is undefined, and `reason` says why."""

    value: float | None
    reason: str
    interval: MaybeBounds


def true_share(share: float, plain: Bounds | None, error: KnownError) -> Corrected:
    """π̂ = (p̂ + sp − 1) / (se + sp − 1), within [0, 1].

    Its interval holds every π for which p̂ − π se − (1 − π)(1 − sp), whose three terms are independent, has an interval
    around 0 (MOVER). `plain`: the interval of p̂, by whatever method suits its units. Source: Rogan & Gladen 1978;
    Zou & Donner 2008; close to Lang & Reiczigel 2014 where p̂ is a share of independent texts.
    """
    why = _undefined(plain, error)
    if plain is None or why:
        return Corrected(None, why, MaybeBounds(None, why))
    value = _within(0.0, (share + error.specificity - 1) / error.youden, 1.0)
    se, sp = _wilson(error.found, error.present, plain.level), _wilson(error.rejected, error.absent, plain.level)

    def excess(true: float) -> float:
        return share - true * error.sensitivity - (1 - true) * (1 - error.specificity)

    def too_low(true: float) -> bool:
        reach = ((share - plain.low), true * (se.high - error.sensitivity), (1 - true) * (error.specificity - sp.low))
        return excess(true) > hypot(*reach)

    def too_high(true: float) -> bool:
        reach = ((plain.high - share), true * (error.sensitivity - se.low), (1 - true) * (sp.high - error.specificity))
        return -excess(true) > hypot(*reach)

    bounds = Bounds(edge(too_low, 0.0, value), edge(too_high, 1.0, value), METHOD, plain.level)
    return Corrected(value, "", MaybeBounds(bounds))


def true_difference(difference: float, plain: Bounds | None, error: KnownError, most: float = 1.0) -> Corrected:
    """(p̂₁ − p̂₂) / (se + sp − 1), within ±`most`: what is counted wrongly in both groups alike cancels out.

    Its interval holds every Δ for which (p̂₁ − p̂₂) − Δ (se + sp − 1) has an interval around 0 (MOVER for a ratio). It
    leaves out 0 where `plain`, the interval of the difference, does. `most`: 2 for a difference of
    differences. Source: Rogan & Gladen 1978; Donner & Zou 2012.
    """
    why = _undefined(plain, error)
    if plain is None or why:
        return Corrected(None, why, MaybeBounds(None, why))
    youden = error.youden_bounds(plain.level)
    low = _lower(difference, plain.low, error.youden, youden)
    high = -_lower(-difference, -plain.high, error.youden, youden)
    bounds = Bounds(_within(-most, low, most), _within(-most, high, most), METHOD, plain.level)
    return Corrected(_within(-most, difference / error.youden, most), "", MaybeBounds(bounds))


def _undefined(plain: Bounds | None, error: KnownError) -> str:
    if plain is None or estimates_alone():
        return NO_PLAIN
    return error.reason_against(plain.level)


def _wilson(right: int, n: int, level: float) -> Bounds:
    bounds = wilson(right, n, level)
    if bounds is None:
        raise ValueError(NO_N)
    return bounds


def _within(low: float, value: float, high: float) -> float:
    return max(low, min(value, high))


def _lower(difference: float, low: float, youden: float, bounds: Bounds) -> float:
    """The smaller root of (d − ΔJ)² = (d − l)² + Δ²w²; w: how far J may lie above where Δ > 0, below where Δ < 0."""
    width = bounds.high - youden if low >= 0 else youden - bounds.low
    leading = youden**2 - width**2
    product = difference * youden
    return (product - sqrt(max(0.0, product**2 - low * (2 * difference - low) * leading))) / leading
