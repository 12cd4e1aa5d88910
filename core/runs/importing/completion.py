"""Replies of a table become outputs of the fill-in-the-blank items that were asked."""

from collections.abc import Mapping

from core.errors import AppError
from core.jobs import JobContext
from core.project.project import Project
from core.project.specs import PromptSpec
from core.runs.importing.outputs import Imported, sample_numbers, store_outputs
from core.runs.setup import added_study
from core.tables.fields import columns_there
from core.tables.rows import Record, TableRead
from core.text import sha256_text

REPLY, MODEL, SAMPLE = "response", "model", "sample"
NOTE = "The items were part of the imported table, the wording of the question was not."


def store(ctx: JobContext, project: Project, study_id: int | None, origin: str, table: TableRead) -> int:
    """How many replies were added. A table that cannot be stored is refused before anything is."""
    check_replies(table)
    samples = sample_numbers(table.rows, lambda row: (_key(row), row.values.get(MODEL, "")))
    items = [
        Imported(_item(record), record.values.get(MODEL, ""), sample, record.values[REPLY])
        for record, sample in zip(table.rows, samples, strict=True)
    ]
    study_id = study_id or added_study(project, "completion")
    return store_outputs(ctx, project, study_id, origin, items, NOTE)


def check_replies(table: TableRead) -> None:
    """Raise `AppError` where no column holds the replies: single replies may be empty, so reading does not ask."""
    if REPLY not in table.mapping:
        raise AppError(
            "No column was recognised as response (what the model answered).",
            hint=f"Map one with response=column. {columns_there(table.columns)}",
        )


def _item(record: Record) -> PromptSpec:
    fields = _fields(record.values)
    return PromptSpec(key=_key(record), text="", task="completion", theme=fields["domain"][:200], fields=fields)


def _key(record: Record) -> str:
    fields = _fields(record.values)
    return f"imported/completion/{sha256_text(repr(sorted(fields.items())))[:32]}"


def _fields(values: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in values.items() if name not in (REPLY, MODEL, SAMPLE)}
