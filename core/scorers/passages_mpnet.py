"""A second, larger reader of passages: a head on a slightly changed all-mpnet-base-v2, where that model is here.

It gives the classes of `passages_minilm` and is made as that is. How, and how good both are together:
models/passages/card.md.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biasprint.core.errors import AppError
from biasprint.core.machine.models import installed as models
from biasprint.core.machine.models.installed import InstalledModel
from biasprint.core.scorers.bert import Bert, Floats
from biasprint.core.scorers.embedding import SoftmaxHead, head_of, read_weights
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


# ---- The model computed in numpy: within 1e-5 of transformers, and neither it nor torch has to be there

NAME = "all-mpnet-base-v2"
ROLE = "embedding"
CONFIG, TOKENIZER, WEIGHTS = "config.json", "tokenizer.json", "model.safetensors"


def installed() -> InstalledModel | None:
    """Return the official model, under whatever name it was added; one that has changed has its `trouble`."""
    here = (model for model in models.installed(ROLE) if model.origin != "bundled" and models.is_papers_own(model))
    return min(here, key=lambda model: bool(model.trouble), default=None)


def larger_encoder() -> Bert:
    """Return the model; it is loaded once. Raises `AppError` where it is not here or cannot be read."""
    model = installed()
    if model is None or model.trouble:
        said = model.trouble if model is not None else f"{NAME} is not on this computer."
        raise AppError(said, hint=f"Get it: biasprint models get {NAME}")
    return of_folder(model.path)


@lru_cache(maxsize=1)
def of_folder(folder: Path) -> Bert:
    """Return the MPNet in a folder, laid out as transformers does it. Raises `AppError` where it cannot be read."""
    from safetensors import safe_open
    from tokenizers import Tokenizer

    try:
        config = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
        tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
        with safe_open(folder / WEIGHTS, "np") as file:
            return Bert(config, _ByBertNames(file), tokenizer)
    except Exception as error:  # the libraries for weights and word pieces raise errors of their own kinds
        raise AppError(f"The model in “{folder.name}” cannot be read.", details=repr(error)[:500]) from error


_NAMES = {
    "attention.attn.q.": "attention.self.query.",
    "attention.attn.k.": "attention.self.key.",
    "attention.attn.v.": "attention.self.value.",
    "attention.attn.o.": "attention.output.dense.",
    "attention.LayerNorm.": "attention.output.LayerNorm.",
}
_PLACES, _KINDS = "embeddings.position_embeddings.weight", "embeddings.token_type_embeddings.weight"
_FIRST_PLACE = 2  # the rows before it are for padding


class _ByBertNames(Mapping[str, Floats]):
    """The tensors in a file of MPNet by BERT's names, each read when it is asked for. Source: Song et al. 2020."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self._theirs = {_bert_name(name): name for name in file.keys()}  # noqa: SIM118 - no mapping

    def __getitem__(self, name: str) -> Floats:
        if name == _KINDS:
            return np.zeros((1, self[_PLACES].shape[1]), dtype=np.float32)
        values: Floats = self._file.get_tensor(self._theirs[name])
        return values[_FIRST_PLACE:] if name == _PLACES else values

    def __iter__(self) -> Iterator[str]:
        return iter(self._theirs)

    def __len__(self) -> int:
        return len(self._theirs)


def _bert_name(name: str) -> str:
    for theirs, ours in _NAMES.items():
        name = name.replace(theirs, ours)
    return name
