"""The forest of odds ratios of word categories in letters, on a log axis around 1 (METHODS, Letters, Word choice)."""

from collections.abc import Collection, Sequence

from core.findings import Finding, Variant
from desktop.charts import numbers
from desktop.charts.data import ChartData, pooled
from desktop.charts.scales import ratio_scale
from desktop.charts.spread import missing_intervals
from desktop.charts.view import Block, LegendKey, Row, RowsView, Undefined
from desktop.charts.words import counts, interval_sentence, p_sentence, stand_ins
from desktop.widgets.words import tr

FINDING_ID = "letters.lexicon.odds_ratio"
_SERIES: dict[Variant, int] = {"default": 0, "as_published": 1}


def forest_view(data: ChartData, variants: Collection[Variant]) -> RowsView:
    """A row per category and variant; groups[0] is the numerator, to the right of 1."""
    found = [ratio for ratio in pooled(data.letters, FINDING_ID, over=frozenset()) if ratio.variant in variants]
    pairs = list(dict.fromkeys(ratio.groups for ratio in found))
    blocks, undefined = [], []
    for pair in pairs:
        of_pair = [ratio for ratio in found if ratio.groups == pair]
        undefined += [_undefined(ratio, data) for ratio in of_pair if ratio.estimate is None]
        if rows := _rows(of_pair, data):
            blocks.append(Block(_versus(pair, data) if len(pairs) > 1 else "", "", rows, 1.0))
    ends = [end for block in blocks for row in block.rows for end in (row.low, row.high, row.estimate) if end]
    return RowsView(
        title=tr("Words in letters: odds ratios by category"),
        legend=_legend(variants),
        blocks=tuple(blocks),
        scale=ratio_scale(ends),
        figure_heading=tr("odds ratio"),
        n_heading=tr("letters"),
        captions=_captions(pairs[0], data) if len(pairs) == 1 else ("", ""),
        undefined=tuple(undefined),
        notes=missing_intervals(found),
        stand_ins=stand_ins(found),
        complete=data.letters_complete,
        empty="" if found else tr("No letters measured yet. Import letters, or generate some, and measure them."),
    )


def _rows(of_pair: Sequence[Finding], data: ChartData) -> tuple[Row, ...]:
    """Variants of a category under each other; the label stands on the first alone."""
    rows = []
    for category in dict.fromkeys(ratio.label for ratio in of_pair):
        label = _category(category, data)
        for ratio in (ratio for ratio in of_pair if ratio.label == category and ratio.estimate is not None):
            rows.append(_row(label, ratio, data))
            label = ""
    return tuple(rows)


def _row(label: str, ratio: Finding, data: ChartData) -> Row:
    assert ratio.estimate is not None
    low, high = numbers.bounds(ratio.interval)
    figure, interval = numbers.ratio(ratio.estimate, low, high)
    return Row(
        label=label,
        finding=ratio,
        estimate=ratio.estimate,
        low=low,
        high=high,
        figure=figure,
        interval=interval,
        n=numbers.count(ratio.n),
        tip=_tip(ratio, figure, interval, data),
        series=_SERIES[ratio.variant],
        hollow=ratio.variant == "as_published",
    )


def _tip(ratio: Finding, figure: str, interval: str, data: ChartData) -> str:
    name = tr("{category}, {variant}").format(
        category=_category(ratio.label, data), variant=variant_name(ratio.variant)
    )
    by_group = counts(ratio.n_by_group, data.names)
    n = tr("{n} letters").format(n=numbers.count(ratio.n)) + (f" ({by_group})" if by_group else "")
    lines = [
        tr("{name}: odds ratio {figure}, {versus}").format(
            name=name, figure=figure, versus=_versus(ratio.groups, data)
        ),
        interval_sentence(ratio, interval),
        n,
    ]
    if data.letters_complete and (tested := p_sentence(ratio)):
        lines.append(tested)
    return "\n".join(lines)


def variant_name(variant: Variant) -> str:
    return tr("default") if variant == "default" else tr("as published")


def _category(label: str, data: ChartData) -> str:
    return data.names.get(label, label)


def _undefined(ratio: Finding, data: ChartData) -> Undefined:
    label = f"{_category(ratio.label, data)} ({variant_name(ratio.variant)})"
    return Undefined(label, ratio.reason or "", ratio)


def _versus(groups: Sequence[str], data: ChartData) -> str:
    return tr(" against ").join(data.names.get(group, group) for group in groups)


def _captions(groups: Sequence[str], data: ChartData) -> tuple[str, str]:
    if len(groups) != 2:
        return "", ""
    first, second = (data.names.get(group, group) for group in groups)
    return tr("← more in letters: {group}").format(group=second), tr("more in letters: {group} →").format(group=first)


def _legend(variants: Collection[Variant]) -> tuple[LegendKey, ...]:
    keys = [
        LegendKey("point", variant_name(variant), series, hollow=variant == "as_published")
        for variant, series in _SERIES.items()
        if variant in variants
    ]
    return (*keys, LegendKey("line", tr("95 % interval")), LegendKey("chance", tr("1: no difference")))
