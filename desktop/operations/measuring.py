"""Scoring and measuring: the scorers with the texts they have scored, the jobs, and analysis plans."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, Signal

from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.desktop.jobs import JobHandle, JobRunner, JobState
from biasprint.desktop.operations import Operation, operation
from biasprint.desktop.widgets.words import plural, tr
from biasprint.desktop.wording.generators import words_of

if TYPE_CHECKING:
    from biasprint.core.project.project import Project
    from biasprint.core.report.planned import AnalysisPlan, PlanLock
    from biasprint.core.runs.measure import MeasuredStudy
    from biasprint.core.scorers.protocol import ScorerInfo
    from biasprint.core.studies.kit.declared import MeasureOptions
    from biasprint.core.texts.score import ScoreResult
    from biasprint.desktop.settings import Settings

How = Callable[["MeasureOptions"], "MeasureOptions"]
MEASURING = "measuring"  # what its jobs are found again by
SCORING = "scoring"


@dataclass(frozen=True)
class ScorerLine:
    """A scorer as it is listed: its present version has scored `scored` of the `texts` in the project.

    `needed`: a measure of one of the project's studies reads it.
    """

    info: "ScorerInfo"
    scored: int
    texts: int
    needed: bool


def read_scorers(ctx: JobContext, project: "Project") -> tuple[ScorerLine, ...]:
    """Every scorer, with how many of the project's texts it has scored."""
    from biasprint.core.project.stores.runs import OutputFilter
    from biasprint.core.scorers.registry import describe

    studies = project.studies.all()
    written = project.outputs.count(OutputFilter(status="done"))  # a failure has no text that could be scored
    texts = written + sum(project.sources.count(study.id) for study in studies)
    scored = {(name, version): count for name, version, count in project.scores.known()}
    needed = {info.name for study in studies for info in scorers_for(study.kind, project, study.id)}
    return tuple(
        ScorerLine(info, scored.get((info.name, info.version), 0), texts, info.name in needed) for info in describe()
    )


def scorers_for(study: str, project: "Project | None" = None, study_id: int | None = None) -> "Sequence[ScorerInfo]":
    """Return the scorers that a study's measures read; for a project's study those that its prompts need."""
    from biasprint.core.runs.measure import scorers_needed

    return scorers_needed(study, project, study_id)


def score_texts(*, project: "Project", names: Sequence[str]) -> "Operation[list[ScoreResult]]":
    """Score every text of the project that these scorers have not scored yet."""

    def work(ctx: JobContext) -> "list[ScoreResult]":
        from biasprint.core.scorers.registry import describe

        known = {info.name: info for info in describe()}
        kinds = [study.kind for study in project.studies.all()]
        return [result for kind in kinds for result in _score(ctx, project, kind, [known[name] for name in names])]

    return Operation(tr("Scoring with {names}").format(names=", ".join(names)), work, _scored)


def _scored(results: "list[ScoreResult]") -> str:
    if not any(result.added or result.unscored for result in results):
        return tr("Every text had been scored before.")
    words = plural(sum(result.added for result in results), "1 score was added.", "%n scores were added.")
    unscored = sum(result.unscored for result in results)
    if unscored:
        words += " " + plural(unscored, "1 text has nothing to score.", "%n texts have nothing to score.")
    return words


@operation("Embedding the texts", _scored)
def embed_texts(ctx: JobContext, *, project: "Project") -> "list[ScoreResult]":
    """Embed every text of the project by the best embedder available here."""
    from biasprint.core.scorers.registry import best_scorer

    info = best_scorer("embedding")
    if info is None:
        raise AppError(
            tr("There is no embedder on this computer."), hint=tr("Get one in Models, then embed the texts.")
        )
    return [result for study in project.studies.all() for result in _score(ctx, project, study.kind, [info])]


def mark(handle: "JobHandle", what: str, project: "Project") -> None:
    """Mark a job so that a page made again while it runs can find it. The mark names nothing: a rater may be blind."""
    handle.setObjectName(f"{what} {id(project)}")  # unique as long as the job runs, which holds the project


def running(jobs: "JobRunner", what: str, project: "Project | None") -> "JobHandle | None":
    """Return the job marked so for this project that still runs."""
    return next(
        (handle for handle in jobs.active() if project and handle.objectName() == f"{what} {id(project)}"), None
    )


def measuring(jobs: "JobRunner", project: "Project | None") -> "dict[str, JobHandle]":
    """Return the studies of a project that are being measured, each with its job, from any panel."""
    by_study = {}
    for handle in jobs.active():
        what, *studies = handle.objectName().split() or [""]
        if project is not None and what == MEASURING and studies[-1] == f"{id(project)}":
            by_study |= dict.fromkeys(studies[:-1], handle)
    return by_study


def start_measuring(
    jobs: "JobRunner",
    project: "Project",
    studies: Sequence[str],
    on_done: "Callable[[tuple[MeasuredStudy, ...]], object] | None" = None,
    *,
    how: How | None = None,
    seen: bool = False,
    as_stored: bool = False,
) -> "JobHandle":
    """Measure these studies in a job that `measuring` finds."""
    measured = measure_studies(project=project, studies=studies, how=how, seen=seen, as_stored=as_stored)
    handle = measured.start(jobs, on_done=on_done)
    mark(handle, " ".join((MEASURING, *studies)), project)
    return handle


def measure_studies(
    *,
    project: "Project",
    studies: Sequence[str],
    how: How | None = None,
    seen: bool = False,
    as_stored: bool = False,
) -> "Operation[tuple[MeasuredStudy, ...]]":
    """Score missing texts for a study's measures, then measure, one study after another.

    The findings of each are stored when it is done. `how`: maps the last options to the new ones; None: the same.
    `seen`: with judgments made after a look at the identities. `as_stored`: nothing is scored first, as for people's
    judgments, which need no scorer.
    """

    def work(ctx: JobContext) -> "tuple[MeasuredStudy, ...]":
        from biasprint.core import compute
        from biasprint.core.runs.measure import measure_project

        before = {study: asked_last(project, study) for study in studies}
        wanted = {study: how(own) if how else own for study, own in before.items()}
        return tuple(
            measure_project(ctx, project, study, replace(own, seen=seen, as_stored=as_stored), compute.shared())
            for study, own in wanted.items()
        )

    titles = tr(", ").join(words_of(study).rows for study in studies)
    return Operation(tr("Measuring: {studies}").format(studies=titles), work, _measured)


def asked_last(project: "Project", study: str) -> "MeasureOptions":
    """Return the options of the study's last measurement; the defaults if there was none."""
    from biasprint.core.runs.measure import asked_again

    last = project.findings.last(study)
    return asked_again(last.recipe if last else None)


def _measured(measured: "Sequence[MeasuredStudy]") -> str:
    findings = sum(len(study.result.findings) for study in measured)
    remarks = [remark for study in measured for remark in (*study.undone, *study.remarks)]
    return " ".join([plural(findings, "Measured: 1 finding.", "Measured: %n findings."), *remarks])


def _score(ctx: JobContext, project: "Project", study: str, scorers: "Sequence[ScorerInfo]") -> "list[ScoreResult]":
    from biasprint.core import compute
    from biasprint.core.texts.score import score

    row = project.studies.of_kind(study)
    assert row is not None
    return [score(ctx, project, row.id, scorer, compute.shared()) for scorer in scorers]


class ProjectHolder(Protocol):
    """The holder of an open project, which also runs jobs."""

    jobs: "JobRunner"
    settings: "Settings"

    @property
    def project(self) -> "Project | None": ...


class MeasureJobs(QObject):
    """The measuring jobs. `changed` when one begins, goes on or ends. Other panels' jobs are known after `pick_up`."""

    changed = Signal()

    def __init__(self, shell: ProjectHolder, parent: QObject) -> None:
        super().__init__(parent)
        self._shell = shell
        self._handles: dict[str, JobHandle] = {}

    def start(self, study: str, how: How | None = None, *, as_stored: bool = False) -> None:
        """Measure a study of the open project, if it is not being measured and the project can be written to.

        `how`: maps the last options to the new ones; None: the same.
        """
        project = self._shell.project
        self.pick_up()
        if project is not None and self.may(study):
            seen = bool(self._shell.settings.get("keep_seen"))
            jobs = self._shell.jobs
            handle = start_measuring(jobs, project, (study,), how=how, seen=seen, as_stored=as_stored)
            self._follow(study, handle)

    def pick_up(self) -> None:
        """Follow the jobs that run already, for instance when the person returns to the panel."""
        for study, handle in measuring(self._shell.jobs, self._shell.project).items():
            if study not in self.busy():
                self._follow(study, handle)

    def busy(self) -> frozenset[str]:
        """Return the studies that are being measured."""
        return frozenset(study for study, handle in self._handles.items() if handle.active)

    def done(self, study: str) -> bool:
        """Return whether the study was measured a moment ago; the project's own report of it follows."""
        return study in self._handles and self._handles[study].state is JobState.DONE

    def may(self, study: str) -> bool:
        """Return whether a study can be measured now."""
        project = self._shell.project
        return project is not None and not project.read_only and study not in self.busy()

    def forget(self) -> None:
        """Forget the jobs: another project was opened."""
        self._handles = {}

    def _follow(self, study: str, handle: JobHandle) -> None:
        self._handles[study] = handle
        handle.changed.connect(self.changed)
        self.changed.emit()


# ---- Analysis plans: a study's candidates, reading one from a file, writing and locking it


@dataclass(frozen=True)
class PlanChoices:
    """Candidates for the plan of a study, and its locked plan.

    `offers`: name and question of each finding, those that are planned first. `margins`: name → margin of those.
    `known`: what a lock would store as known now, in words; `late`: whether that includes results. `state`: of the
    locks, in sentences.
    """

    study: str
    title: str
    offers: tuple[tuple[str, str], ...]
    margins: dict[str, float | None]
    texts: int
    level: float
    exclusions: tuple[str, ...]
    known: str
    late: bool
    state: tuple[str, ...]


def read_plan_choices(ctx: JobContext, project: "Project", study: str, title: str) -> PlanChoices:
    """Return what can be planned of a study."""
    from biasprint.core.report.planned import known_words, state_sentences
    from biasprint.core.runs.analysis_plan import analysis_plan, candidates, known_now, planned_texts

    locked, known = analysis_plan(project, study), known_now(project, study)
    last = locked.last.plan if locked else None
    margins = {entry.finding: entry.margin for entry in last.findings} if last else {}
    asks = {name: ask for ask, name in candidates(study)}
    return PlanChoices(
        study=study,
        title=title,
        offers=tuple((name, asks.get(name, "")) for name in dict.fromkeys((*margins, *asks))),
        margins=margins,
        texts=(last.texts if last else None) or planned_texts(project, study),
        level=last.level if last else 0.05,
        exclusions=last.exclusions if last else (),
        known=tr(known_words(known)),
        late=known.results,
        state=tuple(state_sentences(locked)) if locked else (),
    )


def read_plan_file(*, path: Path) -> "Operation[tuple[AnalysisPlan, str]]":
    """Read a plan, with its exact text."""

    def work(ctx: JobContext) -> "tuple[AnalysisPlan, str]":
        from biasprint.core.runs.analysis_plan import read_plan

        return read_plan(path)

    return Operation(tr("Reading “{name}”").format(name=path.name), work, quiet=True)


def save_plan_file(*, text: str, path: Path) -> Operation[None]:
    """Write a plan as a file."""

    def work(ctx: JobContext) -> None:
        from biasprint.core.machine.files import write_whole

        write_whole(path, text.encode("utf-8"))

    done = tr("The plan is in “{name}”. It is not locked yet.").format(name=path.name)
    return Operation(tr("Writing “{name}”").format(name=path.name), work, done)


def _locked(locked: "PlanLock") -> str:
    from biasprint.core.report.planned import known_words

    return tr("The analysis plan is locked, {known}").format(known=tr(known_words(locked.known)))


@operation("Locking the analysis plan", _locked)
def lock_analysis_plan(ctx: JobContext, *, project: "Project", text: str) -> "PlanLock":
    """Check a plan and lock it."""
    from biasprint.core.runs.analysis_plan import lock_plan, parse_plan

    return lock_plan(project, parse_plan(text, tr("The plan")), text)
