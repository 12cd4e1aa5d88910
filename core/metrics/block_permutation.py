"""Permutation within blocks: what was made from the same prompt, headline or biography trades its group labels."""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from core.metrics.result import Ints

Label = TypeVar("Label", bound=np.generic)


def shuffled_within(labels: NDArray[Label], stratum: Ints, rng: np.random.Generator, size: int) -> NDArray[Label]:
    """`size` shuffles of `labels` (n,) within the strata, numbered from 0: shape (size, n)."""
    sorted_labels = labels[np.argsort(stratum, kind="stable")]
    # Sorting by stratum plus a random fraction shuffles within each stratum at once.
    order = np.argsort(stratum + rng.random((size, len(labels))), axis=1)
    shuffled = np.empty((size, len(labels)), dtype=labels.dtype)
    np.put_along_axis(shuffled, order, np.broadcast_to(sorted_labels, shuffled.shape), axis=1)
    return shuffled
