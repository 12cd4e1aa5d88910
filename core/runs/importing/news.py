"""News of a table: originals become sources, generated articles outputs of prompts that stand for the ones asked."""

from itertools import islice

from core.errors import AppError
from core.jobs import JobContext
from core.project.project import Project
from core.project.specs import PromptSpec, SourceSpec
from core.prompts.news import TASK, UNBIASED
from core.runs.importing.outputs import CHUNK, Imported, sample_numbers, store_outputs
from core.runs.originals import KIND, ORIGINAL_KEY
from core.runs.setup import added_study
from core.tables.fields import columns_there
from core.tables.rows import Record, TableRead
from core.text import sha256_text

GENERATED = "generated"
NOTE = "The prompts were not part of the imported table; prompt_kind says of which kind they were."


def store(ctx: JobContext, project: Project, study_id: int | None, origin: str, table: TableRead) -> int:
    """How many generated articles were added. A table that cannot be stored is refused before anything is."""
    check_generated(table)
    samples = sample_numbers(table.rows, lambda row: (_prompt(row).key, row.values.get("model", "")))
    items = [
        Imported(_prompt(record), record.values.get("model", ""), sample, record.values[GENERATED])
        for record, sample in zip(table.rows, samples, strict=True)
    ]
    study_id = study_id or added_study(project, "news")
    _store_originals(ctx, project, study_id, origin, table)
    return store_outputs(ctx, project, study_id, origin, items, NOTE)


def check_generated(table: TableRead) -> None:
    """Raise `AppError` where no column holds the generated articles: one may be empty, so reading does not ask."""
    if GENERATED not in table.mapping:
        raise AppError(
            "No column was recognised as generated (the article that a model wrote for the same headline).",
            hint=f"Map one with generated=column. {columns_there(table.columns)}",
        )


def original_key(text: str) -> str:
    return sha256_text(text)[:16]


def _store_originals(ctx: JobContext, project: Project, study_id: int, origin: str, table: TableRead) -> None:
    """Each original once, however many articles were generated beside it."""
    first = {original_key(record.values["original"]): record for record in reversed(table.rows)}
    rest = iter(sorted(first.items(), key=lambda item: item[1].number))
    while chunk := list(islice(rest, CHUNK)):
        ctx.check()
        project.sources.add_many(study_id, [_source(origin, key, record) for key, record in chunk])


def _source(origin: str, key: str, record: Record) -> SourceSpec:
    fields = {name: record.values.get(name, "") for name in ("headline", "domain")} | {ORIGINAL_KEY: key}
    return SourceSpec(kind=KIND, origin=origin, row=record.number, text=record.values["original"], fields=fields)


def _prompt(record: Record) -> PromptSpec:
    """It stands for a prompt that nobody kept, so its text is empty."""
    values = record.values
    fields = {
        "headline": values.get("headline", ""),
        "domain": values.get("domain", ""),
        "prompt_kind": values.get("prompt_kind", "").strip() or UNBIASED,
        ORIGINAL_KEY: original_key(values["original"]),
    }
    key = f"imported/news/{sha256_text(repr(sorted(fields.items())))[:32]}"
    return PromptSpec(key=key, text="", task=TASK, theme=fields["domain"][:200], fields=fields)
