"""Who may write: the operating system's lock on a file beside the project.

The kernel frees it when its holder ends, however it ends, so that no lock is ever stale.
"""

import getpass
import json
import os
import socket
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO

from core.errors import AppError

# Windows locks a byte range: one far behind the text, so that others can still read who holds the lock.
LOCKED_BYTE = 1 << 30


@dataclass(frozen=True)
class LockHolder:
    """Who holds a project open for writing."""

    pid: int
    host: str
    user: str

    @classmethod
    def me(cls) -> "LockHolder":
        return cls(os.getpid(), socket.gethostname(), _user())

    @property
    def same_person(self) -> bool:
        """Whether the holder is another window of the same user on this machine, which can be raised."""
        return (self.host, self.user) == (socket.gethostname(), _user())


class ProjectInUse(AppError):
    """Another window or program is writing to the project."""

    def __init__(self, path: Path, holder: LockHolder | None) -> None:
        self.holder = holder
        where = "in another window"
        if holder is not None:
            where += " of yours" if holder.same_person else f" by {holder.user} on {holder.host}"
        super().__init__(
            f"“{path.name}” is already open {where}.",
            kept="Nothing was changed.",
            hint="Close it there first, or work on a copy.",
            details=str(holder),
        )


class ProjectLock:
    """Held from opening to closing; `release` is safe to call twice."""

    def __init__(self, stream: IO[str], path: Path) -> None:
        self._stream = stream
        self._path = path

    @classmethod
    def acquire(cls, project: Path) -> "ProjectLock":
        """Take the lock, or raise `ProjectInUse` at once. An unwritable folder raises `OSError`."""
        path = lock_path(project)
        while True:
            stream = open(path, "a+", encoding="utf-8")  # noqa: SIM115 - held open as long as the lock
            if not _try_lock(stream):
                holder = _read_holder(stream)
                stream.close()
                raise ProjectInUse(project, holder)
            if _still_there(stream, path):
                break
            stream.close()  # its last holder removed the file between our opening and locking it
        stream.seek(0)
        stream.truncate()
        stream.write(json.dumps(asdict(LockHolder.me())))
        stream.flush()
        return cls(stream, path)

    def release(self) -> None:
        if self._stream.closed:
            return
        if sys.platform != "win32":  # Windows does not remove open files; there an empty one stays
            self._path.unlink(missing_ok=True)
        self._stream.close()


def is_held(project: Path) -> bool:
    """Whether anybody holds the project open for writing now."""
    try:
        stream = open(lock_path(project), encoding="utf-8")  # noqa: SIM115 - closed below, which frees the lock
    except OSError:
        return False
    try:
        return not _try_lock(stream)
    finally:
        stream.close()


def lock_path(project: Path) -> Path:
    """The lock file beside `project`, links resolved, so that two names of one file share one lock."""
    real = project.resolve()
    return real.with_name(real.name + ".lock")


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "somebody"


def _read_holder(stream: IO[str]) -> LockHolder | None:
    try:
        stream.seek(0)
        return LockHolder(**json.loads(stream.read()))
    except (OSError, ValueError, TypeError):
        return None  # the holder is just writing its name


def _still_there(stream: IO[str], path: Path) -> bool:
    try:
        here, there = os.fstat(stream.fileno()), os.stat(path)
    except FileNotFoundError:
        return False
    return (here.st_dev, here.st_ino) == (there.st_dev, there.st_ino)


if sys.platform == "win32":
    import msvcrt

    def _try_lock(stream: IO[str]) -> bool:
        try:
            stream.seek(LOCKED_BYTE)
            msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _try_lock(stream: IO[str]) -> bool:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
