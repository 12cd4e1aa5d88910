"""Adding a model that the user has, removing one, and verifying that its files are as they were."""

import re
import shutil
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from biasprint.core.errors import AppError, UsageError
from biasprint.core.given import path_of
from biasprint.core.jobs import JobContext
from biasprint.core.machine.models import catalogue, installed, layout, records
from biasprint.core.machine.models.installed import InstalledModel
from biasprint.core.machine.models.layout import Format, Found, sha256_of
from biasprint.core.machine.storage import locked

# ---- Adding: it is checked and hashed, and stays where it is


def add(path: Path, role: str, name: str | None = None, ctx: JobContext | None = None) -> InstalledModel:
    """Add the GGUF file, folder or known checkpoint at `path` for a role; adding it again renews its hashes.

    Nothing is copied, loaded or run. Raises `UsageError` for a role or name that cannot be, `AppError` for what is no
    model that may be loaded.
    """
    known = catalogue.role(role)
    if not known.takes_models:
        raise UsageError(f"The role “{role}” takes no models.", hint=f"It is filled by {known.scorer}.")
    where = path_of(path).absolute()
    model_files = layout.look_at(where)
    _check_role(model_files, role)
    check = None if ctx is None else ctx.check
    hashes = installed.hashes_of(where, model_files.files, check)
    called = _name(name, model_files, role, hashes)
    if model_files.format == "checkpoint":
        _check_checkpoint(model_files, role, hashes[model_files.files[0]])
    records.keep_added(
        records.Added(called, role, str(where), model_files.format, _title(where), hashes, model_files.notes)
    )
    return installed.find(called, (role,))


def _check_role(model_files: Found, role: str) -> None:
    if model_files.format == "gguf" and role != "generator":
        raise UsageError(
            f"A GGUF file writes texts; it cannot fill the role “{role}”.",
            hint="Add a folder with safetensors weights, or use --role generator.",
        )


def _check_checkpoint(model_files: Found, role: str, sha256: str) -> None:
    # A checkpoint is a pickle. This one is read weights-only, and only because its hash is known.
    known = catalogue.required_checkpoint(model_files.path.name, sha256, role)
    if known.needs_folder and model_files.path.is_file():
        raise AppError(
            f"“{known.title}” needs a tokenizer, which its file does not hold.",
            kept="It was not opened.",
            hint="Put the checkpoint in a folder with config.json and the tokenizer of the model that it was trained "
            "from, and add the folder.",
        )


def _name(name: str | None, model_files: Found, role: str, hashes: Mapping[str, str]) -> str:
    """Return the name asked for, or one made from the file's; free, or that of the same file added before.

    A name of the catalogue is for the official weights of that entry alone.
    """
    called = name or re.sub(r"[^A-Za-z0-9._-]+", "-", model_files.path.stem).strip("-._")[:80] or role
    if not records.NAME.fullmatch(called):
        raise UsageError(
            f"“{called}” cannot be a model's name.", hint="Use letters, digits, dot, dash and underscore; at most 80."
        )
    if catalogue.entry(called) is not None:
        official = catalogue.official(role, hashes)
        if official is None or official.name != called:
            raise UsageError(
                f"“{called}” is a name of the catalogue, and these are not its official weights.",
                hint="Give the model another name with --name.",
            )
        if any(model.name == called for model in installed.installed(role) if model.origin != "added"):
            raise UsageError(f"“{called}” is on this computer already.", hint="There is nothing to add.")
    before = records.added().get(called)
    if before is not None and (before.path, before.role) != (str(model_files.path), role):
        raise UsageError(
            f"There is another model called “{called}” already.", hint="Give the model another name with --name."
        )
    return called


def _title(path: Path) -> str:
    return path.stem if path.is_file() else path.name


# ---- Removing: files that the program got are deleted, files that the user added are only forgotten


def remove(name: str) -> bool:
    """Take out the model `name`; whether files were deleted.

    What was recorded of a download stays recorded: getting it again must bring the same files. Raises `UsageError` for
    a name that there is not or that comes with the program, `AppError` where files cannot be deleted.
    """
    if name in records.added():
        records.forget_added(name)
        _forget_preference(name)
        return False
    places = [records.models_folder() / name, staging(name)]
    present = [place for place in places if records.NAME.fullmatch(name) and place.is_dir()]
    if not present:
        raise _nothing_to_remove(name)
    with locked(f"model-{name}.lock", patience=0):
        for place in present:
            _delete(place)
    _forget_preference(name)
    return True


def staging(name: str) -> Path:
    """Return the folder where a download of `name` gathers until it is whole."""
    return records.models_folder() / ".getting" / name


def _delete(place: Path) -> None:
    """Renamed first: a folder that is half deleted is never taken for a model."""
    try:
        trash = place.with_name(f".{place.name}.{uuid.uuid4().hex[:8]}.removed")
        place.rename(trash)
        shutil.rmtree(trash)
    except OSError as error:
        raise AppError(
            f"The files in “{place}” could not be deleted ({error.strerror}).",
            hint="Close whatever uses the model, then try again.",
        ) from error


def _forget_preference(name: str) -> None:
    for role, chosen in records.preferred().items():
        if chosen == name:
            records.keep_preferred(role, None)


def _nothing_to_remove(name: str) -> UsageError:
    entry = catalogue.entry(name)
    if entry is not None and entry.bundled:
        return UsageError(f"“{name}” comes with the program and cannot be removed.")
    if entry is not None:
        return UsageError(f"“{name}” is not on this computer.", hint="There is nothing to remove.")
    return UsageError(f"There is no model “{name}”.", hint="See what there is with: biasprint models list")


# ---- Verifying


@dataclass(frozen=True)
class Verified:
    """Result of verifying one model. `problems` are sentences; none where every file is as it was.

    `compared` is the number of files that had a hash to compare with; `size` is the bytes that were read.
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
    """Return what can be verified, by model: path, and the hashes that are known."""
    known_models: dict[str, _Known] = {}
    for entry in catalogue.entries():
        place = entry.bundled_at() if entry.bundled else None
        if place is not None:
            known_models[entry.name] = _Known(place, entry.format, entry.known_hashes())
    for got in records.got().values():
        if got.folder.is_dir():
            path = got.folder if got.format in ("folder", "pipeline") else got.folder / next(iter(got.sha256))
            known_models[got.name] = _Known(path, got.format, got.sha256)
    for own in records.added().values():
        known_models[own.name] = _Known(Path(own.path), own.format, own.sha256)
    return known_models


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
        files_present = layout.look_at(known.path).files
    except AppError as error:
        return [error.message]
    complete = set(known.sha256) >= {layout.CONFIG}  # of bundled ones only the weights' hash is published
    return [f"{file} was not there before." for file in files_present if file not in known.sha256] if complete else []


def _size(known: _Known) -> int:
    places = {layout.part(known.path, file) for file in known.sha256} or {known.path}
    return sum(place.stat().st_size for place in places if place.is_file())
