"""The command line's frame: the program, its commands, and how failures are told.

Exit code 0 done, 1 a failure that the message explains, 2 wrong usage.
"""

import sys
import traceback
from collections.abc import Sequence

import click
import typer
from rich.console import Console

from core.cli import data_commands, measure_commands, project_commands
from core.errors import AppError, JobCancelled

INTERRUPTED = 1


def build() -> typer.Typer:
    """The program with every command that needs no window."""
    app = typer.Typer(
        name="biasprint",
        help="Shows the social bias in text that language models write, and in those who judge it. Works offline.",
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )
    for part in (project_commands, data_commands, measure_commands):
        part.add_to(app)
    return app


def run(app: typer.Typer, argv: Sequence[str]) -> int:
    """Run a command and give its exit code; whatever fails is told on stderr in plain words."""
    errors = Console(stderr=True, highlight=False, markup=False, soft_wrap=True)
    try:
        code = app(list(argv), standalone_mode=False, prog_name="biasprint")
        return int(code or 0)
    except click.exceptions.Exit as stop:
        return int(stop.exit_code)
    except click.ClickException as wrong:
        wrong.show(sys.stderr)
        return 2
    except AppError as error:
        for part in (error.message, error.kept, error.hint):
            if part:
                errors.print(part)
        if error.details:
            errors.print(error.details, style="dim")
        return error.exit_code
    except (JobCancelled, KeyboardInterrupt, click.exceptions.Abort):
        errors.print("Stopped. What was finished is kept; the same command goes on from there.")
        return INTERRUPTED
    except BrokenPipeError:
        return INTERRUPTED
    except Exception as error:
        errors.print(f"Something went wrong that was not foreseen ({type(error).__name__}: {error}).")
        errors.print("What was finished is kept. Please report the lines below.")
        errors.print(traceback.format_exc(), style="dim")
        return 1


def main(argv: Sequence[str] | None = None) -> int:
    """The command line alone, without the window's commands."""
    return run(build(), sys.argv[1:] if argv is None else argv)
