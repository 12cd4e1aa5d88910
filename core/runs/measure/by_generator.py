"""A project's texts by the generator that wrote them: each measured by itself, unless somebody wants them pooled."""

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from core.compute import ComputeProcess
from core.errors import AppError, UsageError
from core.findings import Finding, StudyResult
from core.jobs import JobContext
from core.project.project import Project
from core.runs.generators import StudyGenerator, chosen, generators_of, written_by_these
from core.runs.measure.between import ComparedPair, between, paired
from core.runs.measure.prepared import Measuring, Prepared
from core.studies.study import ALL, MeasureOptions
from core.tables.rows import TableRead

GENERATOR, MODEL = "generator", "model"
WRITTEN_BY = "written_by"  # the field of an export that names it
MOST_IN_PAIRS = 4  # generators; more have so many pairs that one is asked which
NOTHING_COMMON = "{one} and {other} were not compared: no prompt was answered by both."


@dataclass(frozen=True)
class ByGenerator:
    """`generators`: whose texts were measured. `pooled`: all of them as one.
    `read_to`: the last output that there was when reading began. `undone`: a sentence for each part of what
    was asked for that could not be measured or compared; the rest is there."""

    result: StudyResult
    remarks: tuple[str, ...]
    generators: tuple[StudyGenerator, ...]
    pooled: bool = False
    read_to: int = 0
    undone: tuple[str, ...] = ()

    def recipe(self) -> dict[str, Any]:
        """What a recipe says of them."""
        own: dict[str, Any] = {"generators": [one.to_json() for one in self.generators]} if self.generators else {}
        own |= {"read_to": self.read_to} if self.generators else {}
        return {**own, **({"pooled": True} if self.pooled else {})}


def measured(
    ctx: JobContext,
    project: Project,
    study_id: int,
    module: Measuring,
    options: MeasureOptions,
    compute: ComputeProcess,
) -> ByGenerator:
    """The findings of a project's study. With texts of several generators each finding has the dim `generator`."""
    last = project.outputs.last_id()
    found = _measured(ctx, project, study_id, module, options, compute)
    return replace(found, read_to=last)


def _measured(
    ctx: JobContext,
    project: Project,
    study_id: int,
    module: Measuring,
    options: MeasureOptions,
    compute: ComputeProcess,
) -> ByGenerator:
    known = generators_of(project, study_id)
    wanted = chosen(known, options.generators) if options.generators else known
    if len(wanted) > 1 and not options.pool:
        return _each(ctx, project, study_id, module, wanted, options, compute)
    if options.compare:
        raise UsageError(
            "One generator cannot be compared with itself."
            if len(wanted) < 2
            else "What is pooled cannot be compared.",
            hint="Choose two that wrote texts." if len(wanted) < 2 else "Leave out --pool or --compare.",
        )
    view = project if len(wanted) == len(known) else written_by_these(project, wanted)
    result, remarks = module.of_project(ctx, view, study_id, options, compute)
    if len(wanted) > 1:
        result = replace(result, findings=tuple(_pooled(one, wanted) for one in result.findings))
    elif len(known) > 1:
        result = _of(result, wanted[0], known)
    return ByGenerator(result, tuple(remarks), wanted, len(wanted) > 1)


def _each(
    ctx: JobContext,
    project: Project,
    study_id: int,
    module: Measuring,
    wanted: Sequence[StudyGenerator],
    options: MeasureOptions,
    compute: ComputeProcess,
) -> ByGenerator:
    """One that cannot be measured is said, and the others are."""
    results: list[StudyResult] = []
    remarks: dict[str, None] = {}
    failed: list[AppError] = []
    undone: list[str] = []
    views = [written_by_these(project, [one]) for one in wanted]
    for one, view in zip(wanted, views, strict=True):
        ctx.check()
        try:
            result, told = module.of_project(ctx, view, study_id, options, compute)
        except AppError as error:
            failed.append(error)
            undone.append(f"{one.name} was not measured: {error.message}")
            continue
        results.append(_of(result, one, wanted))
        remarks |= dict.fromkeys(told)
    if options.compare:
        found, told = compared(ctx, project, study_id, module, wanted, options, compute)
        results += [StudyResult(results[0].study, 0, {}, tuple(found))] if results else []
        undone += told
    of_several = getattr(module, "of_several", None)
    if of_several:
        several, told = of_several(ctx, project, views, options, compute)
        remarks |= dict.fromkeys(told)
        results += [several] if several else []
    if not results:
        raise failed[0]
    return ByGenerator(_joined(results), tuple(remarks), tuple(wanted), undone=tuple(undone))


def of_tables(
    ctx: JobContext,
    read: Sequence[tuple[str, TableRead]],
    module: Measuring,
    options: MeasureOptions,
    compute: ComputeProcess,
) -> tuple[StudyResult, list[str]]:
    """The findings of tables. Those of an export say which generator wrote each text: measured as a project's.

    Rows that say none, of other tables, are measured by themselves, with no generator.
    """
    said = [[row.values.get(WRITTEN_BY, "") for row in table.rows] for _, table in read]
    names = list(dict.fromkeys(name for of in said for name in of))
    if options.pool or len([name for name in names if name]) < 2:
        result, remarks = module.of_tables(ctx, read, options, compute)
        return result, list(remarks)
    models = {
        row.values[WRITTEN_BY]: row.values.get(MODEL, "")
        for _, table in read
        for row in table.rows
        if row.values.get(WRITTEN_BY)
    }
    among = [StudyGenerator(name, "", model) for name, model in models.items()]
    results, remarks = [], []
    for name in names:
        own = [
            (kind, table) for kind, table in ((kind, _written_by(table, name)) for kind, table in read) if table.rows
        ]
        result, told = module.of_tables(ctx, own, options, compute)
        results.append(_of(result, next(one for one in among if one.name == name), among) if name else result)
        remarks += told
    return with_left_out(_joined(results), [table for _, table in read]), list(dict.fromkeys(remarks))


def with_left_out(result: StudyResult, tables: Sequence[TableRead]) -> StudyResult:
    """With the rows that were left out when the tables were read."""
    rows = result.rows + sum(table.total - len(table.rows) for table in tables)
    dropped = sum((Counter(table.dropped) for table in tables), Counter(result.dropped))
    return replace(result, rows=rows, dropped=dict(dropped))


def _written_by(table: TableRead, name: str) -> TableRead:
    rows = tuple(row for row in table.rows if row.values.get(WRITTEN_BY, "") == name)
    return replace(table, rows=rows, total=len(rows), dropped={})


def compared(
    ctx: JobContext,
    project: Project,
    study_id: int,
    module: Measuring,
    wanted: Sequence[StudyGenerator],
    options: MeasureOptions,
    compute: ComputeProcess,
) -> tuple[list[Finding], list[str]]:
    """The differences between generators that were asked for, and a sentence for each pair that has none."""
    prepare = getattr(module, "prepared", None)
    if prepare is None:
        raise UsageError("This study cannot compare generators yet.", hint="Leave out --compare.")
    remarks: list[str] = []
    columns: dict[str, Prepared] = {}
    pairs: list[ComparedPair] = []
    for one, other in _asked(wanted, options.compare):
        for each in (one, other):
            if each.name not in columns:
                with suppress(AppError):  # it was said already, where it was measured
                    found = prepare(ctx, written_by_these(project, [each]), study_id, options, compute)
                    columns |= {each.name: found} if found is not None else {}
        if one.name not in columns or other.name not in columns:
            continue
        pair = paired((one.name, columns[one.name]), (other.name, columns[other.name]), options.seed)
        if pair is None:
            remarks.append(NOTHING_COMMON.format(one=one.name, other=other.name))
        else:
            pairs.append(pair)
    return (between(ctx, pairs, compute) if pairs else []), remarks


def _asked(wanted: Sequence[StudyGenerator], compare: Sequence[str]) -> list[tuple[StudyGenerator, StudyGenerator]]:
    """The first with each other one; or every pair. Raises `UsageError` for fewer than two, or too many pairs."""
    if ALL in compare:
        if len(wanted) > MOST_IN_PAIRS:
            raise UsageError(
                f"Every pair of {len(wanted)} generators would be compared.",
                hint="Name them with --compare: the first is compared with each of the others.",
            )
        return list(combinations(wanted, 2))
    named = chosen(wanted, compare)
    if len(named) < 2:
        raise UsageError("One generator cannot be compared with itself.", hint="Name two, or “all”.")
    return [(named[0], other) for other in named[1:]]


def _of(result: StudyResult, one: StudyGenerator, among: Sequence[StudyGenerator]) -> StudyResult:
    """The result with its generator in every finding; and the model, where they are of several."""
    named = {GENERATOR: one.name}
    if len({other.model for other in among}) > 1 and one.model:
        named = {MODEL: one.model, **named}

    def dims(finding: Finding) -> Mapping[str, str]:
        return {**named, **finding.dims, GENERATOR: one.name}

    return replace(result, findings=tuple(replace(each, dims=_last(dims(each))) for each in result.findings))


def _last(dims: Mapping[str, str]) -> dict[str, str]:
    """The model and the generator after what the study itself tells apart."""
    ends = [name for name in (MODEL, GENERATOR) if name in dims]
    return {**{name: value for name, value in dims.items() if name not in ends}, **{name: dims[name] for name in ends}}


def _pooled(finding: Finding, generators: Sequence[StudyGenerator]) -> Finding:
    told = "; ".join(f"{one.name} ({one.n:,} texts)" for one in generators)
    return replace(finding, note=f"{finding.note} Pooled, as asked: {told}.".strip())


def _joined(results: Sequence[StudyResult]) -> StudyResult:
    dropped: Counter[str] = Counter()
    for result in results:
        dropped.update(result.dropped)
    findings = tuple(finding for result in results for finding in result.findings)
    return StudyResult(results[0].study, sum(result.rows for result in results), dict(dropped), findings)
