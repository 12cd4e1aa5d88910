"""Drawing a token: the same seed and the same logits give the same token on every machine."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Sampler:
    """Temperature, then the `top_k` most likely tokens, then the fewest that reach `top_p` together; then a draw.

    `temperature` 0 takes the most likely. The draws come from numpy's PCG64 with the request's seed, on the processor.
    """

    def __init__(self, seed: int, temperature: float, top_k: int, top_p: float) -> None:
        self._random = np.random.default_rng(seed)
        self._temperature = temperature
        self._top_k = top_k
        self._top_p = top_p

    def draw(self, logits: NDArray[np.float32]) -> int:
        """The number of a token. `logits`: (tokens,), at least one of them finite."""
        if self._temperature == 0:
            return int(logits.argmax())
        kept = self._most_likely(logits)
        values = logits[kept].astype(np.float64) / self._temperature
        shares = np.exp(values - values.max())
        shares /= shares.sum()
        if self._top_p < 1:
            enough = int(np.searchsorted(shares.cumsum(), self._top_p)) + 1
            kept, shares = kept[:enough], shares[:enough]
        sums = shares.cumsum()
        at = int(np.searchsorted(sums, self._random.random() * sums[-1], side="right"))
        return int(kept[min(at, len(kept) - 1)])

    def _most_likely(self, logits: NDArray[np.float32]) -> NDArray[np.intp]:
        """Places by falling logit, ties by place; at most `top_k` of them where that is not 0."""
        count = len(logits)
        if 0 < self._top_k < count:
            least = np.partition(logits, count - self._top_k)[count - self._top_k]
            candidates = np.flatnonzero(logits >= least)
        else:
            candidates = np.flatnonzero(np.isfinite(logits))
        ordered = candidates[np.argsort(-logits[candidates], kind="stable")]
        return ordered[: self._top_k] if self._top_k else ordered
