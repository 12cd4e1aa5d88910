"""Copies of a project that are whole at any moment: through SQLite's backup, then fsync, then rename.

Also what a crash left half done, rolled back in a copy where the file itself must not be touched.
"""

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from biasprint.core.errors import AppError
from biasprint.core.given import ordinary_file
from biasprint.core.machine.files import new_folder, unfinished
from biasprint.core.machine.storage import put_in_place, put_on_disk
from biasprint.core.project.connection import connect, explain
from biasprint.core.project.drives import LOCKS, check_companions, journal_of, lacking
from biasprint.core.project.lock import is_held

# ---- Recovery after a crash, where the file itself must not be touched
#
# A file that may be written is recovered by SQLite when it is opened. One that may not is copied together with its
# journal and recovered there: opening it `immutable` would show rows that were never committed.

REFUSED = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_PERM)  # what SQLite says of a lock that fails

PATIENCE_MS = 5_000


def has_journal(path: Path) -> bool:
    """Return whether there is anything in the journal beside a file. Raises `AppError` for a strange one."""
    check_companions(path)
    try:
        return journal_of(path).stat().st_size > 0
    except OSError:
        return False


def interrupted(path: Path) -> bool:
    """Return whether a crash left a journal beside a file that nobody is writing to now. `AppError` for a
    strange one.
    """
    return has_journal(path) and not is_held(path)


def must_be_copied(path: Path) -> bool:
    """Return whether a file cannot be read where it is: after a crash, or on a drive without locks."""
    return interrupted(path) or _no_locks(path)


def _no_locks(path: Path) -> bool:
    """Return whether the drive has no locks. SQLite is asked first, the drive only where it refuses: readers leave no
    file.

    In a folder where nothing may be made the drive cannot be asked: there whoever may be writing gets time to finish.
    """
    asked = os.access(path.parent, os.W_OK)
    try:
        with closing(connect(path, writable=False, wait_ms=0 if asked else PATIENCE_MS)) as connection:
            connection.execute("PRAGMA schema_version").fetchone()
    except sqlite3.OperationalError as error:
        refused = error.sqlite_errorcode & 0xFF in REFUSED
        return refused and (not asked or lacking(path.parent) == LOCKS)
    except sqlite3.Error:
        return False
    return False


def roll_back(path: Path) -> None:
    """Let SQLite roll the half-done transaction back that a crash left. Raises `AppError` for a broken file."""
    try:
        with closing(connect(path, writable=True)) as connection:
            connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()  # the first read rolls back
    except sqlite3.Error as error:
        raise explain(error, path) from error
    # What is still there was never finished, so that nothing was to be rolled back: SQLite leaves it lying.
    journal_of(path).unlink(missing_ok=True)


def recovered_copy(path: Path) -> Path:
    """Copy file and journal to a new temporary folder, and roll a half-done transaction back there."""
    ordinary_file(path)
    folder = new_folder()
    copy = folder / path.name
    try:
        shutil.copyfile(path, copy)
        with suppress(FileNotFoundError):
            shutil.copyfile(journal_of(path), journal_of(copy))
        if has_journal(copy):
            roll_back(copy)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return copy


def private_copy(path: Path) -> Path:
    """Return a whole copy in a new temporary folder: where a file may not be changed, its copy is upgraded."""
    folder = new_folder()
    try:
        return copy_project(path, folder / path.name)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


# ---- Whole copies


def copy_project(source: Path, target: Path) -> Path:
    """Write a whole copy of `source` at `target`, which is either the old file or the new one, never half of one."""
    with whole_part(source, target) as part:
        put_in_place(part, target)
    return target


@contextmanager
def whole_part(source: Path, target: Path) -> Iterator[Path]:
    """Yield a whole copy of `source` under another name beside `target`, to be put in its place; gone when the block
    ends.
    """
    part = made = None
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=".copy-", suffix=".part")
        os.close(handle)
        part = unfinished(Path(name))
        # SQLite cannot write where there are no locks: there the copy is made here, and its bytes are brought.
        made = new_folder() / part.name if lacking(target.parent) else None
        with closing(connect(source, writable=False)) as reading, closing(sqlite3.connect(made or part)) as writing:
            reading.backup(writing)
        if made is not None:
            shutil.copyfile(made, part)
        with open(part, "rb+") as stream:
            put_on_disk(stream.fileno())
        yield part
    except (sqlite3.Error, OSError) as error:
        explained = explain(error, target)
        if explained is not error:
            raise explained from error
        raise AppError(
            f"The copy “{target.name}” could not be written.",
            kept="The project itself is as it was.",
            hint="Choose another folder, or free some space.",
            details=str(error),
        ) from error
    finally:
        if part is not None:
            with suppress(OSError):
                part.unlink(missing_ok=True)
        if made is not None:
            shutil.rmtree(made.parent, ignore_errors=True)


LONGEST_NAME = 255


def free_name(project: Path, what: str) -> Path:
    """Return a name beside a project that no file has, with `what` in brackets."""
    number = 0
    while True:
        ending = f" ({what}{f', {number}' if number else ''}){project.suffix}"
        room = LONGEST_NAME - len(ending.encode()) - len("-journal")
        path = project.with_name(project.stem.encode()[:room].decode(errors="ignore") + ending)
        if not os.path.lexists(path):
            return path
        number += 1
