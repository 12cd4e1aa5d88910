"""The state of each part: read from the environment's packages, with notes that make that quick.

pip writes a package's files first and INSTALLER near the end, so a package without it was cut short in the middle,
although its metadata may be there and pip would take it for installed.
"""

import hashlib
import json
import os
import re
import sys
import sysconfig
import uuid
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from biasprint.core.errors import AppError, NotInstalledYet
from biasprint.core.given import NOT_JSON
from biasprint.core.machine.installation import declared
from biasprint.core.machine.installation.declared import ProgramPart, is_held, normalized, part_of, requirements

WITHOUT_ENGINE = "BIASPRINT_WITHOUT_LLAMA"
UNASKED = "BIASPRINT_PREPARE"  # set by run.py for the program that it opens
NOTES = "biasprint-parts.json"
RUN_PY = "run.py"

State = Literal["ready", "waiting", "working", "failed", "left out"]


@dataclass(frozen=True)
class PartState:
    """The state of a part, and one sentence about it for a person. `begun`: it was begun, and has not come to its end.

    A part is “left out” where this is the light edition and nobody has asked for the part since.
    """

    part: ProgramPart
    state: State
    sentence: str
    begun: bool = False

    @property
    def is_due(self) -> bool:
        """Return whether it is still to come."""
        return self.state not in ("ready", "left out")

    @property
    def can_be_added(self) -> bool:
        """Return whether it is left out, and may be asked for; nothing can be added to a packaged program."""
        return self.state == "left out" and not getattr(sys, "frozen", False)


def status(only: ProgramPart | None = None) -> tuple[PartState, ...]:
    """Return every part that can be here, in order, or one. Quick: nothing is imported or started."""
    notes = InstallationNotes.read()
    installed = InstalledPackages()
    working = notes.working if notes.working and is_held(sys.prefix) else ""
    return tuple(_state(part, notes, installed, working) for part in possible(notes) if only in (None, part))


def complete() -> bool:
    """Return whether all is there that is to be; always so in a packaged program, to which nothing can be added."""
    return not any(each.is_due for each in status())


def is_under_way() -> bool:
    """Return whether somebody, here or in another process, is installing now."""
    return is_held(sys.prefix)


def goes_on_unasked() -> bool:
    """Return whether the window may go on with the installation without asking: run.py, which said what it installs,
    opened it.
    """
    return os.environ.get(UNASKED, "") == "1"


def explained(error: BaseException) -> NotInstalledYet | None:
    """Return a missing module of a part that is not there yet, in a sentence; None for any other error."""
    part = part_of(error.name or "") if isinstance(error, ImportError) else None
    part_state = next(iter(status(part)), None) if part is not None else None
    if part is None or part_state is None or part_state.state == "ready":
        return None
    if part_state.state == "left out":
        what, hint = "is not in the light edition", _how_to_add(part)
    elif part_state.state == "failed":
        what, hint = (
            "could not be prepared",
            "“Parts of the program” in the window says why, as does: biasprint prepare",
        )
    elif is_under_way():
        what, hint = "is still being prepared", "Try again when it is there; nothing has to be started again."
    else:
        what, hint = (
            "is not installed yet",
            "Install it by “Parts of the program” in the window, or: biasprint prepare",
        )
    return NotInstalledYet(
        f"This needs “{part.title}”, a part of the program that {what}.",
        kept="What needs no more than is installed works.",
        hint=hint,
    )


def how_to_get(package: str) -> str:
    """Return two sentences for a package that is not installed: that it is needed, and what to do."""
    coming = explained(ModuleNotFoundError(name=package))
    if coming is not None:
        return f"{coming.message} {coming.hint}"
    return f"It needs the package “{package}”. Install it with: pip install {package}"


def leaves_out(module: str) -> bool:
    """Return whether a module or package belongs to a part that is left out here."""
    part = part_of(module)
    return part is not None and any(each.state == "left out" for each in status(part))


def wanted(notes: "InstallationNotes") -> tuple[ProgramPart, ...]:
    """Return the parts that are to be here: the light edition leaves some out."""
    return tuple(part for part in possible(notes) if part.id not in notes.left_out)


def possible(notes: "InstallationNotes") -> tuple[ProgramPart, ...]:
    """Return the parts that can be here. An installation that pip made, and a package, have no model of the catalogue
    unless one is got in Models.
    """
    if getattr(sys, "frozen", False):
        return tuple(part for part in declared.parts() if not part.model or part.id in notes.left_out)
    without = bool(os.environ.get(WITHOUT_ENGINE))
    return tuple(
        part
        for part in declared.parts()
        if not (part.model and not notes.by_run_py) and not (part.id in ("model", "engine") and without)
    )


def _state(part: ProgramPart, notes: "InstallationNotes", installed: "InstalledPackages", working: str) -> PartState:
    if is_ready(part, notes, installed):
        return PartState(part, "ready", f"{part.title} is ready.")
    if working == part.id:
        return PartState(part, "working", f"{part.title} is being prepared.")
    if failure := notes.failed.get(part.id):
        return PartState(part, "failed", failure.sentence)
    if part.id in notes.left_out:
        return PartState(part, "left out", f"“{part.title}” is not in the light edition. {_how_to_add(part)}")
    return PartState(part, "waiting", f"{part.title} is still to be prepared.", begun=notes.begun == part.id)


def _how_to_add(part: ProgramPart) -> str:
    if getattr(sys, "frozen", False):
        return "The full package has it."
    return f"Add it in “Parts of the program” in the window, or by: biasprint prepare --part {part.id}"


def is_ready(part: ProgramPart, notes: "InstallationNotes", installed: "InstalledPackages") -> bool:
    """Return whether a part is there and whole."""
    if getattr(sys, "frozen", False):
        return part.id not in notes.left_out
    if part.model:
        return _has_model(part.model)
    if part.itself and notes.by_run_py and not (notes.itself == itself_stamp() and installed.whole("biasprint")):
        return False
    noted = notes.ready.get(part.id)
    if noted is not None and noted.requirements == requirements_stamp(part):
        return all(installed.has_folder(folder) for folder in noted.folders)
    return examined(part, installed) is not None


def examined(part: ProgramPart, installed: "InstalledPackages") -> tuple[str, ...] | None:
    """Return the metadata folders of all that a part needs, what its packages need included; None where something
    lacks.

    The requirements of a package that stays unexamined are not read, whoever needs it.
    """
    if any(not installed.satisfies(each) for each in requirements(part)):
        return None
    results: dict[str, str] = {}
    names = list(part.packages)
    while names:
        name = names.pop()
        if name in results:
            continue
        if not installed.whole(name):
            return None
        results[name] = installed.folder(name)
        names += () if declared.stands_alone(name) else installed.needs(name)
    return tuple(results.values())


def _has_model(name: str) -> bool:
    try:
        from biasprint.core.machine.models import records
    except ImportError:  # what reads the data folder is not installed yet
        return False
    with suppress(AppError):
        got = records.got().get(name)
        return got is not None and got.folder.is_dir()
    return False


def requirements_stamp(part: ProgramPart) -> str:
    return sha256("\n".join(requirements(part)))


def itself_stamp() -> str:
    """Return a stamp of what the program's own metadata depends on: pyproject.toml, and where the source lies."""
    if not declared.is_source():
        return ""
    return sha256((declared.ROOT / "pyproject.toml").read_text(encoding="utf-8") + str(declared.ROOT))


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


# ---- Installed packages


class InstalledPackages:
    """The packages of this environment, as their metadata folders on the import path show them."""

    def __init__(self, path: Iterable[str] | None = None) -> None:
        self._folders: dict[str, Path] = {}
        for entry in dict.fromkeys(path if path is not None else [str(site_packages()), *sys.path]):
            with suppress(OSError):
                for each in os.scandir(entry or "."):
                    if each.name.endswith((".dist-info", ".egg-info")):
                        self._folders.setdefault(normalized(each.name.partition("-")[0]), Path(each.path))

    def whole(self, name: str) -> bool:
        folder = self._folders.get(name)
        return folder is not None and is_whole(folder)

    def has_folder(self, name: str) -> bool:
        folder = self._folders.get(normalized(name.partition("-")[0]))
        return folder is not None and folder.name == name and is_whole(folder)

    def folder(self, name: str) -> str:
        return self._folders[name].name

    def version(self, name: str) -> str:
        return self._folders[name].name.removesuffix(".dist-info").partition("-")[2]

    def needs(self, name: str) -> list[str]:
        """Return the packages that a package requires here."""
        return [normalized(text) for text in self._requires(name) if _applies(text)]

    def _requires(self, name: str) -> list[str]:
        lines = []
        with suppress(OSError), (self._folders[name] / "METADATA").open(encoding="utf-8", errors="replace") as file:
            for line in file:
                if line in ("\n", "\r\n"):  # the description follows
                    break
                if line.startswith("Requires-Dist:"):
                    lines.append(line.partition(":")[2].strip())
        return lines

    def satisfies(self, requirement: str) -> bool:
        name = normalized(requirement)
        if not _applies(requirement):
            return True
        if not self.whole(name):
            return False
        try:
            from packaging.requirements import Requirement
        except ImportError:
            return False  # it belongs to the first part
        return Requirement(requirement).specifier.contains(self.version(name), prereleases=True)


def is_whole(folder: Path) -> bool:
    """Return whether a package was installed to its end: INSTALLER is written after all its files."""
    return folder.suffix == ".egg-info" or (folder / "INSTALLER").is_file()


def site_packages() -> Path:
    return Path(sysconfig.get_path("purelib"))


@cache
def _applies(requirement: str) -> bool:
    marker = requirement.partition(";")[2]
    if not marker:
        return True
    if re.search(r"\bextra\s*==", marker):
        return False
    try:
        from packaging.markers import Marker
    except ImportError:
        return False
    return Marker(marker.strip()).evaluate()


# ---- Notes


@dataclass(frozen=True)
class ReadyPart:
    """A part that was installed: for which requirements, and the metadata folders of all that it needs."""

    requirements: str
    folders: tuple[str, ...]


@dataclass(frozen=True)
class FailedPart:
    """The reason why a part could not be installed. `kind` as in `pip.PipTrouble`."""

    sentence: str
    kind: str


@dataclass(frozen=True)
class InstallationNotes:
    """The notes that are stored beside the environment, or by `build.spec` in a package.

    Everything in it can be found out again, save who made it and which parts its light edition leaves out.
    """

    by_run_py: bool
    left_out: frozenset[str]  # ids of parts
    itself: str
    working: str
    begun: str
    ready: Mapping[str, ReadyPart]
    failed: Mapping[str, FailedPart]

    @classmethod
    def read(cls) -> "InstallationNotes":
        data = _read(notes_path())
        return cls(
            by_run_py=data.get("made_by") == RUN_PY,
            left_out=frozenset(data["left_out"]),
            itself=data.get("itself", ""),
            working=data.get("working", ""),
            begun=data.get("begun", ""),
            ready={key: ReadyPart(each["requirements"], tuple(each["folders"])) for key, each in data["ready"].items()},
            failed={key: FailedPart(each["sentence"], each["kind"]) for key, each in data["failed"].items()},
        )


def noted_extras(environment: Path) -> dict[str, str]:
    """Return the requirements of each extra for developers that run.py installed."""
    return dict(_read(notes_path(environment))["extras"])


def notes_path(prefix: str | Path = sys.prefix) -> Path:
    return Path(prefix) / NOTES


def note(path: Path | None = None, **changes: Any) -> None:
    """Write changes into the notes, whole or not at all. One process writes: whoever holds the lock, or run.py."""
    path = path or notes_path()
    data = _read(path)
    for key, value in changes.items():
        if isinstance(value, dict):
            data[key].update(value)
            data[key] = {name: each for name, each in data[key].items() if each is not None}
        else:
            data[key] = value
    part = path.with_name(f"{path.name}.{uuid.uuid4().hex[:8]}")
    part.write_text(json.dumps(data, indent=1), encoding="utf-8")
    part.replace(path)


def _read(path: Path) -> dict[str, Any]:
    empty: dict[str, Any] = {"ready": {}, "failed": {}, "extras": {}, "left_out": []}
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return empty | data if isinstance(data, dict) else empty
    except (OSError, *NOT_JSON):  # none yet, or damaged: the packages themselves say what is there
        return empty
