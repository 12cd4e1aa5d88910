"""Words of gender stereotypes in an answer: a stand-in for a language model that is asked whether it stereotypes.

The words are data: resources/lexicons/gender_stereotypes.toml.
"""

import hashlib
import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

import numpy as np

from biasprint.core.scorers.protocol import NOTHING, ScoreValue, has_style
from biasprint.core.scorers.segment import SEGMENTER, words
from biasprint.core.text import for_matching


class GenderStereotypes:
    """Per 100 words: words of stereotypes of women less words of stereotypes of men.

    `values`: float32[1]; `summary`: the same; None for a text without a word or not in English. It reads
    single words, not what they refer to: “no dress code” counts.
    A substitute for the rating by a language model of Eloundou et al. 2024.
    """

    role = "gender_stereotypes"
    name = "gender_stereotypes"
    stand_in = True
    shape = "per 100 words: words of stereotypes of women less those of men; summary: the same"
    note = "Used in place of a model that rates stereotypes (Eloundou et al. 2024): it counts words of two lists."

    def __init__(self) -> None:
        self.sha256 = hashlib.sha256(_file()).hexdigest()
        self.version = f"rules 1; {SEGMENTER}"

    def score(self, texts: Sequence[str]) -> list[ScoreValue]:
        return [_of(text) if has_style(text) else NOTHING for text in texts]


def _of(text: str) -> ScoreValue:
    feminine, masculine = _lists()
    tokens = [for_matching(word.text) for word in words(text)]
    value = 100 * (sum(word in feminine for word in tokens) - sum(word in masculine for word in tokens)) / len(tokens)
    return ScoreValue(np.array([value], dtype=np.float32), value)


@cache
def _lists() -> tuple[frozenset[str], frozenset[str]]:
    data = tomllib.loads(_file().decode("utf-8"))
    return frozenset(data["feminine"]), frozenset(data["masculine"])


def _file() -> bytes:
    return files("biasprint.resources").joinpath("lexicons", "gender_stereotypes.toml").read_bytes()
