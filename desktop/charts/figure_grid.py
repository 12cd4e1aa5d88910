"""A matrix or a table of a study's findings as a grid: the colours, the numbers, and what is not defined."""

from collections.abc import Iterable, Sequence

from core.draw.figure import Figure, FigureMark
from desktop.charts import numbers
from desktop.charts.figure_words import is_whole, legend, notes, reason_of, tip, written
from desktop.charts.view import Cell, GridBlock, GridRow, GridView, LegendKey
from desktop.charts.words import stand_ins
from desktop.widgets.words import plural, tr

SIGNIFICANT = 0.05


def grid_view(figure: Figure) -> GridView:
    """Rows by section; a column for each series. Only a matrix is coloured."""
    findings = [mark.finding for mark in figure.marks]
    tints = _tints(figure) if figure.kind == "matrix" else {}
    return GridView(
        title=figure.title,
        subtitle=figure.subtitle,
        legend=_legend(figure) if figure.kind == "matrix" else (),
        columns=tuple(name or tr("all together") for name in figure.series),
        blocks=tuple(GridBlock(section, tuple(_rows(figure, section, tints))) for section in figure.sections),
        rows_heading=figure.rows_title,
        notes=(*_remarks(figure), *notes(figure, findings)),
        stand_ins=stand_ins(findings),
        empty="" if figure.defined else tr("Nothing in this figure is defined yet."),
    )


def _rows(figure: Figure, section: str, tints: dict[float, float]) -> Iterable[GridRow]:
    alike = all(len({mark.n for mark in figure.at(*row)}) == 1 for row in figure.rows)
    for of_section, label in figure.rows:
        if of_section == section:
            marks = {mark.series: mark for mark in figure.at(section, label)}
            cells = (marks.get(series) for series in figure.series)
            n = tr("n = {n}").format(n=numbers.count(next(iter(marks.values())).n))
            drawn = (_cell(figure, mark, tints, with_n=not alike) if mark else None for mark in cells)
            yield GridRow(label, tuple(drawn), n if alike else "")


def _cell(figure: Figure, mark: FigureMark, tints: dict[float, float], *, with_n: bool) -> Cell:
    shown, interval = written(figure, mark)
    return Cell(
        finding=mark.finding,
        figure=shown,
        interval=f"({interval})" if interval else "",
        n=tr("n = {n}").format(n=numbers.count(mark.n)) if with_n else "",
        tip=tip(figure, mark),
        tint=None if mark.value is None else tints.get(mark.value),
        strong=_significant(mark),
        wraps=bool(mark.text) and not mark.text[:1].isdigit(),
    )


def _significant(mark: FigureMark) -> bool:
    """Whether the number itself was tested: a part of a finding, such as one group's, was not."""
    adjusted = mark.finding.p_adjusted
    return is_whole(mark) and adjusted is not None and adjusted <= SIGNIFICANT


def _tints(figure: Figure) -> dict[float, float]:
    """From −1 to 1 around `null`; from 0 to 1 where there is no such value, the lowest (or 0) without colour."""
    values = [mark.value for mark in figure.marks if mark.value is not None]
    if not values:
        return {}
    middle = min(0.0, *values) if figure.null is None else figure.null
    reach = max(abs(value - middle) for value in values) or 1.0
    return {value: (value - middle) / reach for value in values}


def _legend(figure: Figure) -> tuple[LegendKey, ...]:
    if figure.null is None:
        return (LegendKey("tint", tr("the deeper, the higher"), tint=1.0),)
    (null,) = [key.text for key in legend(figure, (), series=False) if key.kind == "chance"]
    below, above = tr("below"), tr("above")
    return (LegendKey("tint", below, tint=-1.0), LegendKey("tint", null, tint=0.0), LegendKey("tint", above, tint=1.0))


def _remarks(figure: Figure) -> tuple[str, ...]:
    """What bold means, and why there is a dash in place of some numbers."""
    said = []
    numeric = [mark for mark in figure.marks if not mark.text]
    if any(mark.low is not None for mark in numeric):
        said.append(tr("In brackets: the interval."))
    if any(_significant(mark) for mark in numeric):
        said.append(tr("Bold: p at most 0.05 after adjustment for the other tests."))
    return (*said, *_undefined([mark for mark in numeric if mark.value is None]))


def _undefined(missing: Sequence[FigureMark]) -> Iterable[str]:
    reasons = [reason_of(mark) for mark in missing]
    for reason in dict.fromkeys(reasons):
        number = plural(reasons.count(reason), "1 number", "%n numbers")
        yield tr("— not defined, {number}: {reason}").format(number=number, reason=reason)
