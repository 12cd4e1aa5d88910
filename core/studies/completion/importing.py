"""Bringing replies to fill-in-the-blank items into a project."""

from collections.abc import Mapping

from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.project.specs import PromptSpec
from biasprint.core.studies.kit.importing import MODEL, SAMPLE, ImportedText, sample_numbers, store_outputs
from biasprint.core.studies.kit.study import Study
from biasprint.core.tables.fields import columns_there
from biasprint.core.tables.rows import Record, TableRead
from biasprint.core.text import sha256_text

REPLY = "response"

REPLIES_NOTE = "The items were part of the imported table, the wording of the question was not."


def store_replies(
    study: Study, ctx: JobContext, project: Project, study_id: int | None, origin: str, table: TableRead
) -> int:
    """The number of replies added. A table that cannot be stored is refused before anything is."""
    check_replies(table)
    samples = sample_numbers(table.rows, lambda row: (_reply_key(row), row.values.get(MODEL, "")))
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
