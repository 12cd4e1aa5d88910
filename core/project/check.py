"""The full check of a project: SQLite's own, then every hash that was stored with a text or a judgment."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.jobs import JobContext
from core.project import gate
from core.project.backup import interrupted, recovered_copy
from core.project.connection import connect
from core.project.reader import ROWS_AT_ONCE
from core.project.stores.judging import judgment_sha256
from core.text import restore_text, sha256_text

WITH_TEXT = ("prompt", "source", "output")


@dataclass(frozen=True)
class Problem:
    table: str
    key: str
    what: str


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
    if interrupted(path):
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
            connection.row_factory = sqlite3.Row
            problems += _structure(connection)
            for table in (*WITH_TEXT, "judgment"):
                problems += _hashes(connection, table, rows, ctx)
        except sqlite3.DatabaseError as error:
            problems.append(Problem("file", path.name, f"is damaged: {error}"))
    return CheckReport(rows, tuple(problems))


def _structure(connection: sqlite3.Connection) -> Iterator[Problem]:
    for row in connection.execute("PRAGMA integrity_check(100)"):
        if row[0] != "ok":
            yield Problem("file", "", str(row[0]))
    for row in connection.execute("PRAGMA foreign_key_check"):
        yield Problem(str(row[0]), str(row[1]), f"refers to a missing row of {row[2]}")


def _hashes(connection: sqlite3.Connection, table: str, rows: dict[str, int], ctx: JobContext) -> Iterator[Problem]:
    key = "sequence" if table == "judgment" else "id"
    total = int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])
    after, rows[table] = -1, 0
    while True:
        ctx.check()
        page = connection.execute(
            f"SELECT * FROM {table} WHERE {key} > ? ORDER BY {key} LIMIT {ROWS_AT_ONCE}", (after,)
        ).fetchall()
        for row in page:
            if (what := _wrong(table, row)) is not None:
                yield Problem(table, str(row[key]), what)
        rows[table] += len(page)
        ctx.report(rows[table], total, note=table)
        if len(page) < ROWS_AT_ONCE:
            return
        after = page[-1][key]


def _wrong(table: str, row: sqlite3.Row) -> str | None:
    values: dict[str, Any] = dict(row)
    if table == "judgment":
        changed = judgment_sha256(values) != values["row_sha256"]
        return "is not the judgment that was recorded" if changed else None
    changed = sha256_text(restore_text(values["text"], values["escaped"])) != values["text_sha256"]
    return "is not the text that was stored" if changed else None
