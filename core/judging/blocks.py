"""Balanced incomplete blocks: more identities than a comparison shows, drawn two or three at a time.

Every two should meet equally often. Where texts are missing, or the number does not work out, they differ by as little
as a greedy choice finds; the same seed gives the same blocks.
"""

import random
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import ceil

import numpy as np

from biasprint.core.metrics.result import Floats, Ints
from biasprint.core.project.rows import ComparisonRow, TextKey

Block = tuple[str, ...]
AHEAD = 20  # cells that are looked at for a better balance
FLOOR = 0.25  # of the average number of cards, which every identity keeps in a plan of rounds
IMAGINARY = 1.0  # as in core/metrics/ranking.py: who was not compared yet has an uncertainty


@dataclass(frozen=True)
class Standing:
    """The state of a ranking from which the next round is chosen. `strengths`: log π by identity, shape (k,).

    `answers`: how many a comparison gets, which each new one is taken to get too. `open_pairs`: by number, those that
    are neither told apart nor as good as equal; none: every pair is of interest.
    """

    strengths: Sequence[float]
    answers: float = 1.0
    open_pairs: Collection[tuple[int, int]] = ()


class _Gain:
    """The information that a block adds to a ranking: Σ p (1 − p) Var(log π_i − log π_j) over its open pairs.

    That is, to first order, what it adds to the log determinant of the information of the strengths (D-optimality).
    Every other block is for the highest place that is still open: for its open pairs alone. An identity with fewer than
    `FLOOR` of the average number of cards comes first, so that none is forgotten.
    """

    def __init__(self, standing: Standing, identities: int, size: int) -> None:
        strengths = np.asarray(standing.strengths, dtype=np.float64)
        self._pairs = np.array(list(combinations(range(identities), 2)))
        first, second = self._pairs.T
        chance = 1 / (1 + np.exp(strengths[second] - strengths[first]))
        self._weight = chance * (1 - chance) * standing.answers
        of_interest = set(standing.open_pairs)
        self._open = np.array([not of_interest or tuple(pair) in of_interest for pair in self._pairs.tolist()])
        place = (-strengths).argsort().argsort()[self._pairs].min(axis=1)
        self._highest = self._open & (place == place[self._open].min())
        self._information = np.eye(identities) * IMAGINARY / 4 + 1 / identities
        self._cards, self._size = np.zeros(identities), size

    def add(self, met: Sequence[int], members: Sequence[int]) -> None:
        """Count a block that was drawn: the places of its pairs, and of its identities."""
        for place in met:
            first, second = self._pairs[place]
            step = np.zeros(len(self._information))
            step[[first, second]] = 1.0, -1.0
            self._information += self._weight[place] * np.outer(step, step)
        self._cards[np.asarray(members)] += 1

    def cost(self, meets: Ints, members: Ints, turn: int) -> Floats:
        """Return the cost of each block, smaller where it adds more. `meets`: the places of its pairs."""
        variance = np.linalg.inv(self._information)
        first, second = self._pairs.T
        spread = variance[first, first] + variance[second, second] - 2 * variance[first, second]
        gain = (np.where(self._highest if turn % 2 else self._open, self._weight * spread, 0.0))[meets].sum(axis=1)
        rare = self._cards < FLOOR * self._cards.mean()
        return np.asarray(-np.where(rare[members].any(axis=1), gain + 1e6, gain))


def balanced_blocks(
    present: Sequence[Collection[str]],
    identities: Sequence[str],
    size: int,
    wanted: int | None,
    rng: random.Random,
    before: Iterable[tuple[int, Block]] = (),
    standing: Standing | None = None,
) -> list[tuple[int, Block]]:
    """Draw blocks of `size` identities, each with the place of the cell that it is of, in the order in which they are
    drawn.

    present: the identities that have a text in each cell (a prompt, say); cells are used in this order, again and
    again, and none gives a block twice. wanted: how many blocks at most; None: from each cell as many as show all of
    its texts about once. before: the blocks of earlier rounds. standing: the ranking so far; then blocks are drawn by
    what they add to it (`_Gain`), else so that every two meet equally often.
    """
    blocks = list(combinations(identities, size))
    place = {pair: at for at, pair in enumerate(combinations(identities, 2))}
    meets = np.array([[place[pair] for pair in combinations(block, 2)] for block in blocks])
    number = {identity: at for at, identity in enumerate(identities)}
    members = np.array([[number[position] for position in block] for block in blocks])
    met, shown = np.zeros(len(place), dtype=np.int64), np.zeros((len(present), len(identities)), dtype=np.int64)
    free = [np.array([set(block) <= set(texts) for block in blocks]) for texts in present]
    quota = [ceil(len(set(texts)) / size) if wanted is None else len(blocks) for texts in present]
    gain = None if standing is None else _Gain(standing, len(identities), size)
    drawn_blocks: list[tuple[int, Block]] = []
    waiting: list[int] = []

    def take(cell: int, chosen: int) -> None:
        met[meets[chosen]] += 1
        shown[cell, members[chosen]] += 1
        free[cell][chosen] = False
        if gain is not None:
            gain.add(meets[chosen], members[chosen])

    at = {block: chosen for chosen, block in enumerate(blocks)}
    for cell, block in before:
        take(cell, at[tuple(sorted(block, key=number.__getitem__))])
    while wanted is None or len(drawn_blocks) < wanted:
        waiting = waiting or [cell for cell, many in enumerate(quota) if many and free[cell].any()]
        if not waiting:
            break
        # First the best pairs, those that met least. A cell that has none of them lets another go before it.
        cost = met[meets].sum(axis=1) if gain is None else gain.cost(meets, members, len(drawn_blocks))
        near = waiting[:AHEAD]
        cell = next((position for position in near if cost[free[position]].min() == cost.min()), waiting[0])
        least = np.flatnonzero(free[cell] & (cost == cost[free[cell]].min()))
        times = shown[cell][members[least]].sum(axis=1)
        least = least[times == times.min()]
        chosen = int(least[rng.randrange(len(least))])
        take(cell, chosen)
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
