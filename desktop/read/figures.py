"""The papers' figures from a project's stored findings, and those of two models beside each other: made in a job."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from core.draw.figure import Figure, FigureMark
from core.findings import Finding
from core.jobs import JobContext
from core.report.figures import figures_of
from core.report.figures.choose import joined, words
from desktop.read.findings import StoredFindings
from desktop.widgets.words import tr
from desktop.wording.findings import Measurement

if TYPE_CHECKING:
    from core.project.project import Project

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


@dataclass(frozen=True)
class StudyFigures:
    """A study of the project: how it was measured last, its figures, and the models that they can be narrowed to."""

    measurement: Measurement
    figures: tuple[Figure, ...] = ()
    models: tuple[str, ...] = ()


class StoredFigures:
    """Reads an open project. Called on worker threads only. What was not measured again is not built again."""

    def __init__(self, project: "Project") -> None:
        self._project = project
        self._built: dict[str, tuple[str, tuple[Figure, ...]]] = {}

    def load(self, ctx: JobContext) -> tuple[StudyFigures, ...]:
        """Every study of the project, measured or not."""
        found = []
        for measurement in StoredFindings(self._project).measurements(ctx):
            figures = self._figures(ctx, measurement)
            found.append(StudyFigures(measurement, figures, models_of(figures)))
        return tuple(found)

    def compare(self, ctx: JobContext, study: StudyFigures, first: str, second: str) -> tuple[Figure, ...]:
        """The study's figures with these two models beside each other."""
        return _told_apart(compared(study.figures, first, second))

    def _figures(self, ctx: JobContext, measurement: Measurement) -> tuple[Figure, ...]:
        study, at = measurement.study, measurement.measured_at
        if not at:
            return ()
        known = self._built.get(study)
        if known is None or known[0] != at:
            findings = []
            for row in self._project.findings.all(study):
                ctx.check()
                findings.append(Finding.from_json(row.body))
            known = self._built[study] = (at, _told_apart(figures_of(study, findings)))
        return known[1]


def _told_apart(figures: Sequence[Figure]) -> tuple[Figure, ...]:
    """Each with a title of its own: with its part where others have the same."""
    times = Counter(figure.title for figure in figures)
    return tuple(
        figure if times[figure.title] == 1 else replace(figure, title=f"{figure.title} · {figure.part}")
        for figure in figures
    )
