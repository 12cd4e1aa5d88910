"""The findings of a project as the panel reads them: in a job, page by page, with everything said in words."""

from typing import TYPE_CHECKING

from core.findings import Finding
from core.jobs import JobContext
from desktop.read.texts_behind import Behind, TextRef, read_text, texts_behind
from desktop.wording.finding_lines import FindingLine, FindingsData, Measurement, line_of
from desktop.wording.titles import read_titles

if TYPE_CHECKING:
    from core.project.project import Project
    from core.project.rows import StudyRow


class StoredFindings:
    """Reads the findings of an open project. Called on worker threads only.

    What is stored was measured from revealed sessions alone; what an open session would betray is in no finding.
    """

    def __init__(self, project: "Project") -> None:
        self._project = project

    def load(self, ctx: JobContext) -> FindingsData:
        """Every finding, study by study, in the order of its measurement."""
        titles, studies = read_titles(self._project), _study_titles()
        lines: list[FindingLine] = []
        for row in self._project.findings.all():
            ctx.check()
            lines.append(line_of(Finding.from_json(row.body), row.study, studies.get(row.study, row.study), titles))
        lines.sort(key=lambda line: line.shown.study)
        axes = dict.fromkeys(axis for line in lines if (axis := line.finding.dims.get("axis")))
        return FindingsData(tuple(lines), tuple((axis, titles.axes.get(axis, axis)) for axis in axes))

    def measurements(self, ctx: JobContext) -> tuple[Measurement, ...]:
        """How each study of the project was measured last, and what came since."""
        titles = _study_titles()
        return tuple(
            self._measurement(study, titles.get(study.kind, study.title)) for study in self._project.studies.all()
        )

    def open_sessions(self) -> int:
        """People's sessions that wait for their reveal: no finding knows of their judgments."""
        people = {rater.id for rater in self._project.judging.raters() if rater.kind == "person"}
        sessions = self._project.judging.sessions()
        return sum(session.revealed_at is None and session.rater_id in people for session in sessions)

    def texts(self, ctx: JobContext, line: FindingLine) -> Behind:
        """Where the texts are that a finding rests on, group by group."""
        return texts_behind(ctx, self._project, line.study, line.finding)

    def text(self, ref: TextRef) -> str:
        """One of them, whole."""
        return read_text(self._project, ref)

    def _measurement(self, study: "StudyRow", title: str) -> Measurement:
        from core.project.stores.runs import OutputFilter

        last = self._project.findings.last(study.kind)
        if last is None:
            return Measurement(study.kind, title)
        at = last.created_at
        written = OutputFilter(study_id=study.id, written_after=at, status="done")
        texts = self._project.outputs.count(written) + self._project.sources.count(study.id, at)
        plans = {plan.id for plan in self._project.judging.plans() if plan.study_id == study.id}
        revealed = sum(
            session.plan_id in plans and (session.revealed_at or "") > at
            for session in self._project.judging.sessions()
        )
        return Measurement(study.kind, title, at, last.recipe, texts, revealed)


def _study_titles() -> dict[str, str]:
    from core.studies.registry import studies

    return {kind: study.title for kind, study in studies().items()}
