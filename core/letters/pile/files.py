"""The files of a pile, a folder or zip, or named one by one: which may be read, and their bytes."""

import os
import re
import stat
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from biasprint.core.errors import AppError
from biasprint.core.given import ordinary_file
from biasprint.core.letters.files import MOST_BYTES

MOST_RATIO = 200  # unpacked to packed; text reaches 10, and only what is made to blow up reaches this
RATIO_FROM = 1_000_000  # bytes: below that, no ratio can do harm
_LINK = 0o120000
_HINT = "Unpack it yourself if you trust where it is from."


def trouble_of(part: zipfile.ZipInfo) -> str:
    """Why this file must not be unpacked; "" where it may."""
    name = part.filename.rsplit("/", 1)[-1][:100]
    if part.flag_bits & 1:
        return f"“{name}” is protected by a password"
    if _climbs_out(part.filename):
        return f"“{name}” has a path that leads out of the zip, and was left"
    if (part.external_attr >> 16) & 0o170000 == _LINK:
        return f"“{name}” is a link to elsewhere and was not followed"
    if part.file_size > MOST_BYTES:
        return f"“{name}” has {part.file_size / 1e6:.0f} MB: a letter has far less"
    if part.file_size > RATIO_FROM and part.file_size > MOST_RATIO * max(part.compress_size, 1):
        return f"“{name}” unpacks to far more than a letter holds, and was left"
    return ""


def bytes_of(archive: zipfile.ZipFile, part: zipfile.ZipInfo) -> Callable[[], bytes]:
    """What reads the file, once; raises `AppError` for one that is damaged or larger than it says."""

    def read() -> bytes:
        try:
            with archive.open(part) as stream:
                return stream.read(MOST_BYTES + 1)
        except Exception as error:  # zipfile and its decompressors raise many kinds, some of their own
            raise AppError(
                f"“{part.filename.rsplit('/', 1)[-1][:100]}” is damaged in the zip.", hint=_HINT,
                details=f"{type(error).__name__}: {error}",
            ) from error  # fmt: skip

    return read


def _climbs_out(name: str) -> bool:
    parts = re.split(r"[/\\]", name)
    return ".." in parts or name.startswith(("/", "\\")) or bool(re.match(r"[A-Za-z]:", name)) or "\x00" in name


MOST_FILES = 20_000
_LEFT_BEHIND = {"thumbs.db", "desktop.ini", "ehthumbs.db", "icon\r"}
_OFFICE = ("[Content_Types].xml", "mimetype")


@dataclass(frozen=True)
class PileFile:
    """A file of the pile. `trouble`: why it must not be read, "" where it may; then `read` gives its bytes.

    `read` raises `AppError` with a sentence about this file.
    """

    name: str
    path_in_pile: str
    read: Callable[[], bytes]
    trouble: str = ""


@dataclass(frozen=True)
class PileFiles:
    """`passed_over`: how many files were left aside because no person put them there."""

    files: tuple[PileFile, ...]
    passed_over: int


def is_pile(path: Path) -> bool:
    """A folder, or a zip that is no document of an office program."""
    if path.is_dir():
        return True
    if not path.is_file():  # a pipe would be waited for
        return False
    try:
        with path.open("rb") as file:
            if file.read(4) not in (b"PK\x03\x04", b"PK\x05\x06"):
                return False
        with zipfile.ZipFile(path) as archive:
            return not any(part.filename in _OFFICE for part in archive.infolist()[:50])
    except (OSError, zipfile.BadZipFile, ValueError, NotImplementedError):
        return False


@contextmanager
def files_of(path: Path) -> Iterator[PileFiles]:
    """The files in `path`, in the order of their paths. Raises `AppError` where it cannot be opened."""
    if path.is_dir():
        yield _in_folder(path)
        return
    with _opened(path) as archive:
        yield _in_zip(archive, path.name)


def _opened(path: Path) -> zipfile.ZipFile:
    try:
        ordinary_file(path, follow=True)
        return zipfile.ZipFile(path)
    except FileNotFoundError:
        raise AppError(f"There is no file “{path}”.", hint="Check the name.") from None
    except (OSError, zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise AppError(
            f"“{path.name}” is damaged, or is no folder and no zip.", hint="Unpack it, and check the folder.",
            details=f"{type(error).__name__}: {error}",
        ) from error  # fmt: skip


def again(path: Path, path_in_pile: str) -> bytes:
    """The bytes of the file at this place of the pile. `AppError` where it is gone or must not be read."""
    with files_of(path) as found:
        for file in found.files:
            if file.path_in_pile == path_in_pile:
                if file.trouble:
                    raise AppError(f"{file.trouble}.", hint="Choose another file.")
                return file.read()
    raise AppError(f"“{path_in_pile}” is no longer in “{path.name}”.", hint="Read the pile again.")


def _in_folder(folder: Path) -> PileFiles:
    found: list[PileFile] = []
    passed_over = 0

    def unopened(error: OSError) -> None:
        place = os.path.relpath(error.filename or folder, folder).replace(os.sep, "/")
        found.append(PileFile(Path(place).name, place, _nothing, f"The folder “{place}” could not be opened"))

    for place, folders, names in os.walk(folder, followlinks=False, onerror=unopened):
        folders[:] = sorted(one for one in folders if not one.startswith("."))
        for name in names:
            if _left_behind(name):
                passed_over += 1
                continue
            file = Path(place, name)
            found.append(_of_folder(file, file.relative_to(folder).as_posix()))
            _check_number(len(found), folder.name)
    return PileFiles(tuple(sorted(found, key=lambda one: one.path_in_pile)), passed_over)


def named_file(path: Path) -> PileFile:
    """A file that a person named: a link is followed, because they meant it."""
    read = _reader(path)
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return PileFile(path.name, str(path), read, f"There is no file “{path}”")
    except OSError:
        return PileFile(path.name, str(path), read, f"“{path.name}” could not be read")
    if stat.S_ISDIR(mode):
        return PileFile(path.name, str(path), read, f"“{path.name}” is a folder: check it as a pile of its own")
    if not stat.S_ISREG(mode):
        return PileFile(path.name, str(path), read, f"“{path.name}” is no ordinary file")
    return PileFile(path.name, str(path), read)


def _reader(file: Path) -> Callable[[], bytes]:
    def read() -> bytes:
        try:
            with file.open("rb") as opened:
                return opened.read(MOST_BYTES + 1)
        except OSError as error:
            raise AppError(
                f"“{file.name}” could not be read.", hint="See that you may read it.", details=str(error)
            ) from error

    return read


def _of_folder(file: Path, place: str) -> PileFile:
    read = _reader(file)
    try:
        status = file.lstat()
    except OSError:
        return PileFile(file.name, place, read, f"“{file.name}” could not be read")
    if stat.S_ISLNK(status.st_mode):
        return PileFile(file.name, place, read, f"“{file.name}” is a link to elsewhere and was not followed")
    if not stat.S_ISREG(status.st_mode):
        return PileFile(file.name, place, read, f"“{file.name}” is no ordinary file")
    return PileFile(file.name, place, read)


def _in_zip(archive: zipfile.ZipFile, name: str) -> PileFiles:
    found: list[PileFile] = []
    passed_over = 0
    for part in archive.infolist():
        last = part.filename.rsplit("/", 1)[-1]
        if part.is_dir():
            continue
        if _left_behind(last) or part.filename.startswith("__MACOSX/"):
            passed_over += 1
            continue
        found.append(PileFile(last, part.filename, bytes_of(archive, part), trouble_of(part)))
        _check_number(len(found), name)
    return PileFiles(tuple(sorted(found, key=lambda one: one.path_in_pile)), passed_over)


def _left_behind(name: str) -> bool:
    """Files that an operating system or an open word processor puts beside a person's own."""
    return name.startswith((".", "~$", "~lock.")) or name.lower() in _LEFT_BEHIND


def _check_number(count: int, name: str) -> None:
    if count > MOST_FILES:
        raise AppError(f"“{name}” holds more than {MOST_FILES:,} files.", hint="Choose the folder with the letters.")


def _nothing() -> bytes:
    return b""
