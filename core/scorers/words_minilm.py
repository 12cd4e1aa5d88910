"""The check that listed words of a letter describe the candidate as their category means: a second head on MiniLM.

“Leader election” is no leadership, and “the surgeon who led” is somebody else. As for passages, the packaged model
keeps its first layers; changes of low rank to the others were learned with the head (docs/training/passages). How
good it is: models/passages/card.md.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from biasprint.core.scorers.bert import Bert
from biasprint.core.scorers.head import SoftmaxHead, head_of, read_weights
from biasprint.core.scorers.minilm import checked_embedder
from biasprint.core.scorers.passages_minilm import changes_of

# The rows of the head.
CATEGORIES = (
    "agentic", "communal", "standout", "ability", "grindstone", "doubt",
    "personal_life", "gender", "age", "family", "appearance", "health", "origin",
)  # fmt: skip
FILE = "words.safetensors"
WEIGHTS_SHA256 = "d8c2c4f0d3a8bd4b513e1eb357b8830307006dfe8e29183c7f1075a8756b4c71"
NEAR = 40  # tokens that are read before the words, and behind them
MOST_TOKENS = 60  # of the words themselves


class Words(NamedTuple):
    """Words in their sentence, put without gender and names, and the category that the lists mark them as."""

    before: str
    words: str
    after: str
    category: str


class Row(NamedTuple):
    """Token ids, int64[tokens], and which of them are the words', bool[tokens]."""

    ids: NDArray[np.int64]
    words: NDArray[np.bool_]


def shares(asked: Sequence[Words]) -> Iterator[float]:
    """Yield for each the probability that the words are meant so. The batch does not change it.

    Raises `AppError` where the model or the head cannot be loaded.
    """
    if not asked:
        return
    model, head = _model()
    given = rows(model, asked)
    for asked_words, row, states in zip(asked, given, model.states([row.ids for row in given]), strict=True):
        seen = np.concatenate([_unit(states[row.words]), _unit(states)])
        place = CATEGORIES.index(asked_words.category)
        yield float(1 / (1 + np.exp(-(head.weight[place] @ seen + head.bias[place]))))


def rows(model: Bert, asked: Sequence[Words]) -> list[Row]:
    """Return the model's input for each item."""
    parts = [
        model.tokens(texts) for texts in zip(*((item.before, item.words, item.after) for item in asked), strict=True)
    ]
    rows_made = []
    for before, words, after in zip(*parts, strict=True):
        start, end = before[-NEAR:], after[:NEAR]
        words = words[:MOST_TOKENS]
        ids = model.marked(np.concatenate([start, words, end]))
        inside = np.zeros(len(ids), dtype=np.bool_)
        first = len(model.first) + len(start)
        inside[first : first + len(words)] = True
        rows_made.append(Row(ids, inside if len(words) else np.ones(len(ids), dtype=np.bool_)))
    return rows_made


def _unit(states: NDArray[np.float32]) -> NDArray[np.float64]:
    mean = states.mean(axis=0, dtype=np.float64)
    unit: NDArray[np.float64] = mean / np.linalg.norm(mean)
    return unit


@cache
def _model() -> tuple[Bert, SoftmaxHead]:
    weights = read_weights(files("biasprint.models").joinpath("passages", FILE), WEIGHTS_SHA256, "words")
    return checked_embedder().with_changes(changes_of(weights)), head_of(weights)
