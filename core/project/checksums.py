"""A checksum in every row, over all its other columns: written at one place, and held against the row by `check`.

Triggers of the writing connection write it, whatever statement stores or changes a row. They are temporary and not in
the file, where the gate would refuse them. (decision 0038)
"""

import marshal
import sqlite3
from functools import cache
from hashlib import blake2b

CHECKSUM = "checksum"
CHECKSUM_BYTES = 8
FIRST_FORMAT = 4  # which has checksums
MARSHAL_FORMAT = 2  # the last without references: equal values always give equal bytes
FUNCTION = "biasprint_checksum"

Stored = None | int | float | bytes


def row_checksum(*values: Stored) -> bytes:
    """Return BLAKE2b (8 bytes) over the columns in their order, texts as their UTF-8 bytes, in Python's marshal format
    2.

    That is one sign and the value for each column: `N` for none, `i` or `l` for a whole number, `g` for any other, `s`
    with its length for bytes; no two rows have one form. Written out in Python it took ten times as long.
    """
    return blake2b(marshal.dumps(values, MARSHAL_FORMAT), digest_size=CHECKSUM_BYTES).digest()


def keep_checksums(connection: sqlite3.Connection) -> None:
    """Let this writing connection give every row that it stores or changes its checksum."""
    _give_function(connection)
    for statement in _triggers(covered_columns(connection)):
        connection.execute(statement)


def add_checksums(connection: sqlite3.Connection) -> None:
    """Give every row that is there its checksum, in the transaction that is open."""
    _give_function(connection)
    for table, columns in covered_columns(connection):
        connection.execute(f'UPDATE "{table}" SET {CHECKSUM} = {_call(columns)}')


def altered_rows(connection: sqlite3.Connection) -> dict[str, frozenset[int]]:
    """Return the row ids, by table, whose checksum no longer fits; only tables that have such rows.

    One call of Python a row, so that whatever reads the whole project can afford it first. Raises
    `sqlite3.DatabaseError` where a page is damaged.
    """
    _give_function(connection)
    found = {}
    for table, columns in covered_columns(connection):
        statement = f'SELECT rowid FROM main."{table}" NOT INDEXED WHERE {CHECKSUM} IS NOT {_call(columns)}'
        if rows := frozenset(number for (number,) in connection.execute(statement)):
            found[table] = rows
    return found


Columns = tuple[tuple[str, str], ...]  # name and type of each


def covered_columns(connection: sqlite3.Connection) -> tuple[tuple[str, Columns], ...]:
    """Return the tables that have checksums, each with the columns that these are over."""
    by_table: dict[str, list[tuple[str, str]]] = {}
    for table, column, kind in connection.execute(_TABLES):
        by_table.setdefault(table, []).append((column, kind))
    return tuple(
        (table, tuple(pair for pair in columns if pair[0] != CHECKSUM))
        for table, columns in by_table.items()
        if any(name == CHECKSUM for name, _ in columns)
    )


_TABLES = """
    SELECT made.name, its.name, its.type FROM main.sqlite_schema AS made, pragma_table_info(made.name, 'main') AS its
    WHERE made.type = 'table' AND made.name NOT LIKE 'sqlite%' ORDER BY made.rowid, its.cid
"""


def _give_function(connection: sqlite3.Connection) -> None:
    connection.create_function(FUNCTION, -1, row_checksum, deterministic=True)


@cache
def _triggers(tables: tuple[tuple[str, Columns], ...]) -> tuple[str, ...]:
    """Return a trigger for what comes and one for what changes, for each table.

    That for changes names the columns: its own change of the checksum is none.
    """
    made = []
    for table, columns in tables:
        names = ", ".join(f'"{name}"' for name, _ in columns)
        write = (
            f'ON "{table}" BEGIN UPDATE "{table}" SET {CHECKSUM} = {_call(columns, "NEW.")} '
            "WHERE rowid = NEW.rowid; END"
        )
        made.append(f"CREATE TEMP TRIGGER IF NOT EXISTS {table}_stored AFTER INSERT {write}")
        made.append(f"CREATE TEMP TRIGGER IF NOT EXISTS {table}_changed AFTER UPDATE OF {names} {write}")
    return tuple(made)


def _call(columns: Columns, of: str = "") -> str:
    values = ", ".join(_FORMS[kind].format(f'{of}"{name}"') for name, kind in columns)
    return f"{FUNCTION}({values})"


_FORMS = {
    "INTEGER": "{}",
    "BLOB": "{}",
    "REAL": "{} + 0.0",  # a negative zero is stored as zero
    "TEXT": "CAST({} AS BLOB)",  # one that is no UTF-8 any more can be upgraded too
}
