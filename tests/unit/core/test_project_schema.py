"""One text decides what a project file looks like: the SQL of the migrations. The mapping must say the same."""

import sqlite3
from contextlib import closing

from sqlmodel import SQLModel

from core.project import schema  # noqa: F401 - fills the metadata
from core.project.schema import migrate, migration_text, statements

AFFINITY = {"REAL": "REAL", "INTEGER": "INTEGER", "VARCHAR": "TEXT", "FLOAT": "REAL", "BLOB": "BLOB", "TEXT": "TEXT"}
NAMED_IN_DESIGN = {
    "study", "axis_definition", "prompt_set", "prompt", "source", "generator", "run", "output", "score", "embedding",
    "plan", "comparison", "rater", "session", "judgment", "draft", "annotation", "packet", "reading", "finding",
    "event",
}  # fmt: skip


def shape(connection: sqlite3.Connection) -> dict[str, object]:
    """Columns (type, not null, part of the key), references and indexes of every table; names are free."""
    found: dict[str, object] = {}
    names = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
    for (table,) in names.fetchall():
        columns = {
            # A NOT NULL that SQLite implies for its row id is written by one side only.
            row[1]: (AFFINITY[row[2]], bool(row[3]) or bool(row[5]), bool(row[5]))
            for row in connection.execute(f'PRAGMA table_info("{table}")')
        }
        references = {(row[3], row[2], row[4]) for row in connection.execute(f'PRAGMA foreign_key_list("{table}")')}
        indexes = set()
        for row in connection.execute(f'PRAGMA index_list("{table}")').fetchall():
            if row[3] == "pk":
                continue
            indexed = tuple(column[2] for column in connection.execute(f'PRAGMA index_info("{row[1]}")'))
            indexes.add((bool(row[2]), indexed))
        found[table] = (columns, references, indexes)
    return found


def test_mapping_and_sql_describe_the_same_tables() -> None:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as written:
        migrate(written, present=0)
        from_sql = shape(written)
    with closing(sqlite3.connect(":memory:")) as mapped:
        from sqlalchemy import create_engine
        from sqlalchemy.pool import StaticPool

        SQLModel.metadata.create_all(create_engine("sqlite://", creator=lambda: mapped, poolclass=StaticPool))
        from_models = shape(mapped)
    assert set(from_sql) == NAMED_IN_DESIGN
    assert from_sql == from_models


def test_every_table_is_strict() -> None:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        migrate(connection, present=0)
        strict = {row[1]: row[5] for row in connection.execute("PRAGMA table_list") if not row[1].startswith("sqlite")}
    assert set(strict) == NAMED_IN_DESIGN
    assert all(strict.values())


def test_a_script_is_split_where_its_statements_end() -> None:
    script = "-- a comment; with a semicolon\nCREATE TABLE a (\n    b TEXT DEFAULT ';'\n);\nCREATE INDEX c ON a (b);\n"
    assert statements(script) == ["CREATE TABLE a (\n    b TEXT DEFAULT ';'\n);", "CREATE INDEX c ON a (b);"]
    indexes = migration_text(1).count("CREATE INDEX")
    assert len(statements(migration_text(1))) == len(NAMED_IN_DESIGN) + indexes
