"""From any older schema to the present one: ordered SQL files, each in one explicit transaction, after a backup."""

import sqlite3
from importlib.resources import files

from core.project.connection import APPLICATION_ID, SCHEMA_VERSION


def migration_text(version: int) -> str:
    """The DDL that makes schema `version` out of the one before."""
    return files("core.project").joinpath("migrations", f"m{version:03d}.sql").read_text(encoding="utf-8")


def migrate(connection: sqlite3.Connection, *, present: int, wanted: int = SCHEMA_VERSION) -> None:
    """Bring a file of schema `present` (0: empty) up to `wanted`; a failure leaves the file as it was."""
    for version in range(present + 1, wanted + 1):
        connection.execute("BEGIN IMMEDIATE")
        try:
            for statement in statements(migration_text(version)):
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version={version}")
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise


def statements(script: str) -> list[str]:
    """The statements of an SQL script, comments before them left out."""
    found: list[str] = []
    pending = ""
    for line in script.splitlines():
        if not pending and (not line.strip() or line.lstrip().startswith("--")):
            continue
        pending += line + "\n"
        if sqlite3.complete_statement(pending):
            found.append(pending.strip())
            pending = ""
    if pending.strip():
        raise ValueError(f"the script ends inside a statement: {pending[:60]!r}")
    return found


def expected_schema(version: int = SCHEMA_VERSION) -> list[tuple[str, str, str, str | None]]:
    """`sqlite_schema` of a file of that version: the one text that foreign files are held against."""
    with sqlite3.connect(":memory:", isolation_level=None) as connection:
        migrate(connection, present=0, wanted=version)
        return schema_of(connection)


def schema_of(connection: sqlite3.Connection) -> list[tuple[str, str, str, str | None]]:
    return connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name").fetchall()
