"""Sets of given names by group, large enough to separate the effect of a name from that of a group.

One TOML file per set, shipped in `resources/names` or a person's own. A cell says which identities of which axes its
names represent, and which source each name has: a table of names by source, or a list with one `source` in words.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, product, zip_longest
from pathlib import Path
from typing import Annotated, Any

from pydantic import ConfigDict, Field, StringConstraints, model_validator
from pydantic.dataclasses import dataclass

from biasprint.core.errors import AppError, UsageError
from biasprint.core.prompts.definitions import Draft, key_of
from biasprint.core.prompts.resource_files import packaged, read_toml, validated

FEWEST = 20  # names of a cell, below which what single names do is taken for what their group does
UNSAID = "not said"
_STRICT = ConfigDict(extra="forbid", str_strip_whitespace=True)
Line = Annotated[str, StringConstraints(min_length=1, max_length=2000)]
Lines = Annotated[tuple[Line, ...], Field(min_length=1)]


@dataclass(frozen=True, config=_STRICT)
class NameSource:
    """A source of names. `claim`: what is known of how these names are read. `checked`: what they were compared
    with.
    """

    title: Line
    claim: Line = UNSAID
    checked: Line = UNSAID


@dataclass(frozen=True, config=_STRICT)
class NameCell:
    """The names of a group. `of`: axis id → the identities that these names represent. `names`: by the key of their
    source.

    `title`: its name for people, where `of` does not give it.
    """

    of: Annotated[Mapping[str, Lines], Field(min_length=1)]
    names: Mapping[str, tuple[Line, ...]]
    title: Annotated[str, StringConstraints(max_length=2000)] = ""

    @property
    def all_names(self) -> tuple[str, ...]:
        return tuple(chain.from_iterable(self.names.values()))

    @property
    def label(self) -> str:
        return self.title or ", ".join(f"{axis} {identities[0]}" for axis, identities in self.of.items())


@dataclass(frozen=True, config=_STRICT)
class NameSet:
    """Names by group. A name is in one cell only: in two it would not identify a group."""

    key: Line
    title: Line
    version: Annotated[int, Field(ge=1)]
    sources: Mapping[str, NameSource]
    cells: Annotated[tuple[NameCell, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _consistent(self) -> "NameSet":
        by_name: dict[str, str] = {}
        for cell in self.cells:
            if not cell.all_names:
                raise ValueError(f"there are no names for {cell.label}")
            for source in cell.names:
                if source not in self.sources:
                    raise ValueError(f"the names for {cell.label} have the source “{source}”, which is not described")
            for name in cell.all_names:
                if "/" in name:
                    raise ValueError(f"the name “{name}” has a slash")
                if name.casefold() in by_name:
                    raise ValueError(f"“{name}” is there twice, for {by_name[name.casefold()]} and for {cell.label}")
                by_name[name.casefold()] = cell.label
        return self

    def names_of(self, identities: Mapping[str, str]) -> tuple[str, ...]:
        """Return the names of these identities, axis id → key; of several cells in turn. Empty where none do.

        A cell that does not mention an axis counts only where that axis is not asked for.
        """
        fitting = [
            cell.all_names
            for cell in self.cells
            if all(identity in cell.of.get(axis, ()) for axis, identity in identities.items())
        ]
        return tuple(_in_turn(fitting))

    def remarks(self) -> tuple[str, ...]:
        """Return a sentence for each cell with too few names to tell a name from its group."""
        return tuple(remark for cell in self.cells if (remark := too_few(cell.label, len(cell.all_names))))


def too_few(label: str, count: int) -> str:
    """Return the caution for a cell with so many names; empty where it has enough."""
    if count >= FEWEST:
        return ""
    names = "1 name" if count == 1 else f"{count} names"
    return (
        f"“{label}” has {names}: {FEWEST} or more are wanted, for with fewer "
        "what a single name does is taken for what its group does."
    )


def _in_turn(lists: Sequence[Sequence[str]]) -> Iterable[str]:
    return (name for each in zip_longest(*lists) for name in each if name is not None)


def available_name_sets() -> tuple[str, ...]:
    """Return the keys of the shipped sets."""
    names = (entry.name for entry in packaged("names").iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


def groups_of_name(name: str) -> dict[str, str]:
    """Return the title of each shipped set that has a given name → whom the name stands for there."""
    sets = [load_name_set(key) for key in available_name_sets()]
    return {
        each.title: cell.label
        for each in sets
        for cell in each.cells
        if name.strip().casefold() in {known.casefold() for known in cell.all_names}
    }


def load_name_set(source: str | Path) -> NameSet:
    """Return a shipped set by its key, or a file by its path (a `Path`, or a string that ends in ".toml")."""
    if isinstance(source, Path) or source.endswith(".toml"):
        return name_set_from(read_toml(Path(source)), f"The file of names {source}")
    if source not in available_name_sets():
        hint = f"Shipped sets: {', '.join(available_name_sets())}. Your own is given by the path of its .toml file."
        raise UsageError(f"There is no set of names “{source}”.", hint=hint)
    return validated(NameSet, read_toml(packaged("names", f"{source}.toml")), f"The shipped set of names {source}")


# ---- Sets as people write them: lists of names, each with its source in words


def name_set_from(data: Draft, where: str) -> NameSet:
    """Return the set that a file's data describe; `where` says whose data they are.

    The names of a cell are by source, or a list: then its own `source`, `claim` and `checked`, else those of the set,
    say where they are from. Lists for the same identities are one cell.
    """
    cells, described = data.get("cells"), data.get("sources", {})
    listed = isinstance(cells, list | tuple) and all(isinstance(cell, Mapping) for cell in cells)
    if not listed or not isinstance(described, Mapping):
        return validated(NameSet, dict(data), where)
    sources = dict(described)
    common = {name: data[name] for name in ("source", "claim", "checked") if data.get(name)}
    merged: dict[str, dict[str, Any]] = {}
    for place, cell in enumerate(cells or ()):
        if not isinstance(cell.get("names", ()), list | tuple):
            merged[str(place)] = dict(cell)
            continue
        own = {name: cell[name] for name in ("source", "claim", "checked") if cell.get(name)}
        source = _source_key(sources, own if "source" in own else {**common, **own})
        fields = {name: value for name, value in cell.items() if name not in ("source", "claim", "checked", "names")}
        entry = merged.setdefault(repr(cell.get("of")), {**fields, "names": {}})
        entry["names"][source] = [*entry["names"].get(source, ()), *cell.get("names", ())]
    plain = {name: value for name, value in data.items() if name not in ("source", "claim", "checked")}
    return validated(NameSet, {**plain, "sources": sources, "cells": list(merged.values())}, where)


def _source_key(sources: dict[str, Any], cell: Mapping[str, Any]) -> str:
    """Return the key of the source that is described so; it is added where there is none."""
    source = {"title": cell.get("source", UNSAID), **{name: each for name, each in cell.items() if name != "source"}}
    for key, source_known in sources.items():
        if source_known == source:
            return key
    key = key_of(str(source["title"]), sources, "source")
    sources[key] = source
    return key


def as_lists(names: NameSet) -> dict[str, Any]:
    """Return the set as a draft: a list of names for each cell and source, as it is edited."""
    cells = [
        {
            "title": cell.title or " ".join(identities[0] for identities in cell.of.values()).capitalize(),
            "of": {axis: list(identities) for axis, identities in cell.of.items()},
            "names": list(given),
            "source": names.sources[source].title,
            "claim": names.sources[source].claim,
            "checked": names.sources[source].checked,
        }
        for cell in names.cells
        for source, given in cell.names.items()
    ]
    return {"key": names.key, "title": names.title, "version": names.version, "cells": cells}


# ---- Cells of axes, and of a table


def blank_cells(axes: Mapping[str, Mapping[str, Sequence[str]]]) -> list[dict[str, Any]]:
    """Return a cell without names for each identity of an axis, or of each with each. `axes`: id → label → keys."""
    return [
        {
            "title": " ".join([*(label for label in pair[1:]), pair[0].lower() if pair[1:] else pair[0]]),
            "of": {axis: list(axes[axis][label]) for axis, label in zip(axes, pair, strict=True)},
            "names": [],
        }
        for pair in product(*axes.values())
    ]


NAME_COLUMNS, SOURCE_COLUMNS = ("name", "given name", "first name", "names"), ("source", "sources", "from")


def cells_of_table(rows: Iterable[Sequence[str]]) -> list[dict[str, Any]]:
    """Return the cells of a table: its first row names the columns, one of them “name”, perhaps one “source”; every
    other is an axis, and its values identities. Raises `AppError` in words where that cannot be.
    """
    filled = [[cell.strip() for cell in row] for row in rows]
    filled = [row for row in filled if any(row)]
    header = [cell.casefold() for cell in filled[0]] if filled else []
    name = next((place for place, cell in enumerate(header) if cell in NAME_COLUMNS), None)
    source = next((place for place, cell in enumerate(header) if cell in SOURCE_COLUMNS), None)
    axes = [place for place, cell in enumerate(header) if cell and place not in (name, source)]
    if name is None or not axes:
        lacks = "no column “name”" if name is None else "no column that says whose names they are"
        hint = "Its first row is such as: name, race, gender, source."
        raise AppError(f"The table has {lacks}.", kept="No names were taken.", hint=hint)
    cells: dict[tuple[str, ...], dict[str, Any]] = {}
    for number, row in enumerate(filled[1:], start=2):
        row = [*row, *[""] * (len(header) - len(row))]
        if empty := next((header[place] for place in (name, *axes) if not row[place]), ""):
            raise AppError(
                f"Row {number} of the table has no {empty}.", kept="No names were taken.", hint="Mend that row."
            )
        source_name = row[source] if source is not None else ""
        of = {key_of(header[place], (), "axis"): [key_of(row[place], (), "group")] for place in axes}
        cell = cells.setdefault(
            (*(row[place].casefold() for place in axes), source_name),
            {
                "title": " ".join(row[place] for place in axes).capitalize(),
                "of": of,
                "names": [],
                "source": source_name,
            },
        )
        cell["names"].append(row[name])
    if not cells:
        raise AppError("The table has no names below its first row.", hint="Write one name in each row.")
    return list(cells.values())


def with_cells(before: Sequence[Draft], more: Sequence[Draft]) -> list[dict[str, Any]]:
    """Add a table's cells to cells: names go to the cell of the same identities and source, or that has no names
    yet.
    """
    made = [dict(cell) for cell in before if cell.get("of") or cell.get("names") or cell.get("title")]
    for cell in more:
        same = [made_cell for made_cell in made if made_cell.get("of") == cell["of"]]
        fitting = [
            made_cell
            for made_cell in same
            if not made_cell.get("names") or made_cell.get("source", "") == cell.get("source", "")
        ]
        if not fitting:
            made.append(dict(cell, title=same[0]["title"] if same else cell["title"]))
            continue
        names = {str(name).casefold() for name in fitting[0].get("names", ())}
        new = [name for name in cell["names"] if name.casefold() not in names]
        fitting[0] |= {"names": [*fitting[0].get("names", ()), *new], "source": cell.get("source", "")}
    return made
