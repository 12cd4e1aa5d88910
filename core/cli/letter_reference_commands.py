"""reference: the sets of letters that a letter is compared with."""

from pathlib import Path
from typing import Annotated

import typer

from core.cli.answers import print_json, print_table, say
from core.cli.progress import job
from core.cli.project_commands import AsJson

Name = Annotated[str, typer.Argument(help="A set's name, as `reference list` shows it.")]


def add_to(app: typer.Typer) -> None:
    sets = typer.Typer(
        name="reference",
        help="Show, make and remove the sets of letters that a letter is compared with.",
        no_args_is_help=True,
        rich_markup_mode=None,
    )
    sets.command("list")(list_references)
    sets.command("make")(make)
    sets.command("remove")(remove)
    app.add_typer(sets)


def list_references(as_json: AsJson = False) -> None:
    """Show the sets that there are."""
    from core.documents.reference.store import references

    found = references()
    if as_json:
        print_json({"references": [{**vars(one), "occupations": list(one.occupations)} for one in found]})
        return
    print_table(
        ("name", "letters", "for", "what they are"),
        [
            (one.name, f"{one.letters:,}", ", ".join(one.occupations), one.trouble or f"{one.title}: {one.made_from}")
            for one in found
        ],
        right=("letters",),
    )


def make(
    name: Name,
    file: Annotated[Path, typer.Argument(help="A project with letters (.biasprint).")],
    title: Annotated[str, typer.Option(help="How the set is called where it is shown.")] = "",
    occupation: Annotated[str, typer.Option(help="Only letters for this occupation.")] = "",
    as_json: AsJson = False,
) -> None:
    """Make a set from a project's finished letters: their figures, never their text."""
    from core.compute import shared
    from core.project.project import Project
    from core.runs.letter_reference import make_reference

    with Project.open(file, read_only=True) as project, job("Reading letters") as ctx:
        made = make_reference(ctx, project, name, shared(), title=title, occupation=occupation)
    found = made.reference
    if as_json:
        print_json(
            {"name": found.name, "title": found.title, "letters": len(found.letters), "groups": list(found.groups),
             "occupations": list(found.occupations), "made_from": found.made_from, "dropped": dict(made.dropped)}
        )  # fmt: skip
        return
    say(f"“{found.name}” has the figures of {len(found.letters):,} letters for {', '.join(found.occupations)}.")
    for reason, count in made.dropped.items():
        say(f"Left out: {count:,} letters ({reason}).")


def remove(name: Name, as_json: AsJson = False) -> None:
    """Remove a set."""
    from core.documents.reference.store import remove as forget

    forget(name)
    if as_json:
        print_json({"removed": name})
        return
    say(f"“{name}” is removed.")
