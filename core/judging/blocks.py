"""Balanced incomplete blocks: more identities than a comparison shows, drawn two or three at a time.

Every two should meet equally often. Where texts are missing, or the number does not work out, they differ by as little
as a greedy choice finds; the same seed gives the same blocks.
"""

import random
from collections.abc import Collection, Iterable, Sequence
from itertools import combinations
from math import ceil

import numpy as np

from biasprint.core.project.rows import ComparisonRow, TextKey

Block = tuple[str, ...]
AHEAD = 20  # cells that are looked at for a better balance


def balanced_blocks(
    present: Sequence[Collection[str]],
    identities: Sequence[str],
    size: int,
    wanted: int | None,
    rng: random.Random,
) -> list[tuple[int, Block]]:
    """Draw blocks of `size` identities, each with the place of the cell that it is of, in the order in which they are
    drawn.

    present: the identities that have a text in each cell (a prompt, say); cells are used in this order, again and
    again, and none gives a block twice. wanted: how many blocks at most; None: from each cell as many as show all of
    its texts about once.
    """
    blocks = list(combinations(identities, size))
    place = {pair: at for at, pair in enumerate(combinations(identities, 2))}
    meets = np.array([[place[pair] for pair in combinations(block, 2)] for block in blocks])
    number = {identity: at for at, identity in enumerate(identities)}
    members = np.array([[number[position] for position in block] for block in blocks])
    met, shown = np.zeros(len(place), dtype=np.int64), np.zeros((len(present), len(identities)), dtype=np.int64)
    free = [np.array([set(block) <= set(texts) for block in blocks]) for texts in present]
    quota = [ceil(len(set(texts)) / size) if wanted is None else len(blocks) for texts in present]
    drawn_blocks: list[tuple[int, Block]] = []
    waiting: list[int] = []
    while wanted is None or len(drawn_blocks) < wanted:
        waiting = waiting or [cell for cell, many in enumerate(quota) if many and free[cell].any()]
        if not waiting:
            break
        # First the pairs that met least. A cell whose own least are no such pairs lets another go before it.
        together = met[meets].sum(axis=1)
        near = waiting[:AHEAD]
        cell = next((position for position in near if together[free[position]].min() == together.min()), waiting[0])
        cost = together * (size * len(blocks) + 1) + shown[cell][members].sum(axis=1)
        least = np.flatnonzero(free[cell] & (cost == cost[free[cell]].min()))
        chosen = int(least[rng.randrange(len(least))])
        met[meets[chosen]] += 1
        shown[cell, members[chosen]] += 1
        free[cell][chosen] = False
        quota[cell] -= 1
        waiting.remove(cell)
        drawn_blocks.append((cell, blocks[chosen]))
    return drawn_blocks


def text_blocks(rows: Iterable[ComparisonRow]) -> dict[str, str]:
    """Map each comparison to the first of those that share a text with it, directly or through others."""
    first: dict[TextKey, str] = {}
    parent: dict[str, str] = {}

    def root(node: str) -> str:
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    for row in rows:
        parent[row.id] = row.id
        for item in row.items:
            parent[root(row.id)] = root(first.setdefault(item.key, row.id))
    return {node: root(node) for node in parent}


def meetings(blocks: Sequence[Collection[str]], identities: Sequence[str]) -> tuple[int, int]:
    """Return how often the two that met least, and those that met most, are in one block."""
    counts = [sum(set(pair) <= set(block) for block in blocks) for pair in combinations(identities, 2)]
    return min(counts), max(counts)
