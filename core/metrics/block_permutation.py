"""Permutation within blocks: what was made from the same prompt, headline or biography trades its group labels."""

from collections.abc import Iterator
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from core.metrics.checks import same_length
from core.metrics.resampling import chunks
from core.metrics.result import RESAMPLES, Ints

Label = TypeVar("Label", bound=np.generic)


def permute_within_blocks(
    group: Ints, block: Ints, rng: np.random.Generator, resamples: int = RESAMPLES
) -> Iterator[Ints]:
    """Each unit's group, shuffled within its block: chunks of shape (chunk, n), `resamples` rows in all.

    `group`: any number of groups; `block`: shapes (n,). One block for all permutes freely.
    """
    same_length(group, block)
    strata = np.unique(block, return_inverse=True)[1]
    for size in chunks(resamples, len(group)):
        yield shuffled_within(np.asarray(group), strata, rng, size)


def shuffled_within(labels: NDArray[Label], stratum: Ints, rng: np.random.Generator, size: int) -> NDArray[Label]:
    """`size` shuffles of `labels` (n,) within the strata, numbered from 0: shape (size, n)."""
    sorted_labels = labels[np.argsort(stratum, kind="stable")]
    # Sorting by stratum plus a random fraction shuffles within each stratum at once.
    order = np.argsort(stratum + rng.random((size, len(labels))), axis=1)
    shuffled = np.empty((size, len(labels)), dtype=labels.dtype)
    np.put_along_axis(shuffled, order, np.broadcast_to(sorted_labels, shuffled.shape), axis=1)
    return shuffled
