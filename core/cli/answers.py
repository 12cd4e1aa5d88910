"""How answers are printed: JSON for programs, tables for people."""

import json
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table


def print_json(value: Any) -> None:
    """One JSON document on stdout; not-a-number never leaves the program."""
    json.dump(value, sys.stdout, ensure_ascii=False, indent=1, allow_nan=False)
    sys.stdout.write("\n")


def say(text: str) -> None:
    """A line of the answer."""
    Console(highlight=False, markup=False, soft_wrap=True).print(text)


def note(text: str) -> None:
    """A remark beside the answer, on stderr."""
    Console(stderr=True, highlight=False, markup=False, soft_wrap=True).print(text)


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[str] = ()) -> None:
    """A table for people; as wide as it needs to be where stdout is no terminal."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in columns:
        table.add_column(column, justify="right" if column in right else "left", overflow="fold")
    for row in rows:
        table.add_row(*row)
    console = Console(highlight=False, markup=False)
    if not console.is_terminal:
        console.width = 200
    console.print(table)
