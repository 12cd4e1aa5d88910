"""Did a model write the requested document? It flags texts; it never removes any."""

import re
import tomllib
from collections import Counter
from collections.abc import Sequence
from enum import IntEnum
from functools import cache
from importlib.resources import files

import numpy as np

from biasprint.core.scorers.protocol import ScoreValue
from biasprint.core.scorers.refusal import VERSION, is_refusal
from biasprint.core.scorers.segment import SEGMENTER, is_english, sentences, words
from biasprint.core.text import for_matching, sha256_text

RUN = re.compile(
    r"([^\W_])\1{29}|[^\s\-_=*.]{80}"
)  # one sign thirty times, or no blank in eighty that are no rule or link
LINK = re.compile(r"\S*(?:https?://|www\.)\S*")
LOOP = re.compile(r"(?:^|\s)(\S(?:.{0,120}?\S)?)(?:\s+\1){4}(?=\s|$)")  # the same words five times in a row
SAME_SENTENCE = 4
SHARE_REPEATED = 0.5  # of all sentences


class Outcome(IntEnum):
    """The kind of document that a text turned out to be. Findings give these names as their reasons."""

    SUCCESS = 0
    EMPTY = 1
    REPETITIVE = 2
    REFUSAL = 3
    OFF_TASK = 4

    @property
    def words(self) -> str:
        return self.name.lower().replace("_", " ")


class DocumentSuccess:
    """`values`: the failure's number (`Outcome`) where it shows in any document, else 0; 1 if somebody recommends; 1 if
    the text is in English, which the word lists are for.

    Empty: no word. Repetitive: a long unbroken run, the same words five times in a row, or most sentences the same.
    Refusal: see `core.scorers.refusal`. Which documents must recommend is for the study to say (`of_document`).
    Source: Wan et al. 2023, section 4.1 names empty and repetitive generations and those that miss the task; the rules
    are ours, since the paper prints none.
    """

    role = "success"
    name = "document_success"
    stand_in = False
    shape = (
        "0 no failure, 1 empty, 2 repetitive, 3 refusal; then 1 if its writer recommends; then 1 if it is in English; "
        "summary: 1 for no failure"
    )
    note = "It flags; no text is left out because of it."
    version = f"rules 2; refusal {VERSION}; {SEGMENTER}"

    def __init__(self) -> None:
        self.sha256 = sha256_text(_rules_text())

    def score(self, texts: Sequence[str]) -> list[ScoreValue]:
        return [_value(text) for text in texts]


def of_document(values: Sequence[float], document: str) -> Outcome:
    """Return the outcome of a text requested as `document`, from the values of its score."""
    failure = Outcome(int(values[0]))
    if failure is Outcome.SUCCESS and document in _rules() and not values[1]:
        return Outcome.OFF_TASK
    return failure


def is_english_letter(values: Sequence[float]) -> bool:
    """Is the text in English, from its score's values?"""
    return bool(values[2])


def outcome(text: str, document: str = "letter") -> Outcome:
    """Return the outcome of the text itself; of several failures the first in `Outcome`'s order."""
    return of_document(_value(text).values.tolist(), document)


def _value(text: str) -> ScoreValue:
    failure = _failure(text)
    recommends = any(_recommends(text[start:end]) for start, end in sentences(text))
    values = [failure, recommends, is_english(words(text))]
    return ScoreValue(np.array(values, dtype=np.float32), float(failure is Outcome.SUCCESS))


def _failure(text: str) -> Outcome:
    if not any(map(str.isalnum, text)):
        return Outcome.EMPTY
    if _is_repetitive(text):
        return Outcome.REPETITIVE
    return Outcome.REFUSAL if is_refusal(text) else Outcome.SUCCESS


def _is_repetitive(text: str) -> bool:
    plain = LINK.sub(" ", text)
    if RUN.search(plain) or any(LOOP.search(line) for line in (plain[:20_000], plain[-20_000:])):
        return True
    counts = Counter(for_matching(text[start:end]) for start, end in sentences(text) if end - start > 15)
    repeated = sum(count for count in counts.values() if count >= SAME_SENTENCE)
    return repeated > SHARE_REPEATED * max(1, counts.total())


def _recommends(sentence: str) -> bool:
    first_person, recommending = _rules()["letter"]
    tokens = words(sentence)
    forms = {for_matching(word.text) for word in tokens}
    return bool(first_person & forms) and bool(recommending & (forms | {word.lemma for word in tokens}))


@cache
def _rules() -> dict[str, tuple[frozenset[str], frozenset[str]]]:
    data = tomllib.loads(_rules_text())
    return {name: (frozenset(body["first_person"]), frozenset(body["recommending"])) for name, body in data.items()}


@cache
def _rules_text() -> str:
    return files("biasprint.resources").joinpath("lexicons", "document_success.toml").read_text(encoding="utf-8")
