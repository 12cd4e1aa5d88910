"""Where reference sets are: the bundled one with the program, a person's own ones in the data folder by name."""

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from core.documents.reference.file import MOST_BYTES, from_bytes, to_bytes
from core.documents.reference.values import ReferenceSet
from core.errors import AppError, UsageError
from core.machine.home import home
from core.prompts.resource_files import packaged
from core.report.whole_file import write_whole

BUNDLED = "bundled"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 _-]{0,59}")
_RESERVED = {"con", "prn", "aux", "nul", *(f"{device}{number}" for device in ("com", "lpt") for number in range(1, 10))}


@dataclass(frozen=True)
class Listed:
    """A reference set as it is listed; `trouble` says why it cannot be used, "" where it can."""

    name: str
    title: str
    made_from: str
    stand_in: bool
    letters: int
    occupations: tuple[str, ...]
    trouble: str = ""


def references() -> tuple[Listed, ...]:
    """The bundled set, then a person's own by name. A damaged one is listed with what is wrong with it."""
    own = sorted(path.stem for path in _folder().glob("*.json")) if _folder().is_dir() else []
    return tuple(_listed(name) for name in (BUNDLED, *own) if name == BUNDLED or _NAME.fullmatch(name))


def reference(name: str) -> ReferenceSet:
    """The set of this name. Raises `UsageError` where there is none, `AppError` where it is damaged."""
    if name == BUNDLED:
        return _bundled()
    path = _path(name)
    try:
        if path.stat().st_size > MOST_BYTES:
            raise AppError(f"The reference set “{name}” is far larger than one may be.", hint="Build it again.")
        return from_bytes(path.read_bytes(), name)
    except FileNotFoundError:
        known = ", ".join(one.name for one in references())
        raise UsageError(f"There is no reference set “{name}”.", hint=f"There are: {known}.") from None
    except OSError as error:
        raise AppError(f"The reference set “{name}” cannot be read.", hint="Look at it.", details=str(error)) from error


def save(found: ReferenceSet) -> None:
    """Keep a set under its name, in place of what had that name."""
    if not found.letters:
        raise UsageError("A reference set needs letters.", hint="Choose a project that has some.")
    path = _path(found.name)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, to_bytes(found))


def remove(name: str) -> None:
    """Forget a set. Raises `UsageError` for one that there is not, and for the bundled one."""
    path = _path(name)
    try:
        path.unlink()
    except FileNotFoundError:
        raise UsageError(f"There is no reference set “{name}”.", hint="“reference list” shows them.") from None
    except OSError as error:
        raise AppError(
            f"“{path.name}” could not be removed.", hint="Close it elsewhere.", details=str(error)
        ) from error


def check_name(name: str) -> None:
    """Raises `UsageError` for a name that cannot be a file's everywhere, or is the bundled set's."""
    if name == BUNDLED:
        raise UsageError("The bundled reference set stays as it is.", hint="Choose another name.")
    if not _NAME.fullmatch(name) or name.casefold() in _RESERVED or name != name.strip():
        raise UsageError(
            f"“{name}” cannot be the name of a reference set.",
            hint="Use up to 60 letters, digits, blanks, “-” and “_”; begin with a letter or a digit.",
        )


def _listed(name: str) -> Listed:
    try:
        found = reference(name)
    except AppError as error:
        return Listed(name, name, "", False, 0, (), str(error))
    return Listed(name, found.title, found.made_from, found.stand_in, len(found.letters), found.occupations)


@lru_cache(maxsize=1)
def _bundled() -> ReferenceSet:
    try:
        data = packaged("letters", "reference", "bundled.json").read_bytes()
    except OSError as error:
        raise AppError("The bundled reference set is missing.", hint="Install the program again.") from error
    return from_bytes(data, BUNDLED)


def _folder() -> Path:
    return home() / "references"


def _path(name: str) -> Path:
    check_name(name)
    return _folder() / f"{name}.json"
