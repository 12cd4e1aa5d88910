"""The gate: only a file of ours may be opened, of a version we know, with exactly the schema we wrote.

The header is read before SQLite sees the file. A file that this machine has not seen is examined wholly; one that it
closed itself, and that has not changed since, gets header and schema only.
"""

import json
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from biasprint.core.errors import AppError
from biasprint.core.given import NOT_JSON, ordinary_file
from biasprint.core.jobs import JobContext
from biasprint.core.machine import storage
from biasprint.core.project.connection import APPLICATION_ID, SCHEMA_VERSION, FileDamaged, connect, explain
from biasprint.core.project.schema import expected_schema, schema_of

MAGIC = b"SQLite format 3\x00"
EXAMINE_SECONDS = 5.0
BYTES_PER_SECOND = 10_000_000  # a large honest file gets the time that it takes on a slow machine
READ_BYTES = 1 << 20
REMEMBERED = 200
KNOWN = "known-projects.json"
RESCUE = "“biasprint rescue FILE --out NEW”."


def read_header(path: Path) -> int:
    """Return the schema version a project file states, or why it is none. Call before any connection to it
    exists here.
    """
    try:
        ordinary_file(path)
        with open(path, "rb") as stream:
            header = stream.read(100)
    except FileNotFoundError:
        raise AppError(
            f"There is no file “{path}”.", hint="Check the name, or make one with “biasprint new”."
        ) from None
    except PermissionError:
        raise AppError(f"“{path.name}” may not be read.", hint="Ask its owner for permission, or copy it.") from None
    if not header.startswith(MAGIC) or len(header) < 100:
        raise foreign_file(path, "It is not an SQLite database" if header else "It is empty")
    application, version = int.from_bytes(header[68:72], "big"), int.from_bytes(header[60:64], "big")
    if application != APPLICATION_ID:
        raise foreign_file(path, "It belongs to another program")
    if version > SCHEMA_VERSION:
        raise AppError(
            f"“{path.name}” was made by a newer Biasprint: it needs format {version}, this one knows {SCHEMA_VERSION}.",
            kept="It was not changed.",
            hint="Update Biasprint to open it.",
        )
    if version < 1:
        raise foreign_file(path, "It states no format")
    return version


def foreign_file(path: Path, why: str) -> AppError:
    return AppError(
        f"“{path.name}” is not a Biasprint project. {why}.",
        kept="It was not changed.",
        hint="Choose a file that ends in .biasprint, or import data with “biasprint import”.",
    )


def check_schema(connection: sqlite3.Connection, path: Path, version: int = SCHEMA_VERSION) -> None:
    """Accept only the exact schema of a version: no trigger, view, virtual table or column that we did not write."""
    try:
        schema = schema_of(connection)
    except (UnicodeDecodeError, sqlite3.OperationalError) as error:
        if isinstance(error, sqlite3.Error) and "decode" not in str(error):
            raise
        raise damaged(path, str(error)) from error
    if schema != expected_schema(version):
        raise AppError(
            f"“{path.name}” does not have the structure of a Biasprint project, and was not opened.",
            kept="It was not changed.",
            hint="If it came from somebody else, ask for a fresh copy; otherwise open a backup.",
        )


def damaged(path: Path, details: str) -> FileDamaged:
    return FileDamaged(
        f"“{path.name}” is damaged, and was not opened.",
        kept="It was not changed.",
        hint=f"Open one of its backups, which “biasprint check” lists, or save what is sound: {RESCUE}",
        details=details,
    )


def not_examined(path: Path, details: str) -> FileDamaged:
    return FileDamaged(
        f"“{path.name}” could not be examined to its end, and was not opened.",
        kept="It was not changed.",
        hint=f"Open it again. If that does not help, save what is sound: {RESCUE}",
        details=details,
    )


@contextmanager
def in_words(path: Path) -> Iterator[None]:
    """Turn SQLite's errors about a file that passed the gate into plain sentences."""
    try:
        yield
    except sqlite3.Error as error:
        # Where no words are known, rows break the rules, as an upgrade may find.
        explained = explain(error, path)
        raise (damaged(path, f"{type(error).__name__}: {error}") if explained is error else explained) from error
    except UnicodeDecodeError as error:  # SQLite names in its error what it cannot understand of the schema
        raise damaged(path, str(error)) from error


def examine_file(path: str | Path, ctx: JobContext | None = None) -> None:
    """Check schema, every page and every reference of a file of the present format. Raises `AppError` for what is
    wrong.

    Call where no connection to the file exists in this process.
    """
    path = Path(path)
    read_through(path)
    with in_words(path), closing(connect(path, writable=False)) as connection:
        check_schema(connection, path)
        examine(connection, path, ctx or JobContext())


def read_through(path: Path) -> None:
    """Read a file from its beginning to its end, so that examining it, here and there, finds it in the system's cache.

    Of 485 MB that were not in the cache, the examination alone took 15 s, and with this 7. Call before any connection
    to the file exists here.
    """
    with open(path, "rb", buffering=0) as stream:
        into = bytearray(READ_BYTES)
        while stream.readinto(into):
            pass


def examine(connection: sqlite3.Connection, path: Path, ctx: JobContext) -> None:
    """Run SQLite's own check of every page and reference, within a time that grows with the file."""
    until = time.monotonic() + EXAMINE_SECONDS + path.stat().st_size / BYTES_PER_SECOND
    connection.set_progress_handler(lambda: ctx.cancelled or time.monotonic() > until, 10_000)
    try:
        problems = [row[0] for row in connection.execute("PRAGMA integrity_check(5)") if row[0] != "ok"]
        problems += [
            f"a row of {row[0]} refers to a missing row" for row in connection.execute("PRAGMA foreign_key_check")
        ]
    except sqlite3.OperationalError as error:
        if "interrupted" not in str(error):
            raise
        ctx.check()
        raise FileDamaged(
            f"“{path.name}” could not be examined in a reasonable time, and was not opened.",
            kept="It was not changed.",
            hint="If it came from somebody else, ask for a fresh copy.",
        ) from error
    finally:
        connection.set_progress_handler(None, 0)
    if problems:
        raise damaged(path, "\n".join(problems[:5]))


def is_known(path: Path) -> bool:
    """Return whether this machine closed the file itself and it has not changed since."""
    return _known().get(str(path.resolve())) == _state(path)


def remember(path: Path) -> None:
    """Note the file as it is now as one that this machine wrote. Failing to note it only costs an examination."""
    with suppress(OSError, AppError):
        if is_known(path):
            return  # looked at, not changed
        resolved = str(path.resolve())
        known = {key: value for key, value in _known().items() if key != resolved}
        known[resolved] = _state(path)
        latest = dict(list(known.items())[-REMEMBERED:])
        storage.write(KNOWN, latest)


def _state(path: Path) -> list[int]:
    stat = path.stat()
    return [stat.st_size, stat.st_mtime_ns, stat.st_ino]


def _known() -> dict[str, list[int]]:
    try:
        known = json.loads((storage.home() / KNOWN).read_text(encoding="utf-8"))
    except (OSError, *NOT_JSON):
        return {}
    return known if isinstance(known, dict) else {}
