"""What speaks for and against a hypothesis before its premise, as numbers: see FEATURES."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.scorers.segment import sentences
from core.scorers.statement import Statement, opposites, same_stem, statement

Floats = NDArray[np.float64]
Vector = Callable[[str], Floats]  # the unit vector of a sentence or of a word

FEATURES = (
    "best_sentence",  # cosine of the hypothesis and the premise's nearest sentence
    "two_sentences",  # the mean over the two nearest
    "words_found",  # share of the hypothesis's content words that the premise has, or a word of the same stem
    "words_meant",  # mean over the content words of the cosine with the premise's nearest word; 1 where found
    "weakest_word",  # the least of them
    "words_meant_there",  # the same two in the nearest sentence alone
    "weakest_word_there",
    "length",  # log of one more than the content words
    "numbers_wrong",  # 1 where a number is not the premise's
    "numbers_right",  # 1 where there are numbers, and all are
    "names_wrong",
    "names_right",
    "negated",  # 1 where the hypothesis denies and the nearest sentence does not
    "denied",  # the other way round, as far as the nearest sentence has its words
    "opposite",  # 1 where a word stands against its opposite in the two nearest sentences
    "quantified",  # 1 where “only”, “all”, “never” … are not the nearest sentence's
)


@dataclass(frozen=True)
class Premise:
    """The sentences of a premise, and what all of them hold."""

    sentences: tuple[Statement, ...]
    forms: frozenset[str]
    content: tuple[str, ...]
    numbers: frozenset[float]
    capitals: frozenset[str]

    @classmethod
    def of(cls, text: str) -> "Premise":
        parts = tuple(statement(text[start:end]) for start, end in sentences(text))
        return cls(
            parts,
            frozenset().union(*(part.forms for part in parts)),
            tuple(dict.fromkeys(word for part in parts for word in part.content)),
            frozenset().union(*(part.numbers for part in parts)),
            frozenset().union(*(part.capitals for part in parts)),
        )


def to_embed(premise: Premise, hypothesis: Statement) -> Iterable[str]:
    """Every text whose vector `features` asks for."""
    return (hypothesis.neutral, *(part.neutral for part in premise.sentences), *hypothesis.content, *premise.content)


def features(premise: Premise, hypothesis: Statement, vector: Vector) -> Floats:
    """float64[len(FEATURES)] for a premise with a sentence and a hypothesis with a word."""
    own = vector(hypothesis.neutral)
    cosines = np.array([own @ vector(part.neutral) for part in premise.sentences])
    nearest = np.argsort(-cosines, kind="stable")[:2]
    best = premise.sentences[int(nearest[0])]
    anywhere = _support(hypothesis.content, premise.forms, premise.content, vector)
    there = _support(hypothesis.content, best.forms, best.content, vector)
    return np.array([
        cosines.max(),
        cosines[nearest].mean(),
        np.mean(anywhere >= 1),
        anywhere.mean(),
        anywhere.min(),
        there.mean(),
        there.min(),
        np.log1p(len(hypothesis.content)),
        *_matched(hypothesis.numbers, premise.numbers),
        *_matched(hypothesis.names, premise.capitals),
        hypothesis.negated and not best.negated,
        (best.negated and not hypothesis.negated) * np.mean(there >= 1),
        _contrary(hypothesis, premise, [premise.sentences[int(place)] for place in nearest]),
        bool(hypothesis.quantifiers - best.forms),
    ], dtype=np.float64)  # fmt: skip


def _support(content: Sequence[str], forms: frozenset[str], others: Sequence[str], vector: Vector) -> Floats:
    """For each content word 1 where the forms have it, else the cosine with the nearest other word, at least 0."""
    if not content:
        return np.ones(1)  # nothing is said that could be missing
    table = np.stack([vector(word) for word in others]) if others else np.zeros((1, 1))
    found = []
    for word in content:
        if word in forms or any(same_stem(word, other) for other in others):
            found.append(1.0)
        else:
            found.append(min(0.999, max(0.0, float((table @ vector(word)).max()))) if others else 0.0)
    return np.array(found)


def _matched(mine: frozenset[float] | frozenset[str], theirs: frozenset[float] | frozenset[str]) -> tuple[bool, bool]:
    return bool(mine - theirs), bool(mine) and mine <= theirs


def _contrary(hypothesis: Statement, premise: Premise, nearest: Sequence[Statement]) -> bool:
    there = frozenset().union(*(part.forms for part in nearest))
    return any(opposites().get(word, frozenset()) & there and word not in premise.forms for word in hypothesis.forms)
