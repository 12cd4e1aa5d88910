"""Seeded draws that are the same on every platform and in every version of Python.

Only `random.Random.random` is promised to stay the same for a seed, so nothing else of that class is used.
"""

import hashlib
from collections.abc import Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")


class Draw:
    """A stream of draws that depends on `parts` alone."""

    def __init__(self, *parts: object) -> None:
        self._parts = parts
        joined = "\x1f".join(str(part) for part in parts).encode("utf-8", "surrogatepass")
        self._random = Random(int.from_bytes(hashlib.sha256(joined).digest(), "big"))

    def of(self, name: str) -> "Draw":
        """A stream of its own for `name`, the same whatever has been drawn from this one."""
        return Draw(*self._parts, name)

    def chance(self, probability: float) -> bool:
        return self._random.random() < probability

    def one(self, items: Sequence[T]) -> T:
        return items[int(self._random.random() * len(items))]

    def between(self, low: int, high: int) -> int:
        """A whole number from `low` to `high`, both included."""
        return low + int(self._random.random() * (high - low + 1))

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """All items in random order (Fisher–Yates)."""
        order = list(items)
        for last in range(len(order) - 1, 0, -1):
            other = self.between(0, last)
            order[last], order[other] = order[other], order[last]
        return order
