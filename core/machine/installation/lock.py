"""One installer at a time: the operating system's lock on a file in the environment.

The kernel frees it when its holder ends. pip inherits it, so that one whose window was killed still counts.
"""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

NAME = "biasprint-parts.lock"
_PAUSE_SECONDS = 0.5


@contextmanager
def waited_for(environment: str | Path, meanwhile: Callable[[], None]) -> Iterator[IO[bytes]]:
    """Hold the lock of an environment for the block. `meanwhile` is called while another holds it, and may raise."""
    with (Path(environment) / NAME).open("a+b") as stream:
        while not _try_lock(stream):
            meanwhile()
            time.sleep(_PAUSE_SECONDS)
        yield stream


def is_held(environment: str | Path) -> bool:
    """Whether somebody is installing into an environment now. To look is not to hold: many may look at once."""
    try:
        with (Path(environment) / NAME).open("a+b") as stream:
            free = _try_lock(stream, shared=True)
            if free:
                _unlock(stream)  # a process forked meanwhile has the open file too, and would keep the lock
            return not free
    except OSError:
        return False


if sys.platform == "win32":
    import msvcrt

    _LOOKS = 10  # Windows locks a byte for one alone; who only looks lets go at once

    def _try_lock(stream: IO[bytes], shared: bool = False) -> bool:
        for _ in range(_LOOKS if shared else 1):
            try:
                stream.seek(0)
                msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)
                return True
            except OSError:
                time.sleep(0.001)
        return False

    def _unlock(stream: IO[bytes]) -> None:
        stream.seek(0)
        msvcrt.locking(stream.fileno(), msvcrt.LK_UNLCK, 1)
else:
    import fcntl

    def _try_lock(stream: IO[bytes], shared: bool = False) -> bool:
        try:
            fcntl.flock(stream, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except OSError:
            return False
        return True

    def _unlock(stream: IO[bytes]) -> None:
        fcntl.flock(stream, fcntl.LOCK_UN)
