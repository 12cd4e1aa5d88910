"""What the disk itself takes to keep something."""

import os
import time
from pathlib import Path

from figures import Spread, spread

PAGE_BYTES = 4_096


def fsync_milliseconds(folder: Path, times: int = 500) -> Spread:
    """Milliseconds for one page of a file in this folder to be on the disk (fsync alone)."""
    found = []
    path = folder / "fsync.bin"
    handle = os.open(path, os.O_CREAT | os.O_RDWR)
    try:
        for _ in range(times):
            os.lseek(handle, 0, os.SEEK_SET)
            os.write(handle, os.urandom(PAGE_BYTES))
            started = time.perf_counter()
            os.fsync(handle)
            found.append(1000 * (time.perf_counter() - started))
    finally:
        os.close(handle)
        path.unlink()
    return spread(found)
