"""What a project has for each door, and so what the door lacks."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.jobs import JobContext

if TYPE_CHECKING:
    from core.project.project import Project
    from core.project.rows import StudyRow

LETTERS = "letters"


@dataclass(frozen=True)
class Facts:
    """Counts of what is in the open project; `unscored` letters miss a score that their measures need."""

    prompts: int = 0
    outputs: int = 0
    comparisons: int = 0
    letters: int = 0
    unscored: int = 0


def read_facts(ctx: JobContext, project: "Project") -> Facts:
    """Count, in short readings."""
    letters = project.studies.of_kind(LETTERS)
    facts = Facts(
        prompts=sum(project.prompts.count(one.id) for one in project.prompts.sets() if "imported" not in one.recipe),
        outputs=project.outputs.count(),
        comparisons=sum(project.judging.count(plan.id) for plan in project.judging.plans()),
    )
    ctx.check()
    if letters is None:
        return facts
    count = _letters(project, letters)
    return Facts(facts.prompts, facts.outputs, facts.comparisons, count, _unscored(project, letters) if count else 0)


def _letters(project: "Project", study: "StudyRow") -> int:
    runs = [run for run in project.runs.all() if run.study_id == study.id]
    return project.sources.count(study.id) + sum(project.runs.counts(run.id).done for run in runs)


def _unscored(project: "Project", study: "StudyRow") -> int:
    """How many letters lack a score, by the scorer that lacks most."""
    from desktop.operations.generating import scorers_for

    return max(
        sum(
            project.scores.missing(kind, scorer.name, scorer.version, study_id=study.id)
            for kind in ("source", "output")
        )
        for scorer in scorers_for(LETTERS)
    )
