"""The full check of a project: SQLite's own, then every row by the hashes that were stored with it."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from biasprint.core.jobs import JobContext
from biasprint.core.project import gate
from biasprint.core.project.connection import connect
from biasprint.core.project.copies import must_be_copied, recovered_copy
from biasprint.core.project.damaged import Problem, TableRows, tables_of, wrong_rows
from biasprint.core.project.reader import ROWS_AT_ONCE

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
