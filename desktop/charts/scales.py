"""Scales: where a value lies between left and right, and the ticks with their texts. No Qt here."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from desktop.charts import numbers

CONSTANT = 1e-9  # values that differ by less of their size are one value
FAR_FROM_ZERO = 3  # a scale starts at 0 unless the values would then lie in less than a third of it


@dataclass(frozen=True)
class Scale:
    """Where a value lies between left (0) and right (1), and the ticks with their texts."""

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    logarithmic: bool = False

    def at(self, value: float) -> float:
        """Position of `value`; outside 0 to 1 where it lies beyond the scale."""
        if not self.logarithmic:
            return (value - self.low) / (self.high - self.low)
        if value <= 0:
            return -math.inf
        return math.log(value / self.low) / math.log(self.high / self.low)


def linear_scale(high: float, *, low: float = 0.0, percent: bool = False) -> Scale:
    """From a round number at or below `low` to one at or above `high`, with even ticks; from 0 to 1 where all is 0."""
    if high - low <= CONSTANT * max(abs(low), abs(high)):
        low, high = (low - 1.0, high) if high < 0 else (low, high + 1.0)
    step = _round_step((high - low) / 4)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    unit = step * (100 if percent else 1)
    decimals = next(places for places in range(30) if math.isclose(round(unit, places), unit, rel_tol=1e-6))
    ticks = []
    for index in range(first, last + 1):
        text = numbers.fixed(index * unit, decimals)
        ticks.append((index * step, f"{text} %" if percent else text))
    return Scale(first * step, last * step, tuple(ticks))


def scale_over(values: Iterable[float], *, percent: bool = False) -> Scale:
    """A linear scale that holds all of these; it begins at 0 unless they lie far from it."""
    finite = [value for value in values if math.isfinite(value)] or [0.0]
    low, high = min(finite), max(finite)
    if low > 0 and (low == high or FAR_FROM_ZERO * (high - low) >= high):
        low = 0.0
    if high < 0 and (low == high or FAR_FROM_ZERO * (high - low) >= -low):
        high = 0.0
    return linear_scale(high, low=low, percent=percent)


def _round_step(rough: float) -> float:
    """1, 2, 2.5 or 5 times a power of ten, at or above `rough`."""
    power = 10.0 ** math.floor(math.log10(rough))
    return next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= rough * (1 - 1e-9))


_RATIO_TICKS: dict[float, tuple[float, ...]] = {
    1.5: (1.1, 1.25, 1.5),
    2: (1.25, 1.5, 2),
    3: (1.5, 2, 3),
    5: (1.5, 2, 3, 5),
    10: (2, 5, 10),
    20: (2, 5, 10, 20),
    50: (2, 5, 20, 50),
    100: (3, 10, 30, 100),
}


def ratio_scale(values: Iterable[float]) -> Scale:
    """A log scale around 1, as far to the left as to the right, so that equal odds ratios look equally large.

    It ends at 100 and 1/100 at most: what lies beyond is drawn as an arrow at the edge.
    """
    reach = max((max(value, 1 / value) for value in values if 0 < value < math.inf), default=1.5)
    limit = next((limit for limit in _RATIO_TICKS if limit >= reach), max(_RATIO_TICKS))
    upper = _RATIO_TICKS[limit]
    below = [(1 / tick, numbers.localised(f"{1 / tick:.2g}")) for tick in reversed(upper)]
    above = [(tick, numbers.localised(f"{tick:g}")) for tick in upper]
    ticks = [*below, (1.0, "1"), *above]
    return Scale(1 / limit, float(limit), tuple(ticks), logarithmic=True)
