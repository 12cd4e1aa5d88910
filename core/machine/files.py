"""Files and folders under work: written whole or not at all, and cleared away where their process died.

Each process keeps a list of those that it begins, in the data folder and under the operating system's lock, which the
kernel frees however the process ends. A list that nobody holds is a dead process's: the files that it lists are removed
at the next start. Nothing is ever looked for by its name alone, so that no file of somebody else's is.
"""

import atexit
import contextlib
import hashlib
import json
import os
import shutil
import socket
import stat
import tempfile
import threading
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import IO, BinaryIO

from biasprint.core.errors import AppError
from biasprint.core.given import NOT_JSON
from biasprint.core.machine.storage import (
    FULL,
    NotSynced,
    RefusedSync,
    home,
    put_in_place,
    put_on_disk,
    sync_folder,
    try_lock,
)

# ---- Whole or not at all


@contextlib.contextmanager
def whole_file(target: Path) -> Iterator[BinaryIO]:
    """A new file that takes the place of `target` if all goes well, and vanishes otherwise."""
    part = unfinished(target.with_name(f".{target.name[:100]}.{uuid.uuid4().hex[:8]}.part"))
    try:
        with part.open("xb") as file:
            yield file
            file.flush()
            put_on_disk(file.fileno())
        put_in_place(part, target)
    except BaseException:
        with contextlib.suppress(OSError):  # a disk that fails may not even delete: what went wrong first is told
            part.unlink(missing_ok=True)
        raise


@contextlib.contextmanager
def whole_folder(target: Path) -> Iterator[Path]:
    """A new folder that takes the place of `target`, which is free or empty, if all goes well; else it vanishes."""
    with temporary_folder(near=target) as near:
        part = near / "content"
        part.mkdir()
        yield part
        sync_tree(part)
        if target.is_dir():
            target.rmdir()
        put_in_place(part, target)


def sync_tree(folder: Path) -> None:
    """Put every file in a folder on the disk, and every name."""
    for path in (*folder.rglob("*"), folder):
        if path.is_file():
            with path.open("rb+") as file:
                put_on_disk(file.fileno())
        elif path.is_dir():
            with contextlib.suppress(RefusedSync):
                sync_folder(path)


def write_whole(path: Path, content: bytes) -> None:
    """Write `content` in place of what was there; `AppError` where it cannot be written."""
    try:
        with whole_file(path) as file:
            file.write(content)
    except OSError as error:
        raise not_written(path, error) from error


def not_written(target: Path, error: OSError) -> AppError:
    """Return the sentence for a file or folder that could not be written."""
    if isinstance(error, NotSynced):
        return AppError(
            f"“{target.name}” was written, but the disk reported an error: a power cut may take it away.",
            hint="Check the disk, and write it again.", details=str(error),
        )  # fmt: skip
    state = f"The “{target.name}” that was there before is unchanged." if target.exists() else ""
    if error.errno in FULL:
        return AppError(
            f"The disk is full: “{target.name}” was not written.", kept=state, hint="Free some space and try again."
        )
    if not target.parent.is_dir():
        return AppError(f"There is no folder “{target.parent}”.", hint="Make it first, or choose another.")
    hint = "Choose a folder that you may write to, and close the file where it is open."
    return AppError(f"“{target.name}” could not be written.", kept=state, hint=hint, details=str(error))


# ---- What dead processes left

PREFIX, SUFFIX = "biasprint-", ".part"
_LISTS: dict[tuple[int, str], IO[bytes]] = {}  # this process's, by process (a fork has none) and folder
_CLEARED: set[str] = set()
_ONE = threading.Lock()


def unfinished(path: Path) -> Path:
    """Note a file or folder of ours that is about to be filled. Its name begins or ends as `PREFIX`, `SUFFIX` say.

    Where the data folder cannot be written to, work goes on: then it may be left lying.
    """
    with _ONE, contextlib.suppress(OSError, AppError):
        stream = _own_list()
        # The first sign ends a line that a full disk cut off.
        stream.write(b"\n" + json.dumps(str(path.absolute())).encode() + b"\n")
    return path


def new_folder(near: Path | None = None) -> Path:
    """Return a new folder for what is under work, among the system's temporary ones or beside a file that is being
    made.
    """
    if near is None:
        return unfinished(Path(tempfile.mkdtemp(prefix=PREFIX)))
    near.parent.mkdir(parents=True, exist_ok=True)
    return unfinished(Path(tempfile.mkdtemp(dir=near.parent, prefix=f".{near.name[:60]}.", suffix=SUFFIX)))


@contextlib.contextmanager
def temporary_folder(near: Path | None = None) -> Iterator[Path]:
    """Yield a new folder that is removed with all that is in it when the block ends, or at the next start."""
    folder = new_folder(near)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def clear_leftovers() -> None:
    """Remove what dead processes of this machine left; once in a process. It never fails."""
    with contextlib.suppress(OSError, AppError):
        folder = _folder()
        with _ONE:
            if str(folder) in _CLEARED:
                return
            _CLEARED.add(str(folder))
            mine = {Path(stream.name) for stream in _LISTS.values()}
        for path in folder.glob(f"{_host()}-*.txt"):
            if path not in mine:
                with contextlib.suppress(OSError):
                    _clear(path)


def _clear(path: Path) -> None:
    with path.open("r+b") as stream:
        if not try_lock(stream):
            return
        stream.seek(0)
        for line in stream:
            with contextlib.suppress(OSError, TypeError, *NOT_JSON):
                _remove(Path(json.loads(line)))
    path.unlink()


def _remove(path: Path) -> None:
    if not (path.name.startswith(PREFIX) or path.name.endswith(SUFFIX)):
        return
    status = path.lstat()
    if hasattr(os, "getuid") and status.st_uid != os.getuid():
        return
    if stat.S_ISDIR(status.st_mode):
        shutil.rmtree(path, ignore_errors=True)
    elif stat.S_ISREG(status.st_mode):
        path.unlink()
        path.with_name(f"{path.name}-journal").unlink(missing_ok=True)


def _own_list() -> IO[bytes]:
    key = (os.getpid(), str(_folder()))
    if key not in _LISTS:
        stream = (_folder() / f"{_host()}-{uuid.uuid4().hex}.txt").open(
            "xb", buffering=0
        )  # a line that a full disk refused must not be tried again on the way out
        try_lock(stream)
        _LISTS[key] = stream
        atexit.register(_end_in_order, key)
    return _LISTS[key]


def _end_in_order(key: tuple[int, str]) -> None:
    if key[0] == os.getpid() and (stream := _LISTS.pop(key, None)) is not None:
        with contextlib.suppress(OSError):
            stream.close()
            Path(stream.name).unlink()


def _folder() -> Path:
    folder = home() / "unfinished"
    folder.mkdir(exist_ok=True)
    return folder


def _host() -> str:
    """Return this machine's name: two machines may share a data folder and not see each other's locks."""
    return hashlib.sha256(socket.gethostname().encode()).hexdigest()[:8]
