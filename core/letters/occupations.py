"""Occupations as words: the list of them, and when two are the same."""

from collections.abc import Mapping
from functools import cache

from biasprint.core.prompts.letters import letter_design
from biasprint.core.prompts.resource_files import packaged
from biasprint.core.text import for_matching


def same_occupation(one: str, other: str) -> bool:
    """Is it the same occupation, in the singular or the plural?"""
    return occupation_key(one) == occupation_key(other) != ""


def occupation_key(occupation: str) -> str:
    """The occupation in the singular, for matching; "" for none."""
    plain = " ".join(for_matching(occupation).split())
    return plurals().get(plain, plain)


LEARNING = frozenset({"apprentice", "assistant", "associate", "deputy", "junior", "student", "trainee", "vice"})


def wider_occupations(occupation: str) -> tuple[str, ...]:
    """The occupations that this one is a kind of by its words, nearest first: “pastry chef” is a chef.

    None for who is learning it or stands in for it: an apprentice plumber is not a plumber yet.
    """
    words = occupation_key(occupation).split()
    if LEARNING & set(words):
        return ()
    return tuple(occupation_key(" ".join(words[start:])) for start in range(1, len(words)))


@cache
def singulars() -> tuple[str, ...]:
    """The known occupations in the singular: a list of our own, and those that the letter prompts ask for."""
    every = _listed()
    return tuple(sorted(every - set(plurals())))


@cache
def plurals() -> Mapping[str, str]:
    """Plural → singular, of those that are both in the list."""
    every = _listed()
    found: dict[str, str] = {}
    for one in every:
        forms = {f"{one}s", f"{one}es", f"{one[:-1]}ies" if one.endswith("y") else "", one.replace("man", "men")}
        found |= {form: one for form in forms - {one} if form in every}
    return found


@cache
def _listed() -> frozenset[str]:
    lines = packaged("lexicons", "occupations.txt").read_text(encoding="utf-8").splitlines()
    own = {line.strip() for line in lines if line.strip() and not line.startswith("#")}
    for occupation in letter_design().occupations:
        own |= {occupation, f"{occupation}s"}
    return frozenset(map(for_matching, own))


def is_listed(word: str) -> bool:
    """Is it an occupation of the list, or the last word of one?"""
    return word in _heads()


@cache
def _heads() -> frozenset[str]:
    return frozenset(one.split()[-1] for one in singulars())
