"""Bringing articles into a project: originals become sources, generated articles outputs."""

from itertools import islice

from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.project.specs import PromptSpec
from biasprint.core.studies.kit.importing import CHUNK, ImportedText, sample_numbers, store_outputs
from biasprint.core.studies.kit.study import Study
from biasprint.core.studies.news.prompts import TASK, UNBIASED
from biasprint.core.tables.fields import columns_there
from biasprint.core.tables.rows import Record, TableRead
from biasprint.core.text import sha256_text
from biasprint.core.texts.values import ORIGINAL_KEY, original_key, original_source

GENERATED = "generated"
ARTICLES_NOTE = "The prompts were not part of the imported table; prompt_kind says of which kind they were."


def store_articles(
    study: Study, ctx: JobContext, project: Project, study_id: int | None, origin: str, table: TableRead
) -> int:
    """The number of generated articles added. A table that cannot be stored is refused before anything is."""
    check_generated(table)
    samples = sample_numbers(table.rows, lambda row: (_article_prompt(row).key, row.values.get("model", "")))
    items = [
        ImportedText(_article_prompt(record), record.values.get("model", ""), sample, record.values[GENERATED])
        for record, sample in zip(table.rows, samples, strict=True)
    ]
    study_id = study_id or study.added_to(project)
    _store_originals(ctx, project, study_id, origin, table)
    return store_outputs(ctx, project, study_id, origin, items, ARTICLES_NOTE)


def check_generated(table: TableRead) -> None:
    """Raise `AppError` where no column holds the generated articles: one may be empty, so reading does not ask."""
    if GENERATED not in table.mapping:
        raise AppError(
            "No column was recognised as generated (the article that a model wrote for the same headline).",
            hint=f"Map one with generated=column. {columns_there(table.columns)}",
        )


def _store_originals(ctx: JobContext, project: Project, study_id: int, origin: str, table: TableRead) -> None:
    """Each original once, however many articles were generated beside it."""
    first = {original_key(record.values["original"]): record for record in reversed(table.rows)}
    rest = iter(sorted(first.values(), key=lambda record: record.number))
    while chunk := list(islice(rest, CHUNK)):
        ctx.check()
        specs = [original_source(origin, one.number, one.values["original"], one.values) for one in chunk]
        project.sources.add_many(study_id, specs)


def _article_prompt(record: Record) -> PromptSpec:
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
