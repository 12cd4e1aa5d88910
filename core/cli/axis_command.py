"""axis cross, list, check: axes of one's own."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from biasprint.core.cli.console import add_group, check_target, note, print_json, print_table, say
from biasprint.core.cli.project_commands import AsJson

if TYPE_CHECKING:
    from biasprint.core.prompts import Axis

AnAxis = Annotated[str, typer.Argument(help="An axis: the key of a shipped one, or the path of a .toml file.")]


def add_axis_to(app: typer.Typer) -> None:
    add_group(
        app,
        "axis",
        "Axes of one's own: cross two, list the shipped ones, check a file.",
        {"list": show, "cross": cross, "check": check},
    )


def cross(
    first: AnAxis,
    second: AnAxis,
    out: Annotated[Path, typer.Option(help="The axis file to write (.toml).")],
    key: Annotated[str, typer.Option(help="The new axis's id; by default both ids.")] = "",
    title: Annotated[str, typer.Option(help="Its title; by default both titles.")] = "",
    phrase: Annotated[
        str, typer.Option(help="How the phrases stand together; by default “{second} {first}”, with the axes' ids.")
    ] = "",
    names: Annotated[str, typer.Option(help="Names from this set: us, or a .toml file.")] = "",
    replace: Annotated[bool, typer.Option("--replace", help="Replace the file if it is there.")] = False,
    as_json: AsJson = False,
) -> None:
    """Write the axis of two: every identity of the first with every one of the second (“black woman”)."""
    from biasprint.core.prompts import load_axis
    from biasprint.core.prompts.axes import crossed_axis
    from biasprint.core.prompts.axis_files import write_axis
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
        print_json({"file": str(out), **_as_data(axis)})
        return
    say(f"Wrote {out}: {axis.title}, {len(axis.identities)} identities.")
    _tell(axis)


def show(as_json: AsJson = False) -> None:
    """The shipped axes and their identities."""
    from biasprint.core.prompts import available_axes, load_axis

    axes = [load_axis(key) for key in available_axes()]
    if as_json:
        print_json({"axes": [_as_data(axis) for axis in axes]})
        return
    identities = [", ".join(identity.key for identity in axis.identities) for axis in axes]
    print_table(
        ("axis", "title", "identities"),
        [(axis.key, axis.title, own) for axis, own in zip(axes, identities, strict=True)],
    )


def check(axis: AnAxis, as_json: AsJson = False) -> None:
    """Read an axis, and say what stands for each identity, or what is wrong with the file."""
    from biasprint.core.prompts import load_axis

    found = load_axis(axis)
    if as_json:
        print_json(_as_data(found))
        return
    say(f"{found.title} ({found.id}), version {found.version}: {len(found.identities)} identities.")
    _tell(found)


def _tell(axis: "Axis") -> None:
    print_table(
        ("identity", "in prompts", "words", "names"),
        [(one.key, one.phrase, str(len(one.words)), str(len(one.names))) for one in axis.identities],
        right=("words", "names"),
    )


def _as_data(axis: "Axis") -> dict[str, Any]:
    identities = [
        {"key": one.key, "label": one.label, "phrase": one.phrase, "words": len(one.words), "names": len(one.names)}
        for one in axis.identities
    ]
    return {"axis": axis.id, "title": axis.title, "crosses": list(axis.crosses), "identities": identities}
