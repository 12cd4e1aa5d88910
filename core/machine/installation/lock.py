"""One installer at a time: the operating system's lock on a file in the environment.

The kernel frees it when its holder ends. pip inherits it, so that one whose window was killed still counts.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

NAME = "biasprint-parts.lock"


@contextmanager
def held() -> Iterator[IO[bytes] | None]:
    """Hold the lock for the block; None, at once, where another holds it."""
    with _path().open("a+b") as stream:
        yield stream if _try_lock(stream) else None


def is_held() -> bool:
    """Whether somebody is installing now."""
    try:
        with _path().open("a+b") as stream:
            return not _try_lock(stream)
    except OSError:
        return False


def _path() -> Path:
    return Path(sys.prefix) / NAME


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
