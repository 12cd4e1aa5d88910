"""What the biographies' rules are made of: words and verbs from resources/prompts/gendered_words.toml."""

from collections.abc import Mapping
from functools import cache
from typing import Annotated

from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass

from core.prompts.resource_files import packaged, read_toml, validated

Pair = Annotated[tuple[str, ...], Field(min_length=2, max_length=2)]


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class GenderedWords:
    """Pairs are (for he, for she). See the file for what each list is for."""

    version: int
    self: tuple[Pair, ...]
    kin: tuple[Pair, ...]
    titles: tuple[Pair, ...]
    not_before: Mapping[str, tuple[str, ...]]
    two_objects: tuple[str, ...]
    naming: tuple[str, ...]
    seeing: tuple[str, ...]
    quantities: tuple[str, ...]
    names_that_are_words: tuple[str, ...]


@cache
def gendered_words() -> GenderedWords:
    return validated(
        GenderedWords, read_toml(packaged("prompts", "gendered_words.toml")), "The file prompts/gendered_words.toml"
    )


def towards(pairs: tuple[Pair, ...], pronoun: str) -> dict[str, str]:
    """Lower-case word → the word for a person of `pronoun` (he or she); both members of a pair lead there."""
    place = 0 if pronoun == "he" else 1
    return {word: pair[place] for pair in pairs for word in pair}
