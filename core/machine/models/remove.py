"""Taking a model out: files that the program got are deleted, files that the user added are only forgotten."""

import shutil
import uuid
from pathlib import Path

from core.errors import AppError, UsageError
from core.machine.locked import locked
from core.machine.models import catalogue, records


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
    """Where a download of `name` gathers until it is whole."""
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
