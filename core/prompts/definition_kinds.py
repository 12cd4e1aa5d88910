"""The kinds of definitions: axes, sets of names, tasks with their rubrics, themes, documents and occupations."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from biasprint.core.errors import AppError, UsageError
from biasprint.core.given import packaged_toml
from biasprint.core.prompts.axes import Axis, available_axes, axis_from, crossed_axis, load_axis
from biasprint.core.prompts.cogs import Theme, cogs_tasks, cogs_themes, task_from, theme_from
from biasprint.core.prompts.definitions import DefinitionKind, Draft, DraftProblem, Field, key_of
from biasprint.core.prompts.letters import (
    BIOGRAPHY_PLACEHOLDERS,
    NEEDED_OF_A_BIOGRAPHY,
    PLACEHOLDERS,
    document_from,
    letter_design,
    occupations_of,
)
from biasprint.core.prompts.name_sets import (
    NameSet,
    as_lists,
    available_name_sets,
    blank_cells,
    cells_of_table,
    load_name_set,
    name_set_from,
    too_few,
)
from biasprint.core.prompts.resource_files import read_toml
from biasprint.core.tables.read import read_columns

# ---- Drafts of axes


def crossed_draft(first: Axis, second: Axis, names: NameSet | None) -> dict[str, Any]:
    """Return two axes crossed, without a key yet. Raises `UsageError` where they cannot be."""
    made = crossed_axis(first, second).definition()
    if names is not None:
        made, _ = with_set_names(made, names)
        made["source"] += f"; names: {names.key}, version {names.version}"
    return {name: value for name, value in made.items() if name not in ("key", "version")}


def with_set_names(draft: Draft, names: NameSet) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the draft with the set's names wherever it has some, and the labels of the identities that it has none
    for.

    An axis that the set does not know by its id, such as a copy, is taken for the one whose identities it shares.
    Raises `UsageError` where the set has names for none of them.
    """
    rows: Sequence[Mapping[str, Any]] = draft["identities"]
    axes = tuple(draft.get("crosses") or (draft.get("reported_as") or draft.get("key", ""),))
    keys = [tuple(row.get("of") or (row.get("key", ""),)) for row in rows]
    known = [_known_as(axis, {key[place] for key in keys}, names) for place, axis in enumerate(axes)]
    names_found = [names.names_of(dict(zip(known, key, strict=True))) for key in keys]
    if not any(names_found):
        cells = "; ".join(cell.label for cell in names.cells)
        raise UsageError(f"The set of names {names.title} has none for these identities.", hint=f"It has: {cells}.")
    filled = [
        {**row, "names": list(given)} if given else dict(row) for row, given in zip(rows, names_found, strict=True)
    ]
    without = tuple(str(row.get("label", "")) for row, given in zip(rows, names_found, strict=True) if not given)
    return {**draft, "identities": filled}, without


def _known_as(axis: str, identities: set[str], names: NameSet) -> str:
    """Return the axis of the set that has the most of these identities; its own id where the set has that."""
    identities_of: dict[str, set[str]] = {}
    for cell in names.cells:
        for known, keys in cell.of.items():
            identities_of.setdefault(known, set()).update(keys)
    if axis in identities_of or not identities_of:
        return axis
    return max(identities_of, key=lambda known: len(identities_of[known] & identities))


def names_draft(axes: Sequence[Axis]) -> dict[str, Any]:
    """Return a set without names yet, with a cell for each identity of an axis, or for each of two with each."""
    labels = {axis.id: {identity.label: [identity.key] for identity in axis.identities} for axis in axes}
    title = f"Names by {' and '.join(axis.title.lower() for axis in axes)}"
    return {"title": title, "cells": with_alike(blank_cells(labels))}


def with_alike(cells: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the cells, valid also for the same group on other axes of the same id: “woman” and “female”."""
    known = {axis for cell in cells for axis in cell["of"]}
    axes = [axis for axis in map(load_axis, available_axes()) if axis.id in known]

    def alike(axis: str, keys: Sequence[str]) -> list[str]:
        groups = [identity for other in axes if other.id == axis for identity in other.identities]
        pronouns = {identity.pronouns for identity in groups if identity.key in keys} - {""}
        return list(dict.fromkeys([*keys, *(identity.key for identity in groups if identity.pronouns in pronouns)]))

    return [{**cell, "of": {axis: alike(axis, keys) for axis, keys in cell["of"].items()}} for cell in cells]


# ---- Kinds: their forms are data


def _kind(
    folder: str, load: Callable[[Draft], Any], shipped: Callable[[], Sequence[Draft]], **more: Any
) -> DefinitionKind:
    """Return the kind whose form is so called in resources/prompts/forms.toml."""
    form = packaged_toml("prompts", "forms.toml")[folder]
    placeholders = more.pop("placeholders", {})
    fields = _fields(form["fields"], placeholders)
    return DefinitionKind(folder, form["title"], form["one"], form["about"], fields, load, shipped, **more)


def _fields(
    rows: Sequence[Mapping[str, Any]], placeholders: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]
) -> tuple[Field, ...]:
    """Return the fields of a form. `placeholders`: of a template, those that it may have and those that it needs."""
    lists = ("placeholders", "needed_placeholders")
    fields = []
    for row in rows:
        named = placeholders.get(row["name"], [tuple(row.get(name, ())) for name in lists])
        options = tuple((key, words) for key, words in row.get("options", ()))
        inner = _fields(row.get("fields", ()), placeholders)
        fields.append(Field(**{**row, **dict(zip(lists, named, strict=True)), "options": options, "fields": inner}))
    return tuple(fields)


def _without_lost_harm(draft: dict[str, Any]) -> dict[str, Any]:
    """Remove the directions of harm that name an identity which was removed."""
    keys = {identity["key"] for identity in draft["identities"]}
    harm = [direction for direction in draft.get("harm", ()) if direction["harmed"] in keys]
    return {**{name: value for name, value in draft.items() if name != "harm"}, **({"harm": harm} if harm else {})}


AXIS = _kind(
    "axes",
    lambda draft: axis_from(draft, "This axis"),
    lambda: [load_axis(key).definition() for key in available_axes()],
    tidy=_without_lost_harm,
    read=lambda path: load_axis(path).definition(),
)


def _few_names(draft: Draft) -> Iterator[DraftProblem]:
    """Caution where an identity has few names, at its first list; lists of several sources count together."""
    counts: dict[str, int] = {}
    firsts: dict[str, int] = {}
    for number, cell in enumerate(draft["cells"]):
        of = repr(cell["of"])
        firsts.setdefault(of, number)
        counts[of] = counts.get(of, 0) + len(cell["names"])
    for of, number in firsts.items():
        if words := too_few(draft["cells"][number]["title"], counts[of]):
            yield DraftProblem(("cells", number, "names"), words, caution=True)


def _read_names(path: Path) -> dict[str, Any]:
    """Return a set as its file has it; or a table with a name in each row."""
    if path.suffix.lower() != ".toml":
        read = read_columns(path, kept="No names were taken.")
        rows = (read.columns, *(tuple(row.values.values()) for row in read.rows))
        return {"title": path.stem.replace("_", " ").capitalize(), "cells": with_alike(cells_of_table(rows))}
    data = read_toml(path)
    if "sources" not in data:
        return data
    draft = as_lists(name_set_from({"key": "read", "title": path.stem, "version": 1, **data}, f"The file {path.name}"))
    return {name: value for name, value in draft.items() if name != "key" or name in data}


NAMES = _kind(
    "names",
    lambda draft: name_set_from(draft, "This set of names"),
    lambda: [as_lists(load_name_set(key)) for key in available_name_sets()],
    mind=_few_names,
    read=_read_names,
    suffixes=("toml", "csv", "tsv", "xlsx"),
)

TASK = _kind(
    "tasks",
    lambda draft: task_from(draft, "This task"),
    lambda: [{**asdict(task), "version": 1} for task in cogs_tasks()],
)


def _with_topics(draft: dict[str, Any]) -> dict[str, Any]:
    """Turn topics into keys, as findings name them."""
    return {**draft, "theme": [_with_topic(row) for row in draft["theme"]]}


def _with_topic(row: Draft) -> Draft:
    topic = row.get("topic")  # of one that is no text `load` says so
    return {**row, "topic": key_of(topic, (), "own")} if topic and isinstance(topic, str) else row


def _shipped_themes() -> list[dict[str, Any]]:
    """Return the shipped themes by topic, without their keys: a copy's themes get their own."""
    topics: dict[str, list[dict[str, Any]]] = {}
    for theme in cogs_themes():
        topics.setdefault(theme.topic, []).append({"text": theme.text, "topic": theme.topic})
    return [{"key": key, "title": key.capitalize(), "version": 1, "theme": rows} for key, rows in topics.items()]


def _themes(draft: Draft) -> tuple[Theme, ...]:
    rows = draft.get("theme")
    if not isinstance(rows, list | tuple) or not rows or not all(isinstance(row, Mapping) for row in rows):
        raise AppError("There is no theme.", hint="Write each below a line [[theme]].")
    return tuple(theme_from(row, "This list of themes") for row in rows)


THEMES = _kind(
    "themes", _themes, _shipped_themes, tidy=_with_topics, taken=lambda: [theme.key for theme in cogs_themes()]
)

DOCUMENT = _kind(
    "documents",
    lambda draft: document_from(draft, "This document"),
    lambda: [
        {
            "key": key,
            "title": document.title,
            "version": 1,
            "context_less": document.context_less,
            "context_based": document.context_based,
        }
        for key, document in letter_design().documents.items()
    ],
    placeholders={
        "context_less": (PLACEHOLDERS, ()),
        "context_based": (BIOGRAPHY_PLACEHOLDERS, NEEDED_OF_A_BIOGRAPHY),
    },
)


def _occupations(draft: Draft) -> tuple[str, ...]:
    occupations = draft.get("occupations")
    if not isinstance(occupations, list | tuple) or not occupations:
        raise AppError("There is no occupation.", hint="Write at least one.")
    for each in occupations:
        if not str(each).strip() or "/" in str(each):
            raise AppError(f"“{each}” cannot be used as an occupation.", hint="It is not empty and has no slash.")
    return tuple(map(str, occupations))


OCCUPATIONS = _kind(
    "occupations",
    _occupations,
    lambda: [
        {
            "key": "letters",
            "title": "Occupations of the letters",
            "version": 1,
            "occupations": letter_design().occupations,
        }
    ],
    read=lambda path: {"occupations": list(occupations_of([str(path)]))} if path.suffix == ".txt" else read_toml(path),
    suffixes=("txt", "toml"),
)

KINDS: Mapping[str, DefinitionKind] = {kind.folder: kind for kind in (AXIS, NAMES, TASK, THEMES, DOCUMENT, OCCUPATIONS)}
