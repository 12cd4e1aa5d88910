"""Plans are called by names that their lead gives; a plan itself never changes.

A name is an annotation on the plan that supersedes the one before. Raters never see it: it may say what is compared.
"""

from collections.abc import Iterable

from biasprint.core.errors import UsageError
from biasprint.core.project.changes import Changes
from biasprint.core.project.project import Project
from biasprint.core.project.rows import PlanRow
from biasprint.core.project.specs import AnnotationSpec

PLAN_NAME = "plan name"
LONGEST_NAME = 120


def rename_plan(project: Project, plan_id: str, name: str) -> Changes:
    """Call a plan so from now on. Raises UsageError for a name without letters or with too many."""
    wanted = " ".join(name.split())
    if not wanted or len(wanted) > LONGEST_NAME:
        raise UsageError(
            f"A plan's name has 1 to {LONGEST_NAME} characters.",
            kept="The plan is called as before.",
            hint="Change it.",
        )
    before = project.annotations.of_kind(PLAN_NAME, target=plan_id)
    value, last = {"name": wanted}, before[-1].id if before else None
    return project.annotations.add(AnnotationSpec(kind=PLAN_NAME, target=plan_id, value=value, supersedes=last))


def plan_names(project: Project, plans: Iterable[PlanRow]) -> dict[str, str]:
    """What each plan is called: by its lead, else by what it compares, in words; by id."""
    given = {row.target: str(row.value["name"]) for row in project.annotations.of_kind(PLAN_NAME)}
    titles = {key: axis.title for key, axis in project.axes.in_use().items()}
    return {plan.id: given.get(plan.id) or in_words(plan, titles) for plan in plans}


def in_words(plan: PlanRow, titles: dict[str, str]) -> str:
    """ "gender+orientation, seed 3" as "Gender, Sexual orientation (seed 3)"; any other title as it is."""
    if plan.title != f"{plan.axis}, seed {plan.seed}":
        return plan.title
    return f"{', '.join(titles.get(key, key) for key in plan.axis.split('+'))} (seed {plan.seed})"
