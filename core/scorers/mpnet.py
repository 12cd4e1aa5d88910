"""all-mpnet-base-v2 computed in numpy, where it is on this computer: for heads that change its last layers.

Its numbers are those of transformers to a hundred-thousandth, and neither it nor torch has to be there.
"""

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from biasprint.core.errors import AppError
from biasprint.core.machine.models import installed as models
from biasprint.core.machine.models.installed import InstalledModel
from biasprint.core.scorers.bert import Bert, Floats

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
