"""Known outside layouts, described in formats.toml: which columns they have and what the fields are made of."""

import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from core.errors import AppError, UsageError
from core.jobs import JobContext
from core.tables.fields import FieldSpec, columns_there
from core.tables.read import Duplicates, Table, iter_records, look_at, whole_table
from core.tables.rows import Record, RowProblem, TableRead, excerpt
from core.text import sha256_text

REQUIRED = ("text", "group")


@dataclass(frozen=True)
class Layout:
    """Where the fields come from, and the columns that say which rows belong to one matched block."""

    columns: Mapping[str, tuple[str, ...]]
    block: tuple[str, ...]
    block_is: str  # "cell": its values in plain; "biography": a hash of them

    def fields(self) -> list[FieldSpec]:
        """Every column that the layout reads, as a field of the same name."""
        needed = {column for field in REQUIRED for column in self.columns[field]}
        names = [column for columns in self.columns.values() for column in columns]
        return [FieldSpec(name, required=name in needed) for name in dict.fromkeys([*names, *self.block])]

    def values(self, row: Mapping[str, str], group: str) -> dict[str, str]:
        """The study's fields, made from one row of the file."""
        fields = {name: " ".join(row[column] for column in columns) for name, columns in self.columns.items()}
        keys = [row[column] for column in self.block]
        block = " / ".join(keys) if self.block_is == "cell" else sha256_text("\n".join(keys))[:16]
        return {**fields, "group": group, "block": block}


@dataclass(frozen=True)
class KnownFormat:
    """One outside format: its layouts, its names for the groups (lower case → identity), its mark for a line break."""

    name: str
    title: str
    line_break: str
    groups: Mapping[str, str]
    layouts: tuple[Layout, ...]


@cache
def known_formats() -> Mapping[str, KnownFormat]:
    """The formats by name."""
    data = tomllib.loads(resources.files("core.tables").joinpath("formats.toml").read_text(encoding="utf-8"))
    return {name: _build(name, body) for name, body in data.items()}


def _build(name: str, body: Mapping[str, Any]) -> KnownFormat:
    layouts = [
        Layout(
            {field: tuple(columns) for field, columns in raw["columns"].items()}, tuple(raw["block"]), raw["block_is"]
        )
        for raw in body["layouts"]
    ]
    groups = {word: identity for identity, words in body["groups"].items() for word in words}
    return KnownFormat(name, body["title"], body["line_break"], groups, tuple(layouts))


def known_format(name: str) -> KnownFormat:
    """The format called `name`. Raises `UsageError` that says which there are."""
    found = known_formats().get(name)
    if found is None:
        raise UsageError(f"There is no format “{name}”.", hint=f"Formats: {', '.join(known_formats())}.")
    return found


def read_format(
    path: Path | str,
    name: str,
    encoding: str | None = None,
    *,
    duplicates: Duplicates = "report",
    ctx: JobContext | None = None,
) -> TableRead:
    """Read a file of a known format. Texts are kept exactly; `line_break` of the result says what marks a line break.

    `block` is left out where no two rows share one: nothing is matched then. Raises `UsageError` for an unknown
    format, `AppError` where the file has none of its layouts or no usable row.
    """
    known = known_format(name)
    table = look_at(path, encoding)
    layout = _layout_of(known, table)
    same = {spec.name: spec.name for spec in layout.fields()}
    rows: list[Record] = []
    problems: list[RowProblem] = []
    for record in iter_records(table, layout.fields(), same, problems.append, duplicates=duplicates, ctx=ctx):
        raw_group = record.values[layout.columns["group"][0]]
        group = known.groups.get(raw_group.strip().casefold())
        if group is None:
            problems.append(RowProblem(record.number, record.line, "unknown group", excerpt=excerpt(raw_group)))
        else:
            rows.append(replace(record, values=layout.values(record.values, group)))
    mapping = {field: " + ".join(columns) for field, columns in {**layout.columns, "block": layout.block}.items()}
    read = whole_table(table, tuple(rows), problems, mapping)
    return replace(read, rows=_without_lone_blocks(read.rows), line_break=known.line_break)


def _layout_of(known: KnownFormat, table: Table) -> Layout:
    for layout in known.layouts:
        if {spec.name for spec in layout.fields()} <= set(table.columns):
            return layout
    needs = " or ".join(", ".join(spec.name for spec in layout.fields()) for layout in known.layouts)
    raise AppError(
        f"“{table.file.path.name}” does not have the columns of the format {known.name}.",
        hint=f"It needs {needs}. {columns_there(table.columns)}",
    )


def _without_lone_blocks(rows: tuple[Record, ...]) -> tuple[Record, ...]:
    if max(Counter(row.values["block"] for row in rows).values()) > 1:
        return rows
    return tuple(replace(row, values={k: v for k, v in row.values.items() if k != "block"}) for row in rows)
