"""Tables of texts without a project: read as the fields of a study, and scored."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from core.compute import calls, shared
from core.jobs import JobContext
from core.report.export import without_guard
from core.runs.exporting import is_own_export
from core.studies.registry import table_fields
from core.tables.fields import parse_map_options
from core.tables.formats import read_format
from core.tables.read import Duplicates, read_records
from core.tables.rows import TableRead, with_line_breaks

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
    table = read_records(path, table_fields(kind), mapping, encoding, duplicates=duplicates, ctx=ctx)
    return _unguarded(table) if path.suffix.lower() in SEPARATED and is_own_export(table.columns) else table


def _unguarded(table: TableRead) -> TableRead:
    rows = (
        replace(record, values={name: without_guard(value) for name, value in record.values.items()})
        for record in table.rows
    )
    return replace(table, rows=tuple(rows))


def score_columns(names: Sequence[str]) -> list[str]:
    return ["row", *names]


def score_table(
    ctx: JobContext, path: Path, names: Sequence[str], mapping: Sequence[str]
) -> tuple[TableRead, list[dict[str, Any]]]:
    """The table as it was read, and a row for each text: its number, and what each scorer says of it.

    That is the scorer's summary, or where it has none (an embedding, a lexicon) the list of its values; None where
    there is nothing to score.
    """
    table = read_table(ctx, path, "texts", mapping=parse_map_options(mapping))
    texts = [with_line_breaks(record.values["text"], table.line_break) for record in table.rows]
    rows: list[dict[str, Any]] = [{"row": record.number} for record in table.rows]
    for name in names:
        _, values = shared().call(calls.score_batch, name, texts, ctx=ctx)
        for row, value in zip(rows, values, strict=True):
            row[name] = value.summary if value.summary is not None or not value.values.size else value.values.tolist()
    return table, rows
