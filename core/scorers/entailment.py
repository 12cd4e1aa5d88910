"""Pairs of a premise and a hypothesis, their three classes, and which sentences claim something at all."""

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

import numpy as np
from numpy.typing import NDArray

SEPARATOR = "\x1f"  # no letter and no context holds a unit separator
CLASSES = ("entailment", "neutral", "contradiction")
WINDOW_WORDS = 250  # with a sentence beside it, this is what the usual models of 512 tokens take
OVERLAP_WORDS = 50


def pair(premise: str, hypothesis: str) -> str:
    return f"{premise.replace(SEPARATOR, ' ')}{SEPARATOR}{hypothesis.replace(SEPARATOR, ' ')}"


def split_pair(text: str) -> tuple[str, str]:
    """The inverse of `pair`, for the scorer."""
    premise, _, hypothesis = text.partition(SEPARATOR)
    return premise, hypothesis


def windows(context: str, most: int = WINDOW_WORDS, overlap: int = OVERLAP_WORDS) -> list[str]:
    """The context whole where it is short; else pieces of `most` words, each sharing `overlap` with the one before."""
    words = context.split()
    if len(words) <= most:
        return [context] if words else []
    step = most - overlap
    return [" ".join(words[start : start + most]) for start in range(0, len(words) - overlap, step)]


def judged(values: Sequence[NDArray[np.float32]]) -> str:
    """One of CLASSES for a hypothesis before every window, `values` of shape (windows, 3): the best entailment counts.

    Not entailed by any window, it contradicts the context where any window says so.
    """
    table = np.stack([np.asarray(value, dtype=np.float64) for value in values])
    if table[table[:, 0].argmax()].argmax() == 0:
        return "entailment"
    return "contradiction" if (table.argmax(axis=1) == 2).any() else "neutral"


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
