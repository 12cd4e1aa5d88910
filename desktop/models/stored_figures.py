"""The papers' figures from a project's stored findings: built in a job, ready to be drawn."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from core.draw.figure import Figure
from core.findings import Finding
from core.jobs import JobContext
from core.report.figures import figures_of
from desktop.charts.compare import compared, models_of
from desktop.read.findings import StoredFindings
from desktop.wording.findings import Measurement

if TYPE_CHECKING:
    from core.project.project import Project


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
