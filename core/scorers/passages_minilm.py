"""The category of marks that a clause belongs to by its meaning: a small head on a slightly changed MiniLM.

The packaged all-MiniLM-L6-v2 keeps its first layers. To the matrices of the last ones changes of low rank are added,
which docs/training/passages learned together with the head. How, and how good it is: models/passages/card.md.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from biasprint.core.scorers.bert import Bert
from biasprint.core.scorers.embedding import embedded
from biasprint.core.scorers.head import SoftmaxHead, head_of, read_weights
from biasprint.core.scorers.minilm import WINDOW_TOKENS, checked_embedder

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
