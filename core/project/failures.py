"""What SQLite's errors mean for the person: one sentence each on what happened, what was kept, what to do."""

import sqlite3
from pathlib import Path

from sqlalchemy.exc import DBAPIError

from core.errors import AppError

KEPT = "Everything that was saved before is kept."


class NotSaved(AppError):
    """A write did not reach the disk."""


class FileDamaged(AppError):
    """The file is not what was written."""


def is_busy(error: BaseException) -> bool:
    """Whether another connection is in the way: worth waiting for."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    code = getattr(cause, "sqlite_errorcode", 0) or 0
    return code & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def explain(error: BaseException, path: Path) -> BaseException:
    """The error a person can act on, for what SQLite raised; anything else comes back as it is."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    if not isinstance(cause, sqlite3.Error):
        return error
    code = (getattr(cause, "sqlite_errorcode", 0) or 0) & 0xFF
    details = f"{type(cause).__name__}: {cause}"
    name = path.name
    if code == sqlite3.SQLITE_FULL:
        return NotSaved(
            "The disk is full: the last change was not saved.",
            kept=KEPT,
            hint="Free some space and try again.",
            details=details,
        )
    if code == sqlite3.SQLITE_IOERR:
        return NotSaved(
            f"The disk reported an error while “{name}” was in use: the last change was not saved.",
            kept=KEPT,
            hint="Check that the drive is still connected, then try again.",
            details=details,
        )
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
