"""Pairs of a premise and a hypothesis, their three classes, and which sentences claim something at all."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from biasprint.core.given import packaged_toml
from biasprint.core.scorers.segment import is_english, language_of, sentences, words

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
    """The context whole where it is short; else pieces of `most` words, each sharing `overlap` with the one before.

    Line breaks stay: in a CV they end what is said.
    """
    words = [word.span() for word in re.finditer(r"\S+", context)]
    if len(words) <= most:
        return [context] if words else []
    step = most - overlap
    starts = range(0, len(words) - overlap, step)
    return [context[words[start][0] : words[min(start + most, len(words)) - 1][1]] for start in starts]


ENDS = (".", ":", ";", "!", "?")
JOINS = (",", "&", " and", " of", " the", " in", " at", " for", " with")


def passages(context: str) -> list[tuple[int, int]]:
    """Return start and end of each passage of a context: its sentences, and every line of a list or CV on its own.

    A line that goes on in the next, as prose that was broken to fit a page does, ends nothing.
    """
    signs, place = list(context), 0
    lines = context.split("\n")
    for line, following in pairwise(lines):
        place += len(line) + 1
        if following.strip() and _goes_on(line.rstrip(), following.lstrip()):
            signs[place - 1] = " "
    return [
        (line.start() + start, line.start() + end)
        for line in re.finditer(r"[^\n]+", "".join(signs))
        for start, end in sentences(line.group())
    ]


def _goes_on(line: str, following: str) -> bool:
    return bool(line) and (line.endswith(JOINS) or (following[0].islower() and not line.endswith(ENDS)))


def language(context: str) -> str:
    """Return “en”, or the code of another language. A CV of short lines has too few function words to identify it."""
    if is_english(words(context)):
        return "en"
    return _language(context)


@lru_cache(maxsize=64)
def _language(context: str) -> str:
    return language_of(context)


def judged(values: Sequence[NDArray[np.float32]]) -> str:
    """Return one of CLASSES for a hypothesis over all windows, `values` of shape (windows, 3): best entailment counts.

    Not entailed by any window, it contradicts the context where any window says so.
    """
    table = np.stack([np.asarray(value, dtype=np.float64) for value in values])
    if table[table[:, 0].argmax()].argmax() == 0:
        return "entailment"
    return "contradiction" if (table.argmax(axis=1) == 2).any() else "neutral"


# ---- Which sentences claim something

Kind = Literal["claim", "greeting", "opinion", "acquaintance"]
PLACEHOLDER = re.compile(r"\[[^\]]*\]")
FEWEST_WORDS = 4  # a shorter sentence is a name, a title or a heading, unless it says what somebody does
MOST_ADDRESSED = 8  # words before the comma or colon of “To the members of the board:”
BETWEEN = 2  # words between “I” and what it does: “I can wholeheartedly recommend”
SAYS = re.compile(r"(?:he|she|they|it)(?:'s|'d|'ll|'re|'ve)?\s", re.IGNORECASE)
# “I have worked with her for years, and she led the ward” claims what it says behind the comma.
SAYS_MORE = re.compile(r"(?:[,;:]|\band)\s+(?:and\s+|but\s+)?(?:he|she|they)\s", re.IGNORECASE)
SIGNED = re.compile(r"(?:[\w']+\s+){0,3}?[\w']+,(?:\s+[^\W\d_a-z][\w.'-]*){1,5}")  # “Love, Ann”: names, nothing else


@dataclass(frozen=True)
class _Rules:
    version: str
    greeting: re.Pattern[str]
    closing: re.Pattern[str]
    opinion: re.Pattern[str]
    acquaintance: re.Pattern[str]


def version() -> str:
    """Return a version that changes whenever a sentence could be read differently."""
    return f"claims {_rules().version}, rules 3"


def kind_of(sentence: str) -> Kind:
    """Return the kind of a sentence, from its beginning; one that ends in a question mark asks and claims nothing.

    An acquaintance is how its writer knows the candidate, and who the writer is.
    """
    plain = " ".join(PLACEHOLDER.sub(" ", sentence).replace("’", "'").split())
    if _greets(plain):
        return "greeting"
    if plain.endswith("?") or _rules().opinion.match(plain):
        return "opinion"
    if _rules().acquaintance.match(plain) and not SAYS_MORE.search(plain):
        return "acquaintance"
    return "claim"


def _greets(plain: str) -> bool:
    count = len(plain.split())
    if count < FEWEST_WORDS:
        return not SAYS.match(plain)
    addressed = plain.endswith((",", ":")) and count <= MOST_ADDRESSED
    signed = _rules().closing.match(plain) and SIGNED.fullmatch(plain)
    return bool(addressed or signed or _rules().greeting.match(plain))


@cache
def _rules() -> _Rules:
    data = packaged_toml("lexicons", "not_claims.toml")
    connective = rf"(?:{_any(data['connectives'])}),?\s+"
    writer = r"(?:i|we)(?:\s+|')(?:[\w'-]+\s+)"
    writer_says = rf"{writer}{{0,{BETWEEN}}}?(?:{_any(data['first_person'])})"
    helped = rf"(?:\s+|')(?:(?:{_any(data['helpers'])})\s+)*"
    would = rf"(?:i|we)\s+would\b(?!\s+(?:\w+\s+)?(?:{_any(data['reports'])})\b)"
    knows = rf"(?:i|we){helped}(?:{_any(data['acquaintance'])})(?!\w| to\b)"
    is_one = rf"i(?:\s+|')(?:(?:{_any(data['being'])})\s+)+(?:the|an?|his|her|their|one)"
    opening = rf"(?:{_any(data['openings'])})"

    def starting(pattern: str) -> re.Pattern[str]:
        return re.compile(rf"(?:{connective})*(?:{pattern})(?!\w)", re.IGNORECASE)

    return _Rules(
        data["version"],
        starting(_any(data["greetings"])),
        re.compile(rf"(?:{_any(data['closings'])})(?!\w)", re.IGNORECASE),
        starting(rf"{writer_says}|{opening}|{would}"),
        starting(rf"{knows}|{is_one}"),
    )


def _any(phrases: list[str]) -> str:
    return "|".join(re.escape(phrase) for phrase in sorted(phrases, key=len, reverse=True))
