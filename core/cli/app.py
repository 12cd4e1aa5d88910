"""Frame of the command line: the program, its commands, and how failures are shown.

Exit code 0 done, 1 a failure that the message explains, 2 wrong usage.
"""

import io
import re
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Annotated, Any

import typer

from biasprint import core
from biasprint.core import language
from biasprint.core.cli import (
    audit_run,
    compare_command,
    data_commands,
    judging_commands,
    letter_commands,
    measure_command,
    models_commands,
    own_commands,
    packet_commands,
    project_commands,
)
from biasprint.core.cli.console import complain, finish_stdout, keep_quiet, never_fail_to_encode, say
from biasprint.core.errors import AppError, JobCancelled
from biasprint.core.machine import plug_ins, storage
from biasprint.core.machine.installation import explained
from biasprint.core.machine.storage import refused

INTERRUPTED = 1
INTERRUPTED_IN_TYPER = 130  # what newer versions of typer make of Ctrl+C
# Typer brings its own copy of click or uses the installed one, by its version: this is the class of either.
WrongUsage: type[Exception] = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")


# Every command, in the order of the help; then those of one theme below one word: `biasprint NAME COMMAND`.
COMMANDS: Mapping[str, Callable[..., None]] = {
    "new": project_commands.new,
    "prompts": project_commands.prompts,
    "designs": project_commands.designs,
    "generate": project_commands.generate,
    "replay": project_commands.replay,
    "check": project_commands.check,
    "rescue": project_commands.rescue,
    "restore": project_commands.restore,
    "example": own_commands.example,
    "calibrate": compare_command.calibrate,
    "compare": compare_command.compare,
    "import": data_commands.import_data,
    "score": data_commands.score,
    "export": data_commands.export,
    "measure": measure_command.measure,
    "report": measure_command.report,
    "impact": audit_run.impact,
    "offline": models_commands.offline,
    "prepare": models_commands.prepare,
    "judge": judging_commands.judge,
    "certificate": judging_commands.certificate,
    "letter": letter_commands.letter,
    "run": audit_run.run,
    "audit-file": audit_run.audit_file,
}
GROUPS: Mapping[str, tuple[str, Mapping[str, Callable[..., None]]]] = {
    "axis": (
        "Axes of one's own: cross two, list the shipped ones, check a file.",
        {"list": own_commands.show, "cross": own_commands.cross, "check": own_commands.check},
    ),
    "names": (
        "Sets of given names by group: list the shipped ones, check a file, make one of a table.",
        {"list": own_commands.show_sets, "check": own_commands.check_names, "make": own_commands.make_names},
    ),
    "pack": (
        "The evidence of an audit in one signed folder: make, verify.",
        {"make": audit_run.make, "verify": audit_run.verify},
    ),
    "models": (
        "Show, get, check, add and remove models.",
        {
            "list": models_commands.list_models,
            "get": models_commands.get,
            "export": models_commands.export,
            "verify": models_commands.verify,
            "add": models_commands.add_model,
            "remove": models_commands.remove_model,
            "prefer": models_commands.prefer,
            "engine": models_commands.engine,
        },
    ),
    "endpoints": (
        "Servers that speak as OpenAI's does: list, add, remove, test, key.",
        {
            "list": models_commands.show,
            "test": models_commands.ask,
            "add": models_commands.add_endpoint,
            "remove": models_commands.remove_endpoint,
            "key": models_commands.key,
        },
    ),
    "packet": (
        "Judging in files that are sent to raters: make, merge, list, decide, seats, count.",
        {
            "list": packet_commands.show,
            "make": packet_commands.make,
            "merge": packet_commands.merge,
            "decide": packet_commands.decide,
            "seats": packet_commands.seats,
            "count": packet_commands.count,
        },
    ),
    "raters": (
        "Who rated how far and how carefully, and who is left out: list, exclude, include.",
        {
            "list": judging_commands.show_raters,
            "exclude": judging_commands.exclude,
            "include": judging_commands.include,
        },
    ),
    "reference": (
        "Show, make and remove the sets of letters that a letter is compared with.",
        {"list": letter_commands.list_references, "make": letter_commands.make, "remove": letter_commands.remove},
    ),
    "saved-letters": (
        "Show, add and remove the checked letters that are kept in a project.",
        {
            "list": letter_commands.list_saved,
            "add": letter_commands.add_saved,
            "remove": letter_commands.remove_saved,
        },
    ),
    "analysis-plan": (
        "Findings of interest, margins and exclusions, locked before texts are scored.",
        {"new": measure_command.new, "lock": measure_command.lock, "show": measure_command.show},
    ),
}


def build() -> typer.Typer:
    """The program with every command that needs no window."""
    app = typer.Typer(
        name="biasprint",
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )
    app.callback()(program)
    for name, command in COMMANDS.items():
        app.command(name)(command)
    for name, (about, commands) in GROUPS.items():
        group = typer.Typer(name=name, help=about, no_args_is_help=True, rich_markup_mode=None)
        for below, command in commands.items():
            group.command(below)(command)
        app.add_typer(group)
    return app


def _version(asked: bool) -> None:
    if asked:
        say(f"biasprint {core.__version__}")
        raise typer.Exit


def program(
    version: Annotated[
        bool, typer.Option("--version", help="Say the program's version and end.", callback=_version, is_eager=True)
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", help="Nothing on stderr but what went wrong: no remarks, no progress.")
    ] = False,
) -> None:
    """Shows the social bias in text that language models write, and in those who judge it. Works offline."""
    keep_quiet(quiet)
    for sentence in plug_ins.news():
        complain(sentence)


def run(build: Callable[[], typer.Typer], argv: Sequence[str]) -> int:
    """Run a command of a program and return its exit code; explain any failure on stderr in plain words."""
    never_fail_to_encode()
    try:
        language.choose(language.wanted(_chosen_in_window()))
        command = _built(build, language.chosen())
        code = int(command(list(argv), standalone_mode=False, prog_name="biasprint") or 0)
        finish_stdout()
        if code == INTERRUPTED_IN_TYPER:
            raise KeyboardInterrupt
        return code
    except WrongUsage as wrong:
        told = io.StringIO()
        wrong.show(told)  # type: ignore[attr-defined]
        for line in told.getvalue().splitlines():
            complain(line)
        return 2
    except AppError as error:
        return _told(error)
    except (JobCancelled, KeyboardInterrupt, typer.Abort):
        complain("Stopped. What was finished is kept; the same command goes on from there.")
        return INTERRUPTED
    except BrokenPipeError:  # nobody reads the answer any more
        return INTERRUPTED
    except SystemExit as left:  # typer's, of a broken pipe, or after what a shell asked to complete
        return left.code if isinstance(left.code, int) else INTERRUPTED
    except Exception as error:
        if known := explained(error) or refused(error):
            return _told(known)
        complain(f"Something went wrong that was not foreseen ({type(error).__name__}: {error}).")
        complain("What was finished is kept. Please report the lines below.")
        complain(traceback.format_exc(), dim=True)
        return 1


def _chosen_in_window() -> str:
    """Return the language of the window's settings; nothing where they cannot be read, which the window tells."""
    try:
        return str(storage.read("settings.json").get("language", ""))
    except AppError:
        return ""


@cache
def _built(build: Callable[[], typer.Typer], _language: str) -> Any:
    """The parser in the reader's language, made once: many a command takes less time than that."""
    return _in_language(typer.main.get_command(build()))


def _in_language(command: Any) -> Any:
    """The command with the help of all commands below it in the reader's language."""
    if language.chosen() != language.ENGLISH:
        _set_headings(command.context_class)
        for described in (command, *command.params):
            if words := getattr(described, "help", None):
                described.help = "\n\n".join(map(language.tr, words.split("\n\n")))
        for below in getattr(command, "commands", {}).values():
            _in_language(below)
    return command


_IN_BRACKETS = re.compile(r"(?<=\[)(required|default)(?=[\]:])")


def _set_headings(context: Any) -> None:
    """Have headings, what is in brackets and the option --help, which are typer's, in the reader's language."""
    usual = context.formatter_class

    class InLanguage(usual):  # type: ignore[misc, valid-type]
        def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
            super().write_usage(prog, args, language.tr(prefix or "Usage: "))

        def write_heading(self, heading: str) -> None:
            super().write_heading(language.tr(heading))

        def write_dl(self, rows: Any, *options: Any, **more: Any) -> None:
            told = ((name, language.tr(words) if "--help" in name else words) for name, words in rows)
            said = [(name, _IN_BRACKETS.sub(lambda word: language.tr(word[0]), words)) for name, words in told]
            super().write_dl(said, *options, **more)

    if not getattr(usual, "in_language", False):
        InLanguage.in_language = True
        context.formatter_class = InLanguage


def _told(error: AppError) -> int:
    for part in (error.message, error.kept, error.hint, error.details):
        if part:
            complain(part, dim=part is error.details)
    return error.exit_code


def main(argv: Sequence[str] | None = None) -> int:
    """The command line alone, without the window's commands."""
    return run(build, sys.argv[1:] if argv is None else argv)
