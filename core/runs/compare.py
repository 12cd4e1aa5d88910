"""Drawing a plan of comparisons from a project's outputs."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from core.errors import AppError, UsageError
from core.jobs import JobContext
from core.judging.plan import Candidate, DrawnComparison, DrawnPlan, draw_plan
from core.project.project import Project
from core.project.rows import AxisRow, OutputRow
from core.project.specs import ComparisonSpec, PlanSpec
from core.project.stores.common import new_uuid
from core.project.stores.outputs import OutputFilter
from core.text import sha256_text

REPORT_EVERY = 500


@dataclass(frozen=True)
class CompareResult:
    """The plan that was stored, how many comparisons each axis has, and why outputs were left out."""

    plan_id: str
    by_axis: Counter[str]
    left_out: Counter[str]


def compare(
    ctx: JobContext,
    project: Project,
    *,
    axes: Sequence[str],
    seed: int,
    per_axis: int | None = None,
    repeat_share: float = 0.0,
    title: str = "Comparisons",
) -> CompareResult:
    """Draw a balanced, seeded plan over `axes` from the creativity outputs, and store it."""
    study = project.studies.of_kind("creativity")
    known = project.axes.latest()
    if study is None or not known:
        raise AppError(
            "There is nothing to compare yet.", hint="Make CoGS prompts and generate outputs for them first."
        )
    for axis in axes:
        if axis not in known:
            raise UsageError(f"The project has no axis “{axis}”.", hint=f"Its axes: {', '.join(sorted(known))}.")
    chosen = {axis: identity_keys(known[axis]) for axis in axes}
    drawn = draw_plan(
        _candidates(ctx, project, study.id, set(axes)), chosen, per_axis=per_axis, seed=seed, repeat_share=repeat_share
    )
    if not drawn.comparisons:
        reasons = "; ".join(f"{count} × {reason}" for reason, count in drawn.reasons.most_common(3))
        raise AppError(
            f"No comparison could be drawn on {', '.join(axes)}.",
            hint="Each needs one finished output for every identity at the same task and theme.",
            details=reasons,
        )
    settings: dict[str, Any] = {"per_axis": per_axis, "repeat_share": repeat_share, "axes": list(axes)}
    spec = PlanSpec(study_id=study.id, title=title, axis=",".join(axes), seed=seed, settings=settings)
    changes = project.judging.add_plan(spec, _specs(drawn))
    return CompareResult(changes.uuid("plan"), Counter(c.axis for c in drawn.comparisons), drawn.reasons)


def identity_keys(axis: AxisRow) -> list[str]:
    """The identities of an axis, in its order."""
    return [identity["key"] for identity in axis.definition["identities"]]


def _candidates(ctx: JobContext, project: Project, study_id: int, axes: set[str]) -> list[Candidate]:
    found: list[Candidate] = []
    for number, row in enumerate(project.outputs.each(OutputFilter(study_id=study_id)), start=1):
        if number % REPORT_EVERY == 0:
            ctx.check()
            ctx.report(number, note="reading outputs")
        if row.axis in axes:
            found.append(_candidate(row))
    return found


def _candidate(row: OutputRow) -> Candidate:
    problem = ""
    if row.status != "done":
        problem = "its generation failed"
    elif not row.text.strip():
        problem = "its text is empty"
    return Candidate(
        output=row.id,
        axis=row.axis,
        identity=row.identity,
        task=row.task,
        theme=row.theme,
        text_sha256=sha256_text(row.text),
        model=f"{row.backend}/{row.model}",
        sample=row.sample,
        problem=problem,
    )


def _specs(drawn: DrawnPlan) -> list[ComparisonSpec]:
    ids = {comparison.position: new_uuid() for comparison in drawn.comparisons}
    return [_spec(comparison, ids) for comparison in drawn.comparisons]


def _spec(drawn: DrawnComparison, ids: dict[int, str]) -> ComparisonSpec:
    return ComparisonSpec(
        id=ids[drawn.position],
        position=drawn.position,
        axis=drawn.axis,
        task=drawn.task,
        theme=drawn.theme,
        items=drawn.items,
        texts_sha256=drawn.texts_sha256,
        repeat_of=None if drawn.repeat_of is None else ids[drawn.repeat_of],
    )
