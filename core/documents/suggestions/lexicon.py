"""The alternatives and hints of resources/letters/suggestions.toml."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

from pydantic import ConfigDict
from pydantic.dataclasses import dataclass as checked

from core.documents.marks.patterns import any_of
from core.documents.values import Category
from core.errors import AppError
from core.prompts.resource_files import packaged, read_toml, validated

How = Literal["replace", "drop", "leave out", "hint"]


@checked(frozen=True, config=ConfigDict(extra="forbid"))
class _Rule:
    category: Category
    how: How
    reason: str
    find: tuple[str, ...]
    use: tuple[str, ...] = ()


@checked(frozen=True, config=ConfigDict(extra="forbid"))
class _File:
    source: str
    name_reason: str
    name_hint: str
    sentence_reason: str
    turned_hint: str
    hints: dict[Category, str]
    rule: tuple[_Rule, ...]


@dataclass(frozen=True)
class Way:
    """What to do with one phrase: put other words in, drop the word, leave the phrase out, or only say something."""

    how: How
    use: tuple[str, ...]
    reason: str


@dataclass(frozen=True)
class Lexicon:
    """The ways by category and phrase (lower case, single spaces), and a pattern for each category's phrases."""

    source: str
    name_reason: str
    name_hint: str
    sentence_reason: str
    turned_hint: str
    hints: Mapping[Category, str]
    ways: Mapping[Category, Mapping[str, Way]]
    patterns: Mapping[Category, re.Pattern[str]]


@cache
def lexicon() -> Lexicon:
    """The lexicon, read once. `AppError` where a rule's alternatives do not match its phrases."""
    file = validated(_File, read_toml(packaged("letters", "suggestions.toml")), "The file letters/suggestions.toml")
    ways: dict[Category, dict[str, Way]] = {}
    for rule in file.rule:
        for entry in rule.find:
            for place, phrase in enumerate(_phrases(entry)):
                use = tuple(_at(one, place) for one in rule.use)
                ways.setdefault(rule.category, {}).setdefault(phrase, Way(rule.how, use, rule.reason))
    patterns = {category: any_of(phrases) for category, phrases in ways.items()}
    texts = (file.source, file.name_reason, file.name_hint, file.sentence_reason, file.turned_hint)
    return Lexicon(*texts, file.hints, ways, patterns)


def way_of(category: Category, phrase: str) -> Way | None:
    """What to do with the phrase, however it is spaced."""
    return lexicon().ways.get(category, {}).get(" ".join(phrase.lower().split()))


def _phrases(entry: str) -> list[str]:
    """“seems|seemed to be” → “seems to be”, “seemed to be”; all of an entry's alternatives go together."""
    counts = {word.count("|") + 1 for word in entry.split() if "|" in word} or {1}
    if len(counts) > 1:
        raise AppError(f"“{entry}” has alternatives that do not go together.", hint="Give each word as many of them.")
    return [" ".join(_at(word, place) for word in entry.split()) for place in range(counts.pop())]


def _at(words: str, place: int) -> str:
    """The alternative of each word at `place`: “is|was able” and 1 → “was able”."""
    chosen = []
    for word in words.split():
        options = word.split("|")
        if len(options) > 1 and place >= len(options):
            raise AppError(f"“{words}” has too few alternatives.", hint="Give as many as the phrase has.")
        chosen.append(options[place] if len(options) > 1 else word)
    return " ".join(chosen)
