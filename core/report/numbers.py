"""Figures as people read them: no more digits than the interval deserves."""

import math

from core.findings import Finding

ALWAYS = 2  # significant digits where no interval says how many are deserved


def decimals(estimate: float, low: float | None = None, high: float | None = None) -> int:
    """Decimals to show: the first significant place of the interval's width, and one more."""
    scale = abs(high - low) if low is not None and high is not None and high > low else abs(estimate)
    if not math.isfinite(scale) or scale == 0:
        return ALWAYS
    extra = 1 if low is not None else ALWAYS - 1
    return min(6, max(0, extra - math.floor(math.log10(scale))))


def estimate_text(finding: Finding) -> str:
    """The estimate, or “undefined”; the reason stands elsewhere."""
    if finding.estimate is None:
        return "undefined"
    interval = finding.interval
    bounds = (interval.low, interval.high) if interval else (None, None)
    return f"{finding.estimate:.{decimals(finding.estimate, *bounds)}f}"


def interval_text(finding: Finding) -> str:
    """The interval with the estimate's decimals; a dash where there is none."""
    interval = finding.interval
    if interval is None or finding.estimate is None:
        return "–"
    places = decimals(finding.estimate, interval.low, interval.high)
    return f"{interval.low:.{places}f} to {interval.high:.{places}f}"


def p_text(p: float | None) -> str:
    """A p-value; none at all where no test applies."""
    if p is None:
        return ""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"
