"""The exact packages that are installed, each with the hashes of its files: `requirements.lock` beside the source.

pyproject.toml says which versions fit; the lock says which are taken, for every Python and system at once. pip gets it
as constraints: whatever it installs must be in there and have one of the hashes, also what a package is built with. A
pip that is older than the one in the lock does not look at the hashes of constraints, so that one is installed first.
`python run.py lock` writes the lock (`refresh`).
"""

import json
import os
import re
import subprocess
import tempfile
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from biasprint.core.errors import AppError
from biasprint.core.machine import child
from biasprint.core.machine.installation import declared
from biasprint.core.machine.installation.declared import normalized

NAME = "requirements.lock"
WITHOUT_LOCK = "BIASPRINT_WITHOUT_LOCK"
CPU_INDEX = "https://download.pytorch.org/whl/cpu"  # has the builds of PyTorch without NVIDIA's libraries
WITH_CPU_BUILDS = "torch"
_PATIENCE_SECONDS = 20
_HEAD = """\
# The exact packages that “python run.py” installs, with the hashes of their files, for every Python and system.
# Written from pyproject.toml by “python run.py lock”; not to be edited.
"""


def entries() -> dict[str, list[str]]:
    """Return the lock's entries by normalized package name: one or more requirements with markers and hashes.

    Empty where there is no lock, as in an installation that pip made, or where `BIASPRINT_WITHOUT_LOCK` is set.
    """
    return {} if os.environ.get(WITHOUT_LOCK) else _locked()


def _locked() -> dict[str, list[str]]:
    file = declared.ROOT / NAME
    return _entries(file.read_text(encoding="utf-8")) if file.is_file() else {}


def version(entry: str) -> str:
    """Return the version of an entry, such as “2.13.0” of “torch==2.13.0 --hash=…”."""
    return re.split(r"[\s;\\]", entry.partition("==")[2], maxsplit=1)[0]


@contextmanager
def constraints(held: Mapping[str, str], build: str = "") -> Iterator[list[str]]:
    """Yield pip's options for an installation by the lock, if there is one.

    `held`: what is there and stays, with versions. It is not fetched, so pip needs no hash for it. `build`: of PyTorch,
    as `build_of_torch` finds it.
    """
    locked = entries()
    lines = [f"{name}=={held[name]}\n" for name in held]
    lines += [line for name, pin in locked.items() if name not in held for line in pin]
    if build:
        lines = [re.sub(rf"^({WITH_CPU_BUILDS}==)[^\s;\\]+", rf"\g<1>{build}", line) for line in lines]
    with _file("".join(lines)) as file:
        options = ["--constraint", str(file)] if lines else []
        yield [*options, "--require-hashes", *build_constraints()] if locked else options


def build_constraints() -> list[str]:
    """Return pip's option that holds what packages are built with to the lock."""
    return ["--build-constraint", str(declared.ROOT / NAME)] if entries() else []


def build_of_torch(pip: Callable[[list[str]], object]) -> str:
    """Return the build of PyTorch's locked version that `pip` would take if it asked for no hashes, such as
    “2.13.0+cpu”.

    Where it asks for them it prefers what has a hash announced, and a folder of wheels announces none: the small build
    that somebody put there would be passed over for gigabytes of NVIDIA's. Empty where pip finds none.
    """
    locked = entries().get(WITH_CPU_BUILDS)
    if not locked:
        return ""
    with _file("") as file:
        options = ["--dry-run", "--no-deps", "--only-binary", ":all:", "--ignore-installed", "--report", str(file)]
        pip([*options, f"{WITH_CPU_BUILDS}=={version(locked[0])}"])
        try:
            return str(json.loads(file.read_text(encoding="utf-8"))["install"][0]["metadata"]["version"])
        except (ValueError, LookupError):
            return ""


@contextmanager
def missing_pip(site: Path) -> Iterator[list[str]]:
    """Yield pip's arguments that install the lock's own pip; empty where that one is there, or where there is no lock.

    Its hash is asked for even where `BIASPRINT_WITHOUT_LOCK` is set: all other packages come through it.
    """
    pip = _locked().get("pip", [])
    if not pip or (site / f"pip-{version(pip[0])}.dist-info" / "INSTALLER").is_file():
        yield []
        return
    with _file("".join(pip)) as file:
        yield ["--require-hashes", "--no-deps", "--no-compile", "--requirement", str(file)]


def _entries(text: str) -> dict[str, list[str]]:
    entries: dict[str, list[str]] = {}
    name = ""
    for line in text.splitlines(keepends=True):
        if line.startswith(("#", "    #")) or not line.strip():
            continue
        if not line.startswith(" "):
            name = normalized(line)
            entries.setdefault(name, []).append("")
        entries[name][-1] += line
    return entries


@contextmanager
def _file(text: str) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "requirements.txt"
        file.write_text(text, encoding="utf-8")
        yield file


# ---- Writing the lock


def refresh(python: Path, newest: bool, say: Callable[[str], None]) -> None:
    """Rewrite the lock with uv in the environment of `python`: versions stay where they fit, unless `newest`.

    Raises `AppError` where no set of packages fits or the index cannot be reached; the lock then stays as it was.
    """
    lock = declared.ROOT / NAME
    before = lock.read_text(encoding="utf-8") if lock.is_file() else ""
    with _file(before) as file:
        _compile(python, file, newest)
        text = _HEAD + file.read_text(encoding="utf-8")
    torch = version(_entries(text)[WITH_CPU_BUILDS][0])
    more = cpu_hashes(_index_page(say), torch)
    more |= hashes(entry for entry in _entries(before).get(WITH_CPU_BUILDS, []) if version(entry) == torch)
    part = lock.with_name(f"{NAME}.part")
    part.write_text(with_hashes(text, WITH_CPU_BUILDS, more), encoding="utf-8", newline="\n")
    part.replace(lock)
    old, new = _versions(before), _versions(text)
    for name in sorted(old.keys() | new.keys()):
        if old.get(name) != new.get(name):
            say(f"{name}: {old.get(name, 'new')} → {new.get(name, 'no longer')}")


def _compile(python: Path, file: Path, newest: bool) -> None:
    project = tomllib.loads((declared.ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    oldest = project["requires-python"].removeprefix(">=")
    done = subprocess.run(
        child.python(
            "-m", "uv", "pip", "compile", "--universal", "--generate-hashes", "--all-extras",
            "--group", "installing", "--python-version", oldest, "--no-header", "--quiet", *["--upgrade"] * newest,
            "pyproject.toml", "--output-file", str(file), executable=str(python),
        ),
        cwd=declared.ROOT, capture_output=True, text=True, encoding="utf-8", errors="replace",
    )  # fmt: skip
    if done.returncode != 0:
        raise AppError(
            f"{done.stderr.strip()}\n\nThe lock could not be written.",
            kept="The lock is as it was.",
            hint="uv's words above say why.",
        )


def _index_page(say: Callable[[str], None]) -> str:
    from urllib.request import urlopen

    try:
        with urlopen(f"{CPU_INDEX}/{WITH_CPU_BUILDS}/", timeout=_PATIENCE_SECONDS) as answer:
            return str(answer.read().decode("utf-8", "replace"))
    except OSError as error:
        say(f"{CPU_INDEX} could not be reached ({error}): the hashes of its builds that are known stay.")
        return ""


def cpu_hashes(page: str, torch: str) -> set[str]:
    """Return the hashes that an index page announces for the CPU builds of a version of PyTorch."""
    return set(re.findall(rf"torch-{re.escape(torch)}(?:%2B|\+)cpu-[^\"#]*\.whl#sha256=([0-9a-f]{{64}})", page))


def with_hashes(text: str, name: str, more: set[str]) -> str:
    """Return a lock in which a package, which has one entry, has these hashes as well."""
    (entry,) = _entries(text)[name]
    first = entry.partition(" \\\n")[0]
    listed = [f"    --hash=sha256:{each}" for each in sorted(more | hashes([entry]))]
    return text.replace(entry, " \\\n".join([first, *listed]) + "\n")


def hashes(requirements: Iterable[str]) -> set[str]:
    """Return the SHA-256 hashes that entries of the lock ask for."""
    return {digest for each in requirements for digest in re.findall("sha256:([0-9a-f]{64})", each)}


def _versions(text: str) -> dict[str, str]:
    return {name: ", ".join(version(entry) for entry in pin) for name, pin in _entries(text).items()}
