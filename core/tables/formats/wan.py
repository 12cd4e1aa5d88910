"""The letters that Wan et al. 2023 released, described in wan.toml: which columns they have, what the fields are."""

import tomllib
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from pathlib import Path

from biasprint.core.errors import AppError, UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.tables.fields import FieldSpec, columns_there
from biasprint.core.tables.formats import KnownFormat
from biasprint.core.tables.read import Duplicates, OpenTable, iter_records, look_at, whole_table
from biasprint.core.tables.rows import Record, RowProblem, TableRead, excerpt
from biasprint.core.text import sha256_text

REQUIRED = ("text", "group")


@dataclass(frozen=True)
class WanLayout:
    """The columns of the fields, and those that define one matched block."""

    columns: Mapping[str, tuple[str, ...]]
    block: tuple[str, ...]
    block_is: str  # "cell": its values in plain; "biography": a hash of them

    def fields(self) -> list[FieldSpec]:
        """Return every column that the layout reads, as a field of the same name."""
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
class WanLetters:
    """Its layouts, its names for the groups (lower case → identity), and its mark for a line break."""

    title: str
    line_break: str
    groups: Mapping[str, str]
    layouts: tuple[WanLayout, ...]


@cache
def letters() -> WanLetters:
    """The content of wan.toml."""
    body = tomllib.loads(resources.files(__package__).joinpath("wan.toml").read_text(encoding="utf-8"))["wan"]
    layouts = [
        WanLayout(
            {field: tuple(columns) for field, columns in raw["columns"].items()}, tuple(raw["block"]), raw["block_is"]
        )
        for raw in body["layouts"]
    ]
    groups = {word: identity for identity, words in body["groups"].items() for word in words}
    return WanLetters(body["title"], body["line_break"], groups, tuple(layouts))


def fits(columns: Collection[str]) -> bool:
    return any({spec.name for spec in layout.fields()} <= set(columns) for layout in letters().layouts)


def read(
    path: Path,
    encoding: str | None = None,
    *,
    extra: Mapping[str, str],
    duplicates: Duplicates = "report",
    ctx: JobContext | None = None,
) -> TableRead:
    """Texts are kept exactly; `line_break` of the result says what marks a line break.

    `block` is left out where no two rows share one: nothing is matched then. `extra`: field → column.
    """
    known = letters()
    table = look_at(path, encoding)
    layout = _layout_of(known, table)
    added = [FieldSpec(column) for column in extra.values()]
    for column in extra.values():
        if column not in table.columns:
            raise UsageError(f"“{path.name}” has no column “{column}”.", hint=columns_there(table.columns))
    fields = [*layout.fields(), *added]
    same = {spec.name: spec.name for spec in fields}
    rows: list[Record] = []
    problems: list[RowProblem] = []
    for record in iter_records(table, fields, same, problems.append, duplicates=duplicates, ctx=ctx):
        raw_group = record.values[layout.columns["group"][0]]
        group = known.groups.get(raw_group.strip().casefold())
        if group is None:
            problems.append(RowProblem(record.number, record.line, "unknown group", excerpt=excerpt(raw_group)))
        else:
            more = {field: record.values[column] for field, column in extra.items()}
            rows.append(replace(record, values={**layout.values(record.values, group), **more}))
    mapping = {field: " + ".join(columns) for field, columns in {**layout.columns, "block": layout.block}.items()}
    full = whole_table(table, tuple(rows), problems, {**mapping, **extra})
    return replace(full, rows=_without_lone_blocks(full.rows), line_break=known.line_break)


BRINGS = ("text", "group")
FORMAT = KnownFormat("wan", letters().title, "letters", fits, read, BRINGS)


def _layout_of(known: WanLetters, table: OpenTable) -> WanLayout:
    for layout in known.layouts:
        if {spec.name for spec in layout.fields()} <= set(table.columns):
            return layout
    needs = " or ".join(", ".join(spec.name for spec in layout.fields()) for layout in known.layouts)
    raise AppError(
        f"“{table.file.path.name}” does not have the columns of the format wan.",
        hint=f"It needs {needs}. {columns_there(table.columns)}",
    )


def _without_lone_blocks(rows: tuple[Record, ...]) -> tuple[Record, ...]:
    if max(Counter(row.values["block"] for row in rows).values()) > 1:
        return rows
    return tuple(replace(row, values={k: v for k, v in row.values.items() if k != "block"}) for row in rows)
