"""Connections to a project file: their settings, waiting for another connection, and SQLite's errors in plain words."""

import errno
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

from sqlalchemy import Connection, Engine, create_engine
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from biasprint.core.errors import AppError
from biasprint.core.machine.storage import FULL
from biasprint.core.project.drives import SYNC, check_companions, error_of_writing, note_refused_sync

# ---- Settings that a copied, stick-carried, possibly hostile file needs

APPLICATION_ID = 0x42494153  # "BIAS"
SCHEMA_VERSION = 4
# No single text of a study comes near this; a file that claims more is refused while it is read.
MAX_TEXT_BYTES = 64 * 1024 * 1024

SAFETY = ("trusted_schema=OFF", "cell_size_check=ON", "mmap_size=0", "foreign_keys=ON")


def connect(path: Path, *, writable: bool, create: bool = False, wait_ms: int = 5_000) -> sqlite3.Connection:
    """Return a plain connection; `writable=False` opens it read-only and sets `query_only`.

    Raises `AppError` where a file beside it would lead SQLite elsewhere.
    """
    check_companions(path)
    mode = "rwc" if create else "rw" if writable else "ro"
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}", uri=True, isolation_level=None, check_same_thread=False
    )
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_TEXT_BYTES)
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    for pragma in SAFETY:
        connection.execute(f"PRAGMA {pragma}")
    connection.execute(f"PRAGMA busy_timeout={wait_ms}")
    if writable:
        connection.execute("PRAGMA journal_mode=DELETE")
        connection.execute("PRAGMA synchronous=EXTRA")
    else:
        connection.execute("PRAGMA query_only=ON")
    return connection


def engine_for(open_connection: Callable[[], sqlite3.Connection]) -> Engine:
    """Return an engine over connections of ours: SQLAlchemy builds statements, and never begins or commits."""
    return create_engine(
        "sqlite://", creator=open_connection, poolclass=NullPool, isolation_level="AUTOCOMMIT", query_cache_size=500
    )


def driver_connection(connection: Connection) -> sqlite3.Connection:
    """Return the sqlite3 connection under an SQLAlchemy one."""
    driver = connection.connection.driver_connection
    assert isinstance(driver, sqlite3.Connection)
    return driver


# ---- SQLite's errors in words: one sentence each on what happened, what was kept, what to do

NO_FSYNC = (sqlite3.SQLITE_IOERR_FSYNC, sqlite3.SQLITE_IOERR_DIR_FSYNC)
KEPT = "Everything that was saved before is kept."


class NotSaved(AppError):
    """A write did not reach the disk."""


class FileDamaged(AppError):
    """The file is not what was written."""


class ProjectReplaced(AppError):
    """The project is not the file any more that was opened, or is written to by somebody else too."""

    def __init__(self, path: Path, what: str) -> None:
        super().__init__(
            f"“{path.name}” {what} while it was open: the last change was not saved.",
            kept="What is in the file there now was not touched.",
            hint="Close it here and open it again.",
        )


def is_busy(error: BaseException) -> bool:
    """Return whether another connection is in the way: worth waiting for."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    code = getattr(cause, "sqlite_errorcode", 0) or 0
    return code & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def explain(error: BaseException, path: Path) -> BaseException:
    """Return the error a person can act on, for what SQLite raised; anything else comes back as it is."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    if not isinstance(cause, sqlite3.Error):
        return error
    code = (getattr(cause, "sqlite_errorcode", 0) or 0) & 0xFF
    details = f"{type(cause).__name__}: {cause}"
    name = path.name
    # SQLite says so too where a quota is used up, and where a journal cannot be made.
    trouble = error_of_writing(path.parent) if code in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN) else 0
    if code == sqlite3.SQLITE_FULL or trouble in FULL:
        return NotSaved(
            "The disk is full: the last change was not saved.",
            kept=KEPT,
            hint="Free some space and try again.",
            details=details,
        )
    if getattr(cause, "sqlite_errorcode", 0) in NO_FSYNC and note_refused_sync(path.parent):
        return NotSaved(
            f"The drive of “{name}” {SYNC}: the last change was not saved.",
            kept=KEPT,
            hint="Close the project and open it again: from then on you work on a copy, which is written back.",
            details=details,
        )
    if code == sqlite3.SQLITE_IOERR or trouble == errno.EIO:
        return NotSaved(
            f"The disk reported an error while “{name}” was in use: the last change was not saved.",
            kept=KEPT,
            hint="Check that the drive is still connected, then try again.",
            details=details,
        )
    if getattr(cause, "sqlite_errorcode", 0) == sqlite3.SQLITE_READONLY_DBMOVED:
        return ProjectReplaced(path, "was moved away or replaced")
    if code == sqlite3.SQLITE_READONLY:
        return NotSaved(
            f"“{name}” cannot be written to: the last change was not saved.",
            kept=KEPT,
            hint="Save a copy in a folder that you may write to.",
            details=details,
        )
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return NotSaved(
            f"Another program is holding “{name}”: the last change was not saved.",
            kept=KEPT,
            hint="Close the other program, or wait, and try again.",
            details=details,
        )
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return FileDamaged(
            f"“{name}” is damaged and was not changed.",
            hint="Open one of its backups; “biasprint check” lists them.",
            details=details,
        )
    if code == sqlite3.SQLITE_CANTOPEN:
        return AppError(
            f"“{name}” could not be opened.", hint="Check that the file and its folder can be read.", details=details
        )
    if code == sqlite3.SQLITE_TOOBIG:
        return AppError(f"A text in “{name}” is larger than 64 MB and was not taken.", kept=KEPT, details=details)
    return error


# ---- Waiting for another connection in a loop of our own
#
# SQLite's own waiting sleeps longer each time, up to 100 ms. Beside a job that writes 1,000 rows a second a reader
# missed gap after gap that way, and the texts of the next comparison came after 440 ms; with this loop it took 25.

PAUSE_SECONDS = 0.001


def execute_when_free(execute: Callable[[str], object], statement: str, give_up_seconds: float) -> None:
    """Execute a statement that has changed nothing when it answers BUSY, until another connection lets it."""
    give_up = time.monotonic() + give_up_seconds
    while True:
        try:
            execute(statement)
            return
        except Exception as error:
            if not is_busy(error) or time.monotonic() > give_up:
                raise
        time.sleep(PAUSE_SECONDS)
