"""The judging of an audit: comparisons are drawn of the texts that were written, and models judge them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from biasprint.core.compute import ComputeProcess
from biasprint.core.jobs import JobContext
from biasprint.core.judging.plan import PlanSettings
from biasprint.core.project.project import Project
from biasprint.core.project.rows import PlanRow
from biasprint.core.project.specs import GeneratorSpec
from biasprint.core.runs.audit.file import AskedComparisons, AskedJudge, Audit
from biasprint.core.runs.compare import compare
from biasprint.core.runs.compare.pool import writers
from biasprint.core.runs.judge import JudgeResult, check_can_judge, judge
from biasprint.core.runs.setup import generator_spec, recommended, study_of

KEPT = ("kind", "cards", "worst", "question")  # settings of a plan that an audit file has


@dataclass(frozen=True)
class AuditedJudging:
    """The judgments of one judge of the file on one plan. `called`: in the file; `rater`: in the project."""

    called: str
    plan: str
    result: JudgeResult

    @property
    def missing(self) -> str:
        """The reason why its session is open: "2 × timeout", or that nothing it said is an answer."""
        failed = "; ".join(f"{count:,} × {kind}" for kind, count in self.result.failures.items())
        return failed or "no reply is an answer in the form asked"

    def to_json(self) -> dict[str, Any]:
        result = self.result
        return {
            "name": self.called, "rater": result.rater, "plan": self.plan, "session": result.session_id,
            "comparisons": result.comparisons, "wanted": result.wanted, "added": result.added,
            "replies": dict(result.read),
            "failures": dict(result.failures), "unread": dict(result.unread), "closed": result.closed,
        }  # fmt: skip


def drawn_plan(
    ctx: JobContext,
    project: Project,
    asked: AskedComparisons,
    seed: int,
    compute: ComputeProcess,
    called: Mapping[str, int],
) -> PlanRow:
    """Return the plan that the file asks for; that of before where it was drawn already.

    `called`: by its name in the file, the id of each generator that wrote.
    """
    study = study_of(project, asked.study)
    labels = {project.runs.get(run).generator_id: label for run, label in writers(project, study.id).items()}
    models = [labels.get(called.get(name, -1), name) for name in asked.models]
    made = compare(
        ctx, project, study_id=study.id, axes=asked.axes, models=models, seed=seed,
        per_axis=asked.per_axis, title=asked.title, compute=compute, kind=asked.kind, cards=asked.cards,
        worst=asked.worst, question=asked.question,
    )  # fmt: skip
    return next(row for row in project.judging.plans() if row.id == made.plan_id)


def judged_plan(
    ctx: JobContext,
    project: Project,
    plan: PlanRow,
    asked: AskedJudge,
    seed: int,
    models: ComputeProcess,
    keys: Mapping[str, str],
) -> AuditedJudging:
    """Have a model of the file judge every comparison of a plan; what it judged before is not asked again."""
    check_can_judge(asked.backend, asked.model)
    preset = recommended(asked.backend, asked.model, "judging") if asked.preset else {}
    spec = generator_spec(asked.backend, asked.model, preset | asked.given(), models, ctx=ctx, keys=keys)
    result = judge(ctx, project, plan.id, spec, models, keys, seed=seed, opens=asked.model)
    return AuditedJudging(asked.called, plan.title, result)


# ---- A project's judging as parts of an audit file


def saved_judging(project: Project) -> dict[str, list[dict[str, Any]]]:
    """Return `comparisons` and `judges`: the plans that models judged, as far as a file can ask for them again."""
    kinds = {study.id: study.kind for study in project.studies.all()}
    raters = {row.id: row for row in project.judging.raters() if row.kind == "model" and "generator" in row.background}
    by_plan: dict[str, list[str]] = {}
    for session in project.judging.sessions():
        if session.rater_id in raters:
            by_plan.setdefault(session.plan_id, []).append(raters[session.rater_id].code)
    plans = [row for row in project.judging.plans() if row.id in by_plan and can_be_saved(row)]
    named = {code for row in plans for code in by_plan[row.id]}
    return {
        "comparisons": [_comparisons(row, kinds[row.study_id], by_plan[row.id]) for row in plans],
        "judges": [_judge(row.code, row.background) for row in raters.values() if row.code in named],
    }


def can_be_saved(plan: PlanRow) -> bool:
    """Return whether a file can ask for the plan: what only people read or answer is in no file."""
    usual = PlanSettings().stored() | dict.fromkeys(KEPT, True)
    given = PlanSettings.of(plan.settings).stored()
    return given.keys() <= usual.keys() | {"own_order", "planned", "notes"} and given.get("kind", "identity") != "model"


def _comparisons(plan: PlanRow, study: str, judges: list[str]) -> dict[str, Any]:
    given = PlanSettings.of(plan.settings).stored()
    settings = {name: given[name] for name in KEPT if name in given}
    axes = plan.axis.split("+") if given.get("kind", "identity") == "identity" else []
    per_axis = plan.settings.get("per_axis")
    fields = {
        "study": study,
        "axes": axes,
        "seed": plan.seed,
        "title": plan.title,
        "judges": sorted(set(judges)),
        **settings,
    }
    return fields if per_axis is None else {**fields, "per_axis": per_axis}


def _judge(code: str, background: Mapping[str, Any]) -> dict[str, Any]:
    spec = GeneratorSpec(**background["generator"])
    parameters = {name: value for name, value in spec.parameters.items() if value is not None}
    apart = {name: parameters.pop(name) for name in ("endpoint", "system") if parameters.get(name)}
    return {
        "name": code, "backend": spec.backend, "model": spec.model, **apart, "seed": background["seed"],
        "preset": False, "parameters": parameters,
    }  # fmt: skip


def asked_judges(audit: Audit, asked: AskedComparisons) -> list[AskedJudge]:
    """Return the judges that these comparisons are for: all of the file, where they name none."""
    return [judge for judge in audit.judges if asked.judges is None or judge.called in asked.judges]
