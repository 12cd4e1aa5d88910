"""Balanced incomplete blocks: more identities than a comparison shows, drawn two or three at a time.

Every two should meet equally often. Where texts are missing, or the number does not work out, they differ by as little
as a greedy choice finds; the same seed gives the same blocks.
"""

import random
from collections.abc import Collection, Sequence
from itertools import combinations
from math import ceil

import numpy as np

Block = tuple[str, ...]


def balanced_blocks(
    present: Sequence[Collection[str]],
    identities: Sequence[str],
    size: int,
    wanted: int | None,
    rng: random.Random,
) -> list[tuple[int, Block]]:
    """Blocks of `size` identities, each with the place of the cell that it is of, in the order in which they are drawn.

    present: the identities that have a text in each cell (a prompt, say); cells are used in this order, again and
    again, and none gives a block twice. wanted: how many blocks at most; None: from each cell as many as show all of
    its texts about once.
    """
    blocks = list(combinations(identities, size))
    place = {pair: at for at, pair in enumerate(combinations(identities, 2))}
    meets = np.array([[place[pair] for pair in combinations(block, 2)] for block in blocks])
    number = {identity: at for at, identity in enumerate(identities)}
    members = np.array([[number[one] for one in block] for block in blocks])
    met, shown = np.zeros(len(place), dtype=np.int64), np.zeros((len(present), len(identities)), dtype=np.int64)
    free = [np.array([set(block) <= set(there) for block in blocks]) for there in present]
    quota = [ceil(len(set(there)) / size) if wanted is None else len(blocks) for there in present]
    found: list[tuple[int, Block]] = []
    while any(left and many.any() for left, many in zip(quota, free, strict=True)):
        for cell, open_ones in enumerate(free):
            if wanted is not None and len(found) >= wanted:
                return found
            if not quota[cell] or not open_ones.any():
                continue
            # First the pairs that met least, then the texts of this cell that were shown least.
            cost = met[meets].sum(axis=1) * (size * len(blocks) + 1) + shown[cell][members].sum(axis=1)
            least = np.flatnonzero(open_ones & (cost == cost[open_ones].min()))
            chosen = int(least[rng.randrange(len(least))])
            met[meets[chosen]] += 1
            shown[cell, members[chosen]] += 1
            open_ones[chosen] = False
            quota[cell] -= 1
            found.append((cell, blocks[chosen]))
    return found


def meetings(blocks: Sequence[Collection[str]], identities: Sequence[str]) -> tuple[int, int]:
    """How often the two that met least, and those that met most, are in one block."""
    counts = [sum(set(pair) <= set(block) for block in blocks) for pair in combinations(identities, 2)]
    return min(counts), max(counts)
