"""The categories and what reaches over them, from resources/letters/marks."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Literal

from pydantic import ConfigDict
from pydantic.dataclasses import dataclass as checked

from core.documents.marks.patterns import any_of, is_cased
from core.documents.values import CATEGORIES, Category
from core.prompts.resource_files import packaged, read_toml, validated

Words = tuple[str, ...]


@checked(frozen=True, config=ConfigDict(extra="forbid"))
class _CategoryFile:
    title: str
    known_for: str
    source: str
    harm: Literal["more", "fewer"]
    praise: bool
    entries: Words
    unless: Words


@checked(frozen=True, config=ConfigDict(extra="forbid"))
class _ScopeFile:
    version: str
    negations: Words
    no_negations: Words
    denied_after: Words
    hedges: Words
    no_hedges: Words
    ends: Words
    reach: int


@checked(frozen=True, config=ConfigDict(extra="forbid"))
class _ListsFile:
    lists: dict[str, Words]


@dataclass(frozen=True)
class CategoryWords:
    """A category as the program uses it. `harm`: whether more or fewer such words count against the candidate."""

    key: Category
    title: str
    known_for: str
    source: str
    harm: Literal["more", "fewer"]
    praise: bool
    entries: Words
    unless: Words

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """For lower-case text."""
        return any_of((entry for entry in self.entries if not is_cased(entry)), lists())

    @cached_property
    def cased_pattern(self) -> re.Pattern[str]:
        """For text as it stands."""
        return any_of(filter(is_cased, self.entries), lists(), cased=True)

    @cached_property
    def exceptions(self) -> re.Pattern[str]:
        """For lower-case text."""
        return any_of(self.unless, lists())


@dataclass(frozen=True)
class Scope:
    """What turns praise round or weakens it, how many words far, and what it never reaches over."""

    negations: re.Pattern[str]
    no_negations: re.Pattern[str]
    denied_after: re.Pattern[str]
    hedges: re.Pattern[str]
    no_hedges: re.Pattern[str]
    ends: re.Pattern[str]
    reach: int


@cache
def categories() -> Mapping[Category, CategoryWords]:
    """All categories in the order of values.CATEGORIES."""
    return {key: _category(key) for key in CATEGORIES}


@cache
def lists() -> Mapping[str, Words]:
    """The groups of words that entries name in braces."""
    return validated(
        _ListsFile, read_toml(packaged("letters", "marks", "lists.toml")), "The file marks/lists.toml"
    ).lists


@cache
def scope() -> Scope:
    """The words that deny and weaken, and where their reach ends."""
    found = validated(_ScopeFile, read_toml(packaged("letters", "marks", "scope.toml")), "The file marks/scope.toml")
    signs = [re.escape(end) for end in found.ends if not end[0].isalnum()]
    words = any_of((end for end in found.ends if end[0].isalnum()), lists()).pattern
    # After a comma a new clause has its own subject, and no “not” before the comma denies it.
    clause = r",\s{1,9}(?:(?:and|so|or)\s{1,9})?(?:she|he|it|they|i|we|her|his|their|the|this|you|my|our)(?![\w-])"
    joined = r"(?<![\w-])and\s{1,9}(?:she|he|it|they|i|we)(?![\w-])"
    negations = any_of(word for word in found.negations if word != "n't").pattern
    return Scope(
        re.compile(rf"n't\b|{negations}"),
        any_of(found.no_negations, lists()),
        any_of(found.denied_after, lists()),
        any_of(found.hedges, lists()),
        any_of(found.no_hedges, lists()),
        re.compile("|".join((*signs, words, clause, joined))),
        found.reach,
    )


@cache
def version() -> str:
    """Changes with every edit of the categories."""
    names = (*CATEGORIES, "scope", "lists")
    content = b"\n".join(packaged("letters", "marks", f"{name}.toml").read_bytes() for name in names)
    return f"marks 2; {hashlib.sha256(content).hexdigest()[:12]}"


def _category(key: Category) -> CategoryWords:
    found = validated(
        _CategoryFile, read_toml(packaged("letters", "marks", f"{key}.toml")), f"The file marks/{key}.toml"
    )
    given = (found.title, found.known_for, found.source, found.harm, found.praise, found.entries, found.unless)
    return CategoryWords(key, *given)
