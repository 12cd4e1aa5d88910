"""Measuring a study in the plain way: the rows of its first table are gathered by field, and its measure is called."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVarTuple

from biasprint.core.compute import ComputeProcess
from biasprint.core.errors import AppError, UsageError
from biasprint.core.findings import StudyResult
from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.project.stores.runs import OutputFilter
from biasprint.core.scorers.protocol import ScorerInfo
from biasprint.core.scorers.registry import best_scorer
from biasprint.core.studies.kit.declared import InputTable, MeasureOptions
from biasprint.core.tables.rows import TableRead
from biasprint.core.texts.generators import prompts_asked
from biasprint.core.texts.replies import failures
from biasprint.core.texts.values import complete_values, values_of

# ---- Prepared columns

Answer = tuple[StudyResult, list[str]]  # the findings, and what the person should know beside them


TEXTS, JUDGMENTS = "texts", "judgments"
Take = Callable[[tuple[Any, ...], Sequence[int]], tuple[Any, ...]]
Read = Callable[[tuple[Any, ...], JobContext], tuple[Any, ...]]
Arguments = TypeVarTuple("Arguments")


@dataclass(frozen=True)
class Prepared:
    """`call(*args)` in the compute process gives a `StudyResult`.

    `take`: called there, (args, places) → the args with these rows alone.
    `read`: called there, (args, ctx) → args in which what is read of each text is read once for all takes.
    `prompts`: of each row, what is the same for the same prompt; empty where it is not known.
    `units`: of each row, what it shares with those that it must not be separated from, such as a matched block.
    `what`: its rows are. `texts`: how many were read, failures among them; None for as many as the result says, and
    those `dropped` before.
    `remarks`: what the person should know beside the findings.
    """

    call: Callable[..., StudyResult]
    args: tuple[Any, ...]
    take: Take
    prompts: tuple[str, ...]
    units: tuple[str, ...]
    what: str = TEXTS
    read: Read | None = None
    texts: int | None = None
    dropped: Mapping[str, int] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()


def called(
    function: Callable[[*Arguments], StudyResult] | Callable[[*Arguments, JobContext], StudyResult],
    /,
    *args: *Arguments,
) -> tuple[Callable[..., StudyResult], tuple[Any, ...]]:
    """A function for the compute process, and its arguments but for `ctx`. A type checker sees that they fit."""
    return function, args


def whole(ctx: JobContext, prepared: Prepared, compute: ComputeProcess) -> StudyResult:
    """The findings of all its rows."""
    result: StudyResult = compute.call(prepared.call, *prepared.args, ctx=ctx)
    rows = result.rows + sum(prepared.dropped.values()) if prepared.texts is None else prepared.texts
    return replace(result, rows=rows, dropped={**result.dropped, **prepared.dropped})


def taken(columns: Mapping[str, Any], places: Sequence[int]) -> dict[str, Any]:
    """Columns with these rows alone; one that is empty stays so."""
    return {name: picked(column, places) for name, column in columns.items()}


def picked(column: Any, places: Sequence[int]) -> Any:
    """The values of a list, tuple or array at these places."""
    if len(column) == 0:
        return column
    if isinstance(column, tuple):
        return tuple(column[place] for place in places)
    return [column[place] for place in places] if isinstance(column, list) else column[list(places)]


def units_or_prompts(units: Iterable[str], prompts: Iterable[str]) -> tuple[str, ...]:
    """The unit of each row; its prompt where it has none."""
    return tuple(unit or prompt for unit, prompt in zip(units, prompts, strict=True))


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
    """Return the arguments of a measure with some of the rows, in the compute process."""
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
