"""The two-way cluster bootstrap: items that share a term in either of two roles move together."""

from collections.abc import Iterator

import numpy as np

from core.metrics.checks import same_length
from core.metrics.resampling import chunks
from core.metrics.result import RESAMPLES, Floats, Ints


def two_way_weights(
    first: Ints, second: Ints, rng: np.random.Generator, resamples: int = RESAMPLES
) -> Iterator[Floats]:
    """How often each item counts in each resample: chunks of shape (chunk, n), `resamples` rows in all.

    `first`, `second`: each item's level of the two factors (given term, option pair), shape (n,). The levels of both
    are drawn with replacement, independently; an item counts as often as its first level times its second.
    Conservative: √3 times too wide where neither factor makes a difference. Source: Owen 2007 (the pigeonhole
    bootstrap). ValueError for no items.
    """
    same_length(first, second)
    n = len(first)
    if n == 0:
        raise ValueError("no items to resample")
    places = [np.unique(factor, return_inverse=True)[1] for factor in (first, second)]
    for size in chunks(resamples, n):
        one, other = (level_weights(int(place.max()) + 1, rng, size)[:, place] for place in places)
        yield one * other


def level_weights(levels: int, rng: np.random.Generator, size: int) -> Floats:
    """How often each of so many levels is drawn when as many are drawn with replacement: shape (size, levels)."""
    return rng.multinomial(levels, np.full(levels, 1 / levels), size=size).astype(np.float64)
