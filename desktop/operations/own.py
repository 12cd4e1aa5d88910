"""A person's own definitions: read, saved, removed, imported and exported, off the window's thread."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biasprint.core.jobs import JobContext
from biasprint.core.prompts.definition_kinds import AXIS, KINDS, crossed_draft, names_draft, with_alike, with_set_names
from biasprint.core.prompts.library import (
    name_set_called,
    read_definition,
    read_library,
    remove,
    save,
    shipped,
    write_definition,
    write_example,
)
from biasprint.core.prompts.name_sets import cells_of_table
from biasprint.desktop.operations import Operation
from biasprint.desktop.widgets.words import tr

if TYPE_CHECKING:
    from biasprint.core.prompts.definitions import Draft
    from biasprint.core.prompts.library import Definition


@dataclass(frozen=True)
class OwnSeen:
    """The person's own definitions and the shipped ones, by kind."""

    own: "Mapping[str, tuple[Definition, ...]]" = field(default_factory=dict)
    shipped: "Mapping[str, tuple[Definition, ...]]" = field(default_factory=dict)
    troubles: tuple[str, ...] = ()

    def of(self, kind: str) -> "tuple[Definition, ...]":
        """Return the own definitions of a kind, then the program's."""
        return (*self.own.get(kind, ()), *self.shipped.get(kind, ()))

    @property
    def names(self) -> dict[str, str]:
        """Return the sets of names, key → title."""
        return {definition.key: definition.title for definition in self.of("names")}

    def without(self, definition: "Definition") -> "OwnSeen":
        """Return the same definitions without one of the own ones."""
        others = tuple(other for other in self.own.get(definition.kind, ()) if other.key != definition.key)
        return replace(self, own={**self.own, definition.kind: others})

    def with_kept(self, definition: "Definition") -> "OwnSeen":
        """Return the same definitions with a changed own one in its old place, in the order in which they are read."""
        others = self.without(definition).own[definition.kind]
        own = sorted((*others, definition), key=lambda one: one.title.casefold())
        return replace(self, own={**self.own, definition.kind: tuple(own)})


def read_own(ctx: JobContext) -> OwnSeen:
    """Read all definitions."""
    library = read_library()
    return OwnSeen(
        library.own,
        {kind.folder: shipped(kind) for kind in KINDS.values()},
        library.troubles,
    )


def save_own(kind: str, draft: "Draft") -> "Operation[Definition]":
    """Save a draft, as the next version where prompts were made from the previous one."""

    def work(ctx: JobContext) -> "Definition":
        return save(KINDS[kind], draft)

    return Operation(tr("Keeping “{title}”").format(title=draft.get("title", "")), work, quiet=True)


def remove_own(definition: "Definition") -> Operation[None]:
    """Remove a definition; prompts made from it keep their copy."""

    def work(ctx: JobContext) -> None:
        remove(definition)

    return Operation(tr("Removing “{title}”").format(title=definition.title), work, quiet=True)


def import_own(kind: str, path: Path) -> "Operation[Draft]":
    """Read a draft from a file of this kind; nothing is saved yet."""

    def work(ctx: JobContext) -> "Draft":
        return read_definition(KINDS[kind], path)

    return Operation(tr("Reading “{name}”").format(name=path.name), work, quiet=True)


def export_own(kind: str, draft: "Draft", path: Path) -> Operation[Path]:
    """Write a definition to a file, as the command line reads it."""

    def work(ctx: JobContext) -> Path:
        write_definition(KINDS[kind], draft, path)
        return path

    return _writing(path, work)


def save_example(kind: str, path: Path) -> Operation[Path]:
    """Write an explained example of a kind to a file."""

    def work(ctx: JobContext) -> Path:
        write_example(KINDS[kind], path)
        return path

    return _writing(path, work)


def _writing(path: Path, work: "Callable[[JobContext], Path]") -> Operation[Path]:
    return Operation(
        tr("Writing “{name}”").format(name=path.name),
        work,
        lambda saved: tr("Saved as “{name}”").format(name=saved.name),
    )


def cross_own(first: "Draft", second: "Draft", names: str) -> "Operation[Draft]":
    """Return the draft of two axes crossed. `names`: the key of a set, or empty for the names that both have."""

    def work(ctx: JobContext) -> "Draft":
        return crossed_draft(AXIS.load(first), AXIS.load(second), name_set_called(names) if names else None)

    return Operation(tr("Crossing two axes"), work, quiet=True)


def names_for(draft: "Draft", names: str) -> "Operation[tuple[Draft, tuple[str, ...]]]":
    """Return the draft with names of a set, and the labels of identities for which the set has none."""

    def work(ctx: JobContext) -> "tuple[dict[str, Any], tuple[str, ...]]":
        return with_set_names(draft, name_set_called(names))

    return Operation(tr("Taking names"), work, quiet=True)


def names_to_write(first: "Draft", second: "Draft | None") -> "Operation[Draft]":
    """Return the draft of a set of names for the identities of one axis, or of two crossed axes."""

    def work(ctx: JobContext) -> "Draft":
        return names_draft([AXIS.load(axis) for axis in (first, second) if axis is not None])

    return Operation(tr("Beginning a set of names"), work, quiet=True)


def cells_pasted(rows: "Sequence[Sequence[str]]") -> "Operation[Sequence[Draft]]":
    """Return the groups of a table with their names, one name in each row."""

    def work(ctx: JobContext) -> "Sequence[Draft]":
        return with_alike(cells_of_table(rows))

    return Operation(tr("Reading the table of names"), work, quiet=True)
