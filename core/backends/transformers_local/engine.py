"""The loaded model: evaluates tokens behind a past that it keeps. Heavy: for the model process only."""

import copy
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.errors import AppError
from core.scorers.folders import device, loading

CHUNK = 256  # tokens of a prompt between two checks for a cancel

Check = Callable[[], None]


class Engine:
    """One model and one past. Logits are float32 on the processor, whatever the model computes in."""

    def __init__(self, model: Any, name: str, where: str) -> None:
        self._model = model
        self._name = name
        self.device = where
        self._past: Any = None
        taken = inspect.signature(model.forward).parameters
        self._last_only = {"logits_to_keep": 1} if "logits_to_keep" in taken else {}

    def begin(self) -> None:
        """Forget the past."""
        self._past = None

    def evaluate(self, tokens: list[int], check: Check) -> NDArray[np.float32]:
        """Put tokens behind the past; the logits after the last one, (words,)."""
        for start in range(0, len(tokens), CHUNK):
            check()
            logits = self._forward(tokens[start : start + CHUNK], self._last_only)
        last: NDArray[np.float32] = logits[-1]
        if not np.isfinite(last).any():
            raise AppError(
                f"What “{self._name}” computes are no numbers, so its weights are damaged.",
                hint="Get the model again, or choose another one.",
            )
        return last

    def behind(self, tokens: list[int], check: Check) -> NDArray[np.float32]:
        """The logits after each of some tokens behind the past, (tokens, words); the past stays as it was."""
        check()
        kept = self._past
        length = int(kept.get_seq_length())
        if not self._croppable():
            self._past = copy.deepcopy(kept)
        try:
            return np.concatenate([
                self._forward(tokens[start : start + CHUNK], {}) for start in range(0, len(tokens), CHUNK)
            ])  # fmt: skip
        finally:
            added = int(kept.get_seq_length()) - length  # none where a copy was put behind
            if added:
                kept.crop(-added)
            self._past = kept

    def close(self) -> None:
        self._model = self._past = None
        device.let_go(self.device)

    def _forward(self, tokens: list[int], options: dict[str, int]) -> NDArray[np.float32]:
        import torch

        try:
            with torch.inference_mode():
                given = torch.tensor([tokens], device=self.device)
                told = self._model(input_ids=given, past_key_values=self._past, use_cache=True, **options)
                self._past = told.past_key_values
                logits: NDArray[np.float32] = told.logits[0].float().cpu().numpy()
                return logits
        except (RuntimeError, MemoryError) as error:
            self.begin()
            if device.is_out_of_memory(error):
                raise loading.out_of_memory(self._name, error) from error
            raise AppError(
                f"“{self._name}” could not go on with a text.",
                hint="Try again; if it happens again, choose another model.",
                details=repr(error)[:2000],
            ) from error

    def _croppable(self) -> bool:
        """Whether the past keeps every token apart; a window or a running state cannot be taken back."""
        from transformers.cache_utils import DynamicLayer

        return all(type(layer) is DynamicLayer for layer in getattr(self._past, "layers", [None]))
