"""Writing a packet: a file made new, row by row, from what a rater may have. Never a copy with things taken out."""

import os
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from core.errors import AppError
from core.project.connection import connect
from core.project.failures import explain
from core.project.migrate import migrate

Rows = Iterable[Mapping[str, Any]]


@contextmanager
def written_new(target: Path, rows: Mapping[str, Rows]) -> Iterator[Path]:
    """A file with `rows` by table beside `target`, on the disk; it takes its name where the block ends well.

    Raises AppError where it cannot be written; then nothing is left.
    """
    part: Path | None = None
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".part")
        os.close(handle)
        part = Path(name)
        with closing(connect(part, writable=True)) as connection:
            _fill(connection, rows)
        with open(part, "rb+") as stream:
            os.fsync(stream.fileno())
        yield part
        if target.exists():  # came to be while this one was written
            raise FileExistsError(f"{target.name} is there")
        os.chmod(part, 0o666 & ~_umask())  # mkstemp keeps files to their maker; this one is for sending
        os.replace(part, target)
        _sync_folder(target.parent)
    except (sqlite3.Error, OSError) as error:
        told = explain(error, target)
        if isinstance(told, AppError):
            raise told from error
        raise AppError(
            f"The packet “{target.name}” could not be written.",
            kept="The project itself is as it was.",
            hint="Choose another folder, or free some space.",
            details=str(error),
        ) from error
    finally:
        if part is not None:
            for left in (part, part.with_name(part.name + "-journal")):
                with suppress(OSError):
                    left.unlink(missing_ok=True)


def _fill(connection: sqlite3.Connection, rows: Mapping[str, Rows]) -> None:
    connection.execute("PRAGMA synchronous=OFF")  # the whole file is put on the disk at the end
    migrate(connection, present=0)
    connection.execute("BEGIN IMMEDIATE")
    for table, values in rows.items():
        for row in values:
            names = ", ".join(f'"{name}"' for name in row)
            places = ", ".join("?" for _ in row)
            connection.execute(f'INSERT INTO "{table}" ({names}) VALUES ({places})', tuple(row.values()))
    connection.execute("COMMIT")


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _sync_folder(folder: Path) -> None:
    with suppress(OSError):  # Windows opens no folders; there the rename is on the disk with the file
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
