"""How answers are printed: JSON for programs, tables for people."""

import io
import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.table import Table

from core.errors import AppError

PLAIN: dict[str, Any] = {"highlight": False, "markup": False, "emoji": False}  # a text is shown as it is
WIDTH_OF_NO_TERMINAL = 200


def print_json(value: Any) -> None:
    """One JSON document on stdout, whole or not at all; not-a-number never leaves the program."""
    utf8 = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    text = json.dumps(value, ensure_ascii=not utf8, indent=1, allow_nan=False)
    with _answering():
        # A lone surrogate cannot be written in UTF-8; as JSON's own escape it comes out as it went in.
        sys.stdout.write(text.encode("utf-8", "backslashreplace").decode("utf-8") + "\n")


def say(text: str) -> None:
    """A line of the answer."""
    with _answering():
        Console(**PLAIN, soft_wrap=True).print(text)


def note(text: str, *, dim: bool = False) -> None:
    """A remark beside the answer, on stderr."""
    Console(**PLAIN, soft_wrap=True, stderr=True).print(text, style="dim" if dim else None)


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[str] = ()) -> None:
    """A table for people; as wide as it needs to be where stdout is no terminal."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in columns:
        table.add_column(column, justify="right" if column in right else "left", overflow="fold")
    for row in rows:
        table.add_row(*row)
    console = Console(**PLAIN)
    if not console.is_terminal:
        console.width = WIDTH_OF_NO_TERMINAL
    with _answering():
        console.print(table)


def never_fail_to_encode() -> None:
    """A character that the terminal or the pipe has no code for is printed as its escape."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def finish_stdout() -> None:
    """Hand over what is still in the buffer, while its failure can be told."""
    with _answering():
        pass


@contextmanager
def _answering() -> Iterator[None]:
    """Raises `AppError` where stdout takes no more; `BrokenPipeError` where its reader has gone."""
    try:
        yield
        sys.stdout.flush()
    except OSError as error:
        # Python tries once more when it ends, and would complain in its own words.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            raise
        raise AppError(
            f"The answer could not be written ({error.strerror}).",
            kept="What was done in the project is kept.",
            hint="Free some space where the answer goes, or send it elsewhere.",
        ) from error
