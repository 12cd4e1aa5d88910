"""Small heads on embeddings: softmax regressions whose weights are checked before they are used."""

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from biasprint.core.errors import AppError
from biasprint.core.scorers.checked_files import REINSTALL

if TYPE_CHECKING:
    from collections.abc import Mapping
    from importlib.resources.abc import Traversable


Probabilities = NDArray[np.float64]


@dataclass(frozen=True)
class SoftmaxHead:
    """Weights float64[classes, 384] and biases float64[classes]."""

    weight: Probabilities
    bias: Probabilities

    def of(self, vector: NDArray[np.float32]) -> Probabilities:
        """The probabilities of one embedding's classes: row by row, for a product of matrices may round otherwise."""
        return softmax(self.weight @ vector.astype(np.float64) + self.bias)


def read_head(file: "Traversable", sha256: str, name: str) -> SoftmaxHead:
    """The head in a file of safetensors. Raises `AppError` where it cannot be read or is not the program's own."""
    return head_of(read_weights(file, sha256, name))


def head_of(weights: "Mapping[str, NDArray[np.float32]]") -> SoftmaxHead:
    return SoftmaxHead(weights["weight"].astype(np.float64), weights["bias"].astype(np.float64))


def read_weights(file: "Traversable", sha256: str, name: str) -> "Mapping[str, NDArray[np.float32]]":
    """Return every array of such a file, by its name there."""
    from safetensors.numpy import load

    try:
        content = file.read_bytes()
    except OSError as error:
        raise AppError(f"The {name} head cannot be read ({error.strerror}).", hint=REINSTALL) from error
    digest = hashlib.sha256(content).hexdigest()
    if digest != sha256:
        raise AppError(
            f"The weights of the {name} head are not the program's own, so they were not loaded.",
            kept="Nothing was changed.",
            hint=REINSTALL,
            details=f"SHA-256 of {file.name}: expected {sha256}, found {digest}",
        )
    return load(content)


def softmax(scores: Probabilities) -> Probabilities:
    """exp(x) / Σ exp(x) over the last axis, without overflow."""
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    shares: Probabilities = powers / powers.sum(axis=-1, keepdims=True)
    return shares
