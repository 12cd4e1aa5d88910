"""Tables of texts without a project: read as the fields of a study, and scored."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from biasprint.core.compute import shared
from biasprint.core.errors import UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.scorers.functions import function_of
from biasprint.core.scorers.registry import score_batch
from biasprint.core.tables.fields import FieldSpec, fields_of, parse_map_options
from biasprint.core.tables.formats import read_format
from biasprint.core.tables.read import NO_TEXT, Duplicates, read_records
from biasprint.core.tables.rows import ANYWHERE, HeaderPlace, TableRead, with_line_breaks
from biasprint.core.text import without_guard
from biasprint.core.texts.exporting import OUTPUT, OUTPUT_END, is_own_export
from biasprint.core.texts.replies import FAILED, REPLY_KIND, reason_of

SEPARATED = (".csv", ".tsv")
COMPARE = "compare"
TEXT = "text"
GIVEN = (TEXT, "score", "outcome")  # what of a row of compare can be measured
# Columns of an export that replies to a design are read with.
KEY, STATUS, WRITTEN_BY = "key", "status", "written_by"


def read_table(
    ctx: JobContext,
    path: Path,
    kind: str,
    *,
    fields: Sequence[FieldSpec] | None = None,
    layout: str | None = None,
    mapping: Mapping[str, str] | None = None,
    encoding: str | None = None,
    place: HeaderPlace = ANYWHERE,
    duplicates: Duplicates = "report",
) -> TableRead:
    """A table of a study's fields, in a known outside layout (`mapping` then adds to it) or with a column mapping.

    `fields`: of a third party's kind of table; those of the program's own kind where None.

    In a csv that this program exported, texts that look like formulas begin with an apostrophe, which is removed.
    """
    if layout:
        if place != ANYWHERE:
            raise UsageError("A known layout has its header where it is.", hint="Leave out sheet and header row.")
        return read_format(path, layout, encoding=encoding, extra=mapping, duplicates=duplicates, ctx=ctx)
    own = fields_of(kind) if fields is None else fields
    wanted = partial(design_fields, own) if kind == COMPARE else own
    table = read_records(path, wanted, mapping, encoding, place=place, duplicates=duplicates, ctx=ctx)
    if STATUS in table.mapping:
        table = _written(table)
    if kind == COMPARE and TEXT in table.mapping:
        table = _with_something(table)
    return _unguarded(table) if path.suffix.lower() in SEPARATED and is_own_export(table.columns) else table


def design_fields(fields: Sequence[FieldSpec], columns: Sequence[str]) -> list[FieldSpec]:
    """The fields of `compare`; of replies to designs each column by its own name too, for a design reads its own."""
    if not {"design", "reads"} <= set(columns):
        return list(fields)
    known = {*(field.name for field in fields), *OUTPUT, *OUTPUT_END} - {KEY, STATUS, REPLY_KIND, WRITTEN_BY}
    own = [FieldSpec(column) for column in dict.fromkeys(columns) if column and column not in known]
    return [*(replace(field, required=False) for field in fields), *own]


def _written(table: TableRead) -> TableRead:
    """Leave out the rows of refusals and failures, which have no text."""
    rows = tuple(record for record in table.rows if record.values[STATUS] in ("", "done"))
    failed = tuple(record for record in table.rows if record.values[STATUS] not in ("", "done"))
    reasons = Counter(reason_of(record.values.get(REPLY_KIND, "") or FAILED) for record in failed)
    dropped = {**table.dropped, **reasons}
    return replace(table, rows=rows, dropped=dropped, unanswered=(*table.unanswered, *failed))


def _with_something(table: TableRead) -> TableRead:
    """Leave out the rows that have neither a text nor a number or outcome of their own: they have no score."""
    silent = {record.number for record in table.rows if not any(record.values.get(name, "").strip() for name in GIVEN)}
    if not silent or len(silent) == len(table.rows):
        return table
    rows = tuple(record for record in table.rows if record.number not in silent)
    unanswered = tuple(record for record in table.rows if record.number in silent)
    dropped = {**table.dropped, NO_TEXT[0]: table.dropped.get(NO_TEXT[0], 0) + len(silent)}
    return replace(table, rows=rows, dropped=dropped, unanswered=(*table.unanswered, *unanswered))


def _unguarded(table: TableRead) -> TableRead:
    rows = (
        replace(record, values={name: without_guard(value) for name, value in record.values.items()})
        for record in table.rows
    )
    return replace(table, rows=tuple(rows))


def score_columns(names: Sequence[str]) -> list[str]:
    return ["row", *names]


def score_table(
    ctx: JobContext, path: Path, names: Sequence[str], mapping: Sequence[str], place: HeaderPlace = ANYWHERE
) -> tuple[TableRead, list[dict[str, Any]]]:
    """The table as it was read, and a row for each text: its number, and what each scorer says of it.

    That is the scorer's summary, or where it has none (an embedding, a lexicon) the list of its values; None where
    there is nothing to score.
    """
    table = read_table(ctx, path, "texts", mapping=parse_map_options(mapping), place=place)
    texts = [with_line_breaks(record.values["text"], table.line_break) for record in table.rows]
    rows: list[dict[str, Any]] = [{"row": record.number} for record in table.rows]
    for name in names:
        function = function_of(name)
        values = function.score(texts)[0] if function else shared().call(score_batch, name, texts, ctx=ctx)[1]
        for row, value in zip(rows, values, strict=True):
            row[name] = value.summary if value.summary is not None or not value.values.size else value.values.tolist()
    return table, rows
