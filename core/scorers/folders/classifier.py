"""A sequence classifier from a folder: logits for texts and pairs, whatever their company. Heavy: compute process."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.scorers.equal_lengths import BATCH, batches, filled, whole_groups
from core.scorers.folders import device, loading
from core.scorers.folders.labels import label_names
from core.scorers.folders.settings import read_settings

Floats = NDArray[np.float64]
Encoded = Mapping[str, Sequence[int]]  # input_ids, and token_type_ids where the model takes them

# Models that count positions from behind their padding token, as RoBERTa does.
_FROM_PADDING = frozenset({"roberta", "xlm-roberta", "xlm-roberta-xl", "camembert", "mpnet", "data2vec-text"})
LONGEST = 512  # tokens, where a model's settings name no limit


class Classifier:
    """`labels`: of the outputs, in order; outputs without one are left out. `most`: tokens that the model takes, marks
    included.
    """

    def __init__(self, model: Any, tokenizer: Any, names: Sequence[str], most: int, where: str = "cpu") -> None:
        self._model = model
        self._tokenizer = tokenizer
        self.labels = tuple(names)
        self.most = most
        self.device = where
        _fill_heads(model)

    def encode(self, texts: Sequence[str]) -> list[Encoded]:
        """Tokens of texts, each cut at what the model takes."""
        if not texts:
            return []
        return _apart(self._tokenizer([_clean(text) for text in texts], truncation=True, max_length=self.most))

    def encode_pairs(self, first: Sequence[str], second: Sequence[str]) -> list[Encoded]:
        """Tokens of pairs, whole: whoever asks has seen to it that they fit."""
        if not first:
            return []
        pairs = ([_clean(text) for text in side] for side in (first, second))
        return _apart(self._tokenizer(*pairs, verbose=False))

    def split(self, text: str) -> tuple[tuple[int, int], ...]:
        """Where each token of a text begins and ends in it."""
        found = self._tokenizer(_clean(text), add_special_tokens=False, return_offsets_mapping=True, verbose=False)
        return tuple((int(start), int(end)) for start, end in found["offset_mapping"])

    @property
    def marks(self) -> int:
        """How many tokens stand around and between a pair."""
        return int(self._tokenizer.num_special_tokens_to_add(pair=True))

    def logits(self, encoded: Sequence[Encoded]) -> Floats:
        """float64[texts, labels]. Only sequences of equal length share a batch."""
        found = np.empty((len(encoded), len(self.labels)), dtype=np.float64)
        for batch in batches([len(each["input_ids"]) for each in encoded]):
            found[batch] = self._logits([encoded[place] for place in batch])[:, : len(self.labels)]
        return found

    def _logits(self, equal: Sequence[Encoded]) -> Floats:
        import torch

        count, length = len(equal), len(equal[0]["input_ids"])
        # A graphics processor picks its kernels by the number of rows, so there each batch is full.
        rows = BATCH if self.device != "cpu" else filled(count, length)
        whole = [*equal, *[equal[-1]] * (rows - count)]
        given = {key: torch.tensor([each[key] for each in whole]).to(self.device) for key in equal[0]}
        with torch.inference_mode():
            values: Floats = self._model(**given).logits[:count].float().cpu().double().numpy()
        return values


def load_classifier(folder: Path) -> Classifier:
    """Raises `AppError` where the folder is no classifier that can be loaded safely."""
    import torch

    read = read_settings(folder)
    config = loading.configuration(read)
    tokenizer = loading.tokenizer(read, config)
    where = device.chosen()
    model = loading.model(read, "classifier", config, where, torch.float32)
    names = label_names(read.values) or tuple(f"LABEL_{place}" for place in range(config.num_labels))
    return Classifier(model, tokenizer, names, longest(read.kind, config, tokenizer), where)


def sigmoid(logits: Floats) -> Floats:
    """1 / (1 + exp(−x)), without overflow."""
    return np.exp(-np.logaddexp(0, -logits))


def softmax(logits: Floats) -> Floats:
    """exp(x) / Σ exp(x) over the last axis."""
    shares = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return np.asarray(shares / shares.sum(axis=-1, keepdims=True), dtype=np.float64)


def longest(kind: str, config: Any, tokenizer: Any) -> int:
    positions = int(getattr(config, "max_position_embeddings", 0) or LONGEST)
    if kind in _FROM_PADDING:
        positions -= int(config.pad_token_id) + 1
    said = int(tokenizer.model_max_length)
    return max(8, min(positions, said) if said < 10**9 else positions)


def _fill_heads(model: Any) -> None:
    """The head computes one row per text, too few for equal sums: it is given whole groups, and the rest is cut off."""

    def fill(_: Any, given: tuple[Any, ...]) -> tuple[Any, ...]:
        states = given[0]
        return (_repeated(states, whole_groups(len(states)) - len(states)), *given[1:])

    base = model.base_model
    heads = [part for name, part in model.named_children() if part is not base]
    heads += [part for name, part in base.named_children() if name == "pooler" and part is not None]
    for head in heads:
        head.register_forward_pre_hook(fill)


def _repeated(states: Any, missing: int) -> Any:
    import torch

    return torch.cat([states, states[-1:].expand(missing, *states.shape[1:])]) if missing else states


def _apart(found: Mapping[str, Any]) -> list[Encoded]:
    kept = [key for key in ("input_ids", "token_type_ids") if key in found]
    return [{key: found[key][place] for key in kept} for place in range(len(found["input_ids"]))]


def _clean(text: str) -> str:
    return text.encode("utf-8", "ignore").decode()  # tokenizers refuse lone surrogates, which say nothing
