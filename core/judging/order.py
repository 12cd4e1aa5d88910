"""The order of the cards: fixed per rater and comparison, counterbalanced over identities, positions and raters.

Comparisons of the same identities are taken in plan order in blocks of k, k being the number of cards. A block is a
Latin square: each identity stands once in each position. Which comparison of the block gets which row is shuffled by
the plan's seed, and squares alternate with their mirror image, so that neighbours are balanced as well. A rater's
number turns every row of the plan by one: raters 1 to k see each identity once in each position of every comparison,
and raters k + 1 to 2k see the mirror image.
"""

import hashlib
import random
import re
from array import array
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

from core.project.rows import ComparisonRow

_NUMBERED = re.compile(r"(\d{1,9})\D*$")


def rater_number(code: str) -> int:
    """The number in a code such as "R07" or "rater 7", so that numbered raters are balanced exactly; else a hash."""
    numbered = _NUMBERED.search(code)
    return int(numbered[1]) if numbered else _hash("rater", code)


class CardOrder:
    """Card orders of one plan for one rater; `of` gives item indexes in the order shown."""

    def __init__(self, comparisons: Sequence[ComparisonRow], *, seed: int, rater_code: str) -> None:
        self._seed = seed
        self._rater = rater_number(rater_code) - 1  # rater 1 sees the plan unturned
        self._rows = comparisons
        self._index = {row.id: index for index, row in enumerate(comparisons)}
        # Where each comparison stands among those of the same identities; -1 for one that repeats another.
        self._places = array("q", bytes(8 * len(comparisons)))
        sizes: defaultdict[tuple[str, ...], int] = defaultdict(int)
        for row in _in_plan_order(comparisons):
            place = -1
            if row.repeat_of is None or row.repeat_of not in self._index:
                group = _group(row)
                place, sizes[group] = sizes[group], sizes[group] + 1
            self._places[self._index[row.id]] = place

    def of(self, comparison_id: str) -> tuple[int, ...]:
        """Item indexes of the comparison, in the order of the cards for this rater."""
        index = self._index[comparison_id]
        row = self._rows[index]
        if not row.axis:  # in a packet: its cards stand as they were laid out for its rater
            return tuple(range(len(row.items)))
        if self._places[index] >= 0:
            return self._original(row, self._places[index])
        assert row.repeat_of is not None
        return self._swapped(row, self._rows[self._index[row.repeat_of]])

    def _original(self, row: ComparisonRow, place: int) -> tuple[int, ...]:
        # Items by identity, so that the order they were stored in decides nothing.
        items = sorted(range(len(row.items)), key=lambda index: (row.items[index].identity, index))
        size = len(items)
        block, within = divmod(place, size)
        rng = random.Random(_hash(str(self._seed), *_group(row), str(block)))
        turns = rng.sample(range(size), size)
        turn = (turns[within] + self._rater) % size
        turned = items[turn:] + items[:turn]
        mirrored = size > 2 and (block + self._rater // size) % 2 == 1
        return tuple(reversed(turned)) if mirrored else tuple(turned)

    def _swapped(self, row: ComparisonRow, original: ComparisonRow) -> tuple[int, ...]:
        """No output stands where it stood the first time: two cards swap sides, three move on by one or two."""
        shown = [original.items[index].key for index in self.of(original.id)]
        turn = 1 + _hash(str(self._seed), "repeat", row.id) % (len(shown) - 1)
        index_of = {item.key: index for index, item in enumerate(row.items)}
        return tuple(index_of[key] for key in shown[turn:] + shown[:turn])


def _group(row: ComparisonRow) -> tuple[str, ...]:
    return (row.axis, *sorted(item.identity for item in row.items))


def _in_plan_order(rows: Sequence[ComparisonRow]) -> Sequence[ComparisonRow]:
    ordered = all(one.position <= other.position for one, other in pairwise(rows))
    return rows if ordered else sorted(rows, key=lambda row: row.position)


def _hash(*parts: str) -> int:
    """The same number on every machine, which `hash` is not."""
    return int.from_bytes(hashlib.sha256("\x1f".join(parts).encode("utf-8", "surrogatepass")).digest()[:8], "big")
