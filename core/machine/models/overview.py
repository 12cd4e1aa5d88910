"""The catalogue and this computer side by side: what a list or a panel of models shows."""

from dataclasses import asdict, dataclass
from typing import Any

from core.machine.models import catalogue, installed, layout, records
from core.machine.models.catalogue import CatalogueEntry
from core.machine.models.installed import InstalledModel

STATES = {"bundled": "with the program", "catalogue": "got", "added": "added"}


@dataclass(frozen=True)
class Row:
    """A model that is here or can be got. `state` says where it is; `trouble` why it cannot be used now.

    `preferred`: the user chose it for its role. What is not known is None or empty.
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
    repository: str
    revision: str
    sha256: str
    preferred: bool
    trouble: str
    notes: tuple[str, ...]
    sources: dict[str, str]

    @property
    def here(self) -> bool:
        return bool(self.path)

    def to_json(self) -> dict[str, Any]:
        """Plain values; null where nothing is known."""
        return {key: None if value == "" else value for key, value in asdict(self).items()} | {"here": self.here}


def overview(role: str | None = None) -> list[Row]:
    """Every model of the catalogue, and those the user added, in the catalogue's order."""
    here = {model.name: model for model in installed.installed(role)}
    wanted = records.preferred()
    rows = [_row(entry, here.pop(entry.name, None), wanted) for entry in catalogue.entries(role)]
    return rows + [_row(_own_entry(model), model, wanted) for model in here.values()]


def _row(known: CatalogueEntry, model: InstalledModel | None, wanted: dict[str, str]) -> Row:
    got = records.got().get(known.name) if model is not None and model.origin == "catalogue" else None
    return Row(
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
        repository=known.repository,
        revision=model.revision if model and model.revision else known.revision,
        sha256=model.sha256 if model else "",
        preferred=wanted.get(known.role) == known.name,
        trouble=model.trouble if model else "",
        notes=tuple(each for each in (known.note, *(model.notes if model else ())) if each),
        sources=dict(known.sources),
    )


def _own_entry(model: InstalledModel) -> CatalogueEntry:
    """What is known of a model that the user added: its files."""
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
