"""Numbers as people read them: no more digits than the interval deserves. One rule for window, report and command line.

With an interval: the first significant place of its width, and one more, for estimate and ends alike. Without one: two
significant digits. Ratios: two decimals from 0.1 to 10, so that own and published ones compare, none above, two
significant digits below. Proportions are written in per cent, differences of them in percentage points.

Numbers are written as in English; core/language puts them into the reader's where they are shown.
"""

import math
from decimal import Decimal

from biasprint.core.findings import Finding, Interval

PROPORTIONS = ("proportion", "share", "difference of proportions", "difference of shares",
               "difference of differences of proportions", "difference of differences of shares")  # fmt: skip
ALONE = 2  # significant digits where no interval says how many are deserved
MOST_PLACES = 9
UNDEFINED = "undefined"


def places(value: float, low: float | None = None, high: float | None = None) -> int:
    """Decimals to show of a value, and of its interval where it has one."""
    known = low is not None and high is not None and math.isfinite(high - low) and high > low
    scale = high - low if known and low is not None and high is not None else abs(value)
    if not math.isfinite(scale) or scale == 0:
        return ALONE
    # Of the rounded scale: 0.099 deserves what 0.1 does.
    first = int(f"{scale:.0e}".partition("e")[2]) if known else math.floor(math.log10(scale))
    return min(MOST_PLACES, max(0, (1 if known else ALONE - 1) - first))


def written(
    value: float | None, low: float | None = None, high: float | None = None, unit: str = ""
) -> tuple[str, str]:
    """Estimate and interval: ("0.16", "0.06–0.25"), ("55 %", "42–67"); "to" in place of the dash beside minus signs.

    The interval is empty where there is none, the estimate "undefined" where there is no number.
    """
    estimate, *ends = texts(value, low, high, unit)
    between = " to " if "−" in "".join(ends) else "–"
    return estimate, between.join(ends)


def texts(value: float | None, low: float | None = None, high: float | None = None, unit: str = "") -> list[str]:
    """Estimate with the sign of its unit and, where they are known, both ends without: ["55 %", "42", "67"]."""
    if value is None:
        return [UNDEFINED]
    factor = 100 if is_proportion(unit) else 1
    shown = value * factor
    bounds = () if low is None or high is None else (low * factor, high * factor)
    decimals = places(shown, *bounds)
    if "ratio" in unit and value > 0:
        estimate, *ends = (fixed(each, _ratio_places(each)) for each in (shown, *bounds))
    else:
        estimate, *ends = fixed(shown, decimals), *(_end(each, decimals) for each in bounds)
    return [estimate + sign(unit), *ends]


def _end(bound: float, decimals: int) -> str:
    """An end of an interval that lies beyond 0 is not written as 0, which a test may leave out: 0.0004 for 0.00039."""
    if bound == 0 or abs(bound) < LEAST_END or round(bound, decimals) != 0:
        return fixed(bound, decimals)
    return fixed(bound, -math.floor(math.log10(abs(bound))))


LEAST_END = 1e-6  # what is nearer to 0 is an error of rounding


def number(value: float, unit: str = "") -> str:
    """Format a number on its own."""
    return written(value, unit=unit)[0]


def quoted(value: float, unit: str = "") -> str:
    """A number that a paper prints, with all digits that it has there: none is rounded away, and none is added."""
    exact = Decimal(f"{value:.12g}") * (100 if is_proportion(unit) else 1)
    decimals = max(0, -int(exact.normalize().as_tuple().exponent))
    return fixed(float(exact), decimals) + sign(unit)


def whole(value: float | None, low: float | None = None, high: float | None = None, unit: str = "") -> str:
    """Estimate and interval in one: "0.16 (0.06–0.25)"."""
    estimate, interval = written(value, low, high, unit)
    return f"{estimate} ({interval})" if interval else estimate


def of_finding(finding: Finding) -> tuple[str, str]:
    """Format a finding's estimate and interval in its own unit: a proportion stays one; its unit is shown with it."""
    return written(finding.estimate, *ends(finding.interval), unit="ratio" if "ratio" in finding.unit else "")


USUAL_LEVEL = 0.95


def level_text(level: float) -> str:
    """ "95", "99.33": the level of an interval, in per cent."""
    return f"{100 * level:.4g}"


def level_beside(interval: Interval | None) -> str:
    """Return "99.33 %" for an interval at another level than the usual one, to show with it; empty for all others."""
    return "" if interval is None or is_usual(interval.level) else f"{level_text(interval.level)} %"


def is_usual(level: float) -> bool:
    return abs(level - USUAL_LEVEL) < 1e-9


def ends(interval: Interval | None) -> tuple[float | None, float | None]:
    return (None, None) if interval is None else (interval.low, interval.high)


def is_proportion(unit: str) -> bool:
    """Return whether values in this unit are from 0 to 1 and written in per cent: a share of something too."""
    return unit in PROPORTIONS or unit.startswith("share of ")


def sign(unit: str) -> str:
    """Return the text after a number: " %", " points" (of percent) for a difference of proportions, or nothing."""
    return "" if not is_proportion(unit) else " points" if unit.startswith("difference") else " %"


def fixed(value: float, decimals: int) -> str:
    """Format with so many decimals, thousands apart, a true minus sign, and never "−0.0"."""
    if not math.isfinite(value):
        return "∞" if value > 0 else "−∞" if value < 0 else UNDEFINED
    text = f"{value:,.{decimals}f}"
    if not text.strip("-0.,"):
        text = text.lstrip("-")
    return text.replace("-", "−")


def count(n: int) -> str:
    """ "2,880"."""
    return fixed(n, 0)


def p_text(p: float | None) -> str:
    """ "0.031", "0.44", "< 0.001"; empty where no test applies."""
    if p is None:
        return ""
    return f"< {fixed(0.001, 3)}" if p < 0.001 else fixed(p, 2 if p >= 0.0995 else 3)


def p_value(p: float) -> str:
    """ "p = 0.031", "p < 0.001"."""
    text = p_text(p)
    return f"p {text}" if text.startswith("<") else f"p = {text}"


def _ratio_places(value: float) -> int:
    if value >= 10 or value <= 0 or not math.isfinite(value):
        return 0
    return 2 if value >= 0.1 else min(MOST_PLACES, 1 - math.floor(math.log10(value)))
