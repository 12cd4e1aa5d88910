"""Definitions of one's own for the window: read, kept, removed, brought in and written out, off the window's thread."""

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
    """The own definitions and the shipped ones, by kind."""

    own: "Mapping[str, tuple[Definition, ...]]" = field(default_factory=dict)
    shipped: "Mapping[str, tuple[Definition, ...]]" = field(default_factory=dict)
    troubles: tuple[str, ...] = ()

    def of(self, kind: str) -> "tuple[Definition, ...]":
        """One's own of a kind, then those of the program."""
        return (*self.own.get(kind, ()), *self.shipped.get(kind, ()))

    @property
    def names(self) -> dict[str, str]:
        """The sets of names, key → title."""
        return {one.key: one.title for one in self.of("names")}

    def without(self, definition: "Definition") -> "OwnSeen":
        """The same without one of one's own."""
        others = tuple(one for one in self.own.get(definition.kind, ()) if one.key != definition.key)
        return replace(self, own={**self.own, definition.kind: others})

    def with_kept(self, definition: "Definition") -> "OwnSeen":
        """The same with one of one's own in the place of what it was, in the order in which they are read."""
        others = self.without(definition).own[definition.kind]
        own = sorted((*others, definition), key=lambda one: one.title.casefold())
        return replace(self, own={**self.own, definition.kind: tuple(own)})


def read_own(ctx: JobContext) -> OwnSeen:
    """See everything there is."""
    library = read_library()
    return OwnSeen(
        library.own,
        {kind.folder: shipped(kind) for kind in KINDS.values()},
        library.troubles,
    )


def save_own(kind: str, draft: "Draft") -> "Operation[Definition]":
    """Keep a draft, as the next version where prompts were made from the one before."""

    def work(ctx: JobContext) -> "Definition":
        return save(KINDS[kind], draft)

    return Operation(tr("Keeping “{title}”").format(title=draft.get("title", "")), work, quiet=True)


def remove_own(definition: "Definition") -> Operation[None]:
    """Forget one; what prompts were made from stays with them."""

    def work(ctx: JobContext) -> None:
        remove(definition)

    return Operation(tr("Removing “{title}”").format(title=definition.title), work, quiet=True)


def import_own(kind: str, path: Path) -> "Operation[Draft]":
    """A draft from a file of this kind; nothing is kept yet."""

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
    """The draft of two axes crossed. `names`: the key of a set, or empty for the names that both have."""

    def work(ctx: JobContext) -> "Draft":
        return crossed_draft(AXIS.load(first), AXIS.load(second), name_set_called(names) if names else None)

    return Operation(tr("Crossing two axes"), work, quiet=True)


def names_for(draft: "Draft", names: str) -> "Operation[tuple[Draft, tuple[str, ...]]]":
    """The draft with names of a set, and the labels of identities that the set has none for."""

    def work(ctx: JobContext) -> "tuple[dict[str, Any], tuple[str, ...]]":
        return with_set_names(draft, name_set_called(names))

    return Operation(tr("Taking names"), work, quiet=True)


def names_to_write(first: "Draft", second: "Draft | None") -> "Operation[Draft]":
    """The draft of a set of names for the identities of an axis, or for those of two with each other."""

    def work(ctx: JobContext) -> "Draft":
        return names_draft([AXIS.load(one) for one in (first, second) if one is not None])

    return Operation(tr("Beginning a set of names"), work, quiet=True)


def cells_pasted(rows: "Sequence[Sequence[str]]") -> "Operation[Sequence[Draft]]":
    """The groups with their names that a table has, one name in each row."""

    def work(ctx: JobContext) -> "Sequence[Draft]":
        return with_alike(cells_of_table(rows))

    return Operation(tr("Reading the table of names"), work, quiet=True)
