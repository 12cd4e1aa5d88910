"""The command line's frame: the program, its commands, and how failures are told.

Exit code 0 done, 1 a failure that the message explains, 2 wrong usage.
"""

import sys
import traceback
from collections.abc import Sequence

import typer

from core.cli import (
    compare_command,
    data_commands,
    installation_commands,
    judging_commands,
    letter_commands,
    models_commands,
    packet_commands,
    project_commands,
    rater_commands,
)
from core.cli.console import finish_stdout, never_fail_to_encode, note
from core.errors import AppError, JobCancelled
from core.machine.installation import explained

INTERRUPTED = 1
INTERRUPTED_IN_TYPER = 130  # what newer versions of typer make of Ctrl+C
# Typer brings its own copy of click or uses the installed one, by its version: this is the class of either.
WrongUsage: type[Exception] = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")


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
    for add_to in (
        project_commands.add_to,
        compare_command.add_compare_to,
        data_commands.add_data_to,
        data_commands.add_measure_to,
        models_commands.add_models_to,
        models_commands.add_endpoints_to,
        installation_commands.add_installation_to,
        judging_commands.add_judge_to,
        packet_commands.add_packet_to,
        rater_commands.add_raters_to,
        letter_commands.add_letter_to,
    ):
        add_to(app)
    return app


def run(app: typer.Typer, argv: Sequence[str]) -> int:
    """Run a command and give its exit code; whatever fails is told on stderr in plain words."""
    never_fail_to_encode()
    try:
        code = int(app(list(argv), standalone_mode=False, prog_name="biasprint") or 0)
        finish_stdout()
        if code == INTERRUPTED_IN_TYPER:
            raise KeyboardInterrupt
        return code
    except WrongUsage as wrong:
        wrong.show(sys.stderr)  # type: ignore[attr-defined]
        return 2
    except AppError as error:
        return _told(error)
    except (JobCancelled, KeyboardInterrupt, typer.Abort):
        note("Stopped. What was finished is kept; the same command goes on from there.")
        return INTERRUPTED
    except (BrokenPipeError, SystemExit):  # nobody reads the answer any more; typer makes an exit of it
        return INTERRUPTED
    except Exception as error:
        if known := explained(error):
            return _told(known)
        note(f"Something went wrong that was not foreseen ({type(error).__name__}: {error}).")
        note("What was finished is kept. Please report the lines below.")
        note(traceback.format_exc(), dim=True)
        return 1


def _told(error: AppError) -> int:
    for part in (error.message, error.kept, error.hint, error.details):
        if part:
            note(part, dim=part is error.details)
    return error.exit_code


def main(argv: Sequence[str] | None = None) -> int:
    """The command line alone, without the window's commands."""
    return run(build(), sys.argv[1:] if argv is None else argv)
