"""The category of marks that a clause belongs to, and whether listed words mean theirs: heads on a changed MiniLM.

The packaged all-MiniLM-L6-v2 keeps its first layers. To the matrices of the last ones changes of low rank are added,
which docs/training/passages learned together with each head. How, and how good it is: models/passages/card.md.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from biasprint.core.scorers.bert import WINDOW_TOKENS, Bert, checked_embedder
from biasprint.core.scorers.embedding import SoftmaxHead, embedded, head_of, read_weights

# The categories of marks but gender, which a clause is read without; praise of none in particular; and neither.
FOUND = (
    "agentic", "communal", "standout", "ability", "grindstone", "doubt",
    "personal_life", "age", "family", "appearance", "health", "origin",
)  # fmt: skip
CLASSES = (*FOUND, "approval", "neutral")
FILE = "head.safetensors"
WEIGHTS_SHA256 = "be23d541ba0fe12ab0f3f0a41d7d34c92f248b7dc12d4792c335cc9d28825871"
NOTHING = tuple(float(name == "neutral") for name in CLASSES)  # of a text without a word


def probabilities(clauses: Sequence[str]) -> Iterator[tuple[float, ...]]:
    """Return the probabilities of CLASSES for each clause, put without gender and names.

    Raises `AppError` where the model or the head cannot be loaded.
    """
    if clauses:
        yield from read_by(*_model(), clauses)


def read_by(model: Bert, head: SoftmaxHead, clauses: Sequence[str]) -> Iterator[tuple[float, ...]]:
    for value in embedded(model, clauses, WINDOW_TOKENS, windows=True):
        yield tuple(map(float, head.of(value.values))) if value.values.size else NOTHING


def changes_of(weights: Mapping[str, NDArray[np.float32]]) -> dict[str, NDArray[np.float32]]:
    """The changes of the layers, by torch's names: each is the product of a tall and a wide matrix."""
    names = [name.removesuffix(".tall") for name in weights if name.endswith(".tall")]
    return {name: weights[f"{name}.tall"] @ weights[f"{name}.wide"] for name in names}


@cache
def _model() -> tuple[Bert, SoftmaxHead]:
    weights = read_weights(files("biasprint.models").joinpath("passages", FILE), WEIGHTS_SHA256, "passages")
    return checked_embedder().with_changes(changes_of(weights)), head_of(weights)


# ---- The check that listed words of a letter describe the candidate as their category means: a second head
# “Leader election” is no leadership, and “the surgeon who led” is somebody else.

# The rows of the head.
CATEGORIES = (
    "agentic", "communal", "standout", "ability", "grindstone", "doubt",
    "personal_life", "gender", "age", "family", "appearance", "health", "origin",
)  # fmt: skip
WORDS_FILE = "words.safetensors"
WORDS_SHA256 = "d8c2c4f0d3a8bd4b513e1eb357b8830307006dfe8e29183c7f1075a8756b4c71"
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
    model, head = _words_model()
    given = word_rows(model, asked)
    for asked_words, row, states in zip(asked, given, model.states([row.ids for row in given]), strict=True):
        seen = np.concatenate([_unit(states[row.words]), _unit(states)])
        place = CATEGORIES.index(asked_words.category)
        yield float(1 / (1 + np.exp(-(head.weight[place] @ seen + head.bias[place]))))


def word_rows(model: Bert, asked: Sequence[Words]) -> list[Row]:
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
def _words_model() -> tuple[Bert, SoftmaxHead]:
    weights = read_weights(files("biasprint.models").joinpath("passages", WORDS_FILE), WORDS_SHA256, "words")
    return checked_embedder().with_changes(changes_of(weights)), head_of(weights)
