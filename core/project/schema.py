"""The schema: migrations from any older one to the present one, and the tables that they make.

The SQL files are the only description of what is stored. Foreign files are held against the same text, and the tables
that statements are built with are read from it (decision 0008).
"""

import sqlite3
from functools import cache
from importlib.resources import files
from typing import Any

import sqlalchemy as sa
from sqlmodel import SQLModel

from biasprint.core.project.checksums import CHECKSUM, FIRST_FORMAT, add_checksums
from biasprint.core.project.connection import APPLICATION_ID, SCHEMA_VERSION


def migration_text(version: int) -> str:
    """Return the DDL that makes schema `version` out of the one before."""
    return files("biasprint.core.project").joinpath("migrations", f"m{version:03d}.sql").read_text(encoding="utf-8")


def migrate(connection: sqlite3.Connection, *, present: int, wanted: int = SCHEMA_VERSION) -> None:
    """Bring a file of schema `present` (0: empty) up to `wanted`; a failure leaves the file as it was."""
    if present == wanted:
        return
    # One transaction for all steps: a new file is on the disk in a fifth of the time.
    connection.execute("BEGIN IMMEDIATE")
    try:
        for version in range(present + 1, wanted + 1):
            for statement in statements(migration_text(version)):
                connection.execute(statement)
        if 0 < present < FIRST_FORMAT <= wanted:
            add_checksums(connection)
        connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version={wanted}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def statements(script: str) -> list[str]:
    """Return the statements of an SQL script, comments before them left out."""
    parts: list[str] = []
    pending = ""
    for line in script.splitlines():
        if not pending and (not line.strip() or line.lstrip().startswith("--")):
            continue
        pending += line + "\n"
        if sqlite3.complete_statement(pending):
            parts.append(pending.strip())
            pending = ""
    if pending.strip():
        raise ValueError(f"the script ends inside a statement: {pending[:60]!r}")
    return parts


@cache
def expected_schema(version: int = SCHEMA_VERSION) -> list[tuple[str, str, str, str | None]]:
    """Return `sqlite_schema` of a file of that version: the one text that foreign files are held against."""
    if version == SCHEMA_VERSION:
        return _present()[0]
    with sqlite3.connect(":memory:", isolation_level=None) as connection:
        migrate(connection, present=0, wanted=version)
        return schema_of(connection)


def schema_of(connection: sqlite3.Connection) -> list[tuple[str, str, str, str | None]]:
    return connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name").fetchall()


_TYPES: dict[str, type[sa.types.TypeEngine[Any]]] = {
    "INTEGER": sa.Integer, "REAL": sa.Float, "TEXT": sa.Text, "BLOB": sa.LargeBinary,
}  # fmt: skip
_COLUMNS = """
    SELECT made.name, its.name, its.type, its.pk FROM sqlite_schema AS made, pragma_table_info(made.name) AS its
    WHERE made.type = 'table' AND made.name NOT LIKE 'sqlite%' ORDER BY made.rowid, its.cid
"""


@cache
def empty_project() -> sqlite3.Connection:
    """Return a new project in memory: to run all migrations takes ten milliseconds, to copy what they make one."""
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    migrate(connection, present=0)
    return connection


@cache
def _present() -> tuple[list[tuple[str, str, str, str | None]], list[tuple[str, str, str, int]]]:
    """Return the schema and columns of a new file."""
    return schema_of(empty_project()), empty_project().execute(_COLUMNS).fetchall()


def _read_tables() -> None:
    # Not MetaData.reflect: with references and indexes, which no statement needs, it takes ten times as long.
    columns: dict[str, list[sa.Column[Any]]] = {}
    for name, column, kind, key in _present()[1]:
        if column != CHECKSUM:  # no statement reads or writes it, see checksums.py
            columns.setdefault(name, []).append(sa.Column(column, _TYPES[kind], primary_key=bool(key)))
    for name, its in columns.items():
        sa.Table(name, SQLModel.metadata, *its)


_read_tables()


def table(name: str) -> sa.Table:
    """Return a table of the present schema, for building statements. KeyError where there is none of that name."""
    return SQLModel.metadata.tables[name]
