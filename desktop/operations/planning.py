"""Analysis plans in the window: a study's candidates for a plan, reading one from a file, writing and locking it."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from biasprint.core.jobs import JobContext
from biasprint.desktop.operations import Operation
from biasprint.desktop.widgets.words import tr

if TYPE_CHECKING:
    from biasprint.core.project.project import Project
    from biasprint.core.report.planned import AnalysisPlan, PlanLock


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
        known=known_words(known),
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


def lock_analysis_plan(*, project: "Project", text: str) -> "Operation[PlanLock]":
    """Check a plan and lock it."""

    def work(ctx: JobContext) -> "PlanLock":
        from biasprint.core.runs.analysis_plan import lock_plan, parse_plan

        return lock_plan(project, parse_plan(text, tr("The plan")), text)

    return Operation(tr("Locking the analysis plan"), work, _locked)


def _locked(locked: "PlanLock") -> str:
    from biasprint.core.report.planned import known_words

    return tr("The analysis plan is locked, {known}").format(known=known_words(locked.known))
