"""The contents of an audit file: prompts, generators, judges, measures, comparisons, and the gates under which it
fails.

docs/reference/audit-files.md explains the keys. `biasprint.core.runs.audit.reading` reads a file.

The judging of an audit: comparisons are drawn of the texts that were written, and models judge them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, Literal, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, create_model

from biasprint.core.compute import ComputeProcess
from biasprint.core.jobs import JobContext
from biasprint.core.judging.plan import PlanKind, PlanSettings
from biasprint.core.project.project import Project
from biasprint.core.project.rows import PlanRow
from biasprint.core.project.specs import GeneratorSpec
from biasprint.core.runs.audit.gates import Gate, parse_gate
from biasprint.core.runs.compare import compare
from biasprint.core.runs.compare.pool import writers
from biasprint.core.runs.judge import JudgeResult, check_can_judge, judge
from biasprint.core.runs.setup import generator_spec, recommended, study_of
from biasprint.core.studies.kit.choice import PromptChoice

Seed = Annotated[int, Field(ge=0, le=2**63 - 1)]
Words = Annotated[str, Field(min_length=1)]


JUDGED = "creativity"  # the study that measures what was judged, of whatever texts
KEPT = ("kind", "cards", "worst", "question")  # settings of a plan that an audit file has


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


def _choices() -> dict[str, Any]:
    """Return the fields of `PromptChoice`: a choice that the command line gets is one of an audit file."""
    kinds = get_type_hints(PromptChoice, include_extras=True)
    return {each.name: (kinds[each.name], each.default) for each in fields(PromptChoice)}


_Narrowed = create_model("_Narrowed", __base__=_Part, **_choices())


class AskedPrompts(_Narrowed):  # type: ignore[misc, valid-type]
    """A prompt set: made from choices, as `biasprint prompts` makes it; or `set` (NAME@VERSION) of the project `from`.

    `name`: how generators of the file call it; its study where it has none.
    """

    study: Words
    name: str = ""
    set: str | None = None
    of: Path | None = Field(None, alias="from")

    @property
    def called(self) -> str:
        return self.name or self.study

    def choice(self) -> dict[str, Any]:
        """Return the fields of `PromptChoice` that are given."""
        names = {each.name for each in fields(PromptChoice)} & self.model_fields_set
        return {name: value for name in sorted(names) if (value := getattr(self, name)) is not None}


class AskedTexts(_Part):
    """Texts that are there already: a `table`, read as `biasprint import` reads it; or all that the project `from` has
    imported for the study. `columns`: field → column, where a column has another name. `sheet` and `header_row`: where
    its header is.
    """

    study: Words
    table: Path | None = None
    of: Path | None = Field(None, alias="from")
    columns: dict[str, str] = {}
    format: str | None = None
    encoding: str | None = None
    sheet: str = ""
    header_row: Annotated[int | None, Field(ge=1)] = None
    duplicates: Literal["report", "drop"] = "report"

    @property
    def source(self) -> Path:
        """The place of the texts: the table or the project, whichever is given."""
        source = self.table or self.of
        assert source is not None, "checked when the file was read"
        return source


class _AskedModel(_Part):
    """A model of the file. `name`: how the file calls it; its model where it has none. `system`: its system prompt.
    `preset`: begin with what the catalogue recommends for a local model.
    """

    backend: Words
    model: Words
    name: str = ""
    endpoint: str | None = None
    system: str | None = None
    parameters: dict[str, str | int | float | bool] = {}
    seed: Seed | None = None
    preset: bool = True

    @property
    def called(self) -> str:
        return self.name or self.model

    def given(self) -> dict[str, Any]:
        """Return its parameters as a backend takes them."""
        named = {"endpoint": self.endpoint, "system": self.system}
        return dict(self.parameters) | {name: value for name, value in named.items() if value is not None}


class AskedGenerator(_AskedModel):
    """A generator that writes. `prompts`: names of the prompt sets that it answers; all by default."""

    prompts: list[str] | None = None
    samples: Annotated[int, Field(ge=1, le=10_000)] = 1


class AskedJudge(_AskedModel):
    """A model that says of each comparison which text is best."""


class AskedComparisons(_Part):
    """Comparisons of a study's texts, drawn as `biasprint compare` draws them. `models`: names of generators, in the
    file or the project. `judges`: names of those that judge them; all where not given.
    """

    study: Words
    kind: PlanKind = "identity"
    axes: list[str] = []
    models: list[str] = []
    per_axis: Annotated[int, Field(ge=1)] | None = None
    cards: Annotated[int, Field(ge=0, le=3)] = 0
    worst: bool = False
    question: str = ""
    title: str = Field("", max_length=200)
    seed: Seed | None = None
    judges: list[str] | None = None


class AskedMeasure(_Part):
    """The measuring of a study: the options of `biasprint measure`. `scorers`: role → name. `columns`: field → column.

    `generators`, `compare`: by their names in the file, or as `measure` takes them. `texts_of`: of `compare`, the study
    of this file whose texts are measured, where that is another one.
    """

    study: Words
    seed: Seed | None = None
    adjust: Literal["holm", "bh"] = "holm"
    axes: list[str] = []
    scorers: dict[str, str] = {}
    margin: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    generators: list[str] = []
    compare: list[str] = []
    columns: dict[str, str] = {}
    pool: bool = False
    keep_seen: bool = False
    texts_of: str = ""


class AskedOutputs(_Part):
    """The files to write: the project file, and beside it the answer as JSON, a report of each study and the gates."""

    project: Path
    json_: Path | None = Field(None, alias="json")
    report: Path | None = None
    junit: Path | None = None


class Audit(_Part):
    """The whole file. `seed`: of writing and measuring, where a part has none. `scorers`: beyond what measures need."""

    audit: Literal[1] = 1
    title: str = ""
    seed: Seed = 0
    prompts: list[AskedPrompts] = []
    texts: list[AskedTexts] = []
    generators: list[AskedGenerator] = []
    comparisons: list[AskedComparisons] = []
    judges: list[AskedJudge] = []
    scorers: list[str] = []
    measure: list[AskedMeasure] = []
    gates: list[str] = []
    outputs: AskedOutputs

    @property
    def studies(self) -> tuple[str, ...]:
        asked: Sequence[AskedPrompts | AskedTexts] = [*self.prompts, *self.texts]
        return tuple(dict.fromkeys(part.study for part in asked))

    def measures(self) -> tuple[AskedMeasure, ...]:
        """Return how each study is measured; then what is asked of the texts of another study."""
        by_study = {measure.study: measure for measure in self.measure}
        kinds = dict.fromkeys([*self.studies, *([JUDGED] if self.comparisons else [])])
        own = [by_study.pop(kind, AskedMeasure(study=kind)) for kind in kinds]
        return (*own, *by_study.values())

    def held(self) -> tuple[Gate, ...]:
        return tuple(parse_gate(text) for text in self.gates)

    def to_json(self) -> dict[str, Any]:
        """Return the audit as a file has it, without default values."""
        fields: dict[str, Any] = self.model_dump(mode="json", by_alias=True, exclude_defaults=True, exclude_none=True)
        return {"audit": self.audit, **fields}


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
    told = {"own_order", "planned", "notes", "show_prompt", "prompts_shown", "prompts_withheld"}
    return given.keys() <= usual.keys() | told and given.get("kind", "identity") != "model"


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
