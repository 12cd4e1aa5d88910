"""Scores of spread (ABS, RBS): positive even without any bias, so never shown without their noise floor."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.findings import Finding
from desktop.charts import numbers
from desktop.charts.scales import linear_scale
from desktop.charts.view import Block, LegendKey, Row, RowsView, Undefined
from desktop.charts.words import interval_sentence, p_sentence, stand_ins
from desktop.widgets.words import tr


@dataclass(frozen=True)
class SpreadLine:
    """One score: `name` tells several of the same heading apart (a voice, a model)."""

    heading: str
    name: str
    finding: Finding
    series: int
    complete: bool


def spread_view(
    title: str,
    meaning: str,
    lines: Sequence[SpreadLine],
    *,
    n_heading: str,
    notes: tuple[str, ...],
    empty: str,
) -> RowsView:
    """A row per score, the noise floor shaded from 0 to its 95th percentile. `meaning` says what 0 stands for."""
    headings = list(dict.fromkeys(line.heading for line in lines))
    blocks, undefined = [], []
    for heading in headings:
        rows = []
        for line in (line for line in lines if line.heading == heading):
            if line.finding.estimate is None:
                name = f"{heading}: {line.name}" if line.name else heading
                undefined.append(Undefined(name, line.finding.reason or "", line.finding))
            else:
                rows.append(_row(line))
        if rows:
            blocks.append(Block(heading if any(row.label != heading for row in rows) else "", "", tuple(rows)))
    findings = [line.finding for line in lines]
    ends = [end for block in blocks for row in block.rows for end in (row.high, row.floor, row.estimate) if end]
    return RowsView(
        title=title,
        legend=_legend(lines),
        blocks=tuple(blocks),
        scale=linear_scale(max(ends, default=0.5)),
        figure_heading=tr("score"),
        n_heading=n_heading,
        captions=(meaning, ""),
        undefined=tuple(undefined),
        notes=(*notes, *missing_intervals(findings)),
        stand_ins=stand_ins(findings),
        complete=all(line.complete for line in lines),
        empty="" if lines else empty,
    )


def missing_intervals(findings: Sequence[Finding]) -> tuple[str, ...]:
    """Why some numbers have no interval, each reason once."""
    without = [found for found in findings if found.estimate is not None and found.interval is None]
    reasons = dict.fromkeys(numbers.missing_interval(found) or tr("the study gave none") for found in without)
    return tuple(tr("No interval: {why}.").format(why=why.rstrip(".")) for why in reasons)


def _row(line: SpreadLine) -> Row:
    found = line.finding
    assert found.estimate is not None
    low, high = numbers.bounds(found.interval)
    figure, interval = numbers.score(found.estimate, low, high)
    return Row(
        label=line.name or line.heading,
        finding=found,
        estimate=found.estimate,
        low=low,
        high=high,
        figure=figure,
        interval=interval,
        n=numbers.count(found.n),
        tip=_tip(line, figure, interval),
        series=line.series,
        band=not line.complete,
        floor=found.floor.p95 if found.floor else None,
    )


def _tip(line: SpreadLine, figure: str, interval: str) -> str:
    found = line.finding
    name = f"{line.heading}, {line.name}" if line.name else line.heading
    lines = [
        tr("{name}: {figure}, n = {n}").format(name=name, figure=figure, n=numbers.count(found.n)),
        interval_sentence(found, interval),
    ]
    if found.interval is not None and not line.complete:
        lines.append(tr("For one look at this number of choices; it will move"))
    if found.floor is not None:
        floor = tr("With no preference at all: {mean} on average, below {p95} in 95 of 100 cases")
        lines.append(floor.format(mean=numbers.fixed(found.floor.mean, 3), p95=numbers.fixed(found.floor.p95, 3)))
    if line.complete and (tested := p_sentence(found)):
        lines.append(tested)
    return "\n".join(lines)


def _legend(lines: Sequence[SpreadLine]) -> tuple[LegendKey, ...]:
    keys = [LegendKey("floor", tr("noise floor: up to here in 95 of 100 cases without any preference"))]
    if any(line.finding.interval for line in lines if line.complete):
        keys.append(LegendKey("line", tr("95 % interval")))
    if any(line.finding.interval for line in lines if not line.complete):
        keys.append(LegendKey("band", tr("95 % interval for one look; it will move")))
    return tuple(keys)
