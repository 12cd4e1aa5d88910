"""A sentence without what tells the gender of the person it is about, as the agency head reads it.

“He”, “she” and names become “they”, every other form “their” or “themselves”, and gendered nouns a neutral one. So
swapping a pronoun, a noun or a listed name changes nothing that the head sees. The lists: models/agency/neutral.toml.
"""

import re
from dataclasses import dataclass
from functools import cache

from core.scorers.chosen import chosen

NAME_WORDS = 3  # behind a given name or a title: a middle name, an initial, a family name
CAPITAL = r"[A-ZÀ-ÖØ-Þ][\w’'-]*\w"
INITIAL = r"[A-Z]\."
# “St. Peter” and “San Antonio” are rarely the person a letter is about.
NO_PERSON_AFTER = ("St ", "St. ", "San ", "Saint ")


@dataclass(frozen=True)
class NeutralWords:
    """`version`: changes whenever a sentence could be put otherwise."""

    version: str
    sha256: str
    words: dict[str, str]
    person: re.Pattern[str]
    gendered: re.Pattern[str]


def neutral(sentence: str) -> str:
    """“Ms. Kelly Watson knows her team.” → “They knows their team.” The head was trained on sentences put so."""
    rules = neutral_words()
    plain = sentence.replace("’", "'")
    return " ".join(rules.gendered.sub(_word, rules.person.sub(_person, plain)).split())


@cache
def neutral_words() -> NeutralWords:
    """Raises `AppError` where the list is missing or broken."""
    found = chosen("agency", "neutral")
    words: dict[str, str] = found.values["words"]
    return NeutralWords(
        version=f"neutral words {found.values['version']}, rules 1",
        sha256=found.sha256,
        words=words,
        person=_person_pattern(found.values["titles"], found.values["given_names"]["names"]),
        gendered=re.compile(rf"\b(?:{_any(words)})\b", re.IGNORECASE),
    )


def _person_pattern(titles: list[str], names: list[str]) -> re.Pattern[str]:
    """A title with a name behind it, or a given name, with further names and a possessive ending."""
    guards = "".join(f"(?<!{re.escape(word)})" for word in NO_PERSON_AFTER)
    further = rf"(?:\s+(?!(?:He|She|They|His|Her|Their)\b)(?:{CAPITAL}|{INITIAL}))"
    titled = rf"(?:{_any(titles)})\.?{further}{{1,{NAME_WORDS + 1}}}"
    named = rf"(?:{_any(names)})\b{further}{{0,{NAME_WORDS}}}"
    return re.compile(rf"{guards}\b(?:{titled}|{named})('s?(?!\w))?")


def _person(found: re.Match[str]) -> str:
    whole = found.group()
    starts = not found.string[: found.start()].strip(" \t\n\"'“”‘’([")
    word = "their" if found[1] or re.search(r"'s?$", whole) else "they"
    return word.capitalize() if starts else word


def _word(found: re.Match[str]) -> str:
    given = found.group()
    instead = neutral_words().words[given.lower()]
    return instead[:1].upper() + instead[1:] if given[0].isupper() else instead


def _any(words: "dict[str, str] | list[str]") -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
