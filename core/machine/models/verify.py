"""Reading every file of a model anew and comparing it with what was recorded."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from core.errors import AppError, UsageError
from core.jobs import JobContext
from core.machine.models import catalogue, layout, records
from core.machine.models.hashes import sha256_of
from core.machine.models.layout import Format


@dataclass(frozen=True)
class Verified:
    """What verifying one model gave. `problems` are sentences; none where every file is as it was.

    `compared` is how many files had a hash to compare with; `size` is the bytes that were read.
    """

    name: str
    problems: tuple[str, ...]
    compared: int
    size: int

    @property
    def sound(self) -> bool:
        return not self.problems


@dataclass(frozen=True)
class _Known:
    path: Path
    format: Format
    sha256: Mapping[str, str]


def verify(name: str | None = None, ctx: JobContext | None = None) -> list[Verified]:
    """Verify the model `name`, or every model here. Reports bytes read.

    Raises `UsageError` for a name that is not on this computer.
    """
    ctx = ctx or JobContext()
    here = {each: known for each, known in _known().items() if name in (None, each)}
    if name is not None and not here:
        raise UsageError(f"“{name}” is not on this computer.", hint="See what there is with: biasprint models list")
    sizes = {each: _size(known) for each, known in here.items()}
    read = _Reading(ctx, sum(sizes.values()))
    return [_verify(each, known, sizes[each], read.check) for each, known in here.items()]


class _Reading:
    """Counts the bytes that were read: `check` is called once a megabyte, and once a file."""

    def __init__(self, ctx: JobContext, size: int) -> None:
        self._ctx, self._size, self._done = ctx, size, 0

    def check(self) -> None:
        self._ctx.check()
        self._done = min(self._done + (1 << 20), self._size)
        self._ctx.report(self._done, self._size)


def _known() -> dict[str, _Known]:
    """What can be verified: path, and the hashes that are known."""
    found: dict[str, _Known] = {}
    for entry in catalogue.entries():
        place = entry.bundled_at() if entry.bundled else None
        if place is not None:
            found[entry.name] = _Known(place, entry.format, entry.known_hashes())
    for got in records.got().values():
        if got.folder.is_dir():
            path = got.folder if got.format == "folder" else got.folder / next(iter(got.sha256))
            found[got.name] = _Known(path, got.format, got.sha256)
    for own in records.added().values():
        found[own.name] = _Known(Path(own.path), own.format, own.sha256)
    return found


def _verify(name: str, known: _Known, size: int, check: Callable[[], None]) -> Verified:
    problems = []
    for file, recorded in known.sha256.items():
        path = layout.part(known.path, file)
        if not path.is_file():
            problems.append(f"{file} is gone.")
        elif _differs(path, recorded, check, problems):
            problems.append(f"{file} has changed: its hash is another.")
    problems += _more_files(known)
    return Verified(name, tuple(problems), len(known.sha256), size)


def _differs(path: Path, recorded: str, check: Callable[[], None], problems: list[str]) -> bool:
    try:
        return sha256_of(path, check, fresh=True) != recorded
    except AppError as error:
        problems.append(error.message)
        return False


def _more_files(known: _Known) -> list[str]:
    """Files that loading would read and that were not there before."""
    if known.format != "folder" or not known.path.is_dir() or not known.sha256:
        return []
    try:
        there = layout.look_at(known.path).files
    except AppError as error:
        return [error.message]
    complete = set(known.sha256) >= {layout.CONFIG}  # of bundled ones only the weights' hash is published
    return [f"{file} was not there before." for file in there if file not in known.sha256] if complete else []


def _size(known: _Known) -> int:
    places = {layout.part(known.path, file) for file in known.sha256} or {known.path}
    return sum(place.stat().st_size for place in places if place.is_file())
