"""Two models beside each other: a study's figures drawn anew, with the two as the series. No Qt here."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from core.draw.figure import Figure, FigureMark
from core.report.figures.words import joined, words
from desktop.widgets.words import tr

BETWEEN = " · "  # how `joined` writes


def models_of(figures: Iterable[Figure]) -> tuple[str, ...]:
    """The models that the findings are narrowed to, in order of appearance."""
    return tuple(dict.fromkeys(model for figure in figures for mark in figure.marks if (model := _model(mark))))


def compared(figures: Iterable[Figure], first: str, second: str) -> list[Figure]:
    """Every figure that has values of both models. Tables of words and counts are not compared."""
    gathered: dict[tuple[str, str], list[tuple[Figure, FigureMark]]] = {}
    for figure in figures:
        if figure.kind != "table":
            for mark in figure.marks:
                if _model(mark) in (first, second):
                    part = _without(figure.part, _model(mark))
                    gathered.setdefault((figure.key, part), []).append((figure, mark))
    found = (_figure(part, pairs, (first, second)) for (_, part), pairs in gathered.items())
    return [figure for figure in found if {mark.finding.dims["model"] for mark in figure.marks} == {first, second}]


def _model(mark: FigureMark) -> str:
    """Empty for what is over all models, and for a difference between two."""
    dims = mark.finding.dims
    return "" if "against" in dims else dims.get("model", "")


def _figure(part: str, pairs: Sequence[tuple[Figure, FigureMark]], models: tuple[str, str]) -> Figure:
    one = pairs[0][0]
    same_section = len({mark.section for _, mark in pairs}) == 1
    marks = [_mark(figure, mark, same_section=same_section) for figure, mark in pairs]
    marks.sort(key=lambda mark: models.index(mark.finding.dims["model"]))  # so that the first is the first series
    title = one.title
    for model in models:
        title = _without(title, model)
    kind = "line" if one.kind == "line" else "grouped"
    return replace(one, kind=kind, part=part, title=title, series_title=tr("model"), marks=tuple(marks))


def _mark(figure: Figure, mark: FigureMark, *, same_section: bool) -> FigureMark:
    model = _model(mark)
    series = _without(mark.series, model) if len(figure.series) > 1 else ""
    if figure.kind == "line":
        return replace(mark, series=joined(model, series))
    row = joined(_without(mark.row, model), series)
    section = _without(mark.section, model)
    if not row:  # the row was the model
        row, section = (tr("Overall") if same_section else section), ""
    return replace(mark, row=row, section=section, series=model)


def _without(text: str, model: str) -> str:
    """`text` without the model among its parts."""
    return joined(*(part for part in text.split(BETWEEN) if part not in (model, words(model))))
