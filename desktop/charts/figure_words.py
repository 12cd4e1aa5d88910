"""What a measured figure says of a mark: digits, the lines for hovering, the legend, the notes. No Qt widgets."""

from collections.abc import Iterable

from core.draw.digits import PROPORTIONS
from core.draw.figure import Figure, FigureMark
from core.findings import Finding
from desktop.charts import numbers
from desktop.charts.spread import missing_intervals
from desktop.charts.view import LegendKey
from desktop.charts.words import counts, interval_sentence, p_sentence
from desktop.widgets.words import tr

SHORT_UNIT = 18  # letters that fit above a column


def unit_of(figure: Figure, mark: FigureMark) -> str:
    return figure.unit or mark.unit


def written(figure: Figure, mark: FigureMark) -> tuple[str, str]:
    """The mark's value, or its words, and "low–high" where there is an interval."""
    if mark.text:
        return mark.text, ""
    if mark.value is None:
        return "—", ""
    return _digits(unit_of(figure, mark), mark.value, mark.low, mark.high)


def _digits(unit: str, value: float, low: float | None, high: float | None) -> tuple[str, str]:
    write = numbers.percent if unit in PROPORTIONS else numbers.ratio if "ratio" in unit else numbers.score
    shown, interval = write(value, low, high)
    if "−" in interval:  # a dash beside minus signs cannot be read
        interval = tr("{0} to {1}").format(*interval.split("–"))
    return shown, interval


def value_heading(figure: Figure) -> str:
    """What stands above the figures: the unit, where it is short."""
    if figure.percent:
        return tr("difference") if "difference" in figure.unit else tr("share")
    return figure.unit if figure.unit and len(figure.unit) <= SHORT_UNIT else tr("value")


def series_title(figure: Figure, series: str) -> str:
    """A series without a name stands for all of what the others are parts of."""
    return series or (tr("all together") if len(figure.series) > 1 else tr("estimate"))


def name_of(figure: Figure, mark: FigureMark) -> str:
    series = series_title(figure, mark.series) if len(figure.series) > 1 else ""
    return " · ".join(part for part in (mark.section, mark.row, series) if part)


def tip(figure: Figure, mark: FigureMark) -> str:
    """Estimate, interval, n, p, floor, what the paper has, and the stand-in: line by line."""
    shown, interval = written(figure, mark)
    unit = "" if figure.percent or mark.text else unit_of(figure, mark)
    head = tr("{name}: {value}, n = {n}").format(
        name=name_of(figure, mark), value=f"{shown} {unit}".strip(), n=numbers.count(mark.n)
    )
    if mark.value is None and not mark.text:
        return "\n".join([tr("{name}: not defined").format(name=name_of(figure, mark)), reason_of(mark)])
    finding = mark.finding
    lines = [head, *_interval_lines(figure, mark, interval)]
    if len(finding.n_by_group) > 1:
        lines.append(tr("n by group – {counts}").format(counts=counts(finding.n_by_group)))
    if tested := p_sentence(finding):
        lines.append(tested if is_whole(mark) else tr("The whole finding: {p}").format(p=tested))
    if mark.floor is not None:
        floor = tr("Without any bias: {mean} on average, below {p95} in 95 of 100 cases")
        unit = unit_of(figure, mark)
        mean, p95 = (_digits(unit, value, None, None)[0] for value in (mark.floor.mean, mark.floor.p95))
        lines.append(floor.format(mean=mean, p95=p95))
    for one in mark.references:
        printed = _digits(unit_of(figure, mark), one.value, None, None)[0]
        lines.append(
            tr("Published: {who} {value}").format(who=one.who, value=printed) + (f" ({one.where})" if one.where else "")
        )
    lines += [
        tr("{role} by a stand-in: {name}").format(role=use.role.replace("_", " "), name=use.name)
        for use in finding.scorers
        if use.stand_in
    ]
    return "\n".join(line for line in lines if line)


def is_whole(mark: FigureMark) -> bool:
    """Whether the mark is its finding's estimate, not a group or another part of it."""
    return mark.low is not None or (mark.value == mark.finding.estimate and not mark.text)


def _interval_lines(figure: Figure, mark: FigureMark, interval: str) -> list[str]:
    finding = mark.finding
    if mark.low is not None:
        return [interval_sentence(finding, f"{interval} %" if figure.percent else interval)]
    if is_whole(mark):
        return [interval_sentence(finding, "")]
    if finding.estimate is None:
        return [tr("The finding is not defined: {reason}").format(reason=finding.reason)]
    low, high = numbers.bounds(finding.interval)
    shown, between = _digits(finding.unit, finding.estimate, low, high)
    whole = f"{shown} ({between})" if between else shown
    return [tr("Part of: {title}, {estimate}").format(title=finding.title, estimate=whole)]


def reason_of(mark: FigureMark) -> str:
    return (mark.reason or mark.finding.reason or tr("there is no value")).removeprefix("interval: ")


def legend(figure: Figure, marks: Iterable[FigureMark] | None = None, *, series: bool = True) -> tuple[LegendKey, ...]:
    """A sign for each series, and for whatever else is drawn."""
    marks = [mark for mark in (figure.marks if marks is None else marks) if mark.value is not None]
    keys = [LegendKey("point", series_title(figure, name), place) for place, name in enumerate(figure.series) if series]
    levels = {one.finding.interval.level for one in marks if one.low is not None and one.finding.interval}
    keys += [LegendKey("line", tr("{level} % interval").format(level=f"{100 * level:g}")) for level in sorted(levels)]
    if any(mark.floor for mark in marks):
        keys.append(LegendKey("floor", tr("noise floor: up to here in 95 of 100 cases without any bias")))
    if figure.null is not None:
        null = f"{figure.null:g}" if figure.null in (0, 1) else _digits(figure.unit, figure.null, None, None)[0]
        keys.append(LegendKey("chance", tr("{value}: no bias").format(value=null)))
    printed = {one.who for mark in marks for one in mark.references}
    if printed:
        who = next(iter(printed)) if len(printed) == 1 else tr("several models")
        keys.append(LegendKey("reference", tr("as printed in the paper ({who})").format(who=who)))
    return tuple(keys)


def notes(figure: Figure, findings: Iterable[Finding]) -> tuple[str, ...]:
    """The figure's own note, why intervals are missing, and what of the paper it covers."""
    covers = tr("Compare: {source}.").format(source=figure.source.rstrip(".")) if figure.source else ""
    return tuple(note for note in (figure.note, *missing_intervals(list(findings)), covers) if note)
