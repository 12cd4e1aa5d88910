"""SHA-256 of files, kept by path, size and time of change, so that gigabytes are read once."""

import contextlib
import hashlib
import os
from collections.abc import Callable, Mapping
from pathlib import Path

from core.errors import AppError
from core.machine import kept

FILE = "hashes.json"
CHUNK = 1 << 20

Check = Callable[[], None]


def sha256_of(path: Path, check: Check | None = None, *, fresh: bool = False) -> str:
    """SHA-256 (hex) of a file. Read only if its size or time changed since, or if `fresh`.

    `check` is called once for every megabyte and may raise. `AppError` where the file cannot be read.
    """
    try:
        state = path.stat()
        place = str(path.absolute())
        known = _known().get(place)
        if not fresh and isinstance(known, dict) and _same(known, state.st_size, state.st_mtime_ns):
            return str(known["sha256"])
        found = _read(path, check)
    except OSError as error:
        raise AppError(
            f"“{path}” cannot be read ({error.strerror}).", hint="See to it that the file is there and may be read."
        ) from error
    _remember(place, {"size": state.st_size, "mtime_ns": state.st_mtime_ns, "sha256": found})
    return found


def remember(path: Path, sha256: str) -> None:
    """Note the hash of a file that was just read and then renamed."""
    with contextlib.suppress(OSError):
        state = path.stat()
        entry = {"size": state.st_size, "mtime_ns": state.st_mtime_ns, "sha256": sha256}
        _remember(str(path.absolute()), entry)


def of_all(files: Mapping[str, str]) -> str:
    """One SHA-256 for a folder: over the sorted lines "name sha256", each ended by a line feed."""
    lines = "".join(f"{name} {files[name]}\n" for name in sorted(files))
    return hashlib.sha256(lines.encode()).hexdigest()


def git_blob_sha1(path: Path, check: Check | None = None) -> str:
    """The hash by which git, and so the hub, names a file that is not in large-file storage."""
    digest = hashlib.sha1(f"blob {path.stat().st_size}\0".encode(), usedforsecurity=False)
    _feed(path, digest.update, check)
    return digest.hexdigest()


def _read(path: Path, check: Check | None) -> str:
    digest = hashlib.sha256()
    _feed(path, digest.update, check)
    return digest.hexdigest()


def _feed(path: Path, update: Callable[[bytes], None], check: Check | None) -> None:
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            if check is not None:
                check()
            update(chunk)


def _known() -> dict[str, object]:
    try:
        return kept.read(FILE)
    except AppError:  # only a cache: what cannot be read is computed again
        return {}


def _same(known: dict[str, object], size: int, changed: int) -> bool:
    return (known.get("size"), known.get("mtime_ns")) == (size, changed) and isinstance(known.get("sha256"), str)


def _remember(place: str, entry: dict[str, object]) -> None:
    # Only a cache: whatever keeps it from being written (another process, a full disk) is no failure.
    with contextlib.suppress(AppError), kept.change(FILE) as data:
        for gone in [known for known in data if not os.path.exists(known)]:
            del data[gone]
        data[place] = entry
