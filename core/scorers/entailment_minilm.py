"""Entailment from embeddings and from words, numbers and names in common: the stand-in for the papers' NLI model."""

import hashlib
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from core.scorers.chosen import chosen
from core.scorers.entailment import CLASSES, split_pair
from core.scorers.entailment_features import FEATURES, Floats, Premise, features, to_embed
from core.scorers.minilm import MiniLM
from core.scorers.protocol import ScoreValue
from core.scorers.segment import SEGMENTER
from core.scorers.sentence_style import reads
from core.scorers.statement import Statement, statement

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
