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
FUNCTION, KNOWN, FITS = "biasprint_checksum", "biasprint_known", "biasprint_fits"
WRITTEN_WHOLE = ("draft",)  # a note that is typed over a damaged one is sound
MOST_KNOWN = 1_000_000  # rows, some 100 MB

Stored = None | int | float | bytes
Columns = tuple[tuple[str, str], ...]  # name and type of each


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


def compare_when_read(connection: sqlite3.Connection, known: set[bytes]) -> None:
    """Give this reading connection the functions KNOWN, of a checksum, and FITS, see `fitting`.

    `known` holds the checksums of rows that were compared: each is compared once, until the set is cleared.
    """

    def fits(*values: Stored) -> bool:
        *row, stored = values
        if not isinstance(stored, bytes) or row_checksum(*row) != stored:
            raise ValueError("this row is not what was stored")
        if len(known) >= MOST_KNOWN:
            known.clear()
        known.add(stored)
        return True

    connection.create_function(KNOWN, 1, known.__contains__)
    connection.create_function(FITS, -1, fits)


def fitting(columns: Columns) -> str:
    """Return the SQL condition that holds for a row, `its`, that fits its checksum; for another the statement fails."""
    return f"{FITS}({_forms(columns, 'its.')}, its.{CHECKSUM})"


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

    That for changes names the columns: its own change of the checksum is none. A row that did not fit before does not
    fit afterwards either: only one of its columns was written again, and the others are no better for it.
    """
    made = []
    for table, columns in tables:
        names = ", ".join(f'"{name}"' for name, _ in columns)
        write = f'BEGIN UPDATE "{table}" SET {CHECKSUM} = {_call(columns, "NEW.")} WHERE rowid = NEW.rowid; END'
        fitted = "" if table in WRITTEN_WHOLE else f"WHEN OLD.{CHECKSUM} IS {_call(columns, 'OLD.')}"
        made.append(f'CREATE TEMP TRIGGER IF NOT EXISTS {table}_stored AFTER INSERT ON "{table}" {write}')
        made.append(
            f'CREATE TEMP TRIGGER IF NOT EXISTS {table}_changed AFTER UPDATE OF {names} ON "{table}" {fitted} {write}'
        )
    return tuple(made)


def _call(columns: Columns, of: str = "") -> str:
    return f"{FUNCTION}({_forms(columns, of)})"


def _forms(columns: Columns, of: str = "") -> str:
    return ", ".join(_FORMS[kind].format(f'{of}"{name}"') for name, kind in columns)


_FORMS = {
    "INTEGER": "{}",
    "BLOB": "{}",
    "REAL": "{} + 0.0",  # a negative zero is stored as zero
    "TEXT": "CAST({} AS BLOB)",  # one that is no UTF-8 any more can be upgraded too
}
