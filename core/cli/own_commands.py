"""names list, check, make, and example: names and other definitions of one's own."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from biasprint.core.cli.console import check_target, note, print_json, print_table, say
from biasprint.core.cli.project_commands import AsJson
from biasprint.core.errors import AppError, UsageError

if TYPE_CHECKING:
    from biasprint.core.prompts import Axis
    from biasprint.core.prompts.name_sets import NameSet


# ---- axis cross, list, check

AnAxis = Annotated[str, typer.Argument(help="An axis: the key of a shipped one, or the path of a .toml file.")]


def cross(
    first: AnAxis,
    second: AnAxis,
    out: Annotated[Path, typer.Option(help="The axis file to write (.toml).")],
    key: Annotated[str, typer.Option(help="The new axis's id; by default both ids.")] = "",
    title: Annotated[str, typer.Option(help="Its title; by default both titles.")] = "",
    phrase: Annotated[
        str, typer.Option(help="How the two phrases are combined; by default “{second} {first}”, with the axes' ids.")
    ] = "",
    names: Annotated[str, typer.Option(help="Names from this set: us, or a .toml file.")] = "",
    replace: Annotated[bool, typer.Option("--replace", help="Replace the file if it is there.")] = False,
    as_json: AsJson = False,
) -> None:
    """Write the axis of two: every identity of the first with every one of the second (“black woman”)."""
    from biasprint.core.prompts import load_axis
    from biasprint.core.prompts.axes import crossed_axis
    from biasprint.core.prompts.library import write_axis
    from biasprint.core.prompts.name_sets import load_name_set

    check_target(out, (".toml",))
    chosen = load_name_set(names) if names else None
    axis = crossed_axis(load_axis(first), load_axis(second), key=key, title=title, phrase=phrase, names=chosen)
    write_axis(axis, out, replace=replace)
    load_axis(out)  # what was written can be read, or it is said why not
    nameless = [identity.label for identity in axis.identities if chosen and not identity.names]
    if chosen and nameless:
        note(f"The set of names {chosen.key} has none for: {', '.join(nameless)}.")
    if as_json:
        print_json({"file": str(out), **_axis_command_as_data(axis)})
        return
    say(f"Wrote {out}: {axis.title}, {len(axis.identities)} identities.")
    _axis_command_tell(axis)


def show(as_json: AsJson = False) -> None:
    """The shipped axes and their identities."""
    from biasprint.core.prompts import available_axes, load_axis

    axes = [load_axis(key) for key in available_axes()]
    if as_json:
        print_json({"axes": [_axis_command_as_data(axis) for axis in axes]})
        return
    identities = [", ".join(identity.key for identity in axis.identities) for axis in axes]
    print_table(
        ("axis", "title", "identities"),
        [(axis.key, axis.title, own) for axis, own in zip(axes, identities, strict=True)],
    )


def check(axis: AnAxis, as_json: AsJson = False) -> None:
    """Check an axis: list the phrase, words and names of each identity, or report what is wrong with the file."""
    from biasprint.core.prompts import load_axis

    loaded = load_axis(axis)
    if as_json:
        print_json(_axis_command_as_data(loaded))
        return
    say(f"{loaded.title} ({loaded.id}), version {loaded.version}: {len(loaded.identities)} identities.")
    _axis_command_tell(loaded)


def _axis_command_tell(axis: "Axis") -> None:
    print_table(
        ("identity", "in prompts", "words", "names"),
        [
            (identity.key, identity.phrase, str(len(identity.words)), str(len(identity.names)))
            for identity in axis.identities
        ],
        right=("words", "names"),
    )


def _axis_command_as_data(axis: "Axis") -> dict[str, Any]:
    identities = [
        {
            "key": identity.key,
            "label": identity.label,
            "phrase": identity.phrase,
            "words": len(identity.words),
            "names": len(identity.names),
        }
        for identity in axis.identities
    ]
    return {"axis": axis.id, "title": axis.title, "crosses": list(axis.crosses), "identities": identities}


Replace = Annotated[bool, typer.Option("--replace", help="Replace the file if it is there.")]


def show_sets(as_json: AsJson = False) -> None:
    """The shipped sets of names."""
    from biasprint.core.prompts.name_sets import available_name_sets, load_name_set

    sets = [load_name_set(key) for key in available_name_sets()]
    if as_json:
        print_json({"names": [_as_data(name_set) for name_set in sets]})
        return
    print_table(
        ("names", "title", "groups", "names"),
        [
            (
                name_set.key,
                name_set.title,
                str(len(name_set.cells)),
                str(sum(len(cell.all_names) for cell in name_set.cells)),
            )
            for name_set in sets
        ],
        right=("groups", "names"),
    )


def check_names(
    names: Annotated[str, typer.Argument(help="A set of names: the key of a shipped one, or a .toml file.")],
    as_json: AsJson = False,
) -> None:
    """Read a set of names, and say how many names each group has, or what is wrong with the file."""
    from biasprint.core.prompts.name_sets import load_name_set

    _tell(load_name_set(names), as_json)


def make_names(
    table: Annotated[Path, typer.Argument(help="A table with columns name, one or two axes, perhaps source.")],
    out: Annotated[Path, typer.Option(help="The file to write (.toml).")],
    title: Annotated[str, typer.Option(help="What the set is called; by default the table's name.")] = "",
    source: Annotated[str, typer.Option(help="Where names are from of which the table does not say it.")] = "",
    replace: Replace = False,
    as_json: AsJson = False,
) -> None:
    """Write a set of names of a table that has a name in each row, with its race, gender or other axes."""
    from biasprint.core.prompts.definition_kinds import NAMES
    from biasprint.core.prompts.library import read_definition, write_definition

    check_target(out, (".toml",))
    if table.suffix.lower() == ".toml":
        raise UsageError(f"“{table.name}” is a set of names already.", hint="“biasprint names check” reads it.")
    _check_free(out, replace)
    draft = dict(read_definition(NAMES, table))
    draft |= {name: each for name, each in (("title", title), ("source", source)) if each}
    write_definition(NAMES, draft, out)
    _tell(NAMES.load(read_definition(NAMES, out)), as_json, out)


def example(
    kind: Annotated[str, typer.Argument(help="axes, names, tasks, themes, documents or occupations.")],
    out: Annotated[Path | None, typer.Option(help="The file to write; printed where none is named.")] = None,
    replace: Replace = False,
) -> None:
    """An explained example of a definition of one's own, to be changed: it can be used as it is."""
    from biasprint.core.prompts.definition_kinds import KINDS
    from biasprint.core.prompts.library import example_of, write_example

    if kind not in KINDS:
        raise UsageError(f"There is no kind of definition “{kind}”.", hint=f"Kinds: {', '.join(KINDS)}.")
    if out is None:
        say(example_of(KINDS[kind]).rstrip("\n"))
        return
    check_target(out, (f".{KINDS[kind].suffix}",))
    _check_free(out, replace)
    write_example(KINDS[kind], out)
    say(f"Wrote {out}: {KINDS[kind].about}")


def _check_free(out: Path, replace: bool) -> None:
    if out.exists() and not replace:
        hint = "Choose another name, or --replace."
        raise AppError(f"There is a file {out} already.", kept="It was left as it is.", hint=hint)


def _tell(names: "NameSet", as_json: bool, out: Path | None = None) -> None:
    if as_json:
        print_json({**({"file": str(out)} if out else {}), **_as_data(names)})
        return
    written = f"Wrote {out}: " if out else ""
    groups = "1 group" if len(names.cells) == 1 else f"{len(names.cells)} groups"
    say(f"{written}{names.title}, version {names.version}: {groups}.")
    print_table(
        ("group", "stands for", "names", "from"),
        [
            (
                cell.label,
                _said(cell.of),
                str(len(cell.all_names)),
                "; ".join(names.sources[key].title for key in cell.names),
            )
            for cell in names.cells
        ],
        right=("names",),
    )
    for remark in names.remarks():
        note(remark)


def _said(of: Any) -> str:
    return "; ".join(f"{axis}: {', '.join(identities)}" for axis, identities in of.items())


def _as_data(names: "NameSet") -> dict[str, Any]:
    cells = [
        {
            "group": cell.label,
            "of": {axis: list(identities) for axis, identities in cell.of.items()},
            "names": len(cell.all_names),
            "sources": [names.sources[key].title for key in cell.names],
        }
        for cell in names.cells
    ]
    return {"key": names.key, "title": names.title, "version": names.version, "cells": cells}
