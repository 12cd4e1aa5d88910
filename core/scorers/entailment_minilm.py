"""Entailment from embeddings and from words, numbers and names in common: the stand-in for the papers' NLI model.

What a sentence states is read off its surface, by lists that are data (models/entailment/words.toml); what speaks for
and against a hypothesis before its premise becomes the numbers of FEATURES.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from core.scorers.entailment import CLASSES, split_pair
from core.scorers.minilm import MiniLM
from core.scorers.protocol import ScoreValue
from core.scorers.segment import SEGMENTER, Word, function_words, sentences, words
from core.scorers.stand_in import chosen, reads
from core.text import for_matching

# ---- What a sentence states

SENTENCE_ENDS = (".", "!", "?", ":", "\n")
SAME_STEM = 0.6  # “translator” and “translated” share so much of the longer one


@dataclass(frozen=True)
class Statement:
    """`neutral`: the text without the gender of its pronouns and titles, which is what is embedded. `forms`: every
    word, folded, and its lemma. `content`: lemmas of the words that carry the statement, in order. `names`: words with
    a capital inside the sentence; `capitals`: those at its beginning too.
    """

    neutral: str
    forms: frozenset[str]
    content: tuple[str, ...]
    numbers: frozenset[float]
    names: frozenset[str]
    capitals: frozenset[str]

    @property
    def negated(self) -> bool:
        return bool(self.forms & negations())

    @property
    def quantifiers(self) -> frozenset[str]:
        return self.forms & _listed("quantifiers")


@lru_cache(maxsize=10_000)
def statement(text: str) -> Statement:
    content: list[str] = []
    numbers: set[float] = set()
    names: set[str] = set()
    found = words(text)
    after_title = False
    for word in found:
        form = for_matching(word.text)
        value = _number(form)
        named, after_title = after_title, form.rstrip(".") in _listed("titles")
        if value is not None:
            numbers |= {value} - {1.0}  # “one of the best” counts nothing
        elif after_title:
            continue
        elif _capital(word) and (named or not _opens(text, word)):  # the full stop of “Ms.” ends no sentence
            names.add(form)
        elif form[0].isalpha() and not {form, word.lemma} & (function_words() | _listed("light")):
            content.append(word.lemma)
    return Statement(
        _neutral(text),
        frozenset(each for word in found for each in (for_matching(word.text), word.lemma)),
        tuple(dict.fromkeys(content)),
        frozenset(numbers),
        frozenset(names),
        frozenset(for_matching(word.text) for word in found if _capital(word)),
    )


def same_stem(one: str, other: str) -> bool:
    """A common beginning of at least four letters that is most of the longer word."""
    shared = 0
    for first, second in zip(one, other, strict=False):
        if first != second:
            break
        shared += 1
    return shared >= max(4, SAME_STEM * max(len(one), len(other)))


@cache
def negations() -> frozenset[str]:
    return _listed("negations")


@cache
def opposites() -> dict[str, frozenset[str]]:
    """Word → the words that say the opposite of it."""
    found: dict[str, set[str]] = {}
    for one, other in chosen("entailment", "words").values["opposites"]:
        found.setdefault(one, set()).add(other)
        found.setdefault(other, set()).add(one)
    return {word: frozenset(others) for word, others in found.items()}


def _neutral(text: str) -> str:
    pattern, neutral = _gendered()
    return pattern.sub(lambda match: neutral[for_matching(match[1] or match[2])], text)


@cache
def _gendered() -> tuple[re.Pattern[str], dict[str, str]]:
    """Pronouns, and titles together with their full stop; and what is read in their place."""
    neutral: dict[str, str] = chosen("entailment", "words").values["neutral"]
    titles = "|".join(word for word in neutral if not neutral[word])
    pronouns = "|".join(word for word in neutral if neutral[word])
    return re.compile(rf"\b(?:({pronouns})\b|({titles})\b\.?\s*)", re.IGNORECASE), neutral


@cache
def _listed(name: str) -> frozenset[str]:
    return frozenset(chosen("entailment", "words").values[name])


@cache
def _numbers() -> dict[str, float]:
    data = chosen("entailment", "words").values
    small = {word: float(value) for value, word in enumerate(data["small_numbers"])}
    tens = {word: 10.0 * value for value, word in enumerate(data["tens"], start=2)}
    return small | tens | {word: float(value) for word, value in data["large_numbers"].items()}


def _number(form: str) -> float | None:
    if form in _numbers():
        return _numbers()[form]
    plain = form.replace(",", "")
    return float(plain) if plain.isascii() and plain.replace(".", "", 1).isdigit() and len(plain) < 20 else None


def _capital(word: Word) -> bool:
    return word.text[0].isupper() and len(word.text) > 1


def _opens(text: str, word: Word) -> bool:
    """Whether the word begins the text or one of its sentences, where a capital names nobody."""
    before = text[: word.start].rstrip(" \t\"'“‘([")
    return not before or before.endswith(SENTENCE_ENDS)


# ---- Features of a pair

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


# ---- The scorer

PREMISE_WORDS = 1000  # the study's windows have 250
HYPOTHESIS_WORDS = 120
MOST_SIGNS = 10 * PREMISE_WORDS
KEPT_VECTORS = 20_000  # about 30 MB


class EntailmentMiniLM:
    """Probabilities of CLASSES for a pair: softmax of a linear function of `entailment_features`.

    `values`: float32[3], entailment, neutral, contradiction; `summary`: that of entailment. A pair with an empty side,
    or in another language, supports nothing: neutral, and no summary. Of an over-long side only the beginning is read.
    Weights: models/entailment/weights.toml, fitted on the development part of models/entailment/pairs.csv.
    Stands in for the NLI model of the letters paper (Wan et al., section 3.3).
    """

    role = "entailment"
    name = "entailment_minilm"
    stand_in = True
    shape = f"probabilities of {', '.join(CLASSES)} for a premise and a hypothesis; summary: of entailment"
    note = (
        "Stands in for a trained NLI model: it compares words, numbers, names and embeddings and infers nothing. "
        "See models/entailment/card.md."
    )

    def __init__(self) -> None:
        embedder = MiniLM(windows=True)
        weights, words = chosen("entailment", "weights"), chosen("entailment", "words")
        parts = (weights.sha256, words.sha256, embedder.sha256)
        self.sha256 = hashlib.sha256("\n".join(parts).encode()).hexdigest()
        self.version = f"{weights.values['version']}; rules 1; {embedder.version}; {SEGMENTER}"

    def score(self, texts: Sequence[str]) -> list[ScoreValue]:
        pairs = [read(text) for text in texts]
        _vectors().fetch(text for pair in pairs if pair for text in to_embed(*pair))
        return [_value(pair) for pair in pairs]


def read(text: str) -> tuple[Premise, Statement] | None:
    """A pair as it is compared; None where it has an empty side or is not in English."""
    premise, hypothesis = split_pair(text)
    claimed = statement(_cut(hypothesis, HYPOTHESIS_WORDS))
    given = _premise(_cut(premise, PREMISE_WORDS))
    return (given, claimed) if given and claimed.forms and reads(claimed.neutral) else None


def features_of(text: str) -> Floats | None:
    """What the weights are fitted to."""
    pair = read(text)
    if pair is None:
        return None
    _vectors().fetch(to_embed(*pair))
    return features(*pair, _vectors().of)


def _value(pair: tuple[Premise, Statement] | None) -> ScoreValue:
    if pair is None:
        return ScoreValue(np.array([0.0, 1.0, 0.0], np.float32), None)
    intercepts, coefficients = _weights()
    logits = intercepts + coefficients @ features(*pair, _vectors().of)
    shares = np.exp(logits - logits.max())
    values = (shares / shares.sum()).astype(np.float32)
    return ScoreValue(values, float(values[0]))


@cache
def _weights() -> tuple[Floats, Floats]:
    """Intercepts float64[3] and coefficients float64[3, features]."""
    data = chosen("entailment", "weights").values
    table = [[float(data["coefficients"][feature][place]) for feature in FEATURES] for place in range(len(CLASSES))]
    return np.array(data["intercepts"], dtype=np.float64), np.array(table)


@lru_cache(maxsize=256)
def _premise(text: str) -> Premise | None:
    """A letter's sentences share their premise."""
    premise = Premise.of(text)
    return premise if premise.forms and reads(text) else None


def _cut(text: str, most: int) -> str:
    """The beginning of a long text. A short one stays as it is: its line breaks end sentences."""
    if len(text) <= 4 * most and len(text.split(maxsplit=most)) <= most:
        return text
    return " ".join(text[:MOST_SIGNS].split(maxsplit=most)[:most])


class _Vectors:
    """Unit vectors of sentences and words, kept: they come again in every pair of a letter."""

    def __init__(self) -> None:
        self._embedder = MiniLM(windows=True)
        self._known: dict[str, NDArray[np.float32]] = {}

    def fetch(self, texts: Iterable[str]) -> None:
        wanted = dict.fromkeys(texts)
        missing = [text for text in wanted if text not in self._known]
        if len(self._known) + len(missing) > KEPT_VECTORS:
            self._known = {}
            missing = list(wanted)
        for text, value in zip(missing, self._embedder.score(missing), strict=True):
            self._known[text] = value.values if value.values.size else np.zeros(384, np.float32)

    def of(self, text: str) -> Floats:
        return self._known[text].astype(np.float64)


@cache
def _vectors() -> _Vectors:
    return _Vectors()
