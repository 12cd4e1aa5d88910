"""The program's own folder (the user's data folder, or `BIASPRINT_HOME`), and small JSON files in it.

Such a file is read whole, written whole, and changed by one process at a time, under the operating system's lock: the
kernel frees it when its holder ends, however it ends, so that no lock is ever stale.
"""

import contextlib
import errno
import json
import os
import stat
import sys
import threading
import time
import uuid
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import platformdirs

from biasprint.core.errors import AppError
from biasprint.core.given import EVERYBODY_ELSE, NOT_JSON
from biasprint.core.machine.processor import is_out_of_memory

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
NOT_KNOWN_HERE = (errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS)  # of fsync: others are failures of now
LOCKS = "locks"
REFUSED = (errno.EACCES, errno.EPERM, errno.EROFS)


def home() -> Path:
    """Return the program's data folder; made when first needed."""
    chosen = os.environ.get("BIASPRINT_HOME")
    folder = Path(chosen) if chosen else platformdirs.user_data_path("biasprint", appauthor=False)
    try:
        if not folder.is_dir():
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        elif not chosen or (folder / LOCKS).is_dir():
            _keep_private(folder)
    except OSError as error:
        raise not_writable(folder, error) from error
    return folder


def _keep_private(folder: Path) -> None:
    """Take everybody else's rights to a folder of the program: older versions left it open to all."""
    status = folder.stat()
    if os.name == "posix" and status.st_mode & EVERYBODY_ELSE and status.st_uid == os.getuid():
        with contextlib.suppress(OSError):  # of a file system without modes
            folder.chmod(stat.S_IMODE(status.st_mode) & ~EVERYBODY_ELSE)


def sample_file() -> Path:
    """Return the place of a person's own copy of the sample project."""
    return home() / "Sample.biasprint"


def not_writable(folder: Path, error: OSError) -> AppError:
    """Return the error for a folder that cannot be written to. `folder` is the data folder, or one in it, in which
    nothing was written yet.
    """
    return AppError(
        f"The program may not write to its data folder “{folder}” ({error.strerror}).",
        kept="Nothing was changed.",
        hint=f"{way_out(error)}.",
    )


def way_out(error: OSError) -> str:
    """Return what a person can do where something could not be written in the data folder; without a full stop."""
    if error.errno in FULL:
        return "Free some space there, or set BIASPRINT_HOME to another disk"
    return "See to it that you may write there, or set BIASPRINT_HOME to another folder"


def refused(error: BaseException) -> AppError | None:
    """Return the sentence for a file, or memory, that the system did not let us have; None for any other error."""
    if is_out_of_memory(error):
        return AppError(
            "There is not enough memory for this.",
            kept="What was finished is kept.",
            hint="Close other programs, then try again: it goes on where it stopped.",
        )
    if not isinstance(error, OSError) or error.errno not in (*FULL, *REFUSED):
        return None
    if error.errno in FULL:
        return AppError(
            f"The disk is full ({error.strerror}).",
            kept="What was finished is kept.",
            hint="Free some space and try again.",
        )
    return AppError(
        f"“{error.filename or 'A file'}” may not be read or written ({error.strerror}).",
        kept="What was finished is kept.",
        hint="Choose another place, or see to it that you may write there.",
    )


# ---- Putting on the disk


class RefusedSync(OSError):
    """The drive does not know fsync."""


class NotSynced(OSError):
    """A file has its new name, but the disk reported an error: a power cut may take the name away."""


def sync_now(handle: int) -> None:
    """Put an open file on the disk. Raises `RefusedSync` where the drive never can, `OSError` where it failed."""
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno in NOT_KNOWN_HERE:
            raise RefusedSync(*error.args) from error
        raise


def put_on_disk(handle: int) -> None:
    """Sync where the drive supports it; where it does not, nothing better can be done."""
    with contextlib.suppress(RefusedSync):
        sync_now(handle)


def sync_folder(folder: Path) -> None:
    """Put the names in a folder on the disk; Windows does so on its own and opens no folders."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            sync_now(handle)
        finally:
            os.close(handle)


def put_in_place(part: Path, target: Path) -> None:
    """Give a file or folder, which is whole and on the disk, its name; that is on the disk too when this returns.

    Raises `OSError`: `NotSynced` where the new file is in its place all the same.
    """
    part.replace(target)
    try:
        with contextlib.suppress(RefusedSync):
            sync_folder(target.parent)
    except OSError as error:
        raise NotSynced(*error.args) from error


def remove_for_good(path: Path) -> None:
    """Delete a file, if it is there; a power cut does not bring it back once this returns."""
    try:
        path.unlink()
    except FileNotFoundError:
        return
    with contextlib.suppress(RefusedSync):
        sync_folder(path.parent)


# ---- One process at a time

PATIENCE_SECONDS = 10.0
PAUSE_SECONDS = 0.02

_IN_THIS_PROCESS: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)


class Busy(AppError):
    """Another process or thread holds the lock."""


@contextlib.contextmanager
def locked(name: str, *, patience: float = PATIENCE_SECONDS) -> Iterator[None]:
    """Hold the lock `name` for the block; raises `Busy` if it is not free within `patience` seconds."""
    give_up = time.monotonic() + patience
    path = _path(name)
    # Within one process the system's lock would let every thread through.
    if not _IN_THIS_PROCESS[str(path)].acquire(timeout=max(patience, 0)):
        raise _busy(name)
    try:
        with _open(path) as stream:
            while not try_lock(stream):
                if time.monotonic() >= give_up:
                    raise _busy(name)
                time.sleep(PAUSE_SECONDS)
            yield
    finally:
        _IN_THIS_PROCESS[str(path)].release()


def _path(name: str) -> Path:
    return home() / LOCKS / name


def _open(path: Path) -> IO[bytes]:
    try:
        path.parent.mkdir(exist_ok=True)
        return path.open("a+b")
    except OSError as error:
        raise not_writable(path.parent.parent, error) from error


def _busy(name: str) -> Busy:
    what = name.removesuffix(".lock")
    return Busy(
        f"Another window or command is working on “{what}”.",
        kept="Nothing was changed.",
        hint="Wait until it has finished, then try again.",
    )


if sys.platform == "win32":
    import msvcrt

    def try_lock(stream: IO[bytes]) -> bool:
        """Return whether the operating system's lock on an open file is ours now; the kernel frees it with the
        process.
        """
        try:
            stream.seek(0)
            msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
else:
    import fcntl

    def try_lock(stream: IO[bytes]) -> bool:
        """Return whether the operating system's lock on an open file is ours now.

        The kernel frees it with the process.
        """
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True


# ---- JSON files


def read(name: str) -> dict[str, Any]:
    """Read the file `name` of the data folder; empty where there is none. `AppError` where it is damaged."""
    path = home() / name
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (*NOT_JSON, OSError) as error:
        raise _damaged(path, error) from error
    if not isinstance(data, dict):
        raise _damaged(path, None)
    return data


@contextlib.contextmanager
def change(name: str) -> Iterator[dict[str, Any]]:
    """Yield the file's content, to be changed; written when the block ends well. Other processes wait meanwhile."""
    with locked(f"{name}.lock"):
        data = read(name)
        yield data
        write(name, data)


def write(name: str, data: dict[str, Any]) -> None:
    """Put `data` in place of what the file held, whole or not at all, for this user's eyes alone."""
    path = home() / name
    part = path.with_name(f".{name}.{uuid.uuid4().hex[:8]}.part")
    try:
        with open(part, "w", encoding="utf-8", opener=lambda file, flags: os.open(file, flags, 0o600)) as file:
            json.dump(data, file, ensure_ascii=False, indent=1, sort_keys=True)
            file.flush()
            put_on_disk(file.fileno())
        put_in_place(part, path)
    except OSError as error:
        with contextlib.suppress(OSError):  # a disk that fails may not even delete
            part.unlink(missing_ok=True)
        raise AppError(
            f"“{path}” could not be written ({error.strerror}).",
            kept="" if isinstance(error, NotSynced) else "What it held before is unchanged.",
            hint="Free some space, or see to it that you may write there.",
        ) from error


def _damaged(path: Path, error: Exception | None) -> AppError:
    return AppError(
        f"“{path}” cannot be read.",
        kept="Nothing was changed.",
        hint="Mend it, or move it away: the program then starts with none.",
        details=str(error or "it is no JSON object"),
    )
