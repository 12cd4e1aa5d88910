"""The files that SQLite looks for beside a database: examined before it does, because it acts on what they say.

A rollback journal may name a super-journal, which SQLite deletes when it has rolled back, wherever it is; and it says
to what size the database is to be cut or grown. A write-ahead log and its index are opened, and written, whatever they
are. Ours have only ever a plain journal of their own; anything else came with the file.
(https://sqlite.org/fileformat.html, "The Rollback Journal"; the record of a super-journal is in pager.c.)
"""

import struct
from pathlib import Path

from biasprint.core.errors import AppError
from biasprint.core.given import ordinary_file

JOURNAL_MAGIC = bytes.fromhex("d9d505f920a163d7")
HEADER = struct.Struct(">8sIIIII")  # magic, records, nonce, pages of the database before, sector, page size
LARGEST_PAGE = 65_536
SUPER_JOURNAL_BYTES = 16  # at the end: the name's length, its sum, the magic; the name stands before


def journal_of(path: Path) -> Path:
    """Return the rollback journal that SQLite would take up."""
    return path.with_name(path.name + "-journal")


def check_companions(path: Path) -> None:
    """Raise `AppError` where SQLite would touch, or be led to, any file but the database and its own journal."""
    for ending in ("-wal", "-shm"):
        companion = path.with_name(path.name + ending)
        try:
            companion.lstat()
        except FileNotFoundError:
            continue
        raise _strange(path, companion, "is nothing that Biasprint leaves")
    journal = journal_of(path)
    try:
        status = ordinary_file(journal)
        if status.st_nlink > 1:
            raise _strange(path, journal, "has another name too")
        if status.st_size >= SUPER_JOURNAL_BYTES:
            _check_journal(path, journal, status.st_size)
    except (FileNotFoundError, PermissionError):
        # None, or what wrote it has just finished: on Windows it denies access then. What may not be read here SQLite
        # may not read either, and says so.
        return
    except AppError as error:
        if isinstance(error, StrangeCompanion):
            raise
        raise _strange(path, journal, "is no ordinary file") from error


class StrangeCompanion(AppError):
    """A file beside the project that no program of ours wrote."""


def _check_journal(path: Path, journal: Path, size: int) -> None:
    with open(journal, "rb", buffering=0) as stream:
        head = stream.read(HEADER.size)
        stream.seek(-SUPER_JOURNAL_BYTES, 2)
        tail = stream.read(SUPER_JOURNAL_BYTES)
    if tail.endswith(JOURNAL_MAGIC):
        raise _strange(path, journal, "names other files to delete")
    if len(head) == HEADER.size and head.startswith(JOURNAL_MAGIC):
        _, _, _, pages, _, page_bytes = HEADER.unpack(head)
        # SQLite takes 0 for the page size of the database, which is this at most.
        if (
            pages * (page_bytes or LARGEST_PAGE) > path.lstat().st_size + size
        ):  # a page that was cut off is in the journal
            raise _strange(path, journal, "asks for a larger file than there can have been")


def _strange(path: Path, companion: Path, why: str) -> StrangeCompanion:
    return StrangeCompanion(
        f"“{companion.name}”, which lies beside “{path.name}”, {why}.",
        kept="Nothing was opened or changed.",
        hint="If the project came from somebody else, ask for a fresh copy, sent from Biasprint as one file.",
    )
