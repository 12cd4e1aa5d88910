"""Files that a person names, or that came with them: looked at before anything opens them. And those of the program.

A link may lead to a private file, a pipe never ends, a device has no size: each is detected by `lstat`, which opens
nothing. Opening such a file first and asking then is too late.
"""

import os
import stat
import tomllib
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from biasprint.core.errors import AppError

# What `json.loads` raises for a text that is none, or is nested too deeply to be meant.
NOT_JSON = (ValueError, RecursionError)
# What reading JSON raises where its values are not those that are looked for: also a number too large for a float.
MISFIT = (*NOT_JSON, LookupError, TypeError, AttributeError, ArithmeticError)
# An honest file has most of its bytes on the disk, also where the disk compresses; one of holes has next to none.
LARGE_BYTES = 1_000_000_000
LEAST_ON_DISK = 0.01
DATALESS = 0x40000000  # st_flags of macOS: the cloud has the bytes, and reading brings them

KINDS = (
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


@cache
def packaged_toml(*path: str) -> dict[str, Any]:
    """Return a TOML file of the `resources` package, read once: nobody may change it."""
    return tomllib.loads(files("biasprint.resources").joinpath(*path).read_text(encoding="utf-8"))


def path_of(name: str | Path) -> Path:
    """The path that a person wrote, ~ for their home; a ~name that nobody has stays as it is."""
    try:
        return Path(name).expanduser()
    except RuntimeError:
        return Path(name)


def is_there(path: Path) -> bool:
    """Return whether the file or folder exists; False where no file system takes the name because it is too long."""
    try:
        return path.exists()
    except OSError:
        return False


def ordinary_file(path: Path, *, follow: bool = False) -> os.stat_result:
    """Return the `lstat` result of an ordinary file; with `follow`, a link is replaced by its target.

    A link is followed only to read what a person named: they meant it. What is written to, or came from others
    together with other files, is never reached through one.

    Raises `AppError` for a link, a pipe, a socket, a device, a folder, and a large file that is nearly all holes;
    `OSError` as `lstat` does, where there is none.
    """
    status = path.stat() if follow else path.lstat()
    mode = status.st_mode
    if stat.S_ISLNK(mode):
        raise AppError(
            f"“{path.name}” is a link, and was not followed.",
            kept="Nothing was opened or changed.",
            hint=f"Name the file itself: {os.path.realpath(path)}",
        )
    if stat.S_ISDIR(mode):
        raise AppError(f"“{path.name}” is a folder.", hint="Choose a file inside it.")
    if not stat.S_ISREG(mode):
        kind = next((name for is_kind, name in KINDS if is_kind(mode)), "no ordinary file")
        raise AppError(
            f"“{path.name}” is {kind}, and was not opened.",
            kept="Nothing was opened or changed.",
            hint="Save what it holds as a file, and name that.",
        )
    on_disk = getattr(status, "st_blocks", None)
    if getattr(status, "st_flags", 0) & DATALESS:
        on_disk = None
    if status.st_size > LARGE_BYTES and on_disk is not None and on_disk * 512 < LEAST_ON_DISK * status.st_size:
        raise AppError(
            f"“{path.name}” says it has {status.st_size / 1e9:.0f} GB, and next to nothing is in it.",
            kept="It was not opened.",
            hint="If it came from somebody else, ask for a fresh copy.",
        )
    if follow:
        keep_to(mode)
    return status


# ---- What is written is for the same people as what it comes from

EVERYBODY_ELSE = 0o077
_kept_from = 0


def keep_to(mode: int) -> None:
    """Let nobody else read what this process writes from here on who may not read a file of this mode.

    For files that came before it only becomes stricter. Windows has no such modes: a folder's own rights hold there.
    """
    global _kept_from
    _kept_from |= ~mode & EVERYBODY_ELSE
    os.umask(os.umask(EVERYBODY_ELSE) | _kept_from)


def kept_from() -> int:
    """Return the rights of others that `keep_to` took away, for a process that writes on behalf of this one."""
    return _kept_from
