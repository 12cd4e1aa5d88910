"""Creative writing: outputs and judgments, gathered from a project or from tables, measured in the compute process."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

from core.compute import ComputeProcess
from core.errors import AppError, UsageError
from core.findings import StudyResult
from core.jobs import JobContext
from core.project.project import Project
from core.project.rows import JudgmentRow, SessionRow
from core.project.stores.outputs import OutputFilter
from core.runs.exporting import SHOWN_SEPARATOR
from core.runs.measure.options import Options
from core.runs.setup import shipped_axes
from core.runs.values import complete_values, failures, scorer_for, stored_values
from core.scorers.protocol import ScorerInfo
from core.tables.read import look_at
from core.tables.rows import Record, TableRead

Axes = dict[str, list[str]]
EMBEDDER = "minilm"

CHOICES: tuple[str, ...] = ("embedding",)
AXES = True


def kind_of(path: Path, mapping: Mapping[str, str]) -> str:
    """Which of the study's two tables this is: judgments have an outcome, outputs an identity and a text."""
    found = look_at(path).columns
    columns = {column.strip().lower() for column in found} | {name for name in mapping if mapping[name] in found}
    return "judgments" if {"outcome", "chosen"} & columns else "creativity"


def of_tables(
    ctx: JobContext, read: Sequence[tuple[str, TableRead]], options: Options, compute: ComputeProcess
) -> tuple[StudyResult, list[str]]:
    """The findings of tables of outputs, of judgments, or of both."""
    results = []
    for wanted, measure in (("creativity", _output_tables), ("judgments", _judgment_tables)):
        tables = [table for kind, table in read if kind == wanted]
        if tables:
            records = [record for table in tables for record in table.rows]
            result = measure(ctx, records, options, compute)
            results.append(_with_dropped(result, tables))
    return joined(results), []


def of_project(
    ctx: JobContext, project: Project, study_id: int, options: Options, compute: ComputeProcess
) -> tuple[StudyResult, list[str]]:
    """The findings of a project's outputs and of its revealed judgments."""
    axes = axes_of(project, options.axes)
    info = scorer_for("embedding", options.scorers.get("embedding"), EMBEDDER)
    complete_values(ctx, project, study_id, info, compute)
    results, remarks = [], []
    outputs = of_outputs(ctx, project, study_id, axes, info, options.seed, compute)
    if outputs is not None:
        results.append(outputs)
    sessions = project.judging.sessions()
    revealed = [session for session in sessions if session.revealed_at is not None]
    if len(revealed) < len(sessions):
        remarks.append(f"{len(sessions) - len(revealed)} open rating sessions were left out until their reveal.")
    if revealed:
        results.append(of_judgments(ctx, project, revealed, axes, options.seed, compute))
    if not results:
        raise AppError("There is nothing to measure yet.", hint="Generate outputs, or judge comparisons first.")
    return joined(results), remarks


def of_outputs(
    ctx: JobContext,
    project: Project,
    study_id: int,
    axes: Axes,
    info: ScorerInfo,
    seed: int,
    compute: ComputeProcess,
) -> StudyResult | None:
    """Distances and RBS from the vectors that are stored; None where no output has one."""
    vectors = stored_values(project, info)
    rows = [
        (row, vectors["output", row.id])
        for row in project.outputs.each(OutputFilter(study_id=study_id, status="done"))
        if ("output", row.id) in vectors
    ]
    if not rows:
        return None
    columns: dict[str, list[Any]] = {
        "task": [row.task for row, _ in rows],
        "theme": [row.theme for row, _ in rows],
        "identity": [row.identity for row, _ in rows],
        "sample": [row.sample for row, _ in rows],
        "model": [row.model for row, _ in rows],
    }
    result = _measure_outputs(ctx, columns, [vector for _, vector in rows], axes, info, seed, compute)
    failed = failures(project, study_id)
    return replace(result, rows=result.rows + sum(failed.values()), dropped={**result.dropped, **failed})


def of_judgments(
    ctx: JobContext, project: Project, sessions: Sequence[SessionRow], axes: Axes, seed: int, compute: ComputeProcess
) -> StudyResult:
    """Shares and ABS of the judgments in force of these sessions, pooled."""
    raters = {rater.id: rater.code for rater in project.judging.raters()}
    by_session = {session.id: session for session in sessions}
    comparisons = {
        row.id: row for plan in {session.plan_id for session in sessions} for row in project.judging.comparisons(plan)
    }
    judgments: Iterable[JudgmentRow] = chain.from_iterable(project.judging.judgments(key) for key in by_session)
    columns: dict[str, list[Any]] = {
        name: [] for name in ("comparison", "rater", "axis", "shown", "outcome", "chosen", "repeat_of")
    }
    for row in judgments:
        if row.outcome == "undone":
            continue
        comparison = comparisons[row.comparison_id]
        identities = [item.identity for item in comparison.items]
        columns["comparison"].append(row.comparison_id)
        columns["rater"].append(raters[by_session[row.session_id].rater_id])
        columns["axis"].append(comparison.axis)
        columns["shown"].append(tuple(identities[index] for index in row.shown))
        columns["outcome"].append(row.outcome)
        columns["chosen"].append("" if row.chosen is None else identities[row.chosen])
        columns["repeat_of"].append(comparison.repeat_of or "")
    return _measure_judgments(ctx, columns, axes, seed, compute)


def axes_of(project: Project, wanted: Sequence[str] = ()) -> Axes:
    """The project's axes with their identities; only those that are wanted, where any are named."""
    known = {
        key: [identity["key"] for identity in axis.definition["identities"]]
        for key, axis in project.axes.latest().items()
        if not axis.definition.get("reported_as")
    }
    return _only(known, wanted)


def joined(results: Sequence[StudyResult]) -> StudyResult:
    """Several parts of one study as one result."""
    dropped: Counter[str] = Counter()
    for result in results:
        dropped.update(result.dropped)
    findings = tuple(finding for result in results for finding in result.findings)
    return StudyResult("creativity", sum(result.rows for result in results), dict(dropped), findings)


def _only(known: Axes, wanted: Sequence[str]) -> Axes:
    for axis in wanted:
        if axis not in known:
            raise UsageError(f"There is no axis “{axis}” here.", hint=f"Axes: {', '.join(known)}.")
    return {axis: identities for axis, identities in known.items() if not wanted or axis in wanted}


def _with_dropped(result: StudyResult, tables: Sequence[TableRead]) -> StudyResult:
    dropped = Counter(result.dropped)
    for table in tables:
        dropped.update(table.dropped)
    return StudyResult(result.study, sum(table.total for table in tables), dict(dropped), result.findings)


def _output_tables(
    ctx: JobContext, records: Sequence[Record], options: Options, compute: ComputeProcess
) -> StudyResult:
    info = scorer_for("embedding", options.scorers.get("embedding"), EMBEDDER)
    texts = [record.values["text"] for record in records]
    _, values = compute.call("core.scorers.registry:score_batch", info.name, texts, ctx=ctx)
    scored = [(record, value.values) for record, value in zip(records, values, strict=True) if value.values.size]
    columns: dict[str, list[Any]] = {
        name: [record.values.get(name, "") for record, _ in scored] for name in ("task", "theme", "identity", "model")
    }
    samples = [_sample(record) for record, _ in scored]
    axes = _only(shipped_axes({record.values["identity"] for record, _ in scored}), options.axes)
    if not axes:
        raise AppError(
            "No axis has two identities in these outputs.",
            hint="Identities are written as the axes do, such as man and woman; a default output is “default”.",
        )
    return _measure_outputs(
        ctx, {**columns, "sample": samples}, [vector for _, vector in scored], axes, info, options.seed, compute
    )


def _sample(record: Record) -> int:
    given = record.values.get("sample", "").strip() or "0"
    if not given.isdecimal():
        raise AppError(
            f"Row {record.number}: “{given}” is not a sample number.", hint="Samples are whole numbers from 0."
        )
    return int(given)


def _judgment_tables(
    ctx: JobContext, records: Sequence[Record], options: Options, compute: ComputeProcess
) -> StudyResult:
    values = [record.values for record in records]
    columns: dict[str, list[Any]] = {
        name: [row.get(name, "") for row in values]
        for name in ("comparison", "rater", "axis", "outcome", "chosen", "repeat_of")
    }
    columns["shown"] = [tuple(part.strip() for part in row["shown"].split(SHOWN_SEPARATOR)) for row in values]
    # Without a project the identities of an axis are those that its comparisons show, in the order of the shipped axis.
    shown_on: dict[str, set[str]] = {}
    for axis, shown in zip(columns["axis"], columns["shown"], strict=True):
        shown_on.setdefault(axis, set()).update(shown)
    axes = {axis: _ordered(axis, shown_on[axis]) for axis in sorted(shown_on)}
    return _measure_judgments(ctx, columns, _only(axes, options.axes), options.seed, compute)


def _ordered(axis: str, identities: set[str]) -> list[str]:
    shipped = shipped_axes(identities).get(axis, [])
    return [*(name for name in shipped if name in identities), *sorted(identities - set(shipped))]


def _measure_outputs(
    ctx: JobContext,
    columns: Mapping[str, Sequence[Any]],
    vectors: Sequence[Any],
    axes: Axes,
    info: ScorerInfo,
    seed: int,
    compute: ComputeProcess,
) -> StudyResult:
    import numpy as np

    table = {name: tuple(values) for name, values in columns.items()}
    result: StudyResult = compute.call(
        "core.runs.measure.creativity:outputs_in_compute", table, np.stack(vectors), axes, info.use(), seed, ctx=ctx
    )
    return result


def _measure_judgments(
    ctx: JobContext, columns: Mapping[str, Sequence[Any]], axes: Axes, seed: int, compute: ComputeProcess
) -> StudyResult:
    table = {name: tuple(values) for name, values in columns.items()}
    result: StudyResult = compute.call("core.runs.measure.creativity:judgments_in_compute", table, axes, seed, ctx=ctx)
    return result


def outputs_in_compute(table: Mapping[str, Any], vectors: Any, axes: Axes, scorer: Any, seed: int) -> StudyResult:
    """In the compute process: the study over a table of outputs."""
    from core.studies.creativity.distances import OutputTable
    from core.studies.creativity.outputs import measure_outputs

    return measure_outputs(OutputTable(**table), vectors, axes=axes, scorer=scorer, seed=seed)


def judgments_in_compute(table: Mapping[str, Any], axes: Axes, seed: int) -> StudyResult:
    """In the compute process: the study over a table of judgments."""
    from core.studies.creativity.choices import JudgmentTable
    from core.studies.creativity.judgments import measure_judgments

    return measure_judgments(JudgmentTable(**table), axes=axes, seed=seed)
