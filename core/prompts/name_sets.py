"""Sets of given names by group: enough of them that what belongs to a name can be told from what belongs to a group.

One TOML file per set, shipped in `resources/names` or a person's own. A cell says for which identities of which axes
its names stand, and which source each name has.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, zip_longest
from pathlib import Path
from typing import Annotated

from pydantic import ConfigDict, Field, StringConstraints, model_validator
from pydantic.dataclasses import dataclass

from core.errors import UsageError
from core.prompts.resource_files import packaged, read_toml, validated

_STRICT = ConfigDict(extra="forbid", str_strip_whitespace=True)
Line = Annotated[str, StringConstraints(min_length=1, max_length=2000)]


@dataclass(frozen=True, config=_STRICT)
class NameSource:
    """`claim`: what is known of how these names are read. `checked`: what they were compared with."""

    title: Line
    claim: Line
    checked: Line


@dataclass(frozen=True, config=_STRICT)
class NameCell:
    """`of`: axis id → the identities that these names stand for. `names`: by the key of their source."""

    of: Annotated[Mapping[str, tuple[Line, ...]], Field(min_length=1)]
    names: Mapping[str, tuple[Line, ...]]

    @property
    def all_names(self) -> tuple[str, ...]:
        return tuple(chain.from_iterable(self.names.values()))

    @property
    def label(self) -> str:
        return ", ".join(f"{axis} {identities[0]}" for axis, identities in self.of.items() if identities)


@dataclass(frozen=True, config=_STRICT)
class NameSet:
    """Names by group. A name is in one cell only: in two it would tell no group."""

    key: Line
    title: Line
    version: Annotated[int, Field(ge=1)]
    sources: Mapping[str, NameSource]
    cells: Annotated[tuple[NameCell, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _consistent(self) -> "NameSet":
        found: dict[str, str] = {}
        for cell in self.cells:
            if not cell.all_names:
                raise ValueError(f"there are no names for {cell.label}")
            for source in cell.names:
                if source not in self.sources:
                    raise ValueError(f"the names for {cell.label} have the source “{source}”, which is not described")
            for name in cell.all_names:
                if "/" in name:
                    raise ValueError(f"the name “{name}” has a slash")
                if name.casefold() in found:
                    raise ValueError(f"“{name}” is there twice, for {found[name.casefold()]} and for {cell.label}")
                found[name.casefold()] = cell.label
        return self

    def names_of(self, identities: Mapping[str, str]) -> tuple[str, ...]:
        """The names that stand for these identities, axis id → key; of several cells in turn. Empty where none do.

        A cell stands for an identity of an axis that it says nothing of only where it is not asked for that axis.
        """
        fitting = [
            cell.all_names
            for cell in self.cells
            if all(identity in cell.of.get(axis, ()) for axis, identity in identities.items())
        ]
        return tuple(_in_turn(fitting))


def _in_turn(lists: Sequence[Sequence[str]]) -> Iterable[str]:
    return (name for each in zip_longest(*lists) for name in each if name is not None)


def available_name_sets() -> tuple[str, ...]:
    """The keys of the shipped sets."""
    names = (entry.name for entry in packaged("names").iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


def load_name_set(source: str | Path) -> NameSet:
    """A shipped set by its key, or a file by its path (a `Path`, or a string that ends in ".toml")."""
    if isinstance(source, Path) or source.endswith(".toml"):
        return validated(NameSet, read_toml(Path(source)), f"The file of names {source}")
    if source not in available_name_sets():
        hint = f"Shipped sets: {', '.join(available_name_sets())}. Your own is given by the path of its .toml file."
        raise UsageError(f"There is no set of names “{source}”.", hint=hint)
    return validated(NameSet, read_toml(packaged("names", f"{source}.toml")), f"The shipped set of names {source}")
