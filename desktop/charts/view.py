"""What is drawn, before any painter: rows with intervals, radars, grids of numbers, and lines. No Qt here."""

from dataclasses import dataclass
from typing import Literal

from core.findings import Finding
from desktop.charts.scales import Scale

LegendKind = Literal["bar", "point", "line", "chance", "floor", "band", "reference", "tint"]


@dataclass(frozen=True)
class LegendKey:
    """One entry of a legend. `series` is an index into the theme's series, or None for a neutral sign.

    `tint`: of a grid's cell, as `Cell.tint`.
    """

    kind: LegendKind
    text: str
    series: int | None = None
    hollow: bool = False
    tint: float = 0.0


@dataclass(frozen=True)
class Row:
    """One number: its mark, its interval or band, and the texts beside it. `label` is empty on a second mark.

    Without an `estimate` the `reason` stands in its place. `references`: what a paper prints, drawn beside it.
    """

    label: str
    finding: Finding
    estimate: float | None
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
    references: tuple[float, ...] = ()
    reason: str = ""


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
    subtitle: str = ""
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
    subtitle: str = ""
    complete: bool = True
    """False before the planned n: no p-value leaves the chart, not in an export either."""
    empty: str = ""

    def findings(self) -> tuple[Finding, ...]:
        return tuple(point.finding for series in self.series for point in series.points if point)


@dataclass(frozen=True)
class Cell:
    """A number, or words, in a grid. `n` is empty where the row says it. `strong`: significant after adjustment.

    `tint` from −1 to 1: how far below or above the middle of the colours; None: no colour. `wraps`: words, in as many
    lines as they need.
    """

    finding: Finding
    figure: str
    interval: str
    n: str
    tip: str
    tint: float | None = None
    strong: bool = False
    wraps: bool = False


@dataclass(frozen=True)
class GridRow:
    """`cells` by column, None where there is nothing. `n`: of every cell, where they agree."""

    label: str
    cells: tuple[Cell | None, ...]
    n: str = ""


@dataclass(frozen=True)
class GridBlock:
    heading: str
    rows: tuple[GridRow, ...]


@dataclass(frozen=True)
class GridView:
    """Numbers in rows and columns, coloured or not."""

    title: str
    legend: tuple[LegendKey, ...]
    columns: tuple[str, ...]
    blocks: tuple[GridBlock, ...]
    rows_heading: str = ""
    notes: tuple[str, ...] = ()
    stand_ins: tuple[str, ...] = ()
    subtitle: str = ""
    complete: bool = True
    empty: str = ""

    def findings(self) -> tuple[Finding, ...]:
        return tuple(cell.finding for block in self.blocks for row in block.rows for cell in row.cells if cell)


@dataclass(frozen=True)
class LinePoint:
    finding: Finding
    x: float
    value: float
    low: float | None
    high: float | None
    tip: str
    floor: float | None = None
    references: tuple[float, ...] = ()


@dataclass(frozen=True)
class LineSeries:
    """A line through its points, from left to right."""

    title: str
    series: int
    points: tuple[LinePoint, ...]


@dataclass(frozen=True)
class LineView:
    """Values over a number, such as a temperature. `reference`: the value that says “no bias”."""

    title: str
    legend: tuple[LegendKey, ...]
    lines: tuple[LineSeries, ...]
    across: Scale
    up: Scale
    captions: tuple[str, str]
    """What goes across, and what goes up."""
    reference: float | None = None
    undefined: tuple[Undefined, ...] = ()
    notes: tuple[str, ...] = ()
    stand_ins: tuple[str, ...] = ()
    subtitle: str = ""
    complete: bool = True
    empty: str = ""

    def findings(self) -> tuple[Finding, ...]:
        drawn = [point.finding for line in self.lines for point in line.points]
        return (*drawn, *(missing.finding for missing in self.undefined))


View = RowsView | RadarView | GridView | LineView
