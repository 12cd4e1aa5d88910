"""Occupations as words: “artists” is “artist”, and no case matters."""

from collections.abc import Mapping
from functools import cache

from core.prompts.letters import letter_design
from core.prompts.resource_files import packaged
from core.text import for_matching


def same_occupation(one: str, other: str) -> bool:
    """Is it the same occupation, in the singular or the plural?"""
    return occupation_key(one) == occupation_key(other) != ""


def occupation_key(occupation: str) -> str:
    """The occupation in the singular, for matching; "" for none."""
    plain = " ".join(for_matching(occupation).split())
    return plurals().get(plain, plain)


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
