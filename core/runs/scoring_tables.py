"""Scoring the texts of a table, without a project."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from core.compute import shared
from core.jobs import JobContext
from core.runs.tables import read_table
from core.tables.fields import parse_map_options
from core.tables.rows import TableRead, with_line_breaks


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
        _, values = shared().call("core.scorers.registry:score_batch", name, texts, ctx=ctx)
        for row, value in zip(rows, values, strict=True):
            row[name] = value.summary if value.summary is not None or not value.values.size else value.values.tolist()
    return table, rows
