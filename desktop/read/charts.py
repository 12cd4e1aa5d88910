"""Readers of the charts panel: live charts of judgments and stored texts, and figures of measured findings."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from biasprint.core import compute
from biasprint.core.draw.figure import Figure, FigureMark
from biasprint.core.findings import Finding
from biasprint.core.jobs import JobContext
from biasprint.core.judging.assignment import asked_number
from biasprint.core.judging.workshop import participants, tellable_sessions
from biasprint.core.project.project import Project
from biasprint.core.project.rows import PlanRow, RaterRow, SessionRow
from biasprint.core.report.figures import figures_of
from biasprint.core.runs.live import LiveTally
from biasprint.core.studies.creativity.gather import Axes, axes_of, of_judgments
from biasprint.core.studies.kit.choose import joined, words
from biasprint.core.studies.registry import studies
from biasprint.desktop.charts.live import AxisWords, ChartData, ChartVoice, TextBehind, TextsBehind
from biasprint.desktop.read.findings import DEFAULT, StoredFindings, read_text, texts_behind, wanted_groups
from biasprint.desktop.widgets.words import plural, tr
from biasprint.desktop.wording.findings import Measurement

# ---- The charts of a project: what is stored, measured in the compute process, never what an open session would
# betray

MOST = 50


def items_behind(ctx: JobContext, project: Project, finding: Finding) -> TextsBehind:
    """Return the first texts behind a finding, the most telling ones first."""
    wanted = {*wanted_groups(finding), DEFAULT}
    study = finding.id.partition(".")[0]
    last = project.findings.last(study)
    behind = texts_behind(ctx, project, study, finding, last.recipe if last else None).groups
    # Groups of words are no groups of texts: of articles all count, generated and original.
    groups = [group for group in behind if group.key in wanted] or behind
    pairs = [(ref, group) for group in groups for ref in group.refs]
    pairs.sort(key=lambda pair: (-pair[0].rank, pair[0].key))
    items = tuple(
        TextBehind(" ".join(map(str, ref.key)), f"{ref.title} · {group.title}", ref.note, read_text(project, ref))
        for ref, group in pairs[:MOST]
    )
    return TextsBehind(len(pairs), items)


SEED = 0


class StoredCharts:
    """A `ChartSource` over a project file. Unchanged data is not measured again."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._measured: dict[str, tuple[Hashable, Any]] = {}
        self._tallies: dict[int, LiveTally] = {}
        self._asked: dict[str, int] = {}  # by session

    def load(self, ctx: JobContext) -> ChartData:
        sessions = self._project.judging.sessions()
        people = {rater.id for rater in self._project.judging.raters() if rater.kind == "person"}
        hidden = [session for session in sessions if session.revealed_at is None and session.rater_id in people]
        finished = [session for session in sessions if session.revealed_at is not None]
        ctx.check()  # between readings: a rater's key goes first
        revealed = tellable_sessions(self._project, finished)
        ctx.check()
        axes = self._axes()
        return ChartData(
            axes=self._axis_names(),
            voices=self._voices(ctx, revealed, axes),
            live=self._live(ctx),
            names=self._names(),
            open_sessions=len(hidden),
            hidden_judgments=sum(self._project.judging.judgment_count(session.id) for session in hidden),
        )

    def items(self, ctx: JobContext, finding: Finding) -> TextsBehind:
        return items_behind(ctx, self._project, finding)

    def _axes(self) -> Axes:
        """Return the compared axes; read again only when plans or axes change, not at every reading."""
        plans = tuple(plan.id for plan in self._project.judging.plans())
        versions = tuple((axis.key, axis.version) for axis in self._project.axes.in_use().values())
        axes: Axes = self._once("axes", (plans, versions), lambda: axes_of(self._project))
        return axes

    def _once(self, name: str, state: Hashable, measure: Callable[[], Any]) -> Any:
        known = self._measured.get(name)
        if known is None or known[0] != state:
            self._measured[name] = (state, measure())
        return self._measured[name][1]

    # judgments

    def _voices(self, ctx: JobContext, revealed: Sequence[SessionRow], axes: Axes) -> tuple[ChartVoice, ...]:
        """Return the raters whose sessions are revealed, the latest first; the people together where there are several.

        A reveal locks a session, and a rater who reveals early did not know the identities before: all of them are
        final.
        """
        if not revealed:
            return ()
        raters = {rater.id: rater for rater in self._project.judging.raters()}
        unnamed = participants(self._project)  # a workshop's people are seen together only
        answered = self._project.judging.answered_sessions()
        revealed = [session for session in revealed if session.id in answered]  # without an answer nobody chose
        plans = {plan.id: plan for plan in self._project.judging.plans()}
        progress = {
            session.id: self._progress(session, plans[session.plan_id], raters[session.rater_id])
            for session in revealed
        }
        named = [session for session in reversed(revealed) if raters[session.rater_id].code not in unnamed]
        voices = [
            self._voice(ctx, choosing, raters[choosing.rater_id], axes, progress[choosing.id]) for choosing in named
        ]
        people = [session for session in revealed if raters[session.rater_id].kind == "person"]
        if len(people) > 1:
            voices.append(self._group(ctx, people, axes, [progress[session.id] for session in people]))
        return tuple(voices)

    def _voice(
        self, ctx: JobContext, session: SessionRow, rater: RaterRow, axes: Axes, progress: tuple[int, int]
    ) -> ChartVoice:
        findings = self._choices(ctx, session.id, [session], axes)
        kind = "model" if rater.kind == "model" else "you"
        judged, planned = progress
        return ChartVoice(session.id, rater.code, kind, findings, True, judged, planned)  # type: ignore[arg-type]

    def _progress(self, session: SessionRow, plan: PlanRow, rater: RaterRow) -> tuple[int, int]:
        """Return the number of judged comparisons of a session, and the number its rater is asked."""
        rows = [row for row in self._project.judging.judgments(session.id) if row.outcome not in ("undone", "skip")]
        # A model is asked about a comparison in every order of its cards, and about no repeat.
        judged = len({row.comparison_id for row in rows}) if rater.kind == "model" else len(rows)
        if session.id not in self._asked:
            self._asked[session.id] = asked_number(self._project, plan, rater)
        return judged, self._asked[session.id]

    def _group(
        self, ctx: JobContext, revealed: Sequence[SessionRow], axes: Axes, progress: Sequence[tuple[int, int]]
    ) -> ChartVoice:
        findings = self._choices(ctx, "everyone", revealed, axes)
        judged, planned = map(sum, zip(*progress, strict=True))
        people = len({session.rater_id for session in revealed})
        title = plural(people, "1 rater together", "%n raters together")
        return ChartVoice("everyone", title, "group", findings, True, judged, planned, people)

    def _choices(self, ctx: JobContext, name: str, sessions: Sequence[SessionRow], axes: Axes) -> tuple[Finding, ...]:
        state = tuple((session.id, self._project.judging.judgment_count(session.id)) for session in sessions)

        def measure() -> tuple[Finding, ...]:
            return of_judgments(ctx, self._project, sessions, axes, SEED, compute.shared(), adjusted=True).findings

        findings: tuple[Finding, ...] = self._once(f"choices {name}", state, measure)
        return findings

    # texts

    def _live(self, ctx: JobContext) -> dict[str, tuple[Finding, ...]]:
        """Return, by study, the live values of the texts scored so far."""
        known = studies()
        by_study = {}
        for study in self._project.studies.all():
            ctx.check()
            if study.kind in known:
                tally = self._tallies.setdefault(study.id, LiveTally(self._project, study))
                tally.catch_up(ctx)
                by_study[study.kind] = tuple(value.finding() for value in tally.values())
        return by_study

    # words

    def _axis_names(self) -> tuple[AxisWords, ...]:
        return tuple(
            AxisWords(
                key,
                axis.title,
                tuple((identity["key"], identity["label"]) for identity in axis.definition["identities"]),
            )
            for key, axis in self._project.axes.in_use().items()
            if not axis.definition.get("reported_as")
        )

    def _names(self) -> dict[str, str]:
        names = {
            identity["key"]: identity["label"]
            for axis in self._project.axes.in_use().values()
            for identity in axis.definition["identities"]
        }
        return {**names, "default": tr("Default")}


# ---- The papers' figures from a project's stored findings, and those of two models beside each other: made in a job

BETWEEN = " · "  # how `joined` writes


def models_of(figures: Iterable[Figure]) -> tuple[str, ...]:
    """Return the models that the findings can be narrowed to, in order of appearance."""
    return tuple(dict.fromkeys(model for figure in figures for mark in figure.marks if (model := _model(mark))))


def compared(figures: Iterable[Figure], first: str, second: str) -> list[Figure]:
    """Return every figure that has values of both models. Tables of words and counts are not compared."""
    gathered: dict[tuple[str, str], list[tuple[Figure, FigureMark]]] = {}
    for figure in figures:
        if figure.kind != "table":
            for mark in figure.marks:
                if _model(mark) in (first, second):
                    part = _without(figure.part, _model(mark))
                    gathered.setdefault((figure.key, part), []).append((figure, mark))
    figures_of_both = (_figure(part, pairs, (first, second)) for (_, part), pairs in gathered.items())
    return [figure for figure in figures_of_both if {_model(mark) for mark in figure.marks} == {first, second}]


def _model(mark: FigureMark) -> str:
    """Return the generator, else the model; empty for pooled values, and for a difference between two."""
    dims = mark.finding.dims
    return "" if "against" in dims else dims.get("generator", "") or dims.get("model", "")


def _figure(part: str, pairs: Sequence[tuple[Figure, FigureMark]], models: tuple[str, str]) -> Figure:
    first_figure = pairs[0][0]
    same_section = len({mark.section for _, mark in pairs}) == 1
    marks = [_mark(figure, mark, same_section=same_section) for figure, mark in pairs]
    marks.sort(key=lambda mark: models.index(_model(mark)))  # so that the first is the first series
    title = first_figure.title
    for model in models:
        title = _without(title, model)
    kind = "line" if first_figure.kind == "line" else "grouped"
    return replace(first_figure, kind=kind, part=part, title=title, series_title=tr("generator"), marks=tuple(marks))


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
    """Return `text` without the model among its parts."""
    return joined(*(part for part in text.split(BETWEEN) if part not in (model, words(model))))


@dataclass(frozen=True)
class StudyFigures:
    """A study of the project: how it was measured last, its figures, and the models that they can be narrowed to."""

    measurement: Measurement
    figures: tuple[Figure, ...] = ()
    models: tuple[str, ...] = ()


class StoredFigures:
    """The figures of an open project. Called on worker threads only. Only new measurements are built again."""

    def __init__(self, project: "Project") -> None:
        self._project = project
        self._built: dict[str, tuple[str, tuple[Figure, ...]]] = {}

    def load(self, ctx: JobContext) -> tuple[StudyFigures, ...]:
        """Return every study of the project, measured or not."""
        studies = []
        for measurement in StoredFindings(self._project).measurements(ctx):
            figures = self._figures(ctx, measurement)
            studies.append(StudyFigures(measurement, figures, models_of(figures)))
        return tuple(studies)

    def compare(self, ctx: JobContext, study: StudyFigures, first: str, second: str) -> tuple[Figure, ...]:
        """Return the study's figures with these two models beside each other."""
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
                findings.append(row.finding)
            known = self._built[study] = (at, _told_apart(figures_of(study, findings)))
        return known[1]


def _told_apart(figures: Sequence[Figure]) -> tuple[Figure, ...]:
    """Give each figure a title of its own: with its part where others have the same title."""
    times = Counter(figure.title for figure in figures)
    return tuple(
        figure if times[figure.title] == 1 else replace(figure, title=f"{figure.title} · {figure.part}")
        for figure in figures
    )
