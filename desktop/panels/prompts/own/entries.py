"""The definitions that the page lists, with what was changed and is not kept yet."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from biasprint.core.prompts.definition_kinds import KINDS
from biasprint.core.prompts.definitions import Draft, completed, copied
from biasprint.core.prompts.library import Definition
from biasprint.desktop.operations.own import OwnSeen
from biasprint.desktop.widgets import tr


@dataclass(frozen=True)
class OwnEntry:
    """One line of the list. `definition` is what is kept of it, None where nothing is yet; `draft` is how it stands."""

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
        """Its line in a list of these: the title, and how it stands; a shipped one of two alike with its key."""
        if self.shipped:
            alike = sum(one.shipped and one.title == self.title for one in entries)
            return f"{self.title} ({self.id})" if alike > 1 else self.title
        state = tr("own") if not self.changed else tr("not kept") if self.definition is None else tr("changed")
        return f"{self.title} · {state}"

    def said(self) -> str:
        """What saving would do to it, in a sentence or two."""
        kept = self.definition
        if kept is None:
            return tr("Not kept yet: “Save” puts it into the lists that prompts are made from.")
        if kept.shipped:
            return tr("It comes with the program. Copy it to change it.")
        version = tr("Version {n}.").format(n=kept.version)
        if not kept.used:
            return f"{version} {tr('No prompts were made from it yet.')}"
        if not self.changed:
            return f"{version} {tr('Prompts were made from it.')}"
        words = tr("Prompts were made from version {n} and keep it; saving makes version {next}.")
        return words.format(n=kept.version, next=kept.version + 1)


class Entries:
    """Changes are held here until they are kept or undone, whichever entry is shown."""

    def __init__(self) -> None:
        self.seen = OwnSeen()
        self._drafts: dict[tuple[str, str], dict[str, Any]] = {}
        self._numbers = count(1)

    def of(self, kind: str) -> list[OwnEntry]:
        """What is not kept yet, then one's own, then what is shipped."""
        there = {one.key: one for one in self.seen.of(kind)}
        new = [id for of, id in self._drafts if of == kind and id not in there]
        return [self.entry(kind, id) for id in (*new, *there)]

    def entry(self, kind: str, id: str) -> OwnEntry:
        kept = next((one for one in self.seen.of(kind) if one.key == id), None)
        draft = self._drafts.get((kind, id))
        changed = draft is not None and (kept is None or completed(KINDS[kind], draft, ()) != dict(kept.data))
        return OwnEntry(kind, id, kept, draft if draft is not None else dict(kept.data) if kept else {}, changed)

    def begin(self, kind: str, draft: Draft) -> str:
        """A draft to go on with, and its id: of an own one that it has the key of, else a new one."""
        key = str(draft.get("key", ""))
        kept = next((one for one in self.seen.own.get(kind, ()) if one.key == key), None)
        id = key if kept is not None else f"new-{next(self._numbers)}"
        self._drafts[kind, id] = dict(draft)
        return id

    def copy(self, entry: OwnEntry) -> str:
        """Another one with the same content, and its id."""
        return self.begin(entry.kind, copied(entry.draft, self.titles(entry.kind)))

    def change(self, entry: OwnEntry, values: Mapping[str, Any]) -> OwnEntry:
        """The entry with other values; what the form has no field for stays."""
        self._drafts[entry.kind, entry.id] = {**entry.draft, **values}
        return self.entry(entry.kind, entry.id)

    def forget(self, entry: OwnEntry) -> None:
        """Drop what was changed."""
        self._drafts.pop((entry.kind, entry.id), None)

    def keep(self, entry: OwnEntry, definition: Definition) -> None:
        """It was saved as this definition; what was changed meanwhile is a change of it."""
        draft = self._drafts.pop((entry.kind, entry.id), None)
        if draft is not None and draft != entry.draft:
            self._drafts[entry.kind, definition.key] = {**draft, "key": definition.key}
        self.seen = self.seen.with_kept(definition)

    def remove(self, definition: Definition) -> None:
        """It is there no more."""
        self._drafts.pop((definition.kind, definition.key), None)
        self.seen = self.seen.without(definition)

    def titles(self, kind: str, but: str = "") -> list[str]:
        """The titles that are taken."""
        return [one.title for one in self.of(kind) if one.id != but]

    @property
    def unsaved(self) -> list[OwnEntry]:
        """Everything that was changed and is not kept."""
        entries = [self.entry(kind, id) for kind, id in self._drafts]
        return [entry for entry in entries if entry.changed]
