"""The surroundings of a project's file: the abilities of its drive, and the files beside it that SQLite looks for.

Some network shares cannot lock files, or sync what is written. That is tried on a file of our own, so that neither
“somebody holds it” nor “it is damaged” is ever reported for such a drive.

The files beside a database are examined before SQLite acts on what they say. A rollback journal may name a
super-journal, which SQLite deletes when it has rolled back, wherever it is; and it says to what size the database is
to be cut or grown. A write-ahead log and its index are opened, and written, whatever they are. Ours have only ever a
plain journal of their own; anything else came with the file.
(https://sqlite.org/fileformat.html, "The Rollback Journal"; the record of a super-journal is in pager.c.)
"""

import os
import struct
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

from biasprint.core.errors import AppError
from biasprint.core.given import ordinary_file
from biasprint.core.machine import storage
from biasprint.core.machine.files import unfinished

LOCKS, SYNC = "has no file locks", "cannot be told to put a file on the disk"
NOTED = "drives.json"  # in the data folder
WITHOUT_SYNC = "without_sync"  # folders in which an fsync was refused
PROBED_BYTES = 65_536
_FINE: set[int] = set()  # drives, by device number, that were tried in this process


def lacking(folder: Path) -> str:
    """Return what the drive of a folder cannot do, in words (`LOCKS`, `SYNC`); empty where it can, or where nothing
    tells.

    Fsync, which takes long, is tried only where SQLite has been refused one.
    """
    try:
        device = folder.stat().st_dev
    except OSError:
        return ""
    if device in _FINE:
        return ""
    missing = _test_drive(folder, sync=_is_noted(folder))
    if not missing:
        _FINE.add(device)
    return missing


def note_refused_sync(folder: Path) -> bool:
    """Return whether the drive can never sync, after SQLite failed to in this folder. It is remembered then."""
    if _test_drive(folder, sync=True) != SYNC:
        return False
    with suppress(OSError, AppError):
        _FINE.discard(folder.stat().st_dev)
        with storage.change(NOTED) as noted:
            noted[WITHOUT_SYNC] = sorted({*noted.get(WITHOUT_SYNC, ()), str(folder.resolve())})
    return True


def error_of_writing(folder: Path) -> int:
    """Return the number of the system's error where nothing can be written in a folder now, else 0."""
    try:
        with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
            file.write(bytes(PROBED_BYTES))
    except OSError as error:
        return error.errno or 0
    return 0


def _is_noted(folder: Path) -> bool:
    try:
        return str(folder.resolve()) in storage.read(NOTED).get(WITHOUT_SYNC, ())
    except (AppError, TypeError):
        return False


def _test_drive(folder: Path, *, sync: bool) -> str:
    try:
        handle, name = tempfile.mkstemp(dir=folder, prefix=".drive-", suffix=".part")
    except OSError:  # a folder that may not be written to: who opens it says so
        return ""
    unfinished(Path(name))
    try:
        lock_for_a_moment(handle)
        if sync:
            os.write(handle, b"tried")
            storage.sync_now(handle)
    except storage.RefusedSync:
        return SYNC
    except OSError as error:  # nobody else knows the file, so that it is held by nobody
        return "" if error.errno in storage.FULL else LOCKS
    finally:
        os.close(handle)
        with suppress(OSError):
            os.unlink(name)
    return ""


if sys.platform == "win32":
    import msvcrt

    def lock_for_a_moment(handle: int) -> None:
        """Take the lock of an open file and release it. Raises `OSError` where the drive has none."""
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def lock_for_a_moment(handle: int) -> None:
        """Take both locks of an open file, ours and SQLite's, and release them. `OSError` where the drive has none."""
        for lock in (fcntl.flock, fcntl.lockf):
            lock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            lock(handle, fcntl.LOCK_UN)


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
