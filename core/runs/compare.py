"""Making a plan in a project: read the outputs, draw comparisons, store them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.errors import AppError, UsageError
from core.jobs import JobContext
from core.judging.plan import Candidate, DrawnPlan, draw_plan
from core.project.project import Project
from core.project.rows import OutputRow
from core.project.specs import ComparisonSpec, PlanSpec
from core.project.stores.common import new_uuid
from core.project.stores.outputs import OutputFilter
from core.text import sha256_text


@dataclass(frozen=True)
class Compared:
    """`made` is False where the project had this very plan already."""

    plan_id: str
    drawn: DrawnPlan
    made: bool


def compare(
    ctx: JobContext,
    project: Project,
    *,
    study_id: int,
    axes: Sequence[str],
    seed: int = 0,
    per_axis: int | None = None,
    repeat_share: float = 0.0,
    title: str = "",
    consent_text: str = "",
) -> Compared:
    """Draw comparisons of the study's outputs on `axes` and store them as one plan (see `draw_plan`).

    `consent_text` is what each rater must agree to before the first comparison; empty for nothing.
    Asked for again with the same seed and outputs, it gives the plan that is there.
    Raises UsageError for an axis the project does not have, AppError where nothing can be compared.
    """
    identities = _identities(project, axes)
    where = OutputFilter(study_id=study_id)
    total = project.outputs.count(where)
    candidates = []
    for number, row in enumerate(project.outputs.each(where), start=1):
        ctx.check()
        if row.axis in identities:
            candidates.append(_candidate(row))
        ctx.report(number, total, note="reading outputs")
    drawn = draw_plan(candidates, identities, per_axis=per_axis, seed=seed, repeat_share=repeat_share)
    if not drawn.comparisons:
        raise AppError(_nothing(drawn), kept="No plan was made.", hint="Generate the missing outputs first.")
    settings: dict[str, Any] = {"per_axis": per_axis, "repeat_share": repeat_share, "left_out": dict(drawn.reasons)}
    if consent_text.strip():
        settings["consent_text"] = consent_text
    named = "+".join(identities)
    spec = PlanSpec(study_id=study_id, title=title or f"{named}, seed {seed}", axis=named, seed=seed, settings=settings)
    present = _present(project, spec, drawn)
    if present is not None:
        return Compared(present, drawn, made=False)
    changes = project.judging.add_plan(spec, _specs(drawn))
    return Compared(changes.uuid("plan"), drawn, made=True)


def _identities(project: Project, axes: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
    latest = project.axes.latest()
    known = {str(row.definition.get("reported_as")): row for row in latest.values()} | latest
    for axis in axes:
        if axis not in known:
            there = ", ".join(sorted(latest)) or "none yet"
            raise UsageError(f"The project has no axis “{axis}”.", hint=f"Its axes: {there}.")
    return {axis: tuple(one["key"] for one in known[axis].definition["identities"]) for axis in sorted(set(axes))}


def _candidate(row: OutputRow) -> Candidate:
    problem = "its generation failed" if row.status != "done" else "" if row.text.strip() else "its text is empty"
    return Candidate(
        output=row.id,
        axis=row.axis,
        identity=row.identity,
        task=row.task,
        theme=row.theme,
        text_sha256=sha256_text(row.text),
        model=f"{row.backend}/{row.model}/{row.run_id}",
        sample=row.sample,
        problem=problem,
    )


def _nothing(drawn: DrawnPlan) -> str:
    if not drawn.left_out:
        return "There are no outputs to compare on this axis."
    (reason, number), *_ = drawn.reasons.most_common()
    return f"No comparison is complete: {number} of {len(drawn.left_out)} outputs were left out because {reason}."


def _specs(drawn: DrawnPlan) -> list[ComparisonSpec]:
    ids = [new_uuid() for _ in drawn.comparisons]
    return [
        ComparisonSpec(
            id=ids[one.position],
            position=one.position,
            axis=one.axis,
            task=one.task,
            theme=one.theme,
            items=one.items,
            texts_sha256=one.texts_sha256,
            repeat_of=None if one.repeat_of is None else ids[one.repeat_of],
        )
        for one in drawn.comparisons
    ]


def _present(project: Project, spec: PlanSpec, drawn: DrawnPlan) -> str | None:
    """The plan that holds the same comparisons in the same order, drawn with the same seed."""
    wanted = [(one.axis, one.items) for one in drawn.comparisons]
    for plan in project.judging.plans():
        same = (plan.study_id, plan.axis, plan.seed) == (spec.study_id, spec.axis, spec.seed)
        same = same and plan.settings.get("consent_text") == spec.settings.get("consent_text")
        if same and project.judging.count(plan.id) == len(wanted):
            rows = project.judging.comparisons(plan.id)
            if [(row.axis, row.items) for row in rows] == wanted:
                return plan.id
    return None
