"""How much nearer a vector lies to its own group than to the nearest other one."""

import numpy as np

from core.metrics.checks import finite
from core.metrics.result import Bools, Floats, Ints


def group_margins(vectors: Floats, group: Ints, blocks: Ints) -> tuple[Floats, Bools]:
    """cos(v, centroid of its own group) − largest cos(v, centroid of another), each vector left out of its centroid.

    `vectors`: shape (n, dimensions). `group`: 0 … k − 1, or −1 for a vector of no group, whose margin is the largest
    cos less the second largest. `blocks`: vectors of one block share a topic; its mean is taken off first. The second
    array says where a margin is defined: not where a group has no other vector, or there are fewer than two groups;
    it is 0 there. ValueError for NaN.
    """
    vectors = finite(vectors, "vectors")
    k = int(group.max(initial=-1)) + 1
    if k < 2:
        return np.zeros(len(group)), np.zeros(len(group), dtype=np.bool_)
    _, block = np.unique(blocks, return_inverse=True)
    totals = np.zeros((int(block.max()) + 1, vectors.shape[1]))
    np.add.at(totals, block, vectors)
    centred = vectors - (totals / np.bincount(block)[:, None])[block]
    sums = np.stack([centred[group == place].sum(axis=0) for place in range(k)])
    margins = np.empty(len(group))
    for place in range(-1, k):
        own = centred[group == place]
        others = own @ sums.T / _lengths(own, sums)
        if place >= 0:
            without = sums[place] - own
            mine = np.einsum("ij,ij->i", own, without) / (_norm(own) * _norm(without))
            margins[group == place] = mine - np.delete(others, place, axis=1).max(axis=1)
        else:
            ranked = np.sort(others, axis=1)
            margins[group == place] = ranked[:, -1] - ranked[:, -2]
    defined = np.isfinite(margins)
    return np.where(defined, margins, 0.0), defined


def _norm(rows: Floats) -> Floats:
    lengths = np.linalg.norm(rows, axis=1)
    return np.where(lengths > 0, lengths, np.nan)


def _lengths(rows: Floats, sums: Floats) -> Floats:
    return np.asarray(_norm(rows)[:, None] * _norm(sums)[None, :])
