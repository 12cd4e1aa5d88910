"""models and offline: which models there are, getting, checking, adding and removing them; and the offline switch."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from core.cli.answers import note, print_json, print_table, say
from core.cli.progress import job
from core.cli.project_commands import AsJson
from core.machine.models.megabytes import InMegabytes

Name = Annotated[str, typer.Argument(help="A model's name, as `models list` shows it.")]


class Switch(StrEnum):
    on = "on"
    off = "off"
    status = "status"


def add_to(app: typer.Typer) -> None:
    models = typer.Typer(
        name="models", help="Show, get, check, add and remove models.", no_args_is_help=True, rich_markup_mode=None
    )
    models.command("list")(list_models)
    for command in (get, verify, add, remove, prefer):
        models.command()(command)
    app.add_typer(models)
    app.command()(offline)


def list_models(
    role: Annotated[str | None, typer.Option(help="Only this role.")] = None, as_json: AsJson = False
) -> None:
    """Show the models that there are, by role, and which scorer is used for each."""
    from core.machine.models import catalogue, resolve
    from core.machine.models.overview import overview
    from core.machine.models.sizes import UNKNOWN, in_words

    keys = list(catalogue.roles()) if role is None else [catalogue.role(role).key]
    choices = {key: resolve.choose(key) for key in keys if catalogue.role(key).scorer}
    rows = [row for key in keys for row in overview(key)]
    if as_json:
        used = {
            key: {"scorer": c.scorer, "stand_in": c.stand_in, "model": c.model or None, "because": c.because}
            for key, c in choices.items()
        }
        print_json({"models": [row.to_json() for row in rows], "roles": used})
        return
    columns = ("role", "name", "what it is", "where", "size", "memory", "licence", "used by")
    print_table(
        columns,
        [
            (row.role, row.name, row.title, row.state, in_words(row.size), in_words(row.memory), row.licence or UNKNOWN,
             ", ".join(row.papers))
            for row in rows
        ],
        right=("size", "memory"),
    )  # fmt: skip
    say("")
    for key, choice in choices.items():
        say(f"{key}: {choice.scorer}{' (stands in)' if choice.stand_in else ''}. {choice.because}")
    for row in rows:
        if row.trouble:
            note(row.trouble)


def get(
    name: Name,
    renew: Annotated[
        bool, typer.Option("--renew", help="Forget the recorded commit and hashes, and take what the hub has now.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Get a model of the catalogue from the hub. Stopped, the same command goes on where it was."""
    from core.machine.models.get import get as fetch
    from core.machine.models.sizes import in_words

    with job(f"Getting {name}, in MB") as ctx:
        result = fetch(name, InMegabytes(ctx), renew=renew)
    model = result.model
    if as_json:
        print_json(
            {"name": model.name, "role": model.role, "path": str(model.path), "revision": model.revision,
             "sha256": model.sha256, "size": result.size, "fetched": result.fetched}
        )  # fmt: skip
        return
    came = f"{in_words(result.fetched)} came over the network" if result.fetched else "it was here already"
    say(f"{model.name}: {in_words(result.size)}, {came}.")
    say(f"  commit {model.revision}, every file's hash checked and recorded")


def verify(
    name: Annotated[str | None, typer.Argument(help="One model; all that are here by default.")] = None,
    as_json: AsJson = False,
) -> None:
    """Read every file of the models here anew and compare its hash with the recorded one."""
    from core.machine.models.verify import verify as examine

    with job("Reading models, in MB") as ctx:
        results = examine(name, InMegabytes(ctx))
    if as_json:
        found: list[dict[str, Any]] = [
            {"name": each.name, "sound": each.sound, "compared": each.compared, "problems": list(each.problems)}
            for each in results
        ]
        print_json({"models": found})
    for each in results:
        if not as_json:
            fine = f"{each.compared} files as recorded" if each.compared else "no hash is known to compare it with"
            say(f"{each.name}: {fine if each.sound else ' '.join(each.problems)}")
    if not all(each.sound for each in results):
        raise typer.Exit(1)


def add(
    path: Annotated[Path, typer.Argument(help="A GGUF file, or a folder with safetensors weights.")],
    role: Annotated[str, typer.Option(help="What it is for; see `models list`.")],
    name: Annotated[str | None, typer.Option(help="How it is called; by default as its file.")] = None,
    as_json: AsJson = False,
) -> None:
    """Add a model that you have. It is checked and hashed, and stays where it is."""
    from core.machine.models.add import add as take_in

    with job(f"Reading {path.name}") as ctx:
        model = take_in(path, role, name, ctx)
    if as_json:
        print_json(
            {"name": model.name, "role": model.role, "path": str(model.path), "format": model.format,
             "sha256": model.sha256, "notes": list(model.notes)}
        )  # fmt: skip
    else:
        say(f"Added {model.name} for {model.role}. SHA-256 {model.sha256}")
    for each in model.notes:
        note(each)


def remove(name: Name, as_json: AsJson = False) -> None:
    """Delete the files of a model that was got; forget one that was added, and leave its files."""
    from core.machine.models.remove import remove as take_out

    deleted = take_out(name)
    if as_json:
        print_json({"name": name, "deleted": deleted})
    else:
        say(f"Removed {name}." if deleted else f"Forgot {name}; its files are where they were.")


def prefer(
    role: Annotated[str, typer.Argument(help="A role; see `models list`.")],
    name: Annotated[str, typer.Argument(help="A model that is here, or a scorer; `best` leaves it to the program.")],
    as_json: AsJson = False,
) -> None:
    """Choose what fills a role."""
    from core.machine.models import installed, resolve

    installed.prefer(role, None if name == "best" else name)
    choice = resolve.choose(role) if role != "generator" else None
    if as_json:
        print_json(
            {"role": role, "preferred": None if name == "best" else name,
             "scorer": choice.scorer if choice else None, "stand_in": choice.stand_in if choice else None}
        )  # fmt: skip
    elif choice is None:
        say(f"{role}: {name}.")
    else:
        say(f"{role}: {choice.scorer}{' (stands in)' if choice.stand_in else ''}. {choice.because}")


def offline(
    switch: Annotated[Switch, typer.Argument(help="on, off or status.")] = Switch.status, as_json: AsJson = False
) -> None:
    """The offline switch: while it is on, the program makes no connection, and cannot."""
    from core.machine import offline as machine

    if switch is not Switch.status:
        machine.switch(switch is Switch.on)
    by = machine.set_by()
    if switch is Switch.off and by == "environment":
        note(f"It stays on here, because {machine.VARIABLE} is set.")
    if as_json:
        print_json({"offline": by != "", "by": by or None})
        return
    say("Offline: no connection is made." if by else "Online: connections are made where you ask for them.")
