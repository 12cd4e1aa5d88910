"""The parts and their requirements: data, read from parts.toml and pyproject.toml."""

import re
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import IO, Any

# ---- The lock of hashes

NAME = "biasprint-parts.lock"
_PAUSE_SECONDS = 0.5


@contextmanager
def waited_for(environment: str | Path, meanwhile: Callable[[], None]) -> Iterator[IO[bytes]]:
    """Hold the lock of an environment for the block. `meanwhile` is called while another holds it, and may raise."""
    with (Path(environment) / NAME).open("a+b") as stream:
        while not _try_lock(stream):
            meanwhile()
            time.sleep(_PAUSE_SECONDS)
        yield stream


def is_held(environment: str | Path) -> bool:
    """Return whether somebody is installing into an environment now. To look is not to hold: many may look at once."""
    try:
        with (Path(environment) / NAME).open("a+b") as stream:
            free = _try_lock(stream, shared=True)
            if free:
                _unlock(stream)  # a process forked meanwhile has the open file too, and would keep the lock
            return not free
    except OSError:
        return False


if sys.platform == "win32":
    import msvcrt

    _LOOKS = 10  # Windows locks a byte for one alone; who only looks lets go at once

    def _try_lock(stream: IO[bytes], shared: bool = False) -> bool:
        for _ in range(_LOOKS if shared else 1):
            try:
                stream.seek(0)
                msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)
                return True
            except OSError:
                time.sleep(0.001)
        return False

    def _unlock(stream: IO[bytes]) -> None:
        stream.seek(0)
        msvcrt.locking(stream.fileno(), msvcrt.LK_UNLCK, 1)
else:
    import fcntl

    def _try_lock(stream: IO[bytes], shared: bool = False) -> bool:
        try:
            fcntl.flock(stream, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except OSError:
            return False
        return True

    def _unlock(stream: IO[bytes]) -> None:
        fcntl.flock(stream, fcntl.LOCK_UN)


ROOT = Path(__file__).resolve().parents[3]
ENGINE = "engine"  # the extra whose package is compiled
PROJECT = "biasprint"
PARTS = Path(__file__).parent / "parts.toml"
_NAME = re.compile(r"[A-Za-z0-9][\w.-]*")


@dataclass(frozen=True)
class ProgramPart:
    """A part of the installation. `purpose`: what it is for, in one sentence. `megabytes`: about what is fetched.

    It is made of `packages`, and of the program's own commands where `itself`; or it is the catalogue's `model`.
    `light`: the light edition has it. `alone`: its packages are installed without what they say they require.
    """

    id: str
    title: str
    purpose: str
    megabytes: int
    packages: tuple[str, ...] = ()  # names as `normalized`
    modules: frozenset[str] = field(default=frozenset(), repr=False)  # top-level ones
    model: str = ""
    itself: bool = False
    light: bool = False
    alone: bool = False


@cache
def parts() -> tuple[ProgramPart, ...]:
    """Return all parts, in the order in which they are installed."""
    data = tomllib.loads(PARTS.read_text(encoding="utf-8"))
    return tuple(_part(entry) for entry in data["part"])


def _part(entry: dict[str, Any]) -> ProgramPart:
    packages: dict[str, list[str]] = entry.pop("packages", {})
    names = tuple(normalized(name) for name in packages)
    modules = {name.replace("-", "_").lower() for name in names}
    modules |= {module.lower() for listed in packages.values() for module in listed}
    return ProgramPart(packages=names, modules=frozenset(modules), **entry)


def part_of(module: str) -> ProgramPart | None:
    """Return the part that brings a module or package, by its top-level name; None for what no part brings."""
    top = module.partition(".")[0].lower().replace("-", "_")
    return next((part for part in parts() if top in part.modules), None)


def requirements(part: ProgramPart) -> tuple[str, ...]:
    """Return the requirements for pip, such as “torch==2.13.0”."""
    return tuple(text for text in all_requirements() if normalized(text) in part.packages)


def all_requirements() -> tuple[str, ...]:
    """Return the program's requirements, with those of the extra “engine”, whose part has to be compiled.

    pyproject.toml's beside the source, else what the installed metadata says.
    """
    if is_source():
        return (*_project()["dependencies"], *extra_requirements(ENGINE))
    from importlib.metadata import PackageNotFoundError, requires

    try:
        stated = requires(PROJECT) or []
    except PackageNotFoundError:
        return ()
    without = [text for text in stated if "extra ==" not in text]
    engine = [text.partition(";")[0].strip() for text in stated if f"extra == '{ENGINE}'" in text.replace('"', "'")]
    return (*without, *engine)


def requirements_of_light() -> tuple[str, ...]:
    """Return the requirements of the light edition; the program itself is not in it."""
    return tuple(each for part in parts() if part.light for each in requirements(part))


def left_out_of_light() -> tuple[str, ...]:
    """Return the ids of the parts that the light edition does not have."""
    return tuple(part.id for part in parts() if not part.light)


def stands_alone(package: str) -> bool:
    """Return whether a package, named as `normalized`, is installed without what it says that it requires."""
    return any(package in part.packages for part in parts() if part.alone)


def extra_requirements(extra: str) -> tuple[str, ...]:
    """Return the requirements that one of pyproject.toml's extras adds; for run.py."""
    return tuple(_project()["optional-dependencies"][extra])


def is_source() -> bool:
    """Return whether the program runs from its source, with pyproject.toml beside it."""
    return (ROOT / "pyproject.toml").is_file()


def normalized(requirement: str) -> str:
    """Return the name of the package that a requirement is about, as the index writes it (PEP 503)."""
    match = _NAME.match(requirement.strip())
    return re.sub(r"[-_.]+", "-", match[0]).lower() if match else ""


def _project() -> dict[str, Any]:
    project: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return project
