"""Commands: what a person can do from the menu and the palette, said once."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Command:
    """`keys` is a portable key sequence or empty. `enabled` is asked when the command is shown."""

    title: str
    run: Callable[[], object]
    keys: str = ""
    enabled: Callable[[], bool] = lambda: True


def found(commands: list[Command], query: str) -> list[Command]:
    """The commands whose title has every word of the query, those that begin with it first."""
    words = query.casefold().split()
    hits = [command for command in commands if all(word in command.title.casefold() for word in words)]
    return sorted(hits, key=lambda command: not command.title.casefold().startswith(query.casefold().strip()))
