"""The abilities of a folder's drive: to lock files, and to sync what is written. Some network shares cannot.

Tried on a file of our own, so that neither “somebody holds it” nor “it is damaged” is ever reported for such a drive.
"""

import os
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

from biasprint.core.errors import AppError
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
