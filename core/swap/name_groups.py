"""Names that readers take for those of an ethnic group, with their source: for a twin with another name alone."""

from collections.abc import Mapping
from functools import cache
from typing import Annotated

from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass

from biasprint.core.errors import UsageError
from biasprint.core.prompts.axes import available_axes, load_axis
from biasprint.core.prompts.name_sets import NameSet
from biasprint.core.prompts.resource_files import from_resources
from biasprint.core.swap.page import Person, Pronoun

_STRICT = ConfigDict(extra="forbid")
Names = Annotated[tuple[str, ...], Field(min_length=1)]
LIMITS = "A name says nothing about who bears it."
TELLING = 5  # letters of a name by which the name in its place is chosen


@dataclass(frozen=True, config=_STRICT)
class NameGroup:
    """`names`: first and family name, or a given name alone, by pronoun. `claim`: all that is known of how these names
    are read. `pronoun`: of whoever bears them; "" where it stays as it is.
    """

    key: str
    label: str
    source: str
    claim: str
    names: Mapping[str, Names]
    pronoun: Pronoun = ""


@dataclass(frozen=True, config=_STRICT)
class _File:
    version: int
    groups: tuple[NameGroup, ...]


@cache
def name_groups() -> tuple[NameGroup, ...]:
    """The groups of the program, in order; raises `AppError` where their file is not valid."""
    file = from_resources(_File, "letters", "name_groups.toml")
    return file.groups


def name_group(key: str) -> NameGroup:
    """Return the group of names. Raises `UsageError` for an unknown group."""
    for group in name_groups():
        if group.key == key:
            return group
    known = ", ".join(group.key for group in name_groups())
    raise UsageError(f"“{key}” is no group of names that is known here.", hint=f"Choose one of: {known}.")


def group_of_name(person: Person) -> NameGroup | None:
    """The group that has this very name, first and family; None where none has."""
    return next((group for group in name_groups() for names in group.names.values() if person.full_name in names), None)


def named_in(group: NameGroup, person: Person) -> Person:
    """`person` under a name of the group, with its pronoun, else the same; the same person always gets the same name.

    Where the pronoun is neither he nor she, any of the group's names. The family name stays where the group has none.
    """
    every = [name for names in group.names.values() for name in names]
    pronoun = group.pronoun or person.pronoun
    fitting = group.names.get(pronoun, every)
    others = [name for name in fitting if name not in (person.full_name, person.first_name)] or fitting
    first, _, last = others[sum(map(ord, person.first_name[:TELLING])) % len(others)].partition(" ")
    return Person(first, last or person.last_name, "", pronoun)


def groups_of(names: NameSet) -> tuple[NameGroup, ...]:
    """A group for each cell of a set, such as one for each race × gender; pronouns are those of its identities."""
    axes = [load_axis(key) for key in available_axes()]
    groups = []
    for cell in names.cells:
        theirs = {
            identity.pronouns
            for axis in axes
            for identity in axis.identities
            if identity.key in cell.of.get(axis.id, ()) and identity.pronouns
        }
        pronoun = theirs.pop() if len(theirs) == 1 else ""
        sources = [names.sources[key] for key in cell.names]
        groups.append(
            NameGroup(
                key="-".join(identities[0] for identities in cell.of.values()),
                label=cell.title or " ".join(identities[0] for identities in cell.of.values()).capitalize(),
                source="; ".join(source.title for source in sources),
                claim=" ".join(source.claim for source in sources),
                names={pronoun: cell.all_names},
                pronoun=pronoun,
            )
        )
    return tuple(groups)
