"""Replies to fill-in-the-blank items: gathered from a project or from tables, measured in the compute process."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from biasprint.core.compute import ComputeProcess
from biasprint.core.errors import AppError
from biasprint.core.findings import StudyResult
from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.project.rows import OutputRow
from biasprint.core.project.specs import PromptSpec
from biasprint.core.project.stores.runs import OutputFilter
from biasprint.core.prompts.drafts import PLAIN_ARM
from biasprint.core.studies.completion.measure import measure
from biasprint.core.studies.completion.table import CompletionTable
from biasprint.core.studies.kit.declared import MeasureOptions
from biasprint.core.studies.kit.importing import MODEL, SAMPLE, ImportedText, sample_numbers, store_outputs
from biasprint.core.studies.kit.plain_measuring import Prepared, called, taken, units_or_prompts
from biasprint.core.studies.kit.study import Study
from biasprint.core.tables.fields import columns_there
from biasprint.core.tables.rows import Record, TableRead
from biasprint.core.text import sha256_text
from biasprint.core.texts.generators import POOLED, prompts_asked
from biasprint.core.texts.replies import failures

# ---- Importing replies

REPLY = "response"

REPLIES_NOTE = "The items were part of the imported table, the wording of the question was not."


def store_replies(
    study: Study, ctx: JobContext, project: Project, study_id: int | None, origin: str, table: TableRead
) -> int:
    """Store replies, and return the number added. A table that cannot be stored is refused before anything is."""
    check_replies(table)
    samples = sample_numbers(table.rows, ((_reply_key(row), row.values.get(MODEL, "")) for row in table.rows))
    items = [
        ImportedText(_item(record), record.values.get(MODEL, ""), sample, record.values[REPLY])
        for record, sample in zip(table.rows, samples, strict=True)
    ]
    study_id = study_id or study.added_to(project)
    return store_outputs(ctx, project, study_id, origin, items, REPLIES_NOTE)


def check_replies(table: TableRead) -> None:
    """Raise `AppError` where no column holds the replies: single replies may be empty, so reading does not ask."""
    if REPLY not in table.mapping:
        raise AppError(
            "No column was recognised as response (what the model answered).",
            hint=f"Map one with response=column. {columns_there(table.columns)}",
        )


def _item(record: Record) -> PromptSpec:
    fields = _item_fields(record.values)
    return PromptSpec(key=_reply_key(record), text="", task="completion", theme=fields["domain"][:200], fields=fields)


def _reply_key(record: Record) -> str:
    fields = _item_fields(record.values)
    return f"imported/completion/{sha256_text(repr(sorted(fields.items())))[:32]}"


def _item_fields(values: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in values.items() if name not in (REPLY, MODEL, SAMPLE)}


COLUMNS = (
    "domain", "direction", "pronoun", "given", "positive", "negative", "neutral", "response", "term", "context",
    "model", "order",
)  # fmt: skip


def of_tables(
    ctx: JobContext, read: Sequence[tuple[str, TableRead]], options: MeasureOptions, compute: ComputeProcess
) -> tuple[StudyResult, list[str]]:
    """The findings of replies in tables."""
    tables = [table for _, table in read]
    dropped: Counter[str] = Counter()
    for table in tables:
        dropped.update(table.dropped)
        check_replies(table)
    rows = [record.values for table in tables for record in table.rows]
    result = _measure(ctx, compute, rows, dict(dropped), options.seed)
    return replace(result, rows=sum(table.total for table in tables)), []


def prepared(
    ctx: JobContext, project: Project, study_id: int, options: MeasureOptions, compute: ComputeProcess
) -> list[Prepared]:
    """The columns of a project's replies. Those after one given term are kept together."""
    replies = list(project.outputs.each(OutputFilter(study_id=study_id, status="done")))
    if not replies:
        raise AppError("There is no reply to measure yet.", hint="Generate or import replies first.")
    rows = [{**row.fields, "response": row.text, "model": model_of(row)} for row in replies]
    asked, failed = prompts_asked(project, study_id), failures(project, study_id)
    prompts = tuple(asked[row.prompt_id] for row in replies)
    of_replies = Prepared(
        *called(measure_completion, _columns(rows), failed, options.seed),
        take=take,
        prompts=prompts,
        units=units_or_prompts((row.get("term", "") for row in rows), prompts),
        texts=len(rows) + sum(failed.values()),
    )
    return [of_replies]


def take(args: tuple[Any, ...], places: Sequence[int]) -> tuple[Any, ...]:
    """Return the arguments with some of the replies, in the compute process."""
    columns, *rest = args
    return taken(columns, places), *rest


BY_LIKELIHOOD = {"logprob": ", by likelihood", "corrected": ", by corrected likelihood"}


def model_of(row: OutputRow) -> str:
    """Return the model, how it chose, and the instruction of a mitigation arm: each of them is measured separately."""
    how = "" if row.model == POOLED else BY_LIKELIHOOD.get(str(row.detail.get("chosen_by", "")), "")
    model = row.model + how
    arm = row.fields.get("arm", PLAIN_ARM)
    return model if arm == PLAIN_ARM else f"{model}, with {arm}"


def _measure(
    ctx: JobContext, compute: ComputeProcess, rows: Sequence[Mapping[str, str]], dropped: Mapping[str, int], seed: int
) -> StudyResult:
    return compute.call(measure_completion, _columns(rows), dict(dropped), seed, ctx=ctx)


def _columns(rows: Sequence[Mapping[str, str]]) -> dict[str, list[str]]:
    return {name: [row.get(name, "") for row in rows] for name in COLUMNS}


def measure_completion(columns: Mapping[str, Sequence[str]], dropped: Mapping[str, int], seed: int) -> StudyResult:
    """Measure the study over the columns, in the compute process."""
    return measure(CompletionTable(**columns, dropped=dropped), seed=seed)
