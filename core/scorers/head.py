"""Small heads on embeddings: softmax regressions whose weights are checked before they are used."""

import base64
import csv
import hashlib
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.metadata import Distribution, distribution
from importlib.resources import files
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from biasprint.core.errors import AppError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from importlib.resources.abc import Traversable


# ---- Large libraries kept out while another is imported that takes them along, although nobody here asks for them


@contextmanager
def hidden(*packages: str) -> Iterator[None]:
    """As if the packages were not installed; one that is imported already stays."""
    away = [package for package in packages if package not in sys.modules]
    for package in away:
        sys.modules[package] = None  # type: ignore[assignment]  # what Python takes for “cannot be imported”
    try:
        yield
    finally:
        for package in away:
            del sys.modules[package]


@contextmanager
def in_place_of(module: str, **names: object) -> Iterator[None]:
    """As if the module of a package's package had these names and nothing else; one that is imported already stays."""
    away = [name for name in (module.rpartition(".")[0], module) if name not in sys.modules]
    for name in away:
        sys.modules[name] = ModuleType(name)
    if module in away:
        sys.modules[module].__dict__.update(names)
    try:
        yield
    finally:
        for name in away:
            del sys.modules[name]


# ---- Weights and word lists that are compared with a known hash before they are read: the program's own, and

REINSTALL = "Install the program again."


def fitted(folder: str, *place: str) -> bytes:
    """A file of the program that models/weights.toml names. Raises `AppError` where it is another, or gone."""
    name = "/".join((folder, *place))
    try:
        content = files(f"biasprint.{folder}").joinpath(*place).read_bytes()
        known = tomllib.loads(files("biasprint.models").joinpath("weights.toml").read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise AppError(f"The program's file {name} cannot be read.", hint=REINSTALL) from error
    found = hashlib.sha256(content.replace(b"\r\n", b"\n")).hexdigest()
    if found != known.get(name):
        raise AppError(
            f"The file {name} is not the program's own, so it was not read.",
            kept="Nothing was changed.",
            hint=REINSTALL,
            details=f"SHA-256 of {name}: expected {known.get(name)}, found {found}",
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
    """Changes whenever a file does: where it is as before, the file need not be read again. Raises `OSError`."""
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


Probabilities = NDArray[np.float64]


@dataclass(frozen=True)
class SoftmaxHead:
    """Weights float64[classes, 384] and biases float64[classes]."""

    weight: Probabilities
    bias: Probabilities

    def of(self, vector: NDArray[np.float32]) -> Probabilities:
        """The probabilities of one embedding's classes: row by row, for a product of matrices may round otherwise."""
        return softmax(self.weight @ vector.astype(np.float64) + self.bias)


def read_head(file: "Traversable", sha256: str, name: str) -> SoftmaxHead:
    """The head in a file of safetensors. Raises `AppError` where it cannot be read or is not the program's own."""
    return head_of(read_weights(file, sha256, name))


def head_of(weights: "Mapping[str, NDArray[np.float32]]") -> SoftmaxHead:
    return SoftmaxHead(weights["weight"].astype(np.float64), weights["bias"].astype(np.float64))


def read_weights(file: "Traversable", sha256: str, name: str) -> "Mapping[str, NDArray[np.float32]]":
    """Every array of such a file, by its name there."""
    from safetensors.numpy import load

    try:
        content = file.read_bytes()
    except OSError as error:
        raise AppError(f"The {name} head cannot be read ({error.strerror}).", hint=REINSTALL) from error
    found = hashlib.sha256(content).hexdigest()
    if found != sha256:
        raise AppError(
            f"The weights of the {name} head are not the program's own, so they were not loaded.",
            kept="Nothing was changed.",
            hint=REINSTALL,
            details=f"SHA-256 of {file.name}: expected {sha256}, found {found}",
        )
    return load(content)


def softmax(scores: Probabilities) -> Probabilities:
    """exp(x) / Σ exp(x) over the last axis, without overflow."""
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    shares: Probabilities = powers / powers.sum(axis=-1, keepdims=True)
    return shares
