"""Measuring a study in the plain way: the rows of its first table are gathered by field, and its measure is called."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from biasprint.core.compute import ComputeProcess
from biasprint.core.errors import AppError, UsageError
from biasprint.core.findings import StudyResult
from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.project.stores.runs import OutputFilter
from biasprint.core.scorers.choosing import best_scorer
from biasprint.core.scorers.protocol import ScorerInfo
from biasprint.core.studies.kit.declared import InputTable, MeasureOptions
from biasprint.core.studies.kit.prepared import Answer, Prepared, picked, taken
from biasprint.core.tables.rows import TableRead
from biasprint.core.texts.generators import prompts_asked
from biasprint.core.texts.values import complete_values, failures, values_of

Measure = Callable[..., StudyResult]


def of_tables(
    table: InputTable,
    roles: Sequence[str],
    ctx: JobContext,
    read: Sequence[tuple[str, TableRead]],
    options: MeasureOptions,
    compute: ComputeProcess,
) -> Answer:
    """Return the findings of tables of a study's first kind, and remarks on texts that could not be scored."""
    rows = [record.values for _, each in read for record in each.rows]
    texts = [row.get("text", "") for row in rows]
    scores, remarks = {}, list[str]()
    for role, info in _scorers(roles, options):
        scores[role] = list(values_of(ctx, compute, info, texts, remarks))
    dropped = sum((Counter(each.dropped) for _, each in read), Counter[str]())
    result = compute.call(_measure(table), _columns(table, rows), options.seed, scores, ctx=ctx)
    total = sum(each.total for _, each in read)
    return replace(result, rows=total, dropped={**dropped, **result.dropped}), remarks


def prepared(
    table: InputTable,
    roles: Sequence[str],
    ctx: JobContext,
    project: Project,
    study_id: int,
    options: MeasureOptions,
    compute: ComputeProcess,
) -> list[Prepared]:
    """Return the columns of a project's texts with their scores; what is not scored is scored first."""
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
    scores, remarks = {}, list[str]()
    for role, info in _scorers(roles, options):
        values = complete_values(ctx, project, study_id, info, compute, remarks)
        scores[role] = [values.get(("output", row.id)) for row in outputs]
    asked = prompts_asked(project, study_id)
    prompts = tuple(asked[row.prompt_id] for row in outputs)
    texts = Prepared(
        call=_measure(table),
        args=(_columns(table, rows), options.seed, scores),
        take=take,
        prompts=prompts,
        units=prompts,
        remarks=tuple(remarks),
        dropped=failures(project, study_id),
    )
    return [texts]


def take(args: tuple[Any, ...], places: Sequence[int]) -> tuple[Any, ...]:
    """In the compute process: return the arguments of a measure with some of the rows."""
    columns, seed, scores = args
    return taken(columns, places), seed, {role: picked(list(values), places) for role, values in scores.items()}


def _measure(table: InputTable) -> Measure:
    if table.measure is None:
        raise UsageError(f"“{table.name}” cannot be measured.", hint="Its table declares no measure.")
    return table.measure


def _scorers(roles: Sequence[str], options: MeasureOptions) -> Iterator[tuple[str, ScorerInfo]]:
    for role in roles:
        if info := best_scorer(role, options.scorers.get(role)):
            yield role, info


def _columns(table: InputTable, rows: Sequence[Mapping[str, str]]) -> dict[str, list[str]]:
    return {spec.name: [row.get(spec.name, "") for row in rows] for spec in table.specs}
