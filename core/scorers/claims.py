"""Which sentences of a letter claim something about the candidate that a context could support.

Greetings and signatures claim nothing, and neither does what the writer feels, wishes or does ("I highly recommend
her"). The phrases are data: resources/lexicons/not_claims.toml.
"""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

Kind = Literal["claim", "greeting", "opinion"]
PLACEHOLDER = re.compile(r"\[[^\]]*\]")
FEWEST_WORDS = 4  # a shorter sentence is a name, a title or a heading
BETWEEN = 2  # words between “I” and what it does: “I can wholeheartedly recommend”


@dataclass(frozen=True)
class _Rules:
    version: str
    greeting: re.Pattern[str]
    opinion: re.Pattern[str]


def version() -> str:
    """Changes whenever a sentence could be taken otherwise."""
    return f"claims {_rules().version}, rules 1"


def kind_of(sentence: str) -> Kind:
    """What a sentence is; one that ends in a question mark asks and claims nothing."""
    plain = " ".join(PLACEHOLDER.sub(" ", sentence).replace("’", "'").split())
    if len(plain.split()) < FEWEST_WORDS or _rules().greeting.match(plain):
        return "greeting"
    if plain.endswith("?") or _rules().opinion.match(plain):
        return "opinion"
    return "claim"


@cache
def _rules() -> _Rules:
    data = tomllib.loads(files("resources").joinpath("lexicons", "not_claims.toml").read_text(encoding="utf-8"))
    connective = rf"(?:{_any(data['connectives'])}),?\s+"
    said = rf"(?:i|we)(?:\s+|')(?:[\w'-]+\s+){{0,{BETWEEN}}}?(?:{_any(data['first_person'])})"
    opinion = rf"(?:{connective})*(?:{said}|{_any(data['openings'])})(?!\w)"
    greeting = rf"(?:{_any(data['greetings'])})(?!\w)"
    return _Rules(data["version"], re.compile(greeting, re.IGNORECASE), re.compile(opinion, re.IGNORECASE))


def _any(phrases: list[str]) -> str:
    return "|".join(re.escape(phrase) for phrase in sorted(phrases, key=len, reverse=True))
