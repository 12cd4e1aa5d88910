"""Reading a table of texts as the fields of a study."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from core.jobs import JobContext
from core.report.export_cells import without_guard
from core.runs.exporting import is_own_export
from core.tables.formats import read_format
from core.tables.read import Duplicates, read_records
from core.tables.rows import TableRead
from core.tables.study_fields import fields_of

SEPARATED = (".csv", ".tsv")


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


def _unguarded(table: TableRead) -> TableRead:
    rows = (
        replace(record, values={name: without_guard(value) for name, value in record.values.items()})
        for record in table.rows
    )
    return replace(table, rows=tuple(rows))
