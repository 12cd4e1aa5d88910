"""Records on this computer of what was got from the hub and what was added by hand.

A record of a download outlives the download: its commit and hashes are required when the model is got again.
"""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from biasprint.core.errors import AppError
from biasprint.core.machine import storage
from biasprint.core.machine.models.layout import Format
from biasprint.core.machine.storage import home

GOT = "records.json"
ADDED = "added.json"
PREFERRED = "preferred.json"
FOLDER = "models"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")  # safe as a folder's name on every system
COMMIT = re.compile(r"[0-9a-f]{7,64}")

Record = TypeVar("Record", "Got", "Added")


@dataclass(frozen=True)
class Got:
    """A model of the catalogue as it was got: commit, and SHA-256 and size of each file."""

    name: str
    repository: str
    revision: str
    role: str
    title: str
    format: Format
    sha256: Mapping[str, str]
    size: int
    licence: str = ""

    @property
    def folder(self) -> Path:
        return models_folder() / self.name / self.revision


@dataclass(frozen=True)
class Added:
    """A model that stays where the user has it. `path` is its file or folder."""

    name: str
    role: str
    path: str
    format: Format
    title: str
    sha256: Mapping[str, str]
    notes: tuple[str, ...] = field(default=())


def models_folder() -> Path:
    """Return the folder of downloads: `models` in the data folder; made when first needed."""
    folder = home() / FOLDER
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise storage.not_writable(folder, error) from error
    return folder


def got() -> dict[str, Got]:
    """Every record of a download, present or removed, by name."""
    return {name: _make(Got, name, data, GOT) for name, data in storage.read(GOT).items()}


def keep_got(record: Got) -> None:
    with storage.change(GOT) as data:
        data[record.name] = _fields(record)


def added() -> dict[str, Added]:
    return {name: _make(Added, name, data, ADDED) for name, data in storage.read(ADDED).items()}


def keep_added(record: Added) -> None:
    with storage.change(ADDED) as data:
        data[record.name] = _fields(record)


def forget_added(name: str) -> None:
    with storage.change(ADDED) as data:
        data.pop(name, None)


def preferred() -> dict[str, str]:
    """Role → the name that the user prefers for it."""
    return {role: name for role, name in storage.read(PREFERRED).items() if isinstance(name, str)}


def keep_preferred(role: str, name: str | None) -> None:
    with storage.change(PREFERRED) as data:
        if name is None:
            data.pop(role, None)
        else:
            data[role] = name


def _fields(record: Got | Added) -> dict[str, Any]:
    return {key: value for key, value in asdict(record).items() if key != "name"}


def _make(kind: type[Record], name: str, data: Any, file: str) -> Record:
    try:
        fields = dict(data)
        if not NAME.fullmatch(name) or not COMMIT.fullmatch(fields.get("revision", "0000000")):
            raise ValueError("a name or commit that the program does not write")
        if "notes" in fields:
            fields["notes"] = tuple(fields["notes"])
        return kind(name=name, **fields)
    except (TypeError, ValueError) as error:
        raise AppError(
            f"What “{home() / file}” says of “{name}” cannot be understood.",
            hint="Take that entry out, then get or add the model again.",
            details=str(error),
        ) from error
