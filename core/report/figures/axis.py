"""The axis of a figure: which values it spans, where they are drawn, and the ticks between."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from core.report.figures.spec import Scale

FARTHEST = 50.0  # on a log axis: an interval's end this many times beyond every estimate is cut, and shown as cut


@dataclass(frozen=True)
class ValueAxis:
    """From `low` to `high` on pixels `start` to `end` (for a vertical axis `start` lies below `end`)."""

    low: float
    high: float
    scale: Scale
    start: float
    end: float

    def at(self, value: float) -> float:
        """The pixel of a value; a value beyond the axis lies on its end."""
        held = min(self.high, max(self.low, value))
        share = (self._on(held) - self._on(self.low)) / (self._on(self.high) - self._on(self.low))
        return self.start + share * (self.end - self.start)

    def holds(self, value: float) -> bool:
        return self.low <= value <= self.high

    def ticks(self, most: int = 7) -> list[float]:
        """Round values: multiples of 1, 2 or 5, and of ten; on a log axis 1, 2 and 5 times ten."""
        return _log_ticks(self.low, self.high, most) if self.scale == "log" else _ticks(self.low, self.high, most)

    def _on(self, value: float) -> float:
        return math.log(value) if self.scale == "log" else value


def value_axis(
    estimates: Iterable[float], bounds: Iterable[float], scale: Scale, start: float, end: float
) -> ValueAxis:
    """An axis that holds every estimate, and the ends of intervals unless they are very far out on a log axis."""
    fits = [value for value in estimates if math.isfinite(value) and (scale == "linear" or value > 0)]
    ends = [value for value in bounds if math.isfinite(value) and (scale == "linear" or value > 0)]
    if not fits:
        fits = [1.0] if scale == "log" else [0.0]
    if scale == "log":
        least, most = min(fits) / FARTHEST, max(fits) * FARTHEST
        ends = [min(most, max(least, value)) for value in ends]
    low, high = min([*fits, *ends]), max([*fits, *ends])
    if scale == "log":
        margin = max(1.05, (high / low) ** 0.04)
        return ValueAxis(low / margin, high * margin, scale, start, end)
    margin = 0.04 * (high - low) or 0.5 * abs(high) or 1.0
    # What cannot be below 0 gets no room there.
    return ValueAxis(low - margin if low < 0 else max(0.0, low - margin), high + margin, scale, start, end)


def _ticks(low: float, high: float, most: int) -> list[float]:
    rough = (high - low) / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * (1 - 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(place * step, 12) for place in range(first, last + 1)]


def _log_ticks(low: float, high: float, most: int) -> list[float]:
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for factors in ((1, 1.5, 2, 3, 5, 7), (1, 2, 5), (1, 3), (1,)):
        found = [factor * 10.0**power for power in powers for factor in factors]
        inside = [round(value, 12) for value in found if low <= value <= high]
        if len(inside) <= most:
            break
    step = math.ceil(len(inside) / most) or 1
    return inside[::step] if len(inside) > 1 else _ticks(low, high, most)


def tick_text(value: float, ticks: Iterable[float], sign: str = "", scale: Scale = "linear") -> str:
    """A tick with as many decimals as all of them need, on a log axis as it needs. `sign`: what stands behind it."""
    factor = 100 if sign else 1
    alike = [value] if scale == "log" else ticks
    places = max((_decimals(tick * factor) for tick in alike), default=0)
    return f"{value * factor:,.{places}f}".replace("-", "−") + sign


def _decimals(value: float) -> int:
    return next((places for places in range(7) if math.isclose(value, round(value, places), abs_tol=1e-9)), 6)
