"""Bringing a table of texts into a project. Each study has a module here with `store(ctx, project, study_id, …)`."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path

from core.errors import UsageError
from core.jobs import JobContext
from core.project.project import Project
from core.report.export_cells import without_guard
from core.runs.exporting import is_own_export
from core.tables.formats import read_format
from core.tables.read import Duplicates, read_records
from core.tables.rows import TableRead
from core.tables.study_fields import fields_of

SEPARATED = (".csv", ".tsv")
NAME_SHOWN = 150  # characters of a file's name that say where a text came from
IMPORTABLE = ("news", "completion", "creativity", "letters")


@dataclass(frozen=True)
class ImportResult:
    """What was read and stored; `present` rows were there already from an earlier import of the same file."""

    table: TableRead
    added: int
    present: int


def read_table(
    ctx: JobContext,
    path: Path,
    kind: str,
    *,
    layout: str | None = None,
    mapping: Mapping[str, str] | None = None,
    encoding: str | None = None,
    duplicates: Duplicates = "report",
) -> TableRead:
    """A table of a study's fields, in a known outside layout (`mapping` then adds to it) or with a column mapping.

    In a csv that this program exported, texts that look like formulas stand behind an apostrophe: it is taken off.
    """
    if layout:
        return read_format(path, layout, encoding=encoding, extra=mapping, duplicates=duplicates, ctx=ctx)
    table = read_records(path, fields_of(kind), mapping, encoding, duplicates=duplicates, ctx=ctx)
    return _unguarded(table) if path.suffix.lower() in SEPARATED and is_own_export(table.columns) else table


def check_importable(kind: str) -> None:
    """Raise `UsageError` for a study whose texts cannot be imported."""
    if kind not in IMPORTABLE:
        raise UsageError(f"“{kind}” has no import.", hint=f"Import is there for: {', '.join(IMPORTABLE)}.")


def import_table(
    ctx: JobContext, project: Project, study_id: int | None, kind: str, path: Path, table: TableRead
) -> ImportResult:
    """Store the usable rows of a table that was read from `path`.

    `study_id` None: in the project's study of this kind, which is added where there is none. A table that cannot be
    stored is refused before anything is.
    """
    check_importable(kind)
    origin = f"{path.name[:NAME_SHOWN]} {_digest(path)}"
    store = import_module(f"core.runs.importing.{kind}").store
    added = store(ctx, project, study_id, origin, table)
    return ImportResult(table, added, len(table.rows) - added)


def _unguarded(table: TableRead) -> TableRead:
    rows = (
        replace(record, values={name: without_guard(value) for name, value in record.values.items()})
        for record in table.rows
    )
    return replace(table, rows=tuple(rows))


def _digest(path: Path) -> str:
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()[:12]
