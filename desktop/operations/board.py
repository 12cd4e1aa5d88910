"""The operations of the live board: continue a run to a planned n, and store how the cards are laid out."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

from biasprint.core.errors import AppError
from biasprint.core.findings import Finding
from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.desktop.jobs import JobHandle, JobRunner
from biasprint.desktop.operations import operation
from biasprint.desktop.operations.measuring import SCORING, running
from biasprint.desktop.operations.queue import JUDGING, Entry, put_in_queue, queued
from biasprint.desktop.operations.runs import RunLine, WriteRequest, read_runs
from biasprint.desktop.read.board import BOARD
from biasprint.desktop.widgets.words import number, plural, tr

MOST_GOALS = 4
MOST_SAMPLES = 10_000  # of a prompt: a planned n beyond it is out of reach of this run


@dataclass(frozen=True)
class Goal:
    """A run with more samples of each prompt. `words` give the reason."""

    words: str
    request: WriteRequest
    run_id: int


def at_work(jobs: JobRunner, project: Project | None) -> list[JobHandle]:
    """Return the jobs that the board follows: runs in their order, then scoring, then judging by a model."""
    handles = [entry.handle for entry in queued(jobs, project)]
    for what in (SCORING, JUDGING):
        handle = running(jobs, what, project)
        if handle is not None:
            handles.append(handle)
    return handles


def read_goals(ctx: JobContext, project: Project, study: str, run_id: int | None) -> tuple[Goal, ...]:
    """Return the ways to continue a run, the study's newest where none is named.

    For each planned n of its findings as many samples of a prompt as that n needs, if the n grows with the texts; and
    twice as many texts as now.
    """
    run = next((line for line in read_runs(ctx, project) if _may(line, study, run_id)), None)
    if run is None:
        return ()
    goals: dict[int, Goal] = {}
    for row in project.findings.all(study):
        ctx.check()
        finding = row.finding
        samples = _samples_for(finding, run.request.samples)
        if samples is not None and samples not in goals:
            assert finding.power is not None
            planned = finding.power.n_for_planned or 0
            words = tr("Go on to n = {n}: planned for “{finding}”, {samples}").format(
                n=number(planned), finding=finding.title, samples=_sample_words(samples)
            )
            goals[samples] = Goal(words, replace(run.request, samples=samples), run.id)
    chosen = [goals[samples] for samples in sorted(goals)[: MOST_GOALS - 1]]
    return (*chosen, _twice(run))


def _may(run: RunLine, study: str, run_id: int | None) -> bool:
    return run.study == study and run.can_go_on and run_id in (None, run.id)


def _samples_for(finding: Finding, samples: int) -> int | None:
    """Return the samples of each prompt that reach the finding's planned n, if its n grows with them."""
    planned = finding.power.n_for_planned if finding.power is not None else None
    if planned is None or finding.n <= 0 or finding.n >= planned or finding.variant != "default":
        return None
    needed = ceil(samples * planned / finding.n)
    return needed if needed <= MOST_SAMPLES else None


def _twice(run: RunLine) -> Goal:
    samples = 2 * run.request.samples
    prompts = (run.done + run.failed + run.missing) // run.request.samples
    words = tr("Twice as many texts: n = {n}, {samples}").format(
        n=number(prompts * samples), samples=_sample_words(samples)
    )
    return Goal(words, replace(run.request, samples=samples), run.id)


def _sample_words(samples: int) -> str:
    return plural(samples, "1 text for each prompt", "%n texts for each prompt")


def go_on(
    jobs: JobRunner,
    project: Project,
    goal: Goal,
    *,
    scores: bool,
    on_error: Callable[[AppError], object] | None = None,
) -> Entry:
    """Write what is missing to the goal, with the same generator and seed; texts that exist stay as they are."""
    return put_in_queue(
        jobs, project, goal.request, resumes=goal.run_id, as_it_was=True, scores=scores, on_error=on_error
    )


@operation("Keeping the board", quiet=True)
def keep_layout(ctx: JobContext, *, project: Project, study_id: int, layout: Mapping[str, Any]) -> None:
    """Store the layout of a study's board in the project."""
    project.studies.keep_setting(study_id, BOARD, dict(layout))
