"""Prompt sets from a template and a table of somebody's own: both are files."""

from collections.abc import Mapping
from pathlib import Path

from biasprint.core.errors import AppError, UsageError
from biasprint.core.given import ordinary_file
from biasprint.core.jobs import JobContext
from biasprint.core.prompts import PromptSetDraft, load_axis
from biasprint.core.prompts.axes import with_names
from biasprint.core.prompts.drafts import named_from
from biasprint.core.prompts.from_template import TAKEN, TemplateRow, TemplateTable, template_set
from biasprint.core.prompts.name_sets import load_name_set
from biasprint.core.studies.registry import table_fields
from biasprint.core.tables.fields import FieldSpec, guess_mapping
from biasprint.core.tables.read import read_columns as read_all_columns

STUDIES = ("compare", "letters")  # they read the group, block and name of a text from its prompt's columns
LONGEST = 1_000_000  # characters of a template
LONGEST_NAME = 200
OTHER_FIELDS = ("theme", "task")


def draft_template(
    ctx: JobContext,
    study: str,
    template: Path,
    table: Path | None,
    *,
    fields: Mapping[str, str],
    name: str = "",
    axis: str = "",
    name_set: str = "",
) -> PromptSetDraft:
    """The prompts of a template for a study. `fields`: field → column, where it cannot be told by the column's name."""
    if study not in STUDIES:
        raise UsageError(f"The prompts of {study} are made from no template.", hint=f"Studies: {', '.join(STUDIES)}.")
    if table is None:
        raise UsageError("A template needs a table to be filled from.", hint="Give it with --table FILE.")
    called = (name or template.stem).strip()
    if len(called) > LONGEST_NAME:
        raise UsageError("The name of the prompt set is too long.", hint=f"At most {LONGEST_NAME} characters.")
    found, taken = load_axis(axis) if axis else None, load_name_set(name_set) if name_set else None
    if taken is not None:
        if found is None:
            raise UsageError("A set of names is for the identities of an axis.", hint="Name it with --axis.")
        found = with_names(found, taken)
    rows = read_columns(ctx, table, study, fields)
    task = "letter" if study == "letters" else study
    return named_from(template_set(_text(template), rows, name=called, task=task, axis=found), taken)


def _text(path: Path) -> str:
    try:
        ordinary_file(path, follow=True)
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise AppError(f"The template {path} could not be read.", hint="Check its path.", details=str(error)) from error
    except UnicodeDecodeError as error:
        raise AppError(f"The template {path} is not text in UTF-8.", hint="Save it as UTF-8.") from error
    if not text.strip() or len(text) > LONGEST:
        trouble = "too long to be a template" if text.strip() else "empty"
        raise AppError(f"The template {path} is {trouble}.", hint="Write the prompt, with {column} for what varies.")
    return text.replace("\r\n", "\n").strip("\n")


def read_columns(ctx: JobContext, path: Path, study: str, fields: Mapping[str, str]) -> TemplateTable:
    """All columns of a table. Raises `AppError` for the first row that cannot be read whole."""
    read = read_all_columns(path, ctx, kept="No prompts were made.")
    columns, source = read.columns, f"“{path.name}”"
    known = [spec for spec in table_fields(study) if spec.name not in TAKEN]
    _check_fields(fields, columns, known, source)
    guessed = guess_mapping([column for column in columns if column not in fields.values()], [], known)
    mapped = {**{each: column for each, column in guessed.items() if each not in fields}, **fields}
    kept = {each: column for each, column in mapped.items() if column}
    rows = tuple(TemplateRow(record.number, record.values) for record in read.rows)
    return TemplateTable(columns, rows, kept, source)


def _check_fields(fields: Mapping[str, str], columns: tuple[str, ...], known: list[FieldSpec], source: str) -> None:
    names = [*(spec.name for spec in known), *OTHER_FIELDS]
    for each, column in fields.items():
        if each not in names:
            raise UsageError(f"There is no field “{each}”.", hint=f"Fields: {', '.join(names)}.")
        if column and column not in columns:
            there = ", ".join(columns)
            raise UsageError(f"{source} has no column “{column}”, asked for as {each}.", hint=f"Columns: {there}.")
