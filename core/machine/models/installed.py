"""Models on this computer, finding one by name, role or path, and the scorer that fills a role."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from biasprint.core.errors import AppError, UsageError
from biasprint.core.given import is_there, path_of
from biasprint.core.machine.models import catalogue, layout, records
from biasprint.core.machine.models.catalogue import CatalogueEntry, DeclaredScorer
from biasprint.core.machine.models.layout import Check, Format, of_all, sha256_of

# ---- The models that are here

Origin = Literal["bundled", "catalogue", "added", "path"]


@dataclass(frozen=True)
class InstalledModel:
    """A model that is here. `path` is its GGUF file, checkpoint or folder.

    `sha256` is the file's; a folder's is over the sorted lines "name sha256" of the files that count. `revision` is the
    hub's commit, empty for others. `trouble` says in a sentence why it cannot be used now; empty where it can.
    """

    name: str
    role: str
    path: Path
    format: Format
    sha256: str
    revision: str
    title: str
    origin: Origin
    trouble: str = ""
    notes: tuple[str, ...] = ()


def installed(role: str | None = None) -> tuple[InstalledModel, ...]:
    """The models on this computer: bundled ones, those got, those added. Large files are hashed once, then remembered.

    One that is gone or has changed is listed with its `trouble`.
    """
    return (*_bundled(role), *_got(role), *_added(role))


def find(name: str, roles: Collection[str]) -> InstalledModel:
    """The model called `name` (in the catalogue or by the user), or the one at the path `name`, for one of `roles`.

    Raises `UsageError` for a name that there is not or that is for another role, `AppError` for a model that is not
    here, has changed, or is no model.
    """
    # Only what is called so is looked at: to find one model must not hash another.
    for model in (*_bundled(name=name), *_got(name=name), *_added(name=name)):
        if model.role not in roles:
            title = catalogue.role(model.role).title.lower()
            raise UsageError(f"“{name}” is for {title}, not for this.", hint=_choices(roles))
        if model.trouble:
            raise AppError(model.trouble, kept="Nothing was loaded.", hint=_mend(model))
        return model
    entry = catalogue.entry(name)
    if entry is not None:
        raise _not_here(entry)
    path = path_of(name)
    if is_there(path) or path.parent != Path(".") or path.suffix.lower() == ".gguf":
        return at_path(path, next(iter(roles)))
    raise UsageError(f"There is no model “{name}” on this computer.", hint=_choices(roles))


def whole_path(name: str) -> str:
    """The name of a model for a process that works in another folder: a relative path becomes a whole one."""
    path = path_of(name)
    if not is_there(path) or catalogue.entry(name) is not None or any((*_bundled(name=name), *_added(name=name))):
        return name
    return str(path.absolute())


def for_role(role: str) -> InstalledModel | None:
    """The model that a scorer of this role loads: the preferred one, else the paper's own, else any other got, else any
    added. None where there is none without trouble. What comes with the program is no candidate: stand-ins load it.
    """
    candidates = [model for model in (*_got(role), *_added(role)) if not model.trouble]
    wanted = records.preferred().get(role)
    return min(candidates, key=lambda model: _rank(model, wanted), default=None)


def is_papers_own(model: InstalledModel) -> bool:
    """Return whether a paper used this model: got from the catalogue and marked there, or of equal official weights."""
    if model.format == "checkpoint":
        return _is_papers_checkpoint(model)
    entry = catalogue.entry(model.name) if model.origin == "catalogue" else _official(model)
    return entry is not None and bool(entry.papers)


def prefer(role: str, name: str | None) -> None:
    """Choose what fills a role: a model that is here, or one of the role's scorers by name; None for the best.

    Raises `UsageError` for anything else.
    """
    known = catalogue.role(role)
    if name is not None:
        choices = [model.name for model in installed(role) if model.origin != "bundled"]
        choices += [scorer for scorer in (known.scorer, known.stand_in) if scorer]
        if name not in choices:
            raise UsageError(
                f"“{name}” cannot fill the role “{role}” here.", hint=f"Choose one of: {_joined(choices)}."
            )
    records.keep_preferred(role, name)


def at_path(path: Path, role: str, check: Check | None = None) -> InstalledModel:
    """The model at a path that is not kept anywhere, checked as `add` checks it. Raises `AppError`."""
    model_files = layout.look_at(path)
    hashes = hashes_of(model_files.path, model_files.files, check)
    return InstalledModel(
        str(path), role, path.absolute(), model_files.format, total(model_files.format, hashes), "", path.stem, "path",
        notes=model_files.notes,
    )  # fmt: skip


def hashes_of(path: Path, files: Iterable[str], check: Check | None = None, *, fresh: bool = False) -> dict[str, str]:
    """SHA-256 by name of a model's files; from memory where size and time are as before, unless `fresh`."""
    return {name: sha256_of(layout.part(path, name), check, fresh=fresh) for name in files}


def total(form: Format, hashes: Mapping[str, str]) -> str:
    """The hash that a model is known by."""
    return of_all(hashes) if form in ("folder", "pipeline") or len(hashes) > 1 else next(iter(hashes.values()))


def _official(model: InstalledModel) -> CatalogueEntry | None:
    """Return the entry of the catalogue whose official weights the model has, whatever it is called here."""
    try:
        return catalogue.official(model.role, hashes_of(model.path, layout.look_at(model.path).files))
    except AppError:
        return None


def _is_papers_checkpoint(model: InstalledModel) -> bool:
    try:
        name = layout.look_at(model.path).files[0]
        sha256 = hashes_of(model.path, [name])[name]
    except AppError:
        return False
    known = catalogue.known_checkpoint(sha256)
    return known is not None and bool(known.papers)


def _bundled(role: str | None = None, name: str | None = None) -> Iterable[InstalledModel]:
    for entry in catalogue.entries(role):
        place = entry.bundled_at() if entry.bundled and name in (None, entry.name) else None
        if place is None:
            continue
        model = InstalledModel(entry.name, entry.role, place, entry.format, "", "", entry.title, "bundled")
        try:
            files = layout.look_at(place).files
            hashes = hashes_of(place, files)
        except AppError as error:
            yield replace(model, trouble=error.message)
            continue
        changed = [name for name, known in entry.known_hashes().items() if hashes.get(name) != known]
        trouble = f"“{entry.name}” is not the official one: {_joined(changed)} has another hash." if changed else ""
        yield replace(model, sha256=total(entry.format, hashes), trouble=trouble)


def _got(role: str | None = None, name: str | None = None) -> Iterable[InstalledModel]:
    for record in records.got().values():
        if role not in (None, record.role) or name not in (None, record.name) or not record.folder.is_dir():
            continue
        single = record.format in ("gguf", "checkpoint")
        path = record.folder / next(iter(record.sha256)) if single else record.folder
        yield _checked(
            InstalledModel(
                record.name, record.role, path, record.format, total(record.format, dict(record.sha256)),
                record.revision, record.title, "catalogue",
            ),
            dict(record.sha256),
        )  # fmt: skip


def _added(role: str | None = None, name: str | None = None) -> Iterable[InstalledModel]:
    for record in records.added().values():
        if role in (None, record.role) and name in (None, record.name):
            hashes = dict(record.sha256)
            model = InstalledModel(
                record.name, record.role, Path(record.path), record.format, total(record.format, hashes), "",
                record.title, "added", notes=record.notes,
            )  # fmt: skip
            yield _checked(model, hashes)


def _checked(model: InstalledModel, recorded: dict[str, str]) -> InstalledModel:
    """The model, with its trouble where a file is gone or another than the recorded one."""
    if not model.path.exists():
        return replace(model, trouble=f"“{model.name}” is no longer at “{model.path}”.")
    try:
        hashes = hashes_of(model.path, recorded)
    except AppError as error:
        return replace(model, trouble=error.message)
    changed = sorted(name for name in recorded if hashes[name] != recorded[name])
    if changed:
        when = "it was added" if model.origin == "added" else "it was got"
        return replace(model, trouble=f"“{model.name}” has changed since {when}: {_joined(changed)}.")
    return model


def _rank(model: InstalledModel, wanted: str | None) -> tuple[bool, bool, bool, str]:
    return (model.name != wanted, not is_papers_own(model), model.origin != "catalogue", model.name)


def _not_here(entry: CatalogueEntry) -> AppError:
    if entry.bundled:
        return AppError(
            f"“{entry.name}” is missing from this installation of the program.", hint="Install the program again."
        )
    return AppError(
        f"“{entry.name}” is in the catalogue and not on this computer yet.",
        hint=f"Get it in Models, or with: biasprint models get {entry.name}",
    )


def _mend(model: InstalledModel) -> str:
    if model.origin == "added":
        return f"If that is meant, take it out and add it again: biasprint models remove {model.name}"
    if model.origin == "catalogue":
        return f"Get it again: biasprint models remove {model.name}, then biasprint models get {model.name}"
    return "Install the program again."


def _choices(roles: Collection[str]) -> str:
    names = [model.name for role in roles for model in installed(role) if not model.trouble]
    if names:
        return f"Here are: {_joined(names)}. Or give the path of a model's file or folder."
    return "See what there is with: biasprint models list. Or give the path of a model's file or folder."


def _joined(names: Iterable[str]) -> str:
    return ", ".join(names)


# ---- Which scorer fills a role


@dataclass(frozen=True)
class RoleChoice:
    """Scorer for a role. `stand_in`: it is not what the paper used. `model`: the name of the model that it loads,
    if any. `because` says in a sentence why it is this one.
    """

    role: str
    scorer: str
    stand_in: bool
    model: str
    because: str


def best(role: str) -> str:
    """The name of the best scorer that can run here for a role. Raises `UsageError` for a role without scorers."""
    return choose(role).scorer


def choose(role: str) -> RoleChoice:
    """Return what `best` takes, and why: the user's preference, else the paper's own, else another model for the role,
    else the stand-in. Raises `UsageError` for a role that there is not or that no scorer fills.
    """
    known = catalogue.role(role)
    if known.own is None:
        raise UsageError(f"No scorer fills the role “{role}”.", hint="It is for what writes texts.")
    own, stand_in = known.scorer, known.stand_in
    if stand_in and records.preferred().get(role) == stand_in:
        return RoleChoice(role, stand_in, True, "", f"{stand_in} is preferred here.")
    missing = _missing(known.own)
    if not known.takes_models:
        if missing and stand_in:
            return RoleChoice(role, stand_in, True, "", f"{missing} is not installed.")
        return RoleChoice(role, own, False, "", "It is installed, and what the paper used.")
    model = for_role(role)
    if model is None:
        return RoleChoice(role, stand_in, True, "", "What the paper used is not on this computer.")
    if missing:
        return RoleChoice(role, stand_in, True, "", f"{model.name} is here, and {missing} is not installed.")
    if is_papers_own(model):
        return RoleChoice(role, own, False, model.name, f"{model.title} is what the paper used.")
    return RoleChoice(role, own, True, model.name, f"{model.title} is here; the paper used another.")


def _missing(scorer: DeclaredScorer) -> str:
    """A module that the scorer lacks here; empty where it lacks none. Found without importing anything."""
    for module in scorer.needs:
        if find_spec(module) is None:
            return module
    return ""


# ---- The catalogue and this computer side by side

STATES = {"bundled": "with the program", "catalogue": "got", "added": "added"}


@dataclass(frozen=True)
class OverviewRow:
    """A model that is here or can be got. `state` says where it is; `trouble` why it cannot be used now.

    `preferred`: the user chose it for its role. `source` is what it is got from, "package index" or "hub"; `download`
    the bytes that come from there. `proved`: its official hashes are known, so a copy from anywhere can be checked.
    What is not known is None or empty.
    """

    name: str
    role: str
    title: str
    description: str
    state: str
    origin: str
    format: str
    path: str
    size: int | None
    memory: int | None
    licence: str
    papers: tuple[str, ...]
    source: str
    download: int | None
    repository: str
    revision: str
    sha256: str
    preferred: bool
    trouble: str
    notes: tuple[str, ...]
    sources: dict[str, str]
    proved: bool = False

    @property
    def here(self) -> bool:
        return bool(self.path)

    def to_json(self) -> dict[str, Any]:
        """Plain values; null where nothing is known."""
        return {key: None if value == "" else value for key, value in asdict(self).items()} | {"here": self.here}


def overview(role: str | None = None) -> list[OverviewRow]:
    """Every model of the catalogue, and those the user added, in the catalogue's order."""
    here = {model.name: model for model in installed(role)}
    wanted = records.preferred()
    rows = [_row(entry, here.pop(entry.name, None), wanted) for entry in catalogue.entries(role)]
    return rows + [_row(_own_entry(model), model, wanted) for model in here.values()]


def _row(known: CatalogueEntry, model: InstalledModel | None, wanted: dict[str, str]) -> OverviewRow:
    got = records.got().get(known.name) if model is not None and model.origin == "catalogue" else None
    return OverviewRow(
        name=known.name,
        role=known.role,
        title=known.title,
        description=known.description,
        state=_state(known, model),
        origin=model.origin if model else "",
        format=known.format,
        path=str(model.path) if model else "",
        size=got.size if got else known.size or _size_of(model),
        memory=known.memory,
        licence=(got.licence if got else "") or known.licence,
        papers=known.papers,
        source="hub" if got and got.repository == known.repository else known.source,
        download=known.download,
        repository=got.repository if got else known.comes_from,
        revision=model.revision if model and model.revision else known.requires,
        sha256=model.sha256 if model else "",
        preferred=wanted.get(known.role) == known.name,
        trouble=model.trouble if model else "",
        notes=tuple(each for each in (known.note, *(model.notes if model else ())) if each),
        sources=dict(known.sources),
        proved=bool(known.at_any_revision()) or known.name in records.got(),
    )


def _own_entry(model: InstalledModel) -> CatalogueEntry:
    """Return what is known of a model that the user added: its files."""
    place = model.path
    files = records.added()[model.name].sha256 if model.origin == "added" else {}
    parts = {layout.part(place, name) for name in files} or {place}
    size = sum(part.stat().st_size for part in parts if part.is_file())
    return CatalogueEntry(model.name, model.role, model.title, "Added by you.", model.format, size=size or None)


def _size_of(model: InstalledModel | None) -> int | None:
    return model.path.stat().st_size if model is not None and model.path.is_file() else None


def _state(known: CatalogueEntry, model: InstalledModel | None) -> str:
    if model is not None:
        return "cannot be used" if model.trouble else STATES.get(model.origin, model.origin)
    return "missing" if known.bundled else "to get"
