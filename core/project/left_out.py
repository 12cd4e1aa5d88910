"""Rows that cannot be read, or are not what was stored, are omitted from every read, with what depends on them.

Views of the reading connections take the places of the tables. They are temporary, so that nothing is changed in the
file. Each compares a row with its checksum as it is read, and so does it with the rows that this one belongs to: a
statement that meets one which does not fit fails, and is repeated with views that omit it. (decision 0038)
"""

import json
import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from biasprint.core.project.checksums import CHECKSUM, KNOWN, Stored, compare_when_read, covered_columns, fitting
from biasprint.core.project.connection import connect
from biasprint.core.project.damaged import Problem, TableRows, altered, tables_of, unreadable
from biasprint.core.project.schema import migrate

AT_ONCE = 500
MOST_NAMED = 3  # of the rows that are left out, in a sentence
CARDS, TEXTS = "comparison", ("output", "source")  # the table whose rows name texts inside JSON, and their tables


@dataclass(frozen=True)
class DamagedRows:
    """Row ids by table, and why, row by row."""

    rows: Mapping[str, Collection[int]] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()

    def __bool__(self) -> bool:
        return any(self.rows.values())


def named_rows(problems: Sequence[Problem]) -> str:
    """Return the names of the first rows, as “output 17, output 18, judgment 3f0c and 2 more”."""
    named = ", ".join(f"{problem.table} {problem.key}" for problem in problems[:MOST_NAMED])
    return f"{named} and {len(problems) - MOST_NAMED:,} more" if len(problems) > MOST_NAMED else named


def in_words(name: str, problems: Sequence[Problem]) -> str:
    """Return a sentence about the rows of a project that are left out."""
    rows = "1 row" if len(problems) == 1 else f"{len(problems):,} rows"
    verb = "is" if len(problems) == 1 else "are"
    return f"{rows} of “{name}” {verb} damaged and left out: {named_rows(problems)}."


def find_left_out(path: Path) -> DamagedRows:
    """Look at every row of a project. Raises `sqlite3.DatabaseError` where a page is damaged."""
    with closing(connect(path, writable=False)) as connection:
        tables = tables_of(connection)
        parents = {table.name: parents_of(connection, table.name) for table in tables}
        connection.text_factory = bytes
        losses = Losses()
        for table in tables:
            for number, row in table.each(connection):
                if (why := unreadable(table, row) or altered(table, row)) is not None:
                    losses.add(table, number, row, why)
        if losses:
            add_dependants(connection, tables, parents, losses)
    return DamagedRows({name: frozenset(keys) for name, keys in losses.rows.items()}, tuple(losses.problems))


class Losses:
    """The rows that are lost so far, by row id, and the keys by which others refer to them."""

    def __init__(self) -> None:
        self.rows: dict[str, set[int]] = {}
        self.keys: dict[str, set[object]] = {}
        self.problems: list[Problem] = []

    def __bool__(self) -> bool:
        return bool(self.problems)

    def add(self, table: TableRows, number: int, row: Mapping[str, Stored], why: str) -> bool:
        """Return whether it is lost only now."""
        if number in self.rows.setdefault(table.name, set()):
            return False
        self.rows[table.name].add(number)
        self.keys.setdefault(table.name, set()).add(row.get(table.key))
        self.problems.append(Problem(table.name, table.named(number, dict(row)), why))
        return True


def add_dependants(
    connection: sqlite3.Connection,
    tables: Collection[TableRows],
    parents: Mapping[str, Collection[tuple[str, str]]],
    losses: Losses,
) -> None:
    """Add the rows that refer to lost ones, and those that a lost one took the place of: neither may count now.

    `tables` come after those that they refer to. Raises `sqlite3.DatabaseError` as reading does.
    """
    for table in tables:
        for column, parent in parents[table.name]:
            for number, row in _rows_with(connection, table, column, losses.keys.get(parent, ())):
                losses.add(table, number, row, f"belongs to a row of {parent} that is lost")
        if table.name == CARDS:
            for number, row in table.each(connection):
                if _shows(row, losses):
                    losses.add(table, number, row, "shows a text that is lost")
        if any(column.name == "supersedes" for column in table.columns):
            _add_superseded(connection, table, losses)


def _add_superseded(connection: sqlite3.Connection, table: TableRows, losses: Losses) -> None:
    """Add the rows that a lost row replaced: their author withdrew them, so they must not come back in its place."""
    latest = set(losses.keys.get(table.name, ()))
    while latest:
        before = {row["supersedes"] for _, row in _rows_with(connection, table, table.key, latest)} - {None}
        rows = list(_rows_with(connection, table, table.key, before))
        latest = {
            row[table.key]
            for number, row in rows
            if losses.add(table, number, row, f"was replaced by a row of {table.name} that is lost")
        }


def _shows(row: Mapping[str, Stored], losses: Losses) -> bool:
    lost = {"output": losses.keys.get("output", ()), "source": losses.keys.get("source", ())}
    if not any(lost.values()):
        return False
    with suppress(ValueError, RecursionError, TypeError, AttributeError):
        items = json.loads(row["items"])  # type: ignore[arg-type]
        return any(item.get(kind) in keys for item in items for kind, keys in lost.items())
    return True


def _rows_with(
    connection: sqlite3.Connection, table: TableRows, column: str, keys: Collection[object]
) -> Iterator[tuple[int, dict[str, Stored]]]:
    names = [each.name for each in table.columns]
    listed = ", ".join(f'"{name}"' for name in names)
    wanted = [key.decode("utf-8", "replace") if isinstance(key, bytes) else key for key in keys if key is not None]
    for start in range(0, len(wanted), AT_ONCE):
        some = wanted[start : start + AT_ONCE]
        places = ", ".join("?" for _ in some)
        statement = f'SELECT rowid, {listed} FROM main."{table.name}" WHERE "{column}" IN ({places})'
        for number, *values in connection.execute(statement, some).fetchall():
            yield number, dict(zip(names, values, strict=True))


def parents_of(connection: sqlite3.Connection, table: str) -> tuple[tuple[str, str], ...]:
    """Return the columns of a table that refer to rows of others, each with the other table."""
    rows = connection.execute('SELECT "from", "table" FROM pragma_foreign_key_list(?, ?)', (table, "main")).fetchall()
    return tuple((column, parent) for column, parent in rows if parent != table)


def compare_and_leave_out(
    connection: sqlite3.Connection, known: set[bytes], left_out: DamagedRows = DamagedRows()
) -> None:
    """Put views in the places of the tables, for this connection: without these rows, and comparing every other.

    `known`: see `compare_when_read`.
    """
    connection.execute("PRAGMA query_only=OFF")
    compare_when_read(connection, known)
    if left_out:
        connection.execute("CREATE TEMP TABLE left_out (of_table TEXT, number INTEGER, PRIMARY KEY (of_table, number))")
        rows = [(table, number) for table, numbers in left_out.rows.items() for number in numbers]
        connection.executemany("INSERT INTO temp.left_out VALUES (?, ?)", rows)
    for table, condition in _conditions():
        # A CASE, as SQLite takes the parts of an AND in any order, and the rows left out must not be compared.
        lost = f"WHEN rowid IN (SELECT number FROM temp.left_out WHERE of_table = '{table}') THEN 0"
        cases = f"{lost if left_out.rows.get(table) else ''} WHEN {KNOWN}({CHECKSUM}) THEN 1 ELSE {condition}"
        view = f'SELECT * FROM main."{table}" WHERE CASE {cases} END'
        connection.execute(f'CREATE TEMP VIEW "{table}" AS {view}')
    connection.execute("PRAGMA query_only=ON")


@cache
def _conditions() -> tuple[tuple[str, str], ...]:
    """Return the tables of a project, each with the condition that its rows fit and those fit that they belong to.

    It reads the row once more: where a statement asks for `kind = ?`, SQLite puts the value that is asked for in the
    place of `kind` everywhere, before it knows that the row has it.
    """
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        migrate(connection, present=0)
        return tuple(
            (
                table,
                f"(SELECT {' AND '.join((fitting(columns), *_belonging(connection, table)))} "
                f'FROM main."{table}" AS its WHERE its.rowid = "{table}".rowid)',
            )
            for table, columns in covered_columns(connection)
        )


def _belonging(connection: sqlite3.Connection, table: str) -> Iterator[str]:
    """Yield conditions that always hold, unless a row does not fit that one of this table belongs to."""
    for column, parent in parents_of(connection, table):
        yield f'coalesce((SELECT 1 FROM temp."{parent}" AS of_it WHERE of_it.id = its."{column}"), 1)'
    if table == CARDS:
        for kind in TEXTS:
            text = f"(SELECT 1 FROM temp.\"{kind}\" AS shown WHERE shown.id = json_extract(card.value, '$.{kind}'))"
            yield f'(SELECT count({text}) FROM json_each(its."items") AS card) >= 0'
