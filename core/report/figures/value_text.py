"""A mark's value, interval and n as people read them, with no more digits than the interval deserves."""

import math

from core.report.figures.spec import Figure, Mark
from core.report.numbers import decimals, p_text

NO_INTERVAL = "no interval"


def estimate(figure: Figure, mark: Mark) -> str:
    """ "0.22", "22.3 %"; “undefined” where there is none."""
    if mark.value is None:
        return "undefined"
    return _written(figure, mark.value, _places(figure, mark)) + figure.sign


def interval(figure: Figure, mark: Mark) -> str:
    """ "0.20–0.25", with “to” where an end is negative; empty where there is none."""
    if mark.value is None or mark.low is None or mark.high is None:
        return ""
    low, high = (_written(figure, end, _places(figure, mark)) for end in (mark.low, mark.high))
    return f"{low} to {high}" if "−" in low + high else f"{low}–{high}"


def whole(figure: Figure, mark: Mark) -> str:
    """Estimate and interval: "22.3 % (19.6–25.0)"."""
    if mark.value is None:
        return estimate(figure, mark)
    return f"{estimate(figure, mark)} ({interval(figure, mark) or NO_INTERVAL})"


def told(figure: Figure, mark: Mark) -> str:
    """Everything about a mark in a sentence, for hovering and for readers that see no picture."""
    about = ", ".join(part for part in (mark.section, mark.row, mark.series) if part)
    if mark.value is None:
        return f"{about}: undefined, because {mark.reason}"
    p = mark.finding.p if mark.finding.p_adjusted is None else mark.finding.p_adjusted
    facts = [whole(figure, mark), f"n {mark.n:,}"]
    facts += [f"floor {number(figure, mark.floor.p95)}"] if mark.floor else []
    facts += [f"p {p_text(p)}" + ("" if mark.finding.p_adjusted is None else " adjusted")] if p is not None else []
    return f"{about}: {', '.join(facts)}"


def number(figure: Figure, value: float) -> str:
    """A value without interval, such as one that a paper prints."""
    scaled = value * _factor(figure)
    return _written(figure, value, min(4, decimals(scaled)) if scaled else 0) + figure.sign


def _written(figure: Figure, value: float, places: int) -> str:
    """A number with these decimals; a ratio with two, with none where it is large, with more where it is near 0."""
    if figure.scale == "log" and value > 0:
        places = 0 if value >= 10 else 2 if value >= 0.1 else min(6, 1 - math.floor(math.log10(value)))
    return _number(value * _factor(figure), places)


def _factor(figure: Figure) -> int:
    return 100 if figure.percent else 1


def _places(figure: Figure, mark: Mark) -> int:
    assert mark.value is not None
    factor = _factor(figure)
    if mark.low is None or mark.high is None:
        return decimals(mark.value * factor)
    return min(4, decimals(mark.value * factor, mark.low * factor, mark.high * factor))


def _number(value: float, places: int) -> str:
    text = f"{value:,.{places}f}"
    return text.removeprefix("-") if float(text.replace(",", "")) == 0 else text.replace("-", "−")
