"""The right to write: the operating system's locks on two files that represent a project.

The kernel frees them when their holder ends, however it ends, so that no lock is ever stale. One lies beside the
project, where other machines see it; somebody may delete it, or the project may have a second name. The other is kept
in the data folder by the project's device and inode, which no renaming, linking or deleting changes.
"""

import errno
import getpass
import json
import os
import socket
import sys
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import IO

from biasprint.core.errors import AppError
from biasprint.core.given import NOT_JSON, ordinary_file
from biasprint.core.machine.storage import home
from biasprint.core.project.connection import ProjectReplaced

# Windows locks a byte range: one far behind the text, so that others can still read who holds the lock.
LOCKED_BYTE = 1 << 30
# Who looks whether a lock is held takes it for a moment. One that stays held for longer is held by a writer.
TRIES, PAUSE_SECONDS = 25, 0.01
MOST_TEXT = 4096  # of what a lock file says about its holder


@dataclass(frozen=True)
class LockHolder:
    """The holder of a project that is open for writing."""

    pid: int
    host: str
    user: str

    @classmethod
    def me(cls) -> "LockHolder":
        return cls(os.getpid(), socket.gethostname(), _user())

    @property
    def same_person(self) -> bool:
        """Return whether the holder is another window of the same user on this machine, which can be raised."""
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
    """The lock on a project, held from opening to closing; `release` is safe to call twice."""

    def __init__(self, project: Path, beside: IO[str], keyed: IO[str] | None) -> None:
        self._project = project
        self._identity = _identity(project)
        self._beside = beside
        self._keyed = keyed

    @classmethod
    def acquire(cls, project: Path) -> "ProjectLock":
        """Take the lock, or raise `ProjectInUse` at once. An unwritable folder raises `OSError`."""
        beside = _take(lock_path(project), project)
        keyed = None
        try:
            with suppress(OSError):  # a data folder that cannot be written to keeps nobody from their file
                if (place := _keyed_path(project)) is not None:
                    keyed = _take(place, project)
        except BaseException:
            _let_go(beside, lock_path(project))
            raise
        return cls(project, beside, keyed)

    def check(self) -> None:
        """Raise `ProjectReplaced` unless the project is still the file that was opened, and ours alone.

        A lock file that somebody deleted is locked again; the one in the data folder has kept others out meanwhile.
        """
        if _is_another(self._identity, _identity(self._project)):
            raise ProjectReplaced(self._project, "was moved away or replaced")
        path = lock_path(self._project)
        if not _still_there(self._beside, path):
            try:
                taken = _take(path, self._project)
            except AppError as error:
                raise ProjectReplaced(self._project, "was opened for writing by another program") from error
            except OSError:
                return  # a folder that has become read-only: the write itself tells
            self._beside.close()
            self._beside = taken

    def release(self) -> None:
        if self._beside.closed:
            return
        if self._keyed is not None:
            _let_go(self._keyed, Path(self._keyed.name))
        _let_go(self._beside, lock_path(self._project))


def is_held(project: Path) -> bool:
    """Return whether anybody holds the project open for writing now."""
    places = (lock_path(project), _keyed_path(project))
    return any(place is not None and _is_locked(place) for place in places)


def lock_path(project: Path) -> Path:
    """Return the lock file beside `project`, links in its folder's path resolved."""
    real = project.resolve()
    return real.with_name(real.name + ".lock")


# ---- One lock file


def _take(path: Path, project: Path) -> IO[str]:
    for remaining in reversed(range(TRIES)):
        stream = _open(path)
        if _try_lock(stream):
            if _still_there(stream, path):
                _name_holder(stream, path)
                return stream
            stream.close()  # its last holder removed the file between our opening and locking it
            continue
        holder = _read_holder(stream)
        stream.close()
        if not remaining:
            raise ProjectInUse(project, holder)
        time.sleep(PAUSE_SECONDS)
    raise ProjectInUse(project, None)  # it was made and removed under our hands all the time


def _name_holder(stream: IO[str], path: Path) -> None:
    """Write into a lock file who holds it. Where that cannot be written, on a full disk, it is let go of again."""
    try:
        stream.seek(0)
        stream.truncate()
        stream.write(json.dumps(asdict(LockHolder.me())))
        stream.flush()
    except OSError:
        _let_go(stream, path)
        raise


def _open(path: Path, mode: str = "r+") -> IO[str]:
    """Return the lock file; to write to it, made where there is none. A link, or a file with two names, is not ours."""
    with suppress(FileNotFoundError):
        ordinary_file(path)
    access = os.O_RDWR | os.O_CREAT if mode == "r+" else os.O_RDONLY
    access |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    opener = partial(_as_asked, access)
    try:
        stream = open(path, mode, encoding="utf-8", errors="replace", opener=opener)  # noqa: SIM115 - the caller's
    except OSError as error:
        if error.errno == errno.ELOOP:  # it has just become a link
            ordinary_file(path)
        raise
    if os.fstat(stream.fileno()).st_nlink > 1:
        stream.close()
        raise AppError(
            f"“{path.name}” is a file with another name too, and was not written to.",
            kept="Nothing was opened or changed.",
            hint="Delete it where nobody has the project open, and try again.",
        )
    return stream


def _as_asked(access: int, name: str, _flags: int) -> int:
    return os.open(name, access, 0o666)


def _let_go(stream: IO[str], path: Path) -> None:
    with suppress(OSError):  # a disk that fails may not even delete, and the lock is let go of all the same
        if sys.platform != "win32" and _still_there(stream, path):  # Windows removes no open files: an empty one stays
            path.unlink(missing_ok=True)
    with suppress(OSError):  # closing tries once more to write
        stream.close()


def _is_locked(path: Path) -> bool:
    try:
        stream = _open(path, "r")
    except (OSError, AppError):
        return False
    try:
        return not _try_lock(stream)
    except OSError:  # a drive without locks: nobody can hold one
        return False
    finally:
        stream.close()


def _keyed_path(project: Path) -> Path | None:
    """Return the lock file in the data folder; None where there is no project, or no data folder to write to.

    Also None on a drive that numbers no files: there all of its projects would have one lock.
    """
    identity = _identity(project)
    if identity is None or not identity[1]:
        return None
    try:
        folder = home() / "locks"
        folder.mkdir(exist_ok=True)
    except (AppError, OSError):
        return None
    return folder / "{:x}-{:x}.lock".format(*identity)


def _identity(project: Path) -> tuple[int, int] | None:
    try:
        status = os.stat(project)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _is_another(then: tuple[int, int] | None, now: tuple[int, int] | None) -> bool:
    """Return whether a file is not the one it was. Inode 0 tells nothing: Windows says it of a file that is held for a
    moment, as by a virus scanner, and some drives of all.
    """
    if then is None or now is None:
        return then is not now
    return then != now and bool(then[1] and now[1])


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "somebody"


def _read_holder(stream: IO[str]) -> LockHolder | None:
    try:
        stream.seek(0)
        return LockHolder(**json.loads(stream.read(MOST_TEXT)))
    except (OSError, TypeError, *NOT_JSON):
        return None  # the holder is just writing its name


def _still_there(stream: IO[str], path: Path) -> bool:
    try:
        here, at_path = os.fstat(stream.fileno()), os.lstat(path)
    except (FileNotFoundError, PermissionError):  # on Windows a file that is being deleted denies access
        return False
    return (here.st_dev, here.st_ino) == (at_path.st_dev, at_path.st_ino)


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
