"""Measuring a study: from a project's texts and judgments, or from tables."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from biasprint import core
from biasprint.core.compute import ComputeProcess
from biasprint.core.errors import UsageError
from biasprint.core.findings import StudyResult
from biasprint.core.jobs import JobContext
from biasprint.core.machine.files import temporary_folder
from biasprint.core.project.project import Project
from biasprint.core.report.planned import StudyPlan
from biasprint.core.report.replies import reply_sentences
from biasprint.core.runs.analysis_plan import analysis_plan, plan_recipe, with_planned_family
from biasprint.core.runs.measure.by_generator import (
    MODEL,
    WRITTEN_BY,
    ByGenerator,
    TextsToMeasure,
    measured,
    of_tables,
    several_wordings,
    with_left_out,
)
from biasprint.core.runs.measure.sensitivity import with_sensitivity
from biasprint.core.runs.setup import added_study, import_table, study_of
from biasprint.core.scorers.protocol import ScorerInfo
from biasprint.core.studies.kit.declared import MeasureOptions
from biasprint.core.studies.kit.findings import with_benjamini_hochberg
from biasprint.core.studies.kit.plain_measuring import Answer
from biasprint.core.studies.kit.study import StudyDeclaration
from biasprint.core.studies.registry import studies, table_fields
from biasprint.core.tables.rows import ANYWHERE, HeaderPlace, Record, TableRead
from biasprint.core.texts.exporting import read_table
from biasprint.core.texts.replies import counted_once

# ---- The options of a measurement, as a recipe keeps them

ASKED = "asked"
# Each program start and each panel has its own word on these.
_NOT_KEPT = ("seen", "as_stored", "sensitivity", "exclusions")
# What a recipe says beside it, under the option's own name or another.
_BESIDE = {
    "axes": "axes",
    "seed": "seed",
    "adjust": "adjust",
    "margin": "margin",
    "columns": "columns",
    "pooled": "pool",
}
_KEPT = [each.name for each in fields(MeasureOptions) if each.name not in _NOT_KEPT]


def asked_of(options: MeasureOptions) -> dict[str, Any]:
    """Return the part of a recipe that says what was asked for; empty where nothing but the usual was."""
    usual = MeasureOptions()
    fields = {name: _plain(getattr(options, name)) for name in _KEPT if getattr(options, name) != getattr(usual, name)}
    return {ASKED: fields} if fields else {}


def asked_again(recipe: Mapping[str, Any] | None) -> MeasureOptions:
    """Return the options that were asked for, by the recipe of the findings; the defaults where it has none.

    Recipes of before it was kept say some of it beside; the scorers and generators there are those that were used.
    """
    recipe_given = recipe or {}
    beside = {option: recipe_given[name] for name, option in _BESIDE.items() if name in recipe_given}
    asked = {name: value for name, value in recipe_given.get(ASKED, {}).items() if name in _KEPT}
    options_kept: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in (beside | asked).items()
    }
    return MeasureOptions(**options_kept)


def texts_of_study(recipe: Mapping[str, Any] | None, study: str) -> str:
    """Return the study whose texts the findings of `study` are about."""
    return asked_again(recipe).texts_of or study


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else dict(value) if isinstance(value, Mapping) else value


# ---- Tables as a temporary project


@contextmanager
def brought_in(ctx: JobContext, study: str, tables: Sequence[tuple[str, Path, TableRead]]) -> Iterator[Project]:
    """Yield a project with the rows of these tables, each with its kind and its file. Their generators are named by
    their column written_by where they have one, else by model.
    """
    for kind, path, _ in tables:
        if kind != study:
            raise UsageError(
                f"“{path.name}” is a table of {kind}, which can be measured so in a project alone.",
                hint="Bring it into a project, or leave out --generator, --compare and --sensitivity.",
            )
    with temporary_folder() as folder, Project.create(Path(folder, "tables.biasprint")) as made:
        for _, path, table in tables:
            import_table(ctx, made, None, study, path, replace(table, rows=tuple(map(_by_writer, table.rows))))
        yield made


def _by_writer(row: Record) -> Record:
    writer = row.values.get(WRITTEN_BY, "")
    return replace(row, values={**row.values, MODEL: writer}) if writer else row


@dataclass(frozen=True)
class MeasuredStudy:
    """The findings, how the tables were read, and what the person should know beside them.

    `undone`: a sentence for each part of what was asked for that could not be done; the rest is there.
    """

    result: StudyResult
    recipe: Mapping[str, Any]
    tables: tuple[TableRead, ...] = ()
    remarks: tuple[str, ...] = ()
    undone: tuple[str, ...] = ()


def measure_project(
    ctx: JobContext, project: Project, study: str, options: MeasureOptions, compute: ComputeProcess
) -> MeasuredStudy:
    """Measure what a project holds of a study, and store the findings with their recipe unless it is read-only."""
    _check(study, options)
    plan = analysis_plan(project, study)
    if plan is not None:
        options = replace(options, exclusions=plan.last.plan.exclusions)
    result_by_generator = _measured(ctx, project, study, options, compute, plan)
    result = result_by_generator.result
    if options.sensitivity:
        row = project.studies.of_kind(options.texts_of or study)

        def again(without: Project, changed: MeasureOptions) -> StudyResult:
            return _measured(ctx, without, study, changed, compute, plan, each_wording=False).result

        result = with_sensitivity(ctx, project, measuring(study), row.id if row else None, options, result, again)
    recipe = recipe_of(options, result) | asked_of(options) | result_by_generator.recipe()
    recipe |= plan_recipe(project, plan) if plan else {}
    if not project.read_only:
        if options.texts_of:
            added_study(project, study)  # so that it is listed where its findings are
        project.findings.replace(study, "whole study", recipe, result.findings)
    remarks = (*reply_sentences(result.findings), *result_by_generator.remarks)
    return MeasuredStudy(result, recipe, remarks=remarks, undone=result_by_generator.undone)


def _measured(
    ctx: JobContext,
    project: Project,
    study: str,
    options: MeasureOptions,
    compute: ComputeProcess,
    plan: StudyPlan | None,
    *,
    each_wording: bool = True,
) -> ByGenerator:
    """Measure a study in a project, with p adjusted as the options say, and as an analysis plan does."""
    measured_study = measuring(study)
    judged: Answer | None = None
    if project.studies.of_kind(study) is None and project.judging.sessions():
        # Letters or news may be compared and judged in a project without creative writing.
        judged = measured_study.work().of_judged(ctx, project, options, compute)
    if judged is not None:
        by_generator = ByGenerator(judged[0], tuple(judged[1]), ())
    else:
        texts_of = study_of(project, options.texts_of or study).id
        texts = TextsToMeasure(project, texts_of, measured_study, options, compute, each_wording=each_wording)
        by_generator = measured(ctx, texts)
    result = _adjusted(by_generator.result, options)
    if plan is not None:
        result = replace(result, findings=with_planned_family(plan, result.findings, options.adjust))
    return replace(by_generator, result=result)


def measure_tables(
    ctx: JobContext,
    paths: Sequence[Path],
    study: str,
    options: MeasureOptions,
    compute: ComputeProcess,
    *,
    layout: str | None = None,
    mapping: Mapping[str, str] | None = None,
    encoding: str | None = None,
    place: HeaderPlace = ANYWHERE,
) -> MeasuredStudy:
    """Measure tables without a project; nothing is stored.

    Where generators are named or compared, or a “Yes” is tried under other choices, they are brought into a project
    that is gone afterwards.
    """
    _check(study, options)
    measured_study = measuring(study)
    tables = [(measured_study.work().kind_of(path, mapping or {}), path) for path in paths]
    specs = {kind: table_fields(kind) for kind, _ in tables}
    fields = {kind: {spec.name for spec in own} for kind, own in specs.items()}
    everywhere = {name for name in mapping or {} if not any(name in names for names in fields.values())}
    read = []
    for kind, path in tables:
        # A field of one kind of table is left out for another; one of no kind is refused by whoever reads it.
        own = {name: column for name, column in (mapping or {}).items() if name in fields[kind] | everywhere}
        table = read_table(
            ctx, path, kind, fields=specs[kind], layout=layout, mapping=own, encoding=encoding, place=place
        )
        read.append((kind, table))
    once, repeated = counted_once(read)
    as_read = tuple(table for _, table in once)
    of_study = all(kind == study for kind, _ in tables)
    if options.generators or options.compare or options.sensitivity or (of_study and several_wordings(as_read)):
        files = [(kind, path, table) for (kind, path), table in zip(tables, as_read, strict=True)]
        with brought_in(ctx, study, files) as project:
            measured = measure_project(ctx, project, study, options, compute)
        return replace(measured, result=with_left_out(measured.result, as_read), tables=as_read)
    each = of_tables(ctx, once, measured_study, options, compute).with_repeats(repeated)
    result = _adjusted(each.result, options)
    remarks = (*reply_sentences(result.findings), *each.remarks)
    return MeasuredStudy(result, recipe_of(options, result) | each.recipe(), as_read, remarks, each.undone)


def _adjusted(result: StudyResult, options: MeasureOptions) -> StudyResult:
    """Adjust the findings by another rule: they come adjusted by Holm's."""
    if options.adjust == "holm":
        return result

    return replace(result, findings=tuple(with_benjamini_hochberg(result.findings)))


def recipe_of(options: MeasureOptions, result: StudyResult) -> dict[str, Any]:
    """Return the recipe that gives the same numbers again, and how much was read."""
    uses = {use for finding in result.findings for use in finding.scorers}
    scorers = sorted(f"{use.role}={use.name} {use.version}" for use in uses)
    return {
        "program_version": core.__version__,
        "seed": options.seed,
        "adjust": options.adjust,
        "axes": list(options.axes),
        "scorers": scorers,
        "rows": result.rows,
        "left_out": dict(result.dropped),
        **({"seen": True} if options.seen else {}),
        **({"as_stored": True} if options.as_stored else {}),
        **({"margin": options.margin} if options.margin is not None else {}),
        **({"columns": dict(options.columns)} if options.columns else {}),
    }


def measuring(kind: str) -> StudyDeclaration:
    """Return the study that measures a kind. Raises `UsageError` for one that there is not, or without a table."""
    if kind not in studies():
        raise UsageError(f"“{kind}” cannot be measured.", hint=f"Choose from: {', '.join(studies())}.")
    if not studies()[kind].inputs:
        raise UsageError(f"“{kind}” cannot be measured.", hint="It declares no table.")
    return studies()[kind]


def scorers_needed(
    kind: str, project: Project | None = None, study_id: int | None = None, set_id: int | None = None
) -> Sequence[ScorerInfo]:
    """Return the scorers whose stored values a study's measures read, where nobody chooses others; light.

    Of a project's study, or of one of its prompt sets, those that its prompts need where that depends on them. A role
    that no scorer can fill here has none, and a study that is not known here needs none.
    """
    return measuring(kind).work().needed(project, study_id, set_id) if kind in studies() else ()


def _check(study: str, options: MeasureOptions) -> None:
    """Raise `UsageError` for an option that this study would otherwise silently leave aside."""
    asked = measuring(study)
    if options.axes and not asked.by_axis:
        raise UsageError(f"The study {study} is not measured by axis.", hint="Leave --axis out.")
    if options.texts_of and not asked.reads_other_texts:
        raise UsageError(f"The study {study} measures texts of its own.", hint="Choose the study “compare”.")
    if options.margin is not None and not asked.has_margin:
        raise UsageError(f"The study {study} has no margin to choose.", hint="Leave --margin out.")
    if foreign := [name for name in options.columns if name not in asked.groupable]:
        listed = ", ".join(asked.groupable) or "none; leave --map out"
        raise UsageError(
            f"Of a project, the study {study} reads no “{foreign[0]}” from another column.", hint=f"Fields: {listed}."
        )
    for role in options.scorers:
        if role not in asked.roles:
            hint = ", ".join(asked.roles) or "none; leave --scorer out"
            raise UsageError(f"The study {study} has no scorer to choose for “{role}”.", hint=f"Roles: {hint}.")
