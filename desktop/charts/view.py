"""What is drawn, before any painter: rows with intervals, and radars. No Qt here."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from core.findings import Finding
from desktop.charts import numbers

LegendKind = Literal["bar", "point", "line", "chance", "floor", "band"]


@dataclass(frozen=True)
class LegendKey:
    """One entry of a legend. `series` is an index into the theme's series, or None for a neutral sign."""

    kind: LegendKind
    text: str
    series: int | None = None
    hollow: bool = False


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


@dataclass(frozen=True)
class Row:
    """One number: its mark, its interval or band, and the texts beside it. `label` is empty on a second mark."""

    label: str
    finding: Finding
    estimate: float
    low: float | None
    high: float | None
    figure: str
    interval: str
    n: str
    tip: str
    series: int
    bar: bool = False
    hollow: bool = False
    band: bool = False
    floor: float | None = None


@dataclass(frozen=True)
class Block:
    """Rows that belong together, with the value that no preference gives (`reference`)."""

    heading: str
    note: str
    rows: tuple[Row, ...]
    reference: float | None = None


@dataclass(frozen=True)
class Undefined:
    """A number that does not exist, and why."""

    label: str
    reason: str
    finding: Finding


@dataclass(frozen=True)
class RowsView:
    """A chart of rows on one scale. `captions` say what left and right of the scale mean."""

    title: str
    legend: tuple[LegendKey, ...]
    blocks: tuple[Block, ...]
    scale: Scale
    figure_heading: str
    n_heading: str
    captions: tuple[str, str] = ("", "")
    undefined: tuple[Undefined, ...] = ()
    notes: tuple[str, ...] = ()
    stand_ins: tuple[str, ...] = ()
    complete: bool = True
    """False before the planned n: no p-value leaves the chart, not in an export either."""
    empty: str = ""

    def findings(self) -> tuple[Finding, ...]:
        """Every number on the chart, in reading order."""
        shown = [row.finding for block in self.blocks for row in block.rows]
        return (*shown, *(missing.finding for missing in self.undefined))


@dataclass(frozen=True)
class Spoke:
    """One identity. `floor` is where shares relative to chance lie when every choice is made at random."""

    axis: str
    label: str
    floor: tuple[float, float] | None


@dataclass(frozen=True)
class RadarPoint:
    """A share times the number of identities: 1 is chance."""

    finding: Finding
    value: float
    low: float | None
    high: float | None
    tip: str


@dataclass(frozen=True)
class RadarSeries:
    """One voice: a point per spoke, None where it has no number there."""

    title: str
    series: int
    points: tuple[RadarPoint | None, ...]


@dataclass(frozen=True)
class RadarView:
    title: str
    legend: tuple[LegendKey, ...]
    spokes: tuple[Spoke, ...]
    series: tuple[RadarSeries, ...]
    limit: float
    notes: tuple[str, ...] = ()
    stand_ins: tuple[str, ...] = ()
    complete: bool = True
    """False before the planned n: no p-value leaves the chart, not in an export either."""
    empty: str = ""

    def findings(self) -> tuple[Finding, ...]:
        return tuple(point.finding for series in self.series for point in series.points if point)


View = RowsView | RadarView


def linear_scale(high: float, *, percent: bool = False) -> Scale:
    """From 0 to a round number at or above `high`, with even ticks; from 0 to 1 where everything is 0."""
    high = high if high > 0 else 1.0
    step = _round_step(high / 4)
    steps = math.ceil(high / step - 1e-9)
    unit = step * (100 if percent else 1)
    decimals = next(places for places in range(12) if math.isclose(round(unit, places), unit))
    ticks = []
    for index in range(steps + 1):
        text = numbers.fixed(index * unit, decimals)
        ticks.append((index * step, f"{text} %" if percent else text))
    return Scale(0.0, steps * step, tuple(ticks))


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
