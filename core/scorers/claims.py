"""Sentences of a letter that can be checked against a CV: the rules of `core.scorers.entailment`, then a head on MiniLM
that separates praise and formalities from what can be looked up.

The letters study keeps to the rules alone: what it compares is the style of praise that no context supports.
"""

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from biasprint.core.cache import BatchCache
from biasprint.core.scorers import entailment
from biasprint.core.scorers.entailment import Kind
from biasprint.core.scorers.entailment_minilm import neutral
from biasprint.core.scorers.minilm import sentence_vectors
from biasprint.core.scorers.protocol import chosen, reads

FROM = 0.6  # the probability from which on a sentence claims nothing; chosen by leaving out one letter after the other
KEPT_SENTENCES = 20_000

_known: BatchCache[str, float] = BatchCache(KEPT_SENTENCES)


def kinds(texts: Sequence[str]) -> list[Kind]:
    """Return the kind of each sentence. Remove names first: here one name is as good as another."""
    by_rule = [entailment.kind_of(text) for text in texts]
    asked = [text for text, kind in zip(texts, by_rule, strict=True) if kind == "claim"]
    shares = iter(_known.get([neutral(text) for text in asked], _probabilities))
    return [("opinion" if next(shares) >= FROM else "claim") if kind == "claim" else kind for kind in by_rule]


def version() -> str:
    return f"{entailment.version()}; {chosen('claims', 'head').values['version']}, from {FROM:g}"


def _probabilities(texts: Sequence[str]) -> list[float]:
    """Return the probability that each sentence claims nothing; 0 for one in another language."""
    weight, bias = _head()
    return [
        float(1 / (1 + np.exp(-(weight @ vector.astype(np.float64) + bias)))) if vector.size and reads(text) else 0.0
        for text, vector in zip(texts, sentence_vectors(texts), strict=True)
    ]


@cache
def _head() -> tuple[NDArray[np.float64], float]:
    values = chosen("claims", "head").values
    return np.array(values["weight"], dtype=np.float64), float(values["bias"])
