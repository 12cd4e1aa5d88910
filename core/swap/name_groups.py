"""Names that readers take for those of an ethnic group, with their source: for a twin with another name alone."""

from collections.abc import Mapping
from functools import cache
from typing import Annotated

from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass

from core.errors import UsageError
from core.prompts.resource_files import packaged, read_toml, validated
from core.swap.result import Person

_STRICT = ConfigDict(extra="forbid")
Names = Annotated[tuple[str, ...], Field(min_length=2)]
LIMITS = "A name says nothing of who bears it."
TELLING = 5  # letters of a name by which the name in its place is chosen


@dataclass(frozen=True, config=_STRICT)
class NameGroup:
    """`names`: first and family name, by pronoun. `claim`: all that is known of how these names are read."""

    key: str
    label: str
    source: str
    claim: str
    names: Mapping[str, Names]


@dataclass(frozen=True, config=_STRICT)
class _File:
    version: int
    groups: tuple[NameGroup, ...]


@cache
def name_groups() -> tuple[NameGroup, ...]:
    """The groups of the program, in order; raises `AppError` where their file is not valid."""
    file = validated(_File, read_toml(packaged("letters", "name_groups.toml")), "The file letters/name_groups.toml")
    return file.groups


def name_group(key: str) -> NameGroup:
    """Raises `UsageError` for a group that there is not."""
    for group in name_groups():
        if group.key == key:
            return group
    known = ", ".join(group.key for group in name_groups())
    raise UsageError(f"“{key}” is no group of names that is known here.", hint=f"Choose one of: {known}.")


def group_of_name(person: Person) -> NameGroup | None:
    """The group that has this very name, first and family; None where none has."""
    return next((group for group in name_groups() for names in group.names.values() if person.full_name in names), None)


def named_in(group: NameGroup, person: Person) -> Person:
    """`person` under a name of the group, with the same pronoun; the same person always gets the same name.

    Where the pronoun is neither he nor she, any of the group's names.
    """
    every = [name for names in group.names.values() for name in names]
    own = [name for name in group.names.get(person.pronoun, every) if name != person.full_name]
    first, _, last = own[sum(map(ord, person.first_name[:TELLING])) % len(own)].partition(" ")
    return Person(first, last, "", person.pronoun)
