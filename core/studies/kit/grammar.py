"""A small grammar: a text with {slots}, each filled from a pool of texts that may have slots themselves.

`{act}` is the first entry of the pool "act" in this text's random order, `{act2}` the second, and so on, so that
nothing is said twice by accident. A slot with a capital, `{Act}`, begins with a capital letter. Values that are fixed
for a text (a name, the theme) are slots as well and win over pools.

Draws are the same on every platform and in every version of Python: only `random.Random.random` is promised to stay
the same for a seed, so nothing else of that class is used.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import TypeVar

from biasprint.core.prompts.template import Template

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


# ---- Grammar

Pools = Mapping[str, Sequence[Template]]


class Slots(Mapping[str, str]):
    """The slots of one text. Each is filled once and keeps its value for the whole text."""

    def __init__(
        self, draw: Draw, values: Mapping[str, str], *pools: Pools, habit: Draw | None = None, freedom: float = 1.0
    ) -> None:
        """`pools` are searched in order; the first that has the name is taken.

        With a `habit`, a pool has an order that belongs to the habit, and only with probability `freedom` one of this
        text's own: texts of one habit are alike without being the same.
        """
        self._draw = draw
        self._habit = habit
        self._freedom = freedom
        self._values = dict(values)
        self._pools = pools
        self._orders: dict[str, list[Template]] = {}

    def __getitem__(self, slot: str) -> str:
        if slot in self._values:
            return self._values[slot]
        small = slot[0].lower() + slot[1:]
        filled = self._entry(slot).render(self) if slot == small else capitalised(self[small])
        self._values[slot] = filled
        return filled

    def __iter__(self) -> Iterator[str]:
        yield from self._values
        for pool in self._pools:
            yield from pool

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _entry(self, slot: str) -> Template:
        name = slot.rstrip("0123456789")
        number = int(slot[len(name) :] or 1)
        if name not in self._orders:
            entries = next((pool[name] for pool in self._pools if name in pool), None)
            if entries is None:
                raise KeyError(slot)
            habit = None if self._habit is None or self._draw.chance(self._freedom) else self._habit.of(name)
            self._orders[name] = (habit or self._draw).shuffled(entries)
        order = self._orders[name]
        if number > len(order):
            raise KeyError(slot)
        return order[number - 1]


def capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]


def pools(data: Mapping[str, Sequence[str]]) -> dict[str, tuple[Template, ...]]:
    """Pools of parsed templates from plain data."""
    return {name: tuple(Template(text) for text in texts) for name, texts in data.items()}
