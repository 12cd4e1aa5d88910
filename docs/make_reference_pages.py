"""Write docs/reference/command-line.md from the commands and options that the program declares.

    python docs/make_reference_pages.py

A test compares the page with `command_line_page()`, so a changed option without a new page fails.
"""

import inspect
import types
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

import typer

from biasprint.desktop.commands import build_program

PAGE = Path(__file__).parent / "reference" / "command-line.md"
HIGHEST_SEED = 2**63 - 1
PROJECT = "A project file (.biasprint)."  # what FILE is, said once
USUAL = ("--seed", "--look-anyway", "--json")
HEAD = """\
# Command line

<!-- Written by docs/make_reference_pages.py from the program. Do not edit it by hand. -->

`biasprint` alone opens the window; `biasprint COMMAND` does everything that needs no person. Commands,
options, JSON keys, [finding ids and fields](findings.md) and exit codes are a contract: tests hold the program to it.
Examples are in the [how-to guides](../README.md#how-to).

- **stdout** holds the answer and nothing else. With `--json` it is exactly one JSON document
  ([its keys](json.md)).
- **stderr** holds progress, remarks, rows that were left out, and failures. `biasprint --quiet COMMAND` keeps it to
  failures. In a file or a log, progress is one line every 30 seconds.
- A command that fails has changed nothing beyond what it had finished, and prints no answer.
- `FILE` is a project file (`.biasprint`). The same `--seed` gives the same result. `--look-anyway` reads identities
  while somebody rates on this computer: that is recorded, and later answers are marked as seen.
- `…` marks what may be given several times.
- `biasprint --version` prints the version, `biasprint COMMAND --help` the options of a command.
- `biasprint --install-completion` adds completion to the shell (bash, zsh, fish, PowerShell).

## Exit codes

| code | meaning |
|---|---|
| 0 | Done. |
| 1 | A failure that the message explains, or a part that could not be done. |
| 2 | Wrong usage: an unknown option, value or field, or a gate that no finding can meet. |
| 3 | A [gate](gates.md) failed, also where a part of an audit could not be done. |

Exit code 1 also says that the run was stopped, that `check` found damage, that every request of `generate` failed, that
`packet merge` refused or held back a file, or that a part of an audit could not be done.

A command that is stopped (Ctrl+C, a crash, a power cut) keeps what it finished; the same command goes on from there.

## Environment

| variable | effect |
|---|---|
| `BIASPRINT_HOME` | the data folder, in place of the usual one |
| `BIASPRINT_OFFLINE=1` | no internet socket is opened by any process, whatever `offline` says |
| `BIASPRINT_API_KEY` | the key of an endpoint, where the computer has no key ring |
| `BIASPRINT_WITHOUT_LOCK=1` | `run.py` and `prepare` install by `pyproject.toml` alone |
| `PIP_PROXY`, `PIP_CERT`, … | the way to an index; an index only where the lock has hashes, else `pip config set` |

## Commands
"""


def command_line_page() -> str:
    """Return the whole page as Markdown."""
    program = typer.main.get_command(build_program())
    return HEAD + "".join(_section(path, command) for path, command in _commands(program, ("biasprint",)))


def _commands(command: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield every command that does something, with the words that call it."""
    if not hasattr(command, "commands"):
        yield path, command
        return
    for name, child in sorted(command.commands.items()):
        yield from _commands(child, (*path, name))


def _section(path: tuple[str, ...], command: Any) -> str:
    arguments = [each for each in command.params if each.param_type_name == "argument"]
    options = [each for each in command.params if each.param_type_name == "option" and not each.hidden]
    usual = "".join(f" [{_option(each)}]" for each in options if _is_usual(each))
    options = [each for each in options if not _is_usual(each)]
    usage = " ".join([*path, *map(_argument, arguments), *(_option(each) for each in options if each.required)])
    rest = " [OPTIONS]" if any(not each.required for each in options) else ""
    lines = [f"\n### {' '.join(path[1:])}\n\n`{usage}{rest}{usual}`\n\n{' '.join((command.help or '').split())}\n"]
    described = [
        f"- `{_argument(each)}`: {_argument_help(each)}\n" for each in arguments if each.help and each.help != PROJECT
    ]
    described += [f"- `{_option(each)}`: {_option_help(each)}\n" for each in options]
    return "".join([*lines, "\n" if described else "", *described])


def _is_usual(option: Any) -> bool:
    """Return whether the page's head explains this option for all commands."""
    return option.opts[0] in USUAL and not option.required


def _argument(argument: Any) -> str:
    name = argument.name.upper()
    name = f"{name}…" if argument.nargs == -1 else name
    return name if argument.required else f"[{name}]"


def _argument_help(argument: Any) -> str:
    choices = _placeholder(argument.type_descriptor.annotation)
    return f"{argument.help} `{choices}`" if "|" in choices else argument.help


def _option(option: Any) -> str:
    names = "/".join([*option.opts, *option.secondary_opts])
    value = "" if option.is_flag else f" {_placeholder(option.type_descriptor.annotation)}"
    return f"{names}{value}{'…' if option.multiple else ''}"


def _placeholder(annotation: Any) -> str:
    """Return what stands for an option's value: its choices, or a word for its type."""
    if get_origin(annotation) in (Union, types.UnionType):
        annotation = next(each for each in get_args(annotation) if each is not type(None))
    if get_origin(annotation) is list:
        return _placeholder(get_args(annotation)[0])
    if get_origin(annotation) is Literal:
        return "|".join(map(str, get_args(annotation)))
    if inspect.isclass(annotation) and issubclass(annotation, Enum):
        return "|".join(str(each.value) for each in annotation)
    return {int: "N", float: "NUMBER", Path: "PATH"}.get(annotation, "TEXT")


def _option_help(option: Any) -> str:
    text = " ".join((option.help or "").split())
    notes = []
    if option.default not in (None, "", False, (), []) and not callable(option.default):
        default = option.default.value if isinstance(option.default, Enum) else option.default
        shown = option.opts[0] if default is True else default
        notes.append(f"default {shown}")
    if option.min is not None and option.max not in (None, HIGHEST_SEED):
        notes.append(f"{option.min} to {option.max}")
    return f"{text} ({', '.join(notes)})" if notes else text


if __name__ == "__main__":
    PAGE.write_text(command_line_page(), encoding="utf-8")
    print(f"{PAGE.name}: {len(PAGE.read_text(encoding='utf-8').split())} words")
