"""One process at a time: the operating system's lock on a file in the data folder.

The kernel frees it when its holder ends, however it ends, so that no lock is ever stale.
"""

import contextlib
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from core.errors import AppError
from core.machine.home import home

PATIENCE_SECONDS = 10.0
PAUSE_SECONDS = 0.02

_IN_THIS_PROCESS: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)


class Busy(AppError):
    """Another process, or another thread of this one, is at it."""


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
            while not _try_lock(stream):
                if time.monotonic() >= give_up:
                    raise _busy(name)
                time.sleep(PAUSE_SECONDS)
            yield
    finally:
        _IN_THIS_PROCESS[str(path)].release()


def _path(name: str) -> Path:
    return home() / "locks" / name


def _open(path: Path) -> IO[bytes]:
    try:
        path.parent.mkdir(exist_ok=True)
        return path.open("a+b")
    except OSError as error:
        raise AppError(
            f"The program may not write to its data folder “{path.parent.parent}” ({error.strerror}).",
            kept="Nothing was changed.",
            hint="See to it that you may write there, or set BIASPRINT_HOME to another folder.",
        ) from error


def _busy(name: str) -> Busy:
    what = name.removesuffix(".lock")
    return Busy(
        f"Another window or command is working on “{what}”.",
        kept="Nothing was changed.",
        hint="Wait until it has finished, then try again.",
    )


if sys.platform == "win32":
    import msvcrt

    def _try_lock(stream: IO[bytes]) -> bool:
        try:
            stream.seek(0)
            msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
else:
    import fcntl

    def _try_lock(stream: IO[bytes]) -> bool:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True
