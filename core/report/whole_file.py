"""A file that is written whole or not at all: beside its place first, on the disk, then renamed."""

import contextlib
import errno
import os
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from biasprint.core.errors import AppError
from biasprint.core.machine.leftovers import unfinished

DISK_FULL = {errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)}  # Windows has no quota error


@contextlib.contextmanager
def whole_file(target: Path) -> Iterator[BinaryIO]:
    """A new file that takes the place of `target` if all goes well, and vanishes otherwise."""
    part = unfinished(target.with_name(f".{target.name[:100]}.{uuid.uuid4().hex[:8]}.part"))
    try:
        with part.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(target)
        _sync_folder(target.parent)
    except BaseException:
        with contextlib.suppress(OSError):  # a disk that fails may not even delete: what went wrong first is told
            part.unlink(missing_ok=True)
        raise


def _sync_folder(folder: Path) -> None:
    """Put the new name on the disk too; Windows does so on its own and opens no folders."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def not_written(target: Path, error: OSError) -> AppError:
    state = f"The “{target.name}” that was there before is unchanged." if target.exists() else ""
    if error.errno in DISK_FULL:
        return AppError(
            f"The disk is full: “{target.name}” was not written.", kept=state, hint="Free some space and try again."
        )
    if not target.parent.is_dir():
        return AppError(f"There is no folder “{target.parent}”.", hint="Make it first, or choose another.")
    hint = "Choose a folder that you may write to, and close the file where it is open."
    return AppError(f"“{target.name}” could not be written.", kept=state, hint=hint, details=str(error))


def write_whole(path: Path, content: bytes) -> None:
    """Write `content` in place of what was there; `AppError` where it cannot be written."""
    try:
        with whole_file(path) as file:
            file.write(content)
    except OSError as error:
        raise not_written(path, error) from error
