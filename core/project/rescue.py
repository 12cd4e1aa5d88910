"""Saving what is sound of a damaged project in a new file, row by row, and telling what was lost.

A damaged page takes the rows on it with it, not those behind it: a table is read from its beginning to the damage, from
its end back to it, and in between row by row. (decision 0038)
"""

import json
import os
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.machine.files import new_folder
from biasprint.core.machine.storage import put_in_place, put_on_disk
from biasprint.core.project import gate
from biasprint.core.project.checksums import CHECKSUM, Stored, keep_checksums
from biasprint.core.project.connection import SCHEMA_VERSION, FileDamaged, connect, explain
from biasprint.core.project.copies import copy_project, must_be_copied, recovered_copy
from biasprint.core.project.damaged import HIGHEST, LOWEST, Problem, TableRows, altered, as_text, tables_of, unreadable
from biasprint.core.project.drives import lacking
from biasprint.core.project.left_out import Losses, add_dependants, parents_of
from biasprint.core.project.schema import expected_schema, migrate
from biasprint.core.project.stores.common import canonical_json, utc_now
from biasprint.core.project.stores.judging import judgment_sha256

MOST_PROBES = 200_000  # single rows that are asked for inside damaged parts of a table, at most
CHECKED_AT_ONCE = 250
MOST_MENDED = 20  # rows of the schema; a stranger's database has more


@dataclass(frozen=True)
class Rescue:
    """Rows that were saved, by table, and everything that was not, row by row or by table."""

    saved: dict[str, int]
    lost: tuple[Problem, ...]


def rescue_project(path: Path, target: Path, ctx: JobContext | None = None) -> Rescue:
    """Write all that is sound in `path` to the new project `target`. `path` is only read.

    Raises `AppError` where `target` is there already, and where no row of `path` can be read.
    """
    ctx = ctx or JobContext()
    version = gate.read_header(path)
    if os.path.lexists(target):
        raise AppError(
            f"There is a file “{target.name}” already.", kept="It was not changed.", hint="Choose another name."
        )
    copied = recovered_copy(path) if must_be_copied(path) else None
    if not _has_schema(copied or path, version):
        copied = copied or Path(shutil.copyfile(path, new_folder() / path.name))
        mend_schema(copied, version)
    far = bool(lacking(target.parent))  # where SQLite cannot write: it is made here, and brought there whole
    made = new_folder(near=None if far else target) / target.name
    try:
        rescued = _rescue(copied or path, version, made, ctx)
        if far:
            copy_project(made, target)
        else:
            with open(made, "rb+") as stream:
                put_on_disk(stream.fileno())
            put_in_place(made, target)
    except sqlite3.Error as error:
        raise explain(error, path) from error
    except OSError as error:
        raise AppError(
            f"“{target.name}” could not be written.", kept="The damaged file is as it was.",
            hint="Choose another folder, or free some space.", details=str(error),
        ) from error  # fmt: skip
    finally:
        shutil.rmtree(made.parent, ignore_errors=True)
        if copied is not None:
            shutil.rmtree(copied.parent, ignore_errors=True)
    return rescued


def _has_schema(path: Path, version: int) -> bool:
    try:
        with closing(connect(path, writable=False)) as connection:
            gate.check_schema(connection, path, version)
    except (sqlite3.DatabaseError, AppError):
        return False
    return True


def mend_schema(path: Path, version: int) -> None:
    """Put our own words in place of damaged ones where a file says what its tables are; in a copy, never in a file of
    a person's.

    Each row that is none of ours is the one of those missing that it is most like; its page stays, as only it knows.
    """
    with suppress(sqlite3.DatabaseError), closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA trusted_schema=OFF")
        connection.execute("PRAGMA writable_schema=ON")  # SQLite goes on although it cannot understand the schema
        with suppress(sqlite3.DatabaseError, UnicodeDecodeError):
            connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        connection.text_factory = bytes
        entries = connection.execute("SELECT rowid, type, name, tbl_name, sql FROM sqlite_schema").fetchall()
        missing = [tuple(None if word is None else word.encode() for word in row) for row in expected_schema(version)]
        strange = []
        for number, *words in entries:
            if tuple(words) in missing:
                missing.remove(tuple(words))
            else:
                strange.append((number, words))
        for number, words in strange[:MOST_MENDED]:
            best = max(missing, key=lambda row: _alike(row, words), default=None)
            if best is not None:
                missing.remove(best)
                text = [None if word is None else word.decode() for word in best]
                statement = "UPDATE sqlite_schema SET type = ?, name = ?, tbl_name = ?, sql = ? WHERE rowid = ?"
                connection.execute(statement, (*text, number))


def _alike(row: Sequence[bytes | None], words: Sequence[bytes | None]) -> int:
    """Count the places in which two rows have the same bytes."""
    pairs = zip(row, words, strict=True)
    return sum(byte == other for a, b in pairs for byte, other in zip(a or b"", b or b"", strict=False))


def _rescue(path: Path, version: int, made: Path, ctx: JobContext) -> Rescue:
    with closing(connect(path, writable=False)) as reading, closing(connect(made, writable=True, create=True)) as new:
        new.execute("PRAGMA synchronous=OFF")  # the whole file is put on the disk at the end
        new.execute("PRAGMA foreign_keys=OFF")  # looked at in the end, when it is known what is lost
        migrate(new, present=0, wanted=version)
        try:
            gate.check_schema(reading, path, version)
        except sqlite3.DatabaseError as error:
            raise FileDamaged(
                f"“{path.name}” is damaged in the place that says where everything is: none of it can be read.",
                kept="It was not changed.", hint="Open one of its backups; “biasprint check” lists them.",
                details=str(error),
            ) from error  # fmt: skip
        tables = tables_of(new)
        parents = {table.name: parents_of(new, table.name) for table in tables}
        keep_checksums(new)
        reading.text_factory = bytes
        losses = Losses()
        new.execute("BEGIN IMMEDIATE")
        for table in tables:
            _copy(reading, new, table, losses, ctx)
        _without_lost(new, tables, parents, losses)
        new.execute("COMMIT")
        if version < SCHEMA_VERSION:
            migrate(new, present=version)
        saved = {table.name: _count(new, table.name) for table in tables}
        _note(new, path, losses)
    return Rescue(saved, tuple(losses.problems))


def _copy(
    reading: sqlite3.Connection, new: sqlite3.Connection, table: TableRows, losses: Losses, ctx: JobContext
) -> None:
    columns = [column for column in table.columns if column.name != CHECKSUM]
    names = ", ".join(f'"{column.name}"' for column in columns)
    statement = f'INSERT INTO "{table.name}" (rowid, {names}) VALUES ({", ".join("?" * (len(columns) + 1))})'
    done = 0
    for number, row in _every(reading, table, losses, ctx):
        done += 1
        if done % CHECKED_AT_ONCE == 0:
            ctx.step(done, None, note=table.name)
        why = unreadable(table, row) or altered(table, row)
        if why is None:
            values = (_as_stored(row[column.name], column.kind) for column in columns)
            try:
                new.execute(statement, (number, *values))
                continue
            except sqlite3.IntegrityError as error:
                why = f"does not fit the others: {error}"
        losses.add(table, number, row, why)


def _as_stored(value: Stored, kind: str) -> object:
    return value.decode() if kind == "TEXT" and isinstance(value, bytes) else value


def _every(
    reading: sqlite3.Connection, table: TableRows, losses: Losses, ctx: JobContext
) -> Iterator[tuple[int, dict[str, Stored]]]:
    """Yield each row that can be fetched, once, and a note of what could not be."""
    first, error = LOWEST, None
    try:
        for number, row in table.each(reading):
            first = number
            yield number, row
        return
    except sqlite3.DatabaseError as found:
        error = found
    last = HIGHEST
    try:
        for number, row in table.each_backwards(reading, first):
            last = number
            yield number, row
    except sqlite3.DatabaseError:
        pass
    # Between the two the numbers are tried one by one: a page is damaged, and its neighbours may not be.
    start, end = max(first + 1, 0), min(last, max(first, 0) + MOST_PROBES)
    for number in range(start, end):
        if number % CHECKED_AT_ONCE == 0:
            ctx.check()
        try:
            here = table.one(reading, number)
        except sqlite3.DatabaseError:
            continue
        if here is not None:
            yield number, here
    reached = "on" if last == HIGHEST else f"to {last - 1}"
    again = "; an answer that was revised there counts again as it was before" if table.name == "judgment" else ""
    what = f"pages of it are damaged: of its rows from number {start} {reached} some are lost{again} ({error})"
    losses.problems.append(Problem(table.name, "", what))


def _without_lost(
    new: sqlite3.Connection,
    tables: tuple[TableRows, ...],
    parents: dict[str, tuple[tuple[str, str], ...]],
    losses: Losses,
) -> None:
    """Take out what refers to lost rows, until every reference has its row."""
    new.text_factory = bytes
    by_name = {table.name: table for table in tables}
    while True:
        _add_lost_texts(new, by_name["comparison"], losses)
        add_dependants(new, tables, parents, losses)
        for name, numbers in losses.rows.items():
            new.executemany(f'DELETE FROM "{name}" WHERE rowid = ?', [(number,) for number in numbers])
        broken = new.execute("PRAGMA foreign_key_check").fetchall()
        if not broken:
            break
        for name, number, parent, reference in broken:
            table = by_name[name.decode()]
            row = table.one(new, number) or {}
            if parent == name:
                _cut(new, table, number, row, reference)
                losses.problems.append(
                    Problem(table.name, table.named(number, row), "is kept; what it refers to is lost")
                )
            else:
                losses.add(table, number, row, f"refers to a row of {parent.decode()} that is lost")
    new.text_factory = str


def _add_lost_texts(new: sqlite3.Connection, comparisons: TableRows, losses: Losses) -> None:
    """Note the texts that comparisons show, inside their JSON, and that are not here: on damaged pages they had no
    name."""
    present = {kind: {row[0] for row in new.execute(f"SELECT id FROM {kind}")} for kind in ("output", "source")}
    for _, row in comparisons.each(new):
        for item in json.loads(row["items"] or b"[]"):  # type: ignore[arg-type]
            for kind in present.keys() & item.keys():
                if item[kind] is not None and item[kind] not in present[kind]:
                    losses.keys.setdefault(kind, set()).add(item[kind])


def _cut(new: sqlite3.Connection, table: TableRows, number: int, row: dict[str, Stored], reference: int) -> None:
    """Let a row refer to no other any more: a later answer holds without the one that it took the place of."""
    columns = new.execute('SELECT id, "from" FROM pragma_foreign_key_list(?)', (table.name,))
    column = next(name.decode() for number_of, name in columns if number_of == reference)
    new.execute(f'UPDATE "{table.name}" SET "{column}" = NULL WHERE rowid = ?', (number,))
    if "row_sha256" in row:
        digest = judgment_sha256(as_text({**row, column: None}))
        new.execute(f'UPDATE "{table.name}" SET row_sha256 = ? WHERE rowid = ?', (digest, number))


def _count(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0])


def _note(new: sqlite3.Connection, path: Path, losses: Losses) -> None:
    """Note in the new project's log where it came from."""
    keep_checksums(new)
    body = canonical_json({"from": path.name, "lost": [vars(problem) for problem in losses.problems[:1000]]})
    new.execute("INSERT INTO event (kind, body, created_at) VALUES ('rescued', ?, ?)", (body, utc_now()))
