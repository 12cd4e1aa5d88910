"""A measured figure as a view: what the report draws of a study's findings, drawn here by the window's own painter."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from core.draw.figure import Figure, FigureMark
from desktop.charts import numbers
from desktop.charts.figure_grid import grid_view
from desktop.charts.figure_words import legend, name_of, notes, reason_of, series_title, tip, value_heading, written
from desktop.charts.scales import Scale, ratio_scale, scale_over
from desktop.charts.view import Block, LinePoint, LineSeries, LineView, Row, RowsView, Undefined, View
from desktop.charts.words import stand_ins
from desktop.widgets.words import tr


def figure_view(figure: Figure) -> View:
    """Intervals and groups of them as rows, a matrix or a table as a grid, a line as lines."""
    if figure.kind in ("matrix", "table"):
        return grid_view(figure)
    if figure.kind == "line":
        return _lines(figure)
    return _rows(figure)


def _findings(figure: Figure) -> list:  # type: ignore[type-arg]
    return [mark.finding for mark in figure.marks]


def _empty(figure: Figure) -> str:
    return "" if figure.defined else tr("Nothing in this figure is defined yet.")


# rows


def _rows(figure: Figure) -> RowsView:
    blocks = [Block(section, "", tuple(_section(figure, section)), figure.null) for section in figure.sections]
    ends = list(_ends(figure.marks))
    null = [] if figure.null is None else [figure.null]
    scale = ratio_scale([*ends, *null]) if figure.scale == "log" else scale_over([*ends, *null], percent=figure.percent)
    return RowsView(
        title=figure.title,
        subtitle=figure.subtitle,
        legend=legend(figure),
        blocks=tuple(blocks),
        scale=scale,
        figure_heading=value_heading(figure),
        n_heading="n",
        captions=(figure.axis, ""),
        notes=notes(figure, _findings(figure)),
        stand_ins=stand_ins(_findings(figure)),
        empty=_empty(figure),
    )


def _ends(marks: Iterable[FigureMark]) -> Iterable[float]:
    """Everything that the scale must hold; a floor begins at 0."""
    for mark in marks:
        if mark.value is None:
            continue
        floor = (0.0, mark.floor.p95) if mark.floor else ()
        yield from (end for end in (mark.value, mark.low, mark.high, *floor) if end is not None)
        yield from (one.value for one in mark.references)


def _section(figure: Figure, section: str) -> Iterable[Row]:
    places = {name: place for place, name in enumerate(figure.series)}
    for of_section, label in figure.rows:
        if of_section != section:
            continue
        for number, mark in enumerate(figure.at(section, label)):
            row = _row(figure, mark, places[mark.series])
            yield replace(row, label=label if number == 0 else "")


def _row(figure: Figure, mark: FigureMark, series: int) -> Row:
    shown, interval = written(figure, mark)
    return Row(
        label=mark.row,
        finding=mark.finding,
        estimate=mark.value,
        low=mark.low,
        high=mark.high,
        figure=shown if mark.value is not None else "",
        interval=interval,
        n=numbers.count(mark.n),
        tip=tip(figure, mark),
        series=series,
        floor=mark.floor.p95 if mark.floor else None,
        references=tuple(one.value for one in mark.references),
        reason="" if mark.value is not None else reason_of(mark),
    )


# lines


def _lines(figure: Figure) -> LineView:
    drawn = [mark for mark in figure.marks if mark.value is not None and mark.x is not None]
    missing = [mark for mark in figure.marks if mark.value is None]
    null = [] if figure.null is None else [figure.null]
    return LineView(
        title=figure.title,
        subtitle=figure.subtitle,
        legend=legend(figure),
        lines=tuple(
            LineSeries(series_title(figure, name), place, tuple(_points(figure, drawn, name)))
            for place, name in enumerate(figure.series)
        ),
        across=_places([mark.x for mark in drawn if mark.x is not None]),
        up=scale_over([*_ends(drawn), *null], percent=figure.percent),
        captions=(figure.x_axis, figure.axis),
        reference=figure.null,
        undefined=tuple(Undefined(name_of(figure, mark), reason_of(mark), mark.finding) for mark in missing),
        notes=(*_n_note(drawn), *notes(figure, _findings(figure))),
        stand_ins=stand_ins(_findings(figure)),
        empty=_empty(figure),
    )


def _points(figure: Figure, marks: Sequence[FigureMark], series: str) -> Iterable[LinePoint]:
    own = [mark for mark in marks if mark.series == series]
    for mark in sorted(own, key=lambda mark: mark.x or 0.0):
        assert mark.x is not None
        assert mark.value is not None
        yield LinePoint(
            finding=mark.finding,
            x=mark.x,
            value=mark.value,
            low=mark.low,
            high=mark.high,
            tip=tip(figure, mark),
            floor=mark.floor.p95 if mark.floor else None,
            references=tuple(one.value for one in mark.references),
        )


def _places(values: Sequence[float]) -> Scale:
    """A tick at each place that was measured, and none between them."""
    places = sorted(set(values)) or [0.0]
    low, high = places[0], places[-1]
    if low == high:
        low, high = low - 0.5, high + 0.5
    return Scale(low, high, tuple((place, numbers.localised(f"{place:g}")) for place in places))


def _n_note(marks: Sequence[FigureMark]) -> tuple[str, ...]:
    """How many items are behind a point."""
    if not marks:
        return ()
    least, most = min(mark.n for mark in marks), max(mark.n for mark in marks)
    if least == most:
        return (tr("n = {n} at every point.").format(n=numbers.count(least)),)
    return (tr("n = {least} to {most} at a point.").format(least=numbers.count(least), most=numbers.count(most)),)
