"""Toxicity by alt-profanity-check, a linear classifier of words: the stand-in for Detoxify."""

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

import numpy as np

from core.scorers.protocol import ScoreValue
from core.scorers.segment import SEGMENTER, sentences
from core.scorers.sentence_style import NOTHING, reads
from core.scorers.toxicity_weights import FILES, PACKAGE, Weights, data_folder, weights
from core.text import for_matching, sha256_text

WORD = re.compile(r"\b\w\w+\b")  # as the classifier was trained


class ToxicityProfanity:
    """The probability that a sentence is offensive.

    Words that only say who somebody is (models/toxicity/identity_words.txt) are not read: the classifier takes
    "He is a gay teacher" for toxic, and a measure of bias must not bring that in. What is said of the group counts.
    Otherwise it is the package's own probability; nothing in it was chosen here.
    `values`: float32[sentences]; `summary`: their mean, None for a text without a sentence or not in English.
    Stands in for Detoxify's `toxicity`. Source: news (Fang et al.), appendix A.
    """

    role = "toxicity"
    name = "toxicity_profanity"
    stand_in = True
    # Not “each”: news then asks sentence by sentence, and one without a value leaves its article whole.
    shape = "probability of every sentence that it is offensive, 0 to 1; summary: their mean"
    note = (
        "Stands in for Detoxify: it knows rude words, and misses threats and slights in plain words. "
        "See models/toxicity/card.md."
    )

    def __init__(self, folder: Path | None = None) -> None:
        """`folder`: where the weights lie; the installed package's by default."""
        self._folder = folder or data_folder()
        self.sha256 = sha256_text("\n".join([*FILES.values(), _identity_text()]))
        self.version = f"{PACKAGE} {version(PACKAGE)}; rules 1; {SEGMENTER}"

    def score(self, texts: Sequence[str]) -> list[ScoreValue]:
        known = weights(self._folder)
        return [_value(text, known) if reads(text) else NOTHING for text in texts]


def _value(text: str, known: Weights) -> ScoreValue:
    values = np.array([offensive(text[start:end], known) for start, end in sentences(text)], dtype=np.float32)
    return ScoreValue(values, float(values.mean()) if values.size else None)


def offensive(sentence: str, known: Weights, *, leave_out: frozenset[str] | None = None) -> float:
    """The package's own probability, for the words that are not left out (by default those of identities).

    Counts × idf, scaled to length 1, then the mean of the folds' calibrated decisions.
    """
    skipped = identity_words() if leave_out is None else leave_out
    counts = Counter(word for word in WORD.findall(sentence.lower()) if word in known.place and word not in skipped)
    columns = [known.place[word] for word in counts]
    values = np.array(list(counts.values()), dtype=np.float64) * known.idf[columns]
    length = float(np.linalg.norm(values)) or 1.0
    decisions = known.coefficients[:, columns] @ values / length + known.intercepts
    return float(np.mean(1 / (1 + np.exp(known.slopes * decisions + known.offsets))))


@cache
def identity_words() -> frozenset[str]:
    lines = (line.partition("#")[0] for line in _identity_text().splitlines())
    return frozenset(for_matching(word) for line in lines for word in line.split())


@cache
def _identity_text() -> str:
    return files("models").joinpath("toxicity", "identity_words.txt").read_text(encoding="utf-8")
