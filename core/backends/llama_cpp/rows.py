"""The tokens of one evaluation, in native memory, filled from lists."""

from collections.abc import Sequence
from typing import Any

import numpy as np


class Rows:
    """llama.cpp's batch with room for so many tokens, and its arrays as numpy sees them."""

    def __init__(self, lib: Any, room: int, texts: int = 1) -> None:
        """`texts`: to how many texts one token may belong."""
        self._lib = lib
        self.batch = lib.llama_batch_init(room, 0, texts)
        self._tokens = np.ctypeslib.as_array(self.batch.token, (room,))
        self._places = np.ctypeslib.as_array(self.batch.pos, (room,))
        self._wanted = np.ctypeslib.as_array(self.batch.logits, (room,))
        self._counts = np.ctypeslib.as_array(self.batch.n_seq_id, (room,))
        self._texts = [self.batch.seq_id[at] for at in range(room)]
        self.of_text_0(room)
        self._wanted[:] = 1
        self.batch.n_tokens = room

    def fill(self, tokens: Sequence[int], places: Sequence[int]) -> None:
        """Tokens of text 0 at their places; what follows is wanted of the last."""
        count = len(tokens)
        self.batch.n_tokens = count
        self._tokens[:count] = tokens
        self._places[:count] = places
        self._wanted[:count] = 0
        self._wanted[count - 1] = 1

    def divide(self, texts: Sequence[Sequence[int]], first_wanted: int) -> None:
        """Let each token belong to these texts; what follows is wanted from one token on."""
        self._wanted[first_wanted : len(texts)] = 1
        for at, numbers in enumerate(texts):
            self._counts[at] = len(numbers)
            row = self._texts[at]
            for place, number in enumerate(numbers):
                row[place] = number

    def of_text_0(self, count: int) -> None:
        """Let the first so many rows be of text 0 again."""
        self._counts[:count] = 1
        for at in range(count):
            self._texts[at][0] = 0

    def free(self) -> None:
        self._lib.llama_batch_free(self.batch)
