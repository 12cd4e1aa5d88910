"""Measuring a study: from a project's texts and judgments, or from tables."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from biasprint import core
from biasprint.core.compute import ComputeProcess
from biasprint.core.errors import AppError, UsageError
from biasprint.core.findings import StudyResult
from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.project.stores.runs import OutputFilter
from biasprint.core.runs.generators import prompts_asked
from biasprint.core.runs.measure.asked import asked_of
from biasprint.core.runs.measure.brought_in import brought_in
from biasprint.core.runs.measure.by_generator import ByGenerator, TextsToMeasure, measured, of_tables, with_left_out
from biasprint.core.runs.measure.prepared import (
    Answer,
    Measuring,
    Prepared,
    called,
    measure_declared,
    take_plain,
    whole,
)
from biasprint.core.runs.setup import added_study, study_of
from biasprint.core.runs.tables import read_table
from biasprint.core.runs.values import complete_values, failures, values_of
from biasprint.core.scorers.choosing import best_scorer
from biasprint.core.scorers.protocol import ScorerInfo
from biasprint.core.studies.registry import studies, table_fields
from biasprint.core.studies.study import MeasureOptions, Study, named
from biasprint.core.tables.rows import TableRead


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
    module = measuring(study)
    of_judged = getattr(module, "of_judged", None)
    if of_judged and project.studies.of_kind(study) is None and project.judging.sessions():
        # Letters or news may be compared and judged in a project without creative writing.
        result, remarks = of_judged(ctx, project, options, compute)
        found = ByGenerator(result, tuple(remarks), ())
    else:
        texts_of = study_of(project, options.texts_of or study).id
        found = measured(ctx, TextsToMeasure(project, texts_of, module, options, compute))
    result = _adjusted(found.result, options)
    recipe = recipe_of(options, result) | asked_of(options) | found.recipe()
    if not project.read_only:
        if options.texts_of:
            added_study(project, study)  # so that it is listed where its findings are
        project.findings.replace(study, "whole study", recipe, result.findings)
    return MeasuredStudy(result, recipe, remarks=found.remarks, undone=found.undone)


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
) -> MeasuredStudy:
    """Measure tables without a project; nothing is stored.

    Where generators are named or compared, they are brought into a project that is gone afterwards.
    """
    _check(study, options)
    module = measuring(study)
    tables = [(module.kind_of(path, mapping or {}), path) for path in paths]
    fields = {kind: {spec.name for spec in table_fields(kind)} for kind, _ in tables}
    everywhere = {name for name in mapping or {} if not any(name in names for names in fields.values())}
    read = []
    for kind, path in tables:
        # A field of one kind of table is left out for another; one of no kind is refused by whoever reads it.
        own = {name: column for name, column in (mapping or {}).items() if name in fields[kind] | everywhere}
        read.append((kind, read_table(ctx, path, kind, layout=layout, mapping=own, encoding=encoding)))
    as_read = tuple(table for _, table in read)
    if options.generators or options.compare:
        files = [(kind, path, table) for (kind, path), table in zip(tables, as_read, strict=True)]
        with brought_in(ctx, study, files) as project:
            found = measure_project(ctx, project, study, options, compute)
        return replace(found, result=with_left_out(found.result, as_read), tables=as_read)
    each = of_tables(ctx, read, module, options, compute)
    result = _adjusted(each.result, options)
    return MeasuredStudy(result, recipe_of(options, result) | each.recipe(), as_read, each.remarks, each.undone)


def _adjusted(result: StudyResult, options: MeasureOptions) -> StudyResult:
    """Findings come adjusted by Holm's rule."""
    if options.adjust == "holm":
        return result
    from biasprint.core.studies.findings import with_benjamini_hochberg

    return replace(result, findings=tuple(with_benjamini_hochberg(result.findings)))


def recipe_of(options: MeasureOptions, result: StudyResult) -> dict[str, Any]:
    """The recipe that gives the same numbers again, and how much was read."""
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


def measuring(kind: str) -> Measuring:
    """The gatherer of a study. Raises `UsageError` for one that there is not, and for one without a table."""
    if kind not in studies():
        raise UsageError(f"“{kind}” cannot be measured.", hint=f"Choose from: {', '.join(studies())}.")
    study = studies()[kind]
    if study.gather:
        return cast(Measuring, named(study.gather))
    if not study.inputs:
        raise UsageError(f"“{kind}” cannot be measured.", hint="It declares no table.")
    return cast(Measuring, PlainMeasuring(study))


def scorers_needed(
    kind: str, project: Project | None = None, study_id: int | None = None, set_id: int | None = None
) -> Sequence[ScorerInfo]:
    """The scorers whose stored values a study's measures read, where nobody chooses others; light.

    Of a project's study, or of one of its prompt sets, those that its prompts need where that depends on them. A role
    that no scorer can fill here has none, and a study that is not known here needs none.
    """
    if kind not in studies():
        return ()
    module = measuring(kind)
    by_prompts = getattr(module, "needed_by", None)
    if by_prompts is None or project is None or study_id is None:
        return module.needed()
    found: Sequence[ScorerInfo] = by_prompts(project, study_id, set_id)
    return found


class PlainMeasuring:
    """A study that declares how its first table is measured and nothing more: its columns are gathered by field."""

    AXES = False

    def __init__(self, study: Study) -> None:
        self._study = study
        self._input = study.inputs[0]
        self.CHOICES = self._input.scorers

    def needed(self) -> Sequence[ScorerInfo]:
        return [info for role in self.CHOICES if (info := best_scorer(role))]

    def kind_of(self, path: Path, mapping: Mapping[str, str]) -> str:
        return self._input.kind

    def of_tables(
        self, ctx: JobContext, read: Sequence[tuple[str, TableRead]], options: MeasureOptions, compute: ComputeProcess
    ) -> Answer:
        rows = [record.values for _, table in read for record in table.rows]
        texts = [row.get("text", "") for row in rows]
        scores, broken = {}, list[str]()
        for role, info in self._scorers(options):
            scores[role] = list(values_of(ctx, compute, info, texts, broken))
        dropped = sum((Counter(table.dropped) for _, table in read), Counter())
        result = self._measure(ctx, rows, scores, options, compute)
        result = replace(result, rows=sum(table.total for _, table in read), dropped={**dropped, **result.dropped})
        return result, broken

    def of_project(
        self, ctx: JobContext, project: Project, study_id: int, options: MeasureOptions, compute: ComputeProcess
    ) -> Answer:
        (found,) = self.prepared(ctx, project, study_id, options, compute)
        return whole(ctx, found, compute), list(found.remarks)

    def prepared(
        self, ctx: JobContext, project: Project, study_id: int, options: MeasureOptions, compute: ComputeProcess
    ) -> list[Prepared]:
        outputs = list(project.outputs.each(OutputFilter(study_id=study_id, status="done")))
        if not outputs:
            raise AppError("There is no text to measure yet.", hint="Generate or import texts first.")
        rows = [
            {
                "task": row.task, "theme": row.theme, "identity": row.identity, "sample": str(row.sample),
                **row.fields, "text": row.text, "model": row.model,
            }
            for row in outputs
        ]  # fmt: skip
        scores, broken = {}, list[str]()
        for role, info in self._scorers(options):
            values = complete_values(ctx, project, study_id, info, compute, broken)
            scores[role] = [values.get(("output", row.id)) for row in outputs]
        failed, asked = failures(project, study_id), prompts_asked(project, study_id)
        prompts = tuple(asked[row.prompt_id] for row in outputs)
        plain = Prepared(
            *called(measure_declared, self._input.measure, self._columns(rows), options.seed, scores),
            take=take_plain,
            prompts=prompts,
            units=prompts,
            remarks=tuple(broken),
            dropped=failed,
        )
        return [plain]

    def _scorers(self, options: MeasureOptions) -> Iterator[tuple[str, ScorerInfo]]:
        for role in self.CHOICES:
            if info := best_scorer(role, options.scorers.get(role)):
                yield role, info

    def _measure(
        self,
        ctx: JobContext,
        rows: Sequence[Mapping[str, str]],
        scores: Mapping[str, Sequence[Any]],
        options: MeasureOptions,
        compute: ComputeProcess,
    ) -> StudyResult:
        columns = self._columns(rows)
        return compute.call(measure_declared, self._input.measure, columns, options.seed, dict(scores), ctx=ctx)

    def _columns(self, rows: Sequence[Mapping[str, str]]) -> dict[str, list[str]]:
        return {spec.name: [row.get(spec.name, "") for row in rows] for spec in self._input.specs}


def _check(study: str, options: MeasureOptions) -> None:
    """Raise `UsageError` for an option that this study would otherwise silently leave aside."""
    module = measuring(study)
    if options.axes and not module.AXES:
        raise UsageError(f"The study {study} is not measured by axis.", hint="Leave --axis out.")
    if options.texts_of and not getattr(module, "OTHER_TEXTS", False):
        raise UsageError(f"The study {study} measures texts of its own.", hint="Choose the study “compare”.")
    if options.margin is not None and not getattr(module, "MARGIN", False):
        raise UsageError(f"The study {study} has no margin to choose.", hint="Leave --margin out.")
    read: Sequence[str] = getattr(module, "GROUPABLE", ())
    if foreign := [name for name in options.columns if name not in read]:
        listed = ", ".join(read) or "none; leave --map out"
        raise UsageError(
            f"Of a project, the study {study} reads no “{foreign[0]}” from another column.", hint=f"Fields: {listed}."
        )
    for role in options.scorers:
        if role not in module.CHOICES:
            hint = ", ".join(module.CHOICES) or "none; leave --scorer out"
            raise UsageError(f"The study {study} has no scorer to choose for “{role}”.", hint=f"Roles: {hint}.")
