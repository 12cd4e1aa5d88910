"""Embedding with a loaded encoder: mean over the tokens, scaled to length 1, long texts in windows of equal length."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.scorers.equal_lengths import BATCH, batches, filled
from core.scorers.protocol import ScoreValue

Tokens = NDArray[np.int64]
Vectors = NDArray[np.float32]


class Embedder:
    """A transformer encoder with mean pooling. Heavy: for the compute process only."""

    def __init__(self, model: Any, tokenizer: Any, device: str = "cpu") -> None:
        """`model`: gives `last_hidden_state`. `tokenizer`: of the tokenizers library; it is set to cut and pad nothing.

        Raises `ValueError` where the tokenizer does not mark beginning and end with one token each.
        """
        self._model = model.to(device)
        self._model.train(False)
        self._device = device
        self._tokenizer = tokenizer
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._first, self._last = self._tokenizer.encode("").ids
        self.width: int = self._model.config.hidden_size

    def tokens(self, texts: Sequence[str]) -> list[Tokens]:
        """Token ids of whole texts, without the marks of beginning and end."""
        # The tokenizer refuses lone surrogates, which say nothing.
        whole = [text.encode("utf-8", "ignore").decode() for text in texts]
        found = self._tokenizer.encode_batch(whole, add_special_tokens=False)
        return [np.array(one.ids, dtype=np.int64) for one in found]

    def encode(self, windows: Sequence[Tokens]) -> Vectors:
        """Unit vectors, float32[windows, width]. Only windows of equal length share a batch."""
        vectors = np.empty((len(windows), self.width), dtype=np.float32)
        for batch in batches([len(window) for window in windows]):
            vectors[batch] = self._encode_equal(np.stack([windows[place] for place in batch]))
        return vectors

    def _encode_equal(self, tokens: Tokens) -> Vectors:
        import torch

        count, length = len(tokens), tokens.shape[1] + 2
        # A graphics processor picks its kernels by the number of rows, so there each batch is full.
        rows = BATCH if self._device != "cpu" else filled(count, length)
        marked = np.pad(tokens, ((0, rows - count), (1, 1)), mode="edge")
        marked[:, 0] = self._first
        marked[:, -1] = self._last
        with torch.inference_mode():
            ids = torch.from_numpy(marked).to(self._device)
            states = self._model(input_ids=ids).last_hidden_state
            unit: Vectors = torch.nn.functional.normalize(states.mean(dim=1), dim=1).float().cpu().numpy()
        return unit[:count]


def embedded(embedder: Embedder, texts: Sequence[str], most: int, *, windows: bool) -> list[ScoreValue]:
    """A unit vector per text, empty for a text without a token, and no summary. `most`: tokens of a window.

    A longer text is cut into the fewest windows that hold it, all of the same length to one token; its vector is the
    mean of theirs, scaled to length 1. Without `windows` only its first tokens count.
    """
    cut = [_cut(tokens, most, windows) for tokens in embedder.tokens(texts)]
    vectors = iter(embedder.encode([window for of_one_text in cut for window in of_one_text]))
    return [ScoreValue(_mean([next(vectors) for _ in of_one_text]), None) for of_one_text in cut]


def _cut(tokens: Tokens, most: int, windows: bool) -> list[Tokens]:
    if not tokens.size:
        return []
    if not windows:
        return [tokens[:most]]
    # Equal windows: a short last one would weigh as much as a full one.
    return np.array_split(tokens, math.ceil(tokens.size / most))


def _mean(vectors: list[Vectors]) -> Vectors:
    """Mean of unit vectors, scaled to length 1; empty for none. One vector is returned as it is."""
    if len(vectors) < 2:
        return vectors[0].copy() if vectors else np.empty(0, dtype=np.float32)
    mean = np.stack(vectors).mean(axis=0, dtype=np.float64)
    return np.asarray(mean / np.linalg.norm(mean), dtype=np.float32)
