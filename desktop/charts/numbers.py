"""Digits that the interval deserves: 0.16 (0.06–0.25), not 0.1604."""

import math

from PySide6.QtCore import QLocale

from core.findings import Finding, Interval
from desktop.widgets.words import number

MAX_PLACES = 6


def places(estimate: float, low: float | None, high: float | None) -> int:
    """Decimals such that one unit in the last place is at most half of the interval's half-width.

    Without an interval: two significant digits.
    """
    if low is None or high is None or not math.isfinite(high - low) or high <= low:
        return min(max(1 - math.floor(math.log10(abs(estimate))), 0), MAX_PLACES) if estimate else 2
    return min(max(-math.floor(math.log10((high - low) / 4)), 0), MAX_PLACES)


def fixed(value: float, decimals: int) -> str:
    """`value` with that many decimals, a true minus sign, and never "−0.0"."""
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    text = f"{value:.{decimals}f}"
    if float(text) == 0:
        text = text.lstrip("-")
    return localised(text.replace("-", "−"))


def localised(text: str) -> str:
    """A number's text with the reader's decimal point."""
    return text.replace(".", QLocale().decimalPoint())


def score(estimate: float, low: float | None = None, high: float | None = None) -> tuple[str, str]:
    """Estimate and "low–high" (empty without an interval), rounded alike."""
    return _texts(estimate, low, high, places(estimate, low, high))


def ratio(estimate: float, low: float | None = None, high: float | None = None) -> tuple[str, str]:
    """As `score`, for a ratio: two decimals below ten, so that published and own figures compare."""
    decimals = places(estimate, low, high)
    return _texts(estimate, low, high, max(decimals, 2) if estimate < 10 else max(decimals, 1))


def percent(estimate: float, low: float | None = None, high: float | None = None) -> tuple[str, str]:
    """As `score`, for a proportion, in percent."""
    bottom, top = (None if bound is None else 100 * bound for bound in (low, high))
    decimals = 0 if bottom is None else places(100 * estimate, bottom, top)
    value, interval = _texts(100 * estimate, bottom, top, decimals)
    return f"{value} %", interval


def _texts(estimate: float, low: float | None, high: float | None, decimals: int) -> tuple[str, str]:
    value = fixed(estimate, decimals)
    if low is None or high is None:
        return value, ""
    return value, f"{fixed(low, decimals)}–{fixed(high, decimals)}"


def p_value(p: float) -> str:
    """ "p = 0.031", "p = 0.44"; "p < 0.001" below that."""
    if p < 0.001:
        return f"p < {fixed(0.001, 3)}"
    return f"p = {fixed(p, 2 if p >= 0.0995 else 3)}"


def count(n: int) -> str:
    """A count as the reader's locale writes it: "2,880"."""
    return number(n)


def bounds(interval: Interval | None) -> tuple[float | None, float | None]:
    return (None, None) if interval is None else (interval.low, interval.high)


def missing_interval(finding: Finding) -> str:
    """Why a finding has no interval, from its reason ("interval: …")."""
    for part in (finding.reason or "").split("\n"):
        if part.startswith("interval: "):
            return part.removeprefix("interval: ")
    return finding.reason or ""
