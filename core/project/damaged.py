"""The full check of a project: SQLite's own, then each row that cannot be read or differs from what was stored.

Rows are read from the file's bytes and not through the store, which takes for granted that a text is UTF-8 and JSON
is JSON.
"""

import json
import math
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from biasprint.core.findings import Finding
from biasprint.core.jobs import JobContext
from biasprint.core.project import gate
from biasprint.core.project.checksums import CHECKSUM, Stored, row_checksum
from biasprint.core.project.connection import connect
from biasprint.core.project.copies import must_be_copied, recovered_copy
from biasprint.core.project.reader import ROWS_AT_ONCE
from biasprint.core.project.stores.judging import judgment_sha256
from biasprint.core.text import restore_text, sha256_text

OBJECTS = {
    "settings", "definition", "recipe", "fields", "parameters", "usage", "detail", "background", "value", "manifest",
    "result", "body",
}  # fmt: skip
LISTS = {"shape", "items", "shown"}  # the other columns that hold JSON
DEEPEST = 100  # levels of JSON; ours has eight. SQLite gives up at 1,000, Python somewhere else in each version
FLOAT_BYTES = 4
TYPES: dict[str, type] = {"INTEGER": int, "REAL": float, "TEXT": bytes, "BLOB": bytes}
LOWEST, HIGHEST = -(2**63), 2**63 - 1


@dataclass(frozen=True)
class Problem:
    """A row that cannot be read or was altered. `key` names the row; empty where it is the whole table or file."""

    table: str
    key: str
    what: str


class StoredColumn(NamedTuple):
    name: str
    kind: str
    required: bool


@dataclass(frozen=True)
class TableRows:
    """The rows of a table as the file has them. `key`: the column that names a row to people."""

    name: str
    key: str
    columns: tuple[StoredColumn, ...]

    def each(self, connection: sqlite3.Connection, after: int = LOWEST) -> Iterator[tuple[int, dict[str, Stored]]]:
        """Yield row id and values of each row, texts as bytes; `sqlite3.DatabaseError` where a page is damaged."""
        return self._walk(connection, after, "> ? ORDER BY rowid")

    def each_backwards(self, connection: sqlite3.Connection, before: int) -> Iterator[tuple[int, dict[str, Stored]]]:
        """Yield rows as `each`, from the last row back to the one after `before`."""
        for number, row in self._walk(connection, HIGHEST, "< ? ORDER BY rowid DESC"):
            if number <= before:
                return
            yield number, row

    def one(self, connection: sqlite3.Connection, number: int) -> dict[str, Stored] | None:
        """Return the row of that id."""
        for _, row in self._page(connection, number, "= ?"):
            return row
        return None

    def _walk(self, connection: sqlite3.Connection, start: int, way: str) -> Iterator[tuple[int, dict[str, Stored]]]:
        while True:
            number, rows = start, 0
            # Row by row as SQLite gives them, so that those before a damaged page are not lost with it.
            for number, row in self._page(connection, start, way):
                rows += 1
                yield number, row
            if rows < ROWS_AT_ONCE:
                return
            start = number

    def _page(self, connection: sqlite3.Connection, start: int, way: str) -> Iterator[tuple[int, dict[str, Stored]]]:
        names = [column.name for column in self.columns]
        # By the table itself: an index that does not fit it would hide rows.
        statement = f'SELECT rowid, {_listed(names)} FROM main."{self.name}" NOT INDEXED WHERE rowid {way}'
        for number, *values in connection.execute(f"{statement} LIMIT {ROWS_AT_ONCE}", (start,)):
            yield number, dict(zip(names, values, strict=True))

    def named(self, number: int, row: dict[str, Stored]) -> str:
        """Return the row's name: its own key, or its number in the file where that cannot be read."""
        key = row.get(self.key, number)
        return key.decode("utf-8", "replace") if isinstance(key, bytes) else str(key)


def tables_of(connection: sqlite3.Connection) -> tuple[TableRows, ...]:
    """Return the tables of a project in the order in which they refer to one another."""
    by_table: dict[str, list[StoredColumn]] = {}
    statement = """
        SELECT made.name, its.name, its.type, its."notnull" FROM main.sqlite_schema AS made,
            pragma_table_info(made.name, 'main') AS its
        WHERE made.type = 'table' AND made.name NOT LIKE 'sqlite%' ORDER BY made.rowid, its.cid
    """
    for table, name, kind, required in connection.execute(statement):
        by_table.setdefault(table, []).append(StoredColumn(name, kind, bool(required)))
    return tuple(
        TableRows(name, "id" if any(column.name == "id" for column in columns) else "comparison_id", tuple(columns))
        for name, columns in by_table.items()
    )


def unreadable(table: TableRows, row: dict[str, Stored]) -> str | None:
    """Return why the store could not read a row; None where it can."""
    for column in table.columns:
        value = row[column.name]
        if value is None:
            if column.required:
                return f"lacks its “{column.name}”"
            continue
        if not isinstance(value, TYPES[column.kind]):
            return f"holds something else than it should in “{column.name}”"
        if isinstance(value, float) and not math.isfinite(value):
            return f"holds no finite number in “{column.name}”"
        if column.kind == "TEXT":
            assert isinstance(value, bytes)
            try:
                text = value.decode()
            except UnicodeDecodeError:
                return f"holds a text in “{column.name}” that is no UTF-8 any more"
            kind = dict if column.name in OBJECTS else list if column.name in LISTS else None
            if kind is not None and (why := _wrong_json(text, kind)) is not None:
                return f"holds JSON in “{column.name}” that {why}"
    if table.name == "finding":
        try:
            Finding.from_json(json.loads(_text(row, "body")))
        except ValueError:
            return "holds no finding that can be shown"
    return _wrong_values(row)


def altered(table: TableRows, row: dict[str, Stored]) -> str | None:
    """Return how a readable row differs from what was stored, as far as its hashes show."""
    if "text_sha256" in row and sha256_text(restore_text(_text(row, "text"), int(row["escaped"] or 0))) != _text(
        row, "text_sha256"
    ):
        return "is not the text that was stored"
    if "row_sha256" in row:
        values = as_text(row)
        if judgment_sha256(values) != values["row_sha256"]:
            return "is not the judgment that was recorded"
    if CHECKSUM in row:
        covered = (row[column.name] for column in table.columns if column.name != CHECKSUM)
        if row_checksum(*covered) != row[CHECKSUM]:
            return "is not what was stored: its checksum does not fit"
    return None


def wrong_rows(
    connection: sqlite3.Connection, table: TableRows, each: Callable[[], None] = lambda: None
) -> Iterator[tuple[int, str, str]]:
    """Yield row id, key and reason of each row of a table that cannot be read or is not what was stored.

    `connection` gives texts as bytes. `each` is called for every row.
    """
    for number, row in table.each(connection):
        each()
        why = unreadable(table, row) or altered(table, row)
        if why is not None:
            yield number, table.named(number, row), why


def as_text(row: Mapping[str, Stored]) -> dict[str, Any]:
    """Return a readable row without its checksum, texts as texts. It holds no other bytes."""
    return {name: value.decode() if isinstance(value, bytes) else value for name, value in row.items()
            if name != CHECKSUM}  # fmt: skip


def _text(row: dict[str, Stored], name: str) -> str:
    value = row[name]
    assert isinstance(value, bytes)
    return value.decode()


def _wrong_json(text: str, kind: type) -> str | None:
    if text == "{}" and kind is dict:
        return None
    if text.count("[") + text.count("{") > DEEPEST and _depth(text) > DEEPEST:
        return "is nested too deep"
    try:
        value: Any = json.loads(text, parse_constant=_no_number)
    except RecursionError:
        return "is nested too deep"
    except ValueError as error:
        return "holds too long a number" if "digits" in str(error) else "cannot be read"
    return None if isinstance(value, kind) else "is of another kind"


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no number")


def _depth(text: str) -> int:
    deepest = depth = 0
    quoted = escaped = False
    for sign in text:
        if quoted:
            escaped, quoted = sign == "\\" and not escaped, sign != '"' or escaped
        elif sign == '"':
            quoted = True
        elif sign in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif sign in "]}":
            depth -= 1
    return deepest


def _wrong_values(row: dict[str, Stored]) -> str | None:
    """Return whether scores have another length than their shape says."""
    for name in ("values", "vector"):
        value = row.get(name)
        if not isinstance(value, bytes):
            continue
        wanted = len(value) // FLOAT_BYTES
        if "shape" in row:
            sizes = json.loads(_text(row, "shape"))
            if not all(isinstance(size, int) and 0 <= size <= len(value) for size in sizes):
                return "holds scores of no shape"
            wanted = 1
            for size in sizes:
                wanted *= size
        if wanted * FLOAT_BYTES != len(value):
            return "holds fewer or more scores than it says"
    return None


def _listed(names: list[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


MOST_STRUCTURAL = 100  # problems that SQLite is asked for
BETWEEN_LOOKS = 5  # rows: few, so that a window never waits for them
BETWEEN_STEPS = 10_000  # of SQLite's, until it is asked whether it was cancelled


@dataclass(frozen=True)
class CheckReport:
    """The rows that were checked, by table, and the problems found."""

    rows: dict[str, int]
    problems: tuple[Problem, ...]

    @property
    def sound(self) -> bool:
        return not self.problems


def check_project(path: Path, ctx: JobContext | None = None) -> CheckReport:
    """Check a project without changing it. A file that cannot be opened at all raises the `AppError` of opening it."""
    ctx = ctx or JobContext()
    version = gate.read_header(path)
    if must_be_copied(path):
        copy = recovered_copy(path)
        try:
            return check_project(copy, ctx)
        finally:
            shutil.rmtree(copy.parent, ignore_errors=True)
    rows: dict[str, int] = {}
    problems: list[Problem] = []
    with closing(connect(path, writable=False)) as connection:
        try:
            gate.check_schema(connection, path, version)
            problems += _structure(connection, ctx)
            tables = tables_of(connection)
        except sqlite3.DatabaseError as error:
            ctx.check()  # cancelled: SQLite calls that an error
            return CheckReport({}, (*problems, Problem("file", path.name, f"is damaged: {error}")))
        connection.text_factory = bytes
        for table in tables:
            problems += _rows(connection, table, rows, ctx)
    return CheckReport(rows, tuple(problems))


def _structure(connection: sqlite3.Connection, ctx: JobContext) -> Iterator[Problem]:
    connection.set_progress_handler(lambda: ctx.cancelled, BETWEEN_STEPS)
    for row in connection.execute(f"PRAGMA integrity_check({MOST_STRUCTURAL})"):
        if row[0] != "ok":
            yield Problem("file", "", str(row[0]))
    for row in connection.execute("PRAGMA foreign_key_check"):
        yield Problem(str(row[0]), str(row[1]), f"refers to a missing row of {row[2]}")


def _rows(connection: sqlite3.Connection, table: TableRows, rows: dict[str, int], ctx: JobContext) -> Iterator[Problem]:
    rows[table.name] = 0

    def count() -> None:
        rows[table.name] += 1
        if rows[table.name] % BETWEEN_LOOKS == 0:
            ctx.check()
        if rows[table.name] % ROWS_AT_ONCE == 0 or rows[table.name] == total:
            ctx.report(rows[table.name], total, note=table.name)

    try:
        total = int(connection.execute(f'SELECT count(*) FROM "{table.name}"').fetchone()[0])
        for _, key, what in wrong_rows(connection, table, count):
            yield Problem(table.name, key, what)
    except sqlite3.DatabaseError as error:
        ctx.check()
        yield Problem(table.name, "", f"cannot be read to its end: {error}")
