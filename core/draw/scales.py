"""The axis of a figure: which values it spans, where they lie, and the ticks between, as many as have room."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from biasprint.core.draw import digits
from biasprint.core.draw.canvas import Canvas
from biasprint.core.draw.figure import Figure, FigureMark

CONSTANT = 1e-9  # values that differ by less of their size are one value
FAR_FROM_ZERO = 3  # a scale starts at 0 unless the values would then lie in less than a third of it
FARTHEST = 50.0  # of ratios: an interval's end this many times beyond every estimate does not stretch the scale

RATIO_TICKS: dict[float, tuple[float, ...]] = {
    1.5: (1.1, 1.25, 1.5),
    2: (1.25, 1.5, 2),
    3: (1.5, 2, 3),
    5: (1.5, 2, 3, 5),
    10: (2, 5, 10),
    20: (2, 5, 10, 20),
    50: (2, 5, 20, 50),
    100: (3, 10, 30, 100),
}


@dataclass(frozen=True)
class AxisScale:
    """Positions of values between begin (0) and end (1), and the ticks with their texts."""

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

    def holds(self, value: float) -> bool:
        return -CONSTANT <= self.at(value) <= 1 + CONSTANT


@dataclass(frozen=True)
class PlacedAxis:
    """A scale on pixels from `start` to `end`; for an upright one `start` lies below `end`."""

    scale: AxisScale
    start: float
    end: float

    def at(self, value: float) -> float:
        """The pixel of a value; a value beyond the scale lies on its end."""
        return self.start + min(max(self.scale.at(value), 0.0), 1.0) * (self.end - self.start)

    def fitting_ticks(self, canvas: Canvas) -> Sequence[tuple[float, str]]:
        """Return every tick, or every second, third … where texts would touch; keeps 0, or 1 of ratios, if present."""
        ticks = self.scale.ticks
        wanted = 1.0 if self.scale.logarithmic else 0.0
        origin = next((index for index, (value, _) in enumerate(ticks) if value == wanted), 0)
        for stride in range(1, len(ticks)):
            fitting = ticks[origin % stride :: stride]
            spans = [(self.at(value), canvas.measure(text, "note") / 2) for value, text in fitting]
            if all(b - a >= half_a + half_b + 6 for (a, half_a), (b, half_b) in pairwise(spans)):
                return fitting
        return ticks[origin : origin + 1]


def scale_of(figure: Figure, marks: Iterable[FigureMark]) -> AxisScale:
    """A scale that holds the estimates, what papers print, the null, floors, and intervals unless far out."""
    drawn = [mark for mark in marks if mark.value is not None]
    values = [mark.value for mark in drawn if mark.value is not None]
    values += [reference.value for mark in drawn for reference in mark.references]
    values += [] if figure.null is None else [figure.null]
    bounds = [end for mark in drawn for end in (mark.low, mark.high) if end is not None]
    if figure.scale == "log":
        return ratio_scale(values, bounds)
    # Floors are read from 0, and so are bars.
    floors = [end for mark in drawn if mark.floor for end in (0.0, mark.floor.p95)]
    begin = [0.0] if figure.kind == "bars" else []
    return scale_over([*values, *bounds, *floors, *begin], sign=digits.sign(figure.unit))


def linear_scale(high: float, *, low: float = 0.0, sign: str = "") -> AxisScale:
    """Return a scale between round numbers around `low` and `high`, with even ticks; from 0 to 1 where all is 0.

    `sign`: the text after a number that is written as a percentage; empty otherwise.
    """
    if high - low <= CONSTANT * max(abs(low), abs(high)):
        low, high = (low - 1.0, high) if high < 0 else (low, high + 1.0)
    step = _round_step((high - low) / 4)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    unit = step * (100 if sign else 1)
    decimals = next(places for places in range(30) if math.isclose(round(unit, places), unit, rel_tol=1e-6))
    ticks = tuple((at * step, digits.fixed(at * unit, decimals) + sign) for at in range(first, last + 1))
    return AxisScale(first * step, last * step, ticks)


def scale_over(values: Iterable[float], *, sign: str = "") -> AxisScale:
    """A linear scale that holds all of these; it begins at 0 unless they lie far from it."""
    finite = [value for value in values if math.isfinite(value)] or [0.0]
    low, high = min(finite), max(finite)
    if low > 0 and (low == high or FAR_FROM_ZERO * (high - low) >= high):
        low = 0.0
    if high < 0 and (low == high or FAR_FROM_ZERO * (high - low) >= -low):
        high = 0.0
    return linear_scale(high, low=low, sign=sign)


def places_scale(values: Iterable[float]) -> AxisScale:
    """A tick at each place that was measured, and none between them."""
    places = sorted(set(values)) or [0.0]
    low, high = places[0], places[-1]
    if low == high:
        low, high = low - 0.5, high + 0.5
    return AxisScale(low, high, tuple((place, _short(place)) for place in places))


def ratio_scale(values: Iterable[float], bounds: Iterable[float] = ()) -> AxisScale:
    """A log scale around 1, as far to the left as to the right, so that equal odds ratios look equally large.

    It ends at 100 and 1/100 at most: what lies beyond is drawn as an arrow at the edge.
    """
    reach = _reach(values, default=1.5)
    reach = max(reach, min(_reach(bounds, default=1.0), FARTHEST * reach))
    limit = next((limit for limit in RATIO_TICKS if limit >= reach), max(RATIO_TICKS))
    upper = RATIO_TICKS[limit]
    below = [(1 / tick, _short(1 / tick, 2)) for tick in reversed(upper)]
    ticks = [*below, (1.0, "1"), *((tick, _short(tick)) for tick in upper)]
    return AxisScale(1 / limit, float(limit), tuple(ticks), logarithmic=True)


def _reach(values: Iterable[float], default: float) -> float:
    return max((max(value, 1 / value) for value in values if 0 < value < math.inf), default=default)


def _short(value: float, significant: int = 6) -> str:
    text = f"{value:.{significant}g}"
    return digits.fixed(value, len(text.partition(".")[2])) if "e" not in text else text


def _round_step(rough: float) -> float:
    """1, 2, 2.5 or 5 times a power of ten, at or above `rough`."""
    power = 10.0 ** math.floor(math.log10(rough))
    return next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= rough * (1 - 1e-9))
