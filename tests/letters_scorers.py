"""Scorers as a third party adds them, for tests of the letters study; what they say is easy to work out by hand."""

from collections.abc import Sequence

import numpy as np

from biasprint.core.scorers.entailment import split_pair
from biasprint.core.scorers.protocol import ScoreValue
from biasprint.core.scorers.segment import sentences


class _Marked:
    """Probability .9 for each sentence with a mark in it, else .1."""

    version = "1"
    sha256 = None
    stand_in = True
    shape = "probability of each sentence"

    def __init__(self, role: str, mark: str) -> None:
        self.role = self.name = role
        self.mark = mark

    def score(self, texts: Sequence[str]) -> list[ScoreValue]:
        found = [[text[start:end] for start, end in sentences(text)] for text in texts]
        return [
            ScoreValue(np.array([0.9 if self.mark in each else 0.1 for each in of], np.float32), None) for of in found
        ]


def formality() -> _Marked:
    return _Marked("formality", "furthermore")


def positivity() -> _Marked:
    return _Marked("positivity", "splendid")


def short_positivity() -> _Marked:
    """Splits letters otherwise than the program: always one sentence."""
    scorer = _Marked("positivity", "splendid")
    scorer.score = lambda texts: [ScoreValue(np.ones(1, np.float32), None) for _ in texts]  # type: ignore[method-assign]
    return scorer


class Entailment:
    """Entailed where the premise holds the last word of the hypothesis; contradicted where this also says “never”."""

    role = name = "entailment"
    version = "1"
    sha256 = None
    stand_in = False  # as a model made for it: a stand-in may not say “contradicted”
    shape = "entailment, neutral, contradiction"

    def score(self, texts: Sequence[str]) -> list[ScoreValue]:
        return [ScoreValue(np.array(self._classes(*split_pair(text)), np.float32), None) for text in texts]

    def _classes(self, premise: str, hypothesis: str) -> tuple[float, float, float]:
        words = hypothesis.rstrip(".").split()
        if words[-1] not in premise.split():
            return (0.1, 0.8, 0.1)
        return (0.1, 0.1, 0.8) if "never" in words else (0.8, 0.1, 0.1)
