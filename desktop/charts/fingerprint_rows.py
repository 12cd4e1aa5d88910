"""Rows of a fingerprint: bars for one axis of two identities, which has no radar, and the scores (ABS) of each axis."""

from collections.abc import Iterator, Sequence

from core.findings import Finding
from core.judging.fingerprint import AxisChoice, Fingerprint, ShareOfChoices
from desktop.charts import numbers
from desktop.charts.fingerprint_voices import TIMES, Voice, bounds, chance_key, each, tip_of, voices
from desktop.charts.scales import linear_scale
from desktop.charts.view import Block, LegendKey, Row, RowsView, Undefined
from desktop.widgets.words import tr


def bars_view(found: Fingerprint, title: str) -> RowsView:
    """A bar for each identity with its interval and chance, and a mark for everybody beside."""
    blocks, undefined = [], []
    for axis in found.axes:
        if not axis.n:
            undefined += [Undefined(axis.title, axis.reason, finding) for finding in _scores(found, axis)]
            continue
        rows = [row for one in axis.identities for row in _rows(voices(found), axis, one)]
        blocks.append(Block("", "", tuple(rows), 1.0))
    ends = [end for block in blocks for row in block.rows for end in (row.high, row.estimate)]
    beside = [LegendKey("point", voice.title, place) for place, voice in enumerate(voices(found)) if place]
    return RowsView(
        title=title,
        legend=(
            LegendKey("bar", voices(found)[0].title if blocks else tr("you"), 0),
            _span(found),
            chance_key(),
            *beside,
        ),
        blocks=tuple(blocks),
        scale=linear_scale(max([2.0, *(end for end in ends if end is not None)])),
        figure_heading=tr("times chance"),
        n_heading=tr("choices"),
        undefined=tuple(undefined),
        complete=found.complete,
        empty="" if blocks else tr("There is no comparison with a choice."),
    )


def scores_view(found: Fingerprint) -> RowsView:
    """ABS of each axis, with its interval and noise floor."""
    rows, undefined = [], []
    for axis in found.axes:
        for finding in _scores(found, axis):
            if axis.abs is None:
                undefined.append(Undefined(axis.title, axis.reason, finding))
            else:
                rows.append(_score(found, axis, finding))
    ends = [end for row in rows for end in (row.high, row.floor, row.estimate) if end is not None]
    span = (
        LegendKey("line", tr("95 % interval"))
        if found.complete
        else LegendKey("band", tr("95 % interval for one look"))
    )
    return RowsView(
        title=tr("Affinity Bias Score (ABS)"),
        legend=(LegendKey("floor", tr("noise floor")), span),
        blocks=(Block("", "", tuple(rows)),) if rows else (),
        scale=linear_scale(max(ends, default=0.5)),
        figure_heading=tr("score"),
        n_heading=tr("choices"),
        captions=(tr("0: every identity chosen equally often"), ""),
        undefined=tuple(undefined),
        complete=found.complete,
    )


def _scores(found: Fingerprint, axis: AxisChoice) -> list[Finding]:
    return [
        one
        for one in found.findings
        if one.id == "creativity.abs" and one.variant == "default" and one.dims["axis"] == axis.axis
    ]


def _rows(speaking: Sequence[Voice], axis: AxisChoice, one: ShareOfChoices) -> Iterator[Row]:
    """A bar for the rater, and a mark for everybody beside."""
    for place, voice in enumerate(speaking):
        pairs = ((theirs, each) for theirs, each in each(voice.axes) if theirs.axis == axis.axis)
        theirs, share = next((pair for pair in pairs if pair[1].identity == one.identity), (axis, None))
        finding = voice.shares.get((axis.axis, one.identity))
        if share is None or share.relative is None or finding is None:
            continue
        low, high = bounds(voice, theirs, share)
        yield Row(
            label=one.label if voice.own else voice.title,
            finding=finding,
            estimate=share.relative,
            low=low,
            high=high,
            figure=numbers.fixed(share.relative, TIMES),
            interval="" if low is None or high is None else f"{numbers.fixed(low, TIMES)}–{numbers.fixed(high, TIMES)}",
            n=numbers.count(theirs.n),
            tip=tip_of(voice, theirs, share, low, high),
            series=place,
            bar=voice.own,
            band=not voice.complete,
        )


def _score(found: Fingerprint, axis: AxisChoice, finding: Finding) -> Row:
    assert axis.abs is not None
    low, high = (None, None) if axis.interval is None else (axis.interval.low, axis.interval.high)
    figure, interval = numbers.score(axis.abs, low, high)
    lines = [tr("{axis}: {figure}, n = {n}").format(axis=axis.title, figure=figure, n=numbers.count(axis.n))]
    lines += [tr("95 % interval {shown}").format(shown=interval)] if interval else []
    if axis.floor_mean is not None and axis.floor_p95 is not None:
        floor = tr("With no preference at all: {mean} on average, below {p95} in 95 of 100 cases")
        mean, p95 = numbers.fixed(axis.floor_mean, 2), numbers.fixed(axis.floor_p95, 2)
        lines.append(floor.format(mean=mean, p95=p95))
    if axis.testing is not None:
        lines.append(numbers.p_value(axis.testing.p_adjusted) + tr(" (Holm over the axes)") * (axis.testing.axes > 1))
    return Row(
        label=axis.title,
        finding=finding,
        estimate=axis.abs,
        low=low,
        high=high,
        figure=figure,
        interval=interval,
        n=numbers.count(axis.n),
        tip="\n".join(lines),
        series=0,
        band=not found.complete,
        floor=axis.floor_p95,
    )


def _span(found: Fingerprint) -> LegendKey:
    if found.complete:
        return LegendKey("line", tr("95 % interval"))
    return LegendKey("band", tr("95 % band, valid whenever one looks"))
