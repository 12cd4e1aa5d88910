"""Weights and word lists that are compared with a known hash before they are read: the program's own, and packages'.

models/weights.toml has the hashes of the program's. A package's RECORD has those of its files, as they were made. One
that changed since would give other scores under the same version.
"""

import base64
import csv
import hashlib
import tomllib
from functools import cache
from importlib.metadata import Distribution, distribution
from importlib.resources import files
from pathlib import Path

from biasprint.core.errors import AppError

REINSTALL = "Install the program again."


def fitted(folder: str, *place: str) -> bytes:
    """A file of the program that models/weights.toml names. Raises `AppError` where it is another, or gone."""
    name = "/".join((folder, *place))
    try:
        content = files(f"biasprint.{folder}").joinpath(*place).read_bytes()
        known = tomllib.loads(files("biasprint.models").joinpath("weights.toml").read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise AppError(f"The program's file {name} cannot be read.", hint=REINSTALL) from error
    digest = hashlib.sha256(content.replace(b"\r\n", b"\n")).hexdigest()
    if digest != known.get(name):
        raise AppError(
            f"The file {name} is not the program's own, so it was not read.",
            kept="Nothing was changed.",
            hint=REINSTALL,
            details=f"SHA-256 of {name}: expected {known.get(name)}, found {digest}",
        )
    return content


@cache
def require_unchanged(package: str, *names: str) -> None:
    """Raises `AppError` where a file of an installed package is another than its wheel's, or gone.

    `names`: as in RECORD, such as “textblob/en/en-sentiment.xml”. Nothing is known, and nothing compared, where the
    package was installed without a RECORD, as some Linux distributions do. Done once for a process.
    """
    installed = distribution(package)
    recorded = _recorded(installed)
    for name in names:
        if name in recorded and _found(installed, name) != recorded[name]:
            raise AppError(
                f"The file {name} of the package {package} is not as it was made, so it was not read.",
                kept="Nothing was changed.",
                hint=f"Install it again: pip install --force-reinstall --no-deps {package}=={installed.version}",
                details=f"SHA-256 of {name} (base64): expected {recorded[name]}, found {_found(installed, name)}",
            )


def stamp(file: Path) -> tuple[int, ...]:
    """Return a value that changes whenever a file does: while it is the same, do not read again. Raises `OSError`."""
    state = file.stat()
    return state.st_size, state.st_mtime_ns, state.st_ctime_ns, state.st_ino


def _recorded(installed: Distribution) -> dict[str, str]:
    rows = csv.reader((installed.read_text("RECORD") or "").splitlines())
    return {row[0]: row[1].removeprefix("sha256=") for row in rows if len(row) > 1 and row[1].startswith("sha256=")}


def _found(installed: Distribution, name: str) -> str:
    try:
        with open(str(installed.locate_file(name)), "rb") as file:
            digest = hashlib.file_digest(file, "sha256").digest()
    except OSError as error:
        return f"none ({error.strerror})"
    return base64.urlsafe_b64encode(digest).decode("ascii").rstrip("=")
