"""What a crash left behind, where the file itself must not be touched.

A file that may be written is recovered by SQLite when it is opened. One that may not is copied together with its
journal and recovered there: opening it `immutable` would show rows that were never committed.
"""

import shutil
import tempfile
from contextlib import closing
from pathlib import Path

from core.project.connection import connect
from core.project.lock import is_held


def journal_of(path: Path) -> Path:
    return path.with_name(path.name + "-journal")


def interrupted(path: Path) -> bool:
    """Whether a crash left a journal beside a file that nobody is writing to now."""
    try:
        return journal_of(path).stat().st_size > 0 and not is_held(path)
    except OSError:
        return False


def recovered_copy(path: Path) -> Path:
    """File and journal copied to a new temporary folder, where SQLite rolls the half-done transaction back."""
    folder = Path(tempfile.mkdtemp(prefix="biasprint-"))
    copy = folder / path.name
    shutil.copyfile(path, copy)
    shutil.copyfile(journal_of(path), journal_of(copy))
    with closing(connect(copy, writable=True)) as connection:
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()  # the first read rolls back
    # What is still there was never finished, so that nothing was to be rolled back: SQLite leaves it lying.
    journal_of(copy).unlink(missing_ok=True)
    return copy
