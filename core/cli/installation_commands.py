"""prepare: installing what an installation that was begun by run.py still lacks."""

from typing import Annotated

import typer

from biasprint.core.cli.console import job, note, print_json, print_table, say
from biasprint.core.cli.project_commands import AsJson
from biasprint.core.errors import AppError, UsageError
from biasprint.core.machine.installation import PartState, parts, status
from biasprint.core.machine.installation import prepare as install


def add_installation_to(app: typer.Typer) -> None:
    app.command()(prepare)


def prepare(
    only_show: Annotated[bool, typer.Option("--status", help="Show what is there, and install nothing.")] = False,
    part: Annotated[list[str] | None, typer.Option(help="Only this part; may be given several times.")] = None,
    as_json: AsJson = False,
) -> None:
    """Install what is still missing of the program, part by part; or show what is there."""
    only = tuple(part or ())
    known = [each.id for each in parts()]
    for name in only:
        if name not in known:
            raise UsageError(f"There is no part “{name}”.", hint=f"Choose from: {', '.join(known)}.")
    if not only_show:
        _install(only)
    states = [each for each in status() if not only or each.part.id in only]
    if as_json:
        print_json({"parts": [_plain(each) for each in states]})
    else:
        print_table(
            ("part", "state", "what it is for"),
            [(each.part.id, each.state, each.part.purpose) for each in states],
        )
    failed = [each for each in states if each.state == "failed"]
    if failed and not only_show:
        raise AppError(" ".join(each.sentence for each in failed), kept="Everything else works.")


def _install(only: tuple[str, ...]) -> None:
    with job("Preparing, in megabytes") as ctx:
        last: dict[str, str] = {}

        def told(each: PartState) -> None:
            if last.get(each.part.id) != each.state and each.state in ("working", "ready"):
                note(each.sentence, dim=True)
            last[each.part.id] = each.state

        install(ctx, told, only)
    if not last:
        say("Everything is there.")


def _plain(each: PartState) -> dict[str, str]:
    return {
        "part": each.part.id,
        "title": each.part.title,
        "purpose": each.part.purpose,
        "state": each.state,
        "sentence": each.sentence,
    }
