"""Agency and communion in a text: shares of its sentences about acting and leading, and about helping and caring."""

import re
from collections.abc import Sequence
from functools import cache, cached_property

import numpy as np

from biasprint.core.prompts.name_sets import load_name_set
from biasprint.core.scorers.agency_minilm import CLASSES, AgencyMiniLM
from biasprint.core.scorers.protocol import NOTHING, ScoreValue, has_style
from biasprint.core.scorers.segment import sentences

# Designs ask about people with these names, and the head reads a name that it does not know as a word of the sentence:
# from one name to another the gap of a text moved by up to 0.07. “Kelly” is one that it reads as “they”.
NAME_SET, ANY_NAME = "us", "Kelly"


class AgencyBalance:
    """The share of agentic sentences, that of communal ones, and the first minus the second.

    A sentence is of the likeliest of three classes of `AgencyMiniLM`; a neutral one counts in the denominator alone.
    It is read without the names of the set that designs take theirs from.
    `values`: float32[3], in the order of `labels`; `summary`: the gap, −1 to 1; None for a text without a sentence
    or not in English. Used in place of the two-class classifier of Wan & Chang 2025 (LABE), by which every sentence is
    one or the other.
    """

    role = "agency_balance"
    name = "agency_balance"
    stand_in = True
    labels = ("agentic", "communal", "agentic less communal")
    shape = "shares of sentences: agentic, communal, and the first minus the second; summary: the last"
    note = "Used in place of the classifier of Wan and Chang 2025: a small head on MiniLM, with neutral sentences."

    @cached_property
    def _head(self) -> AgencyMiniLM:
        return AgencyMiniLM()

    @property
    def version(self) -> str:
        return f"balance 2, names {NAME_SET} {load_name_set(NAME_SET).version}; {self._head.version}"

    @property
    def sha256(self) -> str:
        return self._head.sha256

    def score(self, texts: Sequence[str]) -> list[ScoreValue]:
        return [self._of(text) if has_style(text) else NOTHING for text in texts]

    def _of(self, text: str) -> ScoreValue:
        read = [_names().sub(ANY_NAME, text[start:end]) for start, end in sentences(text)]
        likeliest = self._head.probabilities(read).argmax(axis=1)
        agentic, communal = (float((likeliest == CLASSES.index(name)).mean()) for name in ("agentic", "communal"))
        return ScoreValue(np.array([agentic, communal, agentic - communal], dtype=np.float32), agentic - communal)


@cache
def _names() -> re.Pattern[str]:
    names = (name for cell in load_name_set(NAME_SET).cells for name in cell.all_names)
    return re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, sorted(names, key=len, reverse=True)))})(?![\w-])")
