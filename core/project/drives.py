"""What the drive of a folder can do: lock files, and put on the disk what is written. Some network shares cannot.

Tried on a file of our own, so that neither “somebody holds it” nor “it is damaged” is ever said of such a drive.
"""

import errno
import os
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

from core.machine.leftovers import unfinished

LOCKS, SYNC = "has no file locks", "cannot be told to put a file on the disk"
NOT_KNOWN_HERE = (errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS)  # of fsync: others are failures of now
_FINE: set[int] = set()  # drives, by device number, that were tried in this process


def lacking(folder: Path) -> str:
    """What the drive of a folder cannot do, in words (`LOCKS`, `SYNC`); empty where it can, or where nothing tells."""
    try:
        device = folder.stat().st_dev
        if device in _FINE:
            return ""
        handle, name = tempfile.mkstemp(dir=folder, prefix=".drive-", suffix=".part")
    except OSError:  # a folder that may not be written to: who opens it says so
        return ""
    unfinished(Path(name))
    try:
        found = _tried(handle)
    finally:
        os.close(handle)
        with suppress(OSError):
            os.unlink(name)
    if not found:
        _FINE.add(device)
    return found


def _tried(handle: int) -> str:
    try:
        lock_for_a_moment(handle)
    except OSError:  # nobody else knows the file, so that it is held by nobody
        return LOCKS
    try:
        os.write(handle, b"tried")
        os.fsync(handle)
    except OSError as error:
        return SYNC if error.errno in NOT_KNOWN_HERE else ""
    return ""


def put_on_disk(handle: int) -> None:
    """Fsync where the drive knows it; where it does not, nothing better can be done there."""
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in NOT_KNOWN_HERE:
            raise


if sys.platform == "win32":
    import msvcrt

    def lock_for_a_moment(handle: int) -> None:
        """The lock of an open file, taken and given back. Raises `OSError` where the drive has none."""
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def lock_for_a_moment(handle: int) -> None:
        """Both locks of an open file, ours and SQLite's, taken and given back. `OSError` where the drive has none."""
        for lock in (fcntl.flock, fcntl.lockf):
            lock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            lock(handle, fcntl.LOCK_UN)
