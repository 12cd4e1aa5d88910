"""The command line with the window's own commands: gui and demo."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from biasprint.core.cli.app import build
from biasprint.core.cli.app import run as run_command
from biasprint.core.cli.console import note
from biasprint.core.machine.system_libraries import why_no_window
from biasprint.desktop.opening import open_window


def run(argv: Sequence[str]) -> int:
    """Run one command."""
    return run_command(build_program, argv)


def build_program() -> typer.Typer:
    """Build the parser with every command of the program."""
    app = build()
    app.command()(gui)
    app.command()(demo)
    return app


def gui(file: Annotated[Path | None, typer.Argument(help="A project, a table or a letter.")] = None) -> None:
    """Open the window; “biasprint FILE” does the same."""
    raise typer.Exit(open_window(file))


def demo(
    headless: Annotated[bool, typer.Option("--headless", help="No window: print findings, write pictures.")] = False,
    out: Annotated[Path, typer.Option(help="Headless: where report and pictures go.")] = Path("biasprint-demo"),
) -> None:
    """Open the sample project; without a display do the same work headless, and say where the pictures are."""
    off_screen = os.environ.get("QT_QPA_PLATFORM", "").startswith(("offscreen", "minimal"))
    reason = "" if headless or off_screen else why_no_window()
    if reason:
        note(f"{reason}\nGoing on without a window.")
    if headless or off_screen or reason:
        from biasprint.desktop.headless import demo as headless_demo

        headless_demo(out)
        return
    raise typer.Exit(open_window(None, demo=True))
