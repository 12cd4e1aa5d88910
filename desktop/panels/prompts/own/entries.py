"""The definitions that the page lists, with changes that are not saved yet."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from biasprint.core.prompts.definition_kinds import KINDS
from biasprint.core.prompts.definitions import Draft, completed, copied
from biasprint.core.prompts.library import Definition
from biasprint.desktop.operations.prompts import OwnSeen
from biasprint.desktop.widgets import tr


@dataclass(frozen=True)
class OwnEntry:
    """One line of the list. `definition` is the saved one, None before the first save; `draft` is the present one."""

    kind: str
    id: str
    definition: Definition | None
    draft: Draft
    changed: bool

    @property
    def shipped(self) -> bool:
        return self.definition is not None and self.definition.shipped

    @property
    def title(self) -> str:
        return str(self.draft.get("title", "")).strip() or tr("without a title")

    def listed(self, entries: "Sequence[OwnEntry]") -> str:
        """Return its line in a list: the title and state; a shipped one that has another's title with its key."""
        if self.shipped:
            alike = sum(entry.shipped and entry.title == self.title for entry in entries)
            return f"{self.title} ({self.id})" if alike > 1 else self.title
        state = tr("own") if not self.changed else tr("not kept") if self.definition is None else tr("changed")
        return f"{self.title} · {state}"

    def said(self) -> str:
        """Return what saving would do to it, in a sentence or two."""
        saved = self.definition
        if saved is None:
            return tr("Not kept yet: “Save” puts it into the lists that prompts are made from.")
        if saved.shipped:
            return tr("It comes with the program. Copy it to change it.")
        version = tr("Version {n}.").format(n=saved.version)
        if not saved.used:
            return f"{version} {tr('No prompts were made from it yet.')}"
        if not self.changed:
            return f"{version} {tr('Prompts were made from it.')}"
        words = tr("Prompts were made from version {n} and keep it; saving makes version {next}.")
        return words.format(n=saved.version, next=saved.version + 1)


class Entries:
    """The entries. Changes are held here until they are saved or undone, whichever entry is shown."""

    def __init__(self) -> None:
        self.seen = OwnSeen()
        self._drafts: dict[tuple[str, str], dict[str, Any]] = {}
        self._numbers = count(1)

    def of(self, kind: str) -> list[OwnEntry]:
        """Return the entries of a kind: new drafts, then the person's own, then shipped ones."""
        definitions = {definition.key: definition for definition in self.seen.of(kind)}
        new = [id for of, id in self._drafts if of == kind and id not in definitions]
        return [self.entry(kind, id) for id in (*new, *definitions)]

    def entry(self, kind: str, id: str) -> OwnEntry:
        saved = next((definition for definition in self.seen.of(kind) if definition.key == id), None)
        draft = self._drafts.get((kind, id))
        changed = draft is not None and (saved is None or completed(KINDS[kind], draft, ()) != dict(saved.data))
        return OwnEntry(kind, id, saved, draft if draft is not None else dict(saved.data) if saved else {}, changed)

    def begin(self, kind: str, draft: Draft) -> str:
        """Begin a draft and return its id: that of an own definition with its key, else a new one."""
        key = str(draft.get("key", ""))
        saved = next((definition for definition in self.seen.own.get(kind, ()) if definition.key == key), None)
        id = key if saved is not None else f"new-{next(self._numbers)}"
        self._drafts[kind, id] = dict(draft)
        return id

    def copy(self, entry: OwnEntry) -> str:
        """Copy an entry, and return the id of the copy."""
        return self.begin(entry.kind, copied(entry.draft, self.titles(entry.kind)))

    def change(self, entry: OwnEntry, values: Mapping[str, Any]) -> OwnEntry:
        """Change the entry's values; values without a field in the form stay."""
        self._drafts[entry.kind, entry.id] = {**entry.draft, **values}
        return self.entry(entry.kind, entry.id)

    def forget(self, entry: OwnEntry) -> None:
        """Drop the changes of an entry."""
        self._drafts.pop((entry.kind, entry.id), None)

    def keep(self, entry: OwnEntry, definition: Definition) -> None:
        """Take note that it was saved as this definition; later changes are changes of it."""
        draft = self._drafts.pop((entry.kind, entry.id), None)
        if draft is not None and draft != entry.draft:
            self._drafts[entry.kind, definition.key] = {**draft, "key": definition.key}
        self.seen = self.seen.with_kept(definition)

    def remove(self, definition: Definition) -> None:
        """Remove the entry."""
        self._drafts.pop((definition.kind, definition.key), None)
        self.seen = self.seen.without(definition)

    def titles(self, kind: str, but: str = "") -> list[str]:
        """Return the titles that are taken."""
        return [entry.title for entry in self.of(kind) if entry.id != but]

    @property
    def unsaved(self) -> list[OwnEntry]:
        """Return everything with changes that are not saved."""
        entries = [self.entry(kind, id) for kind, id in self._drafts]
        return [entry for entry in entries if entry.changed]
