"""Distance of each identity's texts from the default text, and its spread, RBS (METHODS, Creativity: D_i, RBS_a)."""

from core.findings import Finding
from desktop.charts import numbers
from desktop.charts.data import ChartData, identity_of, in_default, pooled
from desktop.charts.scales import linear_scale
from desktop.charts.spread import SpreadLine, missing_intervals, spread_view
from desktop.charts.view import Block, LegendKey, Row, RowsView, Undefined
from desktop.charts.words import interval_sentence, p_sentence, stand_ins
from desktop.widgets.words import tr

_DIMS = frozenset({"axis", "identity", "model"})


def distance_view(data: ChartData) -> RowsView:
    """Bars of D_i, a block per axis and model."""
    found = pooled(in_default(data.distance), "creativity.distance", over=_DIMS)
    blocks, undefined = [], []
    for heading, axis in _headings(data, found).items():
        of_block = [distance for distance in found if _heading(data, distance) == heading]
        order = _identities(data, axis, of_block)
        rows = []
        for series, (identity, label) in enumerate(order.items()):
            for distance in (distance for distance in of_block if identity_of(distance) == identity):
                if distance.estimate is None:
                    undefined.append(Undefined(f"{heading}: {label}", distance.reason or "", distance))
                else:
                    rows.append(_row(label, distance, series, heading, complete=data.distance_complete))
        if rows:
            blocks.append(Block(heading, "", tuple(rows)))
    ends = [end for block in blocks for row in block.rows for end in (row.high, row.estimate) if end]
    return RowsView(
        title=tr("Distance from the text written without an identity"),
        legend=(LegendKey("bar", tr("mean of 1 − cosine similarity"), 0), LegendKey("line", tr("95 % interval"))),
        blocks=tuple(blocks),
        scale=linear_scale(max(ends, default=1.0)),
        figure_heading=tr("distance"),
        n_heading=tr("prompts"),
        undefined=tuple(undefined),
        notes=missing_intervals(found),
        stand_ins=stand_ins(found),
        complete=data.distance_complete,
        empty="" if found else _empty(),
    )


def rbs_view(data: ChartData) -> RowsView:
    """RBS per axis (and model), with its noise floor."""
    found = pooled(in_default(data.distance), "creativity.rbs", over=_DIMS)
    titles = {axis.key: axis.title for axis in data.axes}
    models = list(dict.fromkeys(rbs.dims.get("model", "") for rbs in found))
    lines = []
    for rbs in found:
        axis = rbs.dims.get("axis", rbs.label)
        model = rbs.dims.get("model", "")
        name = data.names.get(model, model)
        lines.append(SpreadLine(titles.get(axis, axis), name, rbs, models.index(model), data.distance_complete))
    return spread_view(
        tr("Representative Bias Score (RBS)"),
        tr("0: every identity equally far from the default"),
        lines,
        n_heading=tr("prompts"),
        notes=(),
        empty=_empty(),
    )


def _empty() -> str:
    return tr("No distances yet. Generate texts for the identities and the default, then measure them.")


def _heading(data: ChartData, found: Finding) -> str:
    titles = {axis.key: axis.title for axis in data.axes}
    axis = found.dims.get("axis", "")
    model = found.dims.get("model", "")
    return " · ".join(part for part in (titles.get(axis, axis), data.names.get(model, model)) if part)


def _headings(data: ChartData, found: list[Finding]) -> dict[str, str]:
    """Heading → axis, in the order of the axes."""
    order = {axis.key: place for place, axis in enumerate(data.axes)}
    ranked = sorted(found, key=lambda one: order.get(one.dims.get("axis", ""), len(order)))
    return {_heading(data, one): one.dims.get("axis", "") for one in ranked}


def _identities(data: ChartData, axis: str, found: list[Finding]) -> dict[str, str]:
    for known in data.axes:
        if known.key == axis:
            return dict(known.identities)
    return {identity_of(one): identity_of(one) for one in found}


def _row(label: str, found: Finding, series: int, heading: str, *, complete: bool) -> Row:
    assert found.estimate is not None
    low, high = numbers.bounds(found.interval)
    figure, interval = numbers.score(found.estimate, low, high)
    lines = [
        tr("{label} ({heading}): distance {figure}, n = {n} prompts").format(
            label=label, heading=heading, figure=figure, n=numbers.count(found.n)
        ),
        interval_sentence(found, interval),
    ]
    if complete and (tested := p_sentence(found)):
        lines.append(tested)
    return Row(
        label=label,
        finding=found,
        estimate=found.estimate,
        low=low,
        high=high,
        figure=figure,
        interval=interval,
        n=numbers.count(found.n),
        tip="\n".join(lines),
        series=series,
        bar=True,
        band=not complete,
    )
