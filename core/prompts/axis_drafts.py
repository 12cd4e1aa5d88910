"""Drafts made from axes: two crossed, the names of a set put in, and sets of names for their identities."""

from collections.abc import Mapping, Sequence
from typing import Any

from biasprint.core.errors import UsageError
from biasprint.core.prompts.axes import Axis, available_axes, crossed_axis, load_axis
from biasprint.core.prompts.definitions import Draft
from biasprint.core.prompts.name_sets import NameSet, blank_cells


def crossed_draft(first: Axis, second: Axis, names: NameSet | None) -> dict[str, Any]:
    """Two axes crossed, without a key yet. Raises `UsageError` where they cannot be."""
    made = crossed_axis(first, second).definition()
    if names is not None:
        made, _ = with_set_names(made, names)
        made["source"] += f"; names: {names.key}, version {names.version}"
    return {name: value for name, value in made.items() if name not in ("key", "version")}


def with_set_names(draft: Draft, names: NameSet) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The draft with the set's names wherever it has some, and the labels of the identities that it has none for.

    An axis that the set does not know by its id, such as a copy, is taken for the one whose identities it shares.
    Raises `UsageError` where the set has names for none of them.
    """
    rows: Sequence[Mapping[str, Any]] = draft["identities"]
    axes = tuple(draft.get("crosses") or (draft.get("reported_as") or draft.get("key", ""),))
    keys = [tuple(row.get("of") or (row.get("key", ""),)) for row in rows]
    known = [_known_as(axis, {key[place] for key in keys}, names) for place, axis in enumerate(axes)]
    found = [names.names_of(dict(zip(known, key, strict=True))) for key in keys]
    if not any(found):
        cells = "; ".join(cell.label for cell in names.cells)
        raise UsageError(f"The set of names {names.title} has none for these identities.", hint=f"It has: {cells}.")
    filled = [{**row, "names": list(given)} if given else dict(row) for row, given in zip(rows, found, strict=True)]
    without = tuple(str(row.get("label", "")) for row, given in zip(rows, found, strict=True) if not given)
    return {**draft, "identities": filled}, without


def _known_as(axis: str, identities: set[str], names: NameSet) -> str:
    """The axis of the set that has the most of these identities; its own id where the set has that."""
    there: dict[str, set[str]] = {}
    for cell in names.cells:
        for known, keys in cell.of.items():
            there.setdefault(known, set()).update(keys)
    if axis in there or not there:
        return axis
    return max(there, key=lambda known: len(there[known] & identities))


def names_draft(axes: Sequence[Axis]) -> dict[str, Any]:
    """A set without names yet, with a cell for each identity of an axis, or for each of two with each."""
    labels = {axis.id: {one.label: [one.key] for one in axis.identities} for axis in axes}
    title = f"Names by {' and '.join(axis.title.lower() for axis in axes)}"
    return {"title": title, "cells": with_alike(blank_cells(labels))}


def with_alike(cells: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The cells standing also for what other axes of the same id call the same group: “woman” and “female”."""
    known = {axis for cell in cells for axis in cell["of"]}
    axes = [axis for axis in map(load_axis, available_axes()) if axis.id in known]

    def alike(axis: str, keys: Sequence[str]) -> list[str]:
        groups = [one for other in axes if other.id == axis for one in other.identities]
        said = {one.pronouns for one in groups if one.key in keys} - {""}
        return list(dict.fromkeys([*keys, *(one.key for one in groups if one.pronouns in said)]))

    return [{**cell, "of": {axis: alike(axis, keys) for axis, keys in cell["of"].items()}} for cell in cells]
