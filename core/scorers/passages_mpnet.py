"""A second, larger reader of passages: a head on a slightly changed all-mpnet-base-v2, where that model is here.

It gives the classes of `passages_minilm` and is made as that is. How, and how good both are together:
models/passages/card.md.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from biasprint.core.errors import AppError
from biasprint.core.scorers.bert import Bert
from biasprint.core.scorers.head import SoftmaxHead, head_of, read_weights
from biasprint.core.scorers.mpnet import installed, larger_encoder
from biasprint.core.scorers.passages_minilm import changes_of, read_by

FILE = "larger.safetensors"
WEIGHTS_SHA256 = "139f0858a7f1486a49b56ef09ebb067f01f69017de8bd3783ac6e1aaeebe8289"


def probabilities(sentences: Sequence[str]) -> Iterator[tuple[float, ...]]:
    """Return the probabilities of CLASSES for each sentence, put without gender and names.

    Raises `AppError` where the model or the head cannot be loaded.
    """
    if sentences:
        yield from read_by(*_model(), sentences)


def readiness() -> tuple[bool, str]:
    """Return whether it can read, and a sentence why not if the model is here and cannot be used. Load the model."""
    if installed() is None:
        return False, ""
    try:
        _model()
    except AppError as error:
        return False, error.message
    return True, ""


def _model() -> tuple[Bert, SoftmaxHead]:
    _weights()  # before the model is loaded: a head that cannot be read costs nothing
    return _changed(larger_encoder())


@lru_cache(maxsize=1)
def _changed(encoder: Bert) -> tuple[Bert, SoftmaxHead]:
    return encoder.with_changes(changes_of(_weights())), head_of(_weights())


@cache
def _weights() -> Mapping[str, NDArray[np.float32]]:
    return read_weights(files("biasprint.models").joinpath("passages", FILE), WEIGHTS_SHA256, "larger passages")
