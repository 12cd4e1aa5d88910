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
    """Whether somebody is installing into an environment now."""
    try:
        with (Path(environment) / NAME).open("a+b") as stream:
            return not _try_lock(stream)
    except OSError:
        return False


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
