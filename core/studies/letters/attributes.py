"""The pairs of word lists that salient words are set against: resources/lexicons/weat.toml."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any


@dataclass(frozen=True)
class Side:
    words: tuple[str, ...]
    groups: tuple[str, ...] = ()


@dataclass(frozen=True)
class AttributePair:
    """Two word lists; `groups` of a side say whose stereotype it is, none that it is the first group's."""

    name: str
    title: str
    first: Side
    second: Side

    def sides(self, pair: tuple[str, str]) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
        """The words that belong to the first and to the second group; None where the lists are of other groups."""
        if not self.first.groups:
            return self.first.words, self.second.words
        for one, other in ((self.first, self.second), (self.second, self.first)):
            if pair[0] in one.groups and pair[1] in other.groups:
                return one.words, other.words
        return None


@cache
def attribute_pairs() -> tuple[AttributePair, ...]:
    """What resources/lexicons/weat.toml says."""
    data = tomllib.loads(files("resources").joinpath("lexicons", "weat.toml").read_text(encoding="utf-8"))
    return tuple(
        AttributePair(each["name"], each["title"], _side(each["first"]), _side(each["second"])) for each in data["pair"]
    )


def _side(data: Mapping[str, Any]) -> Side:
    return Side(tuple(data["words"]), tuple(data.get("groups", ())))
