"""The order of the cards: fixed per rater and comparison; a rater cannot derive it.

A plan has a key of 128 random bits, which stays in the project. Each comparison's order is drawn by it alone, whatever
its neighbours have: whoever recognises some comparisons learns nothing about the others, and no seed can be guessed. A
rater's number turns every row by one: raters 1 to k see each identity once in each position of every comparison, and
raters k + 1 to 2k see the mirror image.
"""

import hashlib
import hmac
import random
import re
from array import array
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

from biasprint.core.project.rows import ORDER_KEY, ComparisonRow, PlanRow

_NUMBERED = re.compile(r"(\d{1,9})\D*$")


def rater_number(code: str) -> int:
    """Return the number in a code such as "R07" or "rater 7", so that numbered raters are balanced exactly; else a
    hash.
    """
    numbered = _NUMBERED.search(code)
    return int(numbered[1]) if numbered else stable_hash("rater", code)


def stable_hash(*parts: str) -> int:
    """Return a hash that is the same on every machine, unlike `hash`."""
    return int.from_bytes(hashlib.sha256("\x1f".join(parts).encode("utf-8", "surrogatepass")).digest()[:8], "big")


def order_key(plan: PlanRow) -> str:
    """Return the plan's key; "" for a plan that was drawn before plans had one, whose orders follow from its seed."""
    return str(plan.settings.get(ORDER_KEY, ""))


def secret_of(plan: PlanRow) -> str:
    """Return the secret from which everything is drawn that differs between the raters of a plan."""
    return order_key(plan) or str(plan.seed)


def drawn_number(key: str, *parts: str) -> int:
    """Return a number of 256 bits that only whoever has the key can work out (HMAC-SHA-256)."""
    message = "\x1f".join(parts).encode("utf-8", "surrogatepass")
    return int.from_bytes(hmac.digest(key.encode("ascii"), message, "sha256"), "big")


class CardOrder:
    """Card orders of one plan for one rater; `of` gives item indexes in the order shown."""

    def __init__(self, comparisons: Sequence[ComparisonRow], *, plan: PlanRow, rater_code: str) -> None:
        self._key, self._seed = order_key(plan), plan.seed
        self._rater = rater_number(rater_code) - 1  # rater 1 sees the plan unturned
        self._rows = comparisons
        self._index = {row.id: index for index, row in enumerate(comparisons)}
        self._places = array("q", bytes(0 if self._key else 8 * len(comparisons)))
        if not self._key:
            self._number_places()

    def _number_places(self) -> None:
        """Number each comparison among those of the same identities, in a plan without a key; -1 for a repeat."""
        sizes: defaultdict[tuple[str, ...], int] = defaultdict(int)
        for row in _in_plan_order(self._rows):
            place = -1
            if not self._repeats(row):
                group = _group(row)
                place, sizes[group] = sizes[group], sizes[group] + 1
            self._places[self._index[row.id]] = place

    def of(self, comparison_id: str) -> tuple[int, ...]:
        """Return the item indexes of the comparison, in the order of the cards for this rater."""
        index = self._index[comparison_id]
        row = self._rows[index]
        if not row.axis:  # in a packet: its cards stand as they were laid out for its rater
            return tuple(range(len(row.items)))
        if not self._repeats(row):
            # Items by identity, so that the order they were stored in decides nothing.
            items = sorted(range(len(row.items)), key=lambda item: (row.items[item].identity, item))
            return self._drawn(row, items) if self._key else self._in_blocks(row, items, self._places[index])
        assert row.repeat_of is not None
        return self._swapped(row, self._rows[self._index[row.repeat_of]])

    def _repeats(self, row: ComparisonRow) -> bool:
        return row.repeat_of is not None and row.repeat_of in self._index

    def _drawn(self, row: ComparisonRow, items: list[int]) -> tuple[int, ...]:
        """Draw an order for this comparison alone, each equally likely, turned by the rater's number."""
        random.Random(drawn_number(self._key, "cards", row.id)).shuffle(items)
        return self._turned(items, self._rater, self._rater // len(items))

    def _in_blocks(self, row: ComparisonRow, items: list[int], place: int) -> tuple[int, ...]:
        """Return the order in plans without a key: Latin squares of k comparisons, shuffled by the seed, every other
        mirrored.
        """
        size = len(items)
        block, within = divmod(place, size)
        turns = random.Random(stable_hash(str(self._seed), *_group(row), str(block))).sample(range(size), size)
        return self._turned(items, turns[within] + self._rater, block + self._rater // size)

    @staticmethod
    def _turned(items: list[int], turn: int, mirror: int) -> tuple[int, ...]:
        turn %= len(items)
        turned = items[turn:] + items[:turn]
        return tuple(reversed(turned)) if len(items) > 2 and mirror % 2 else tuple(turned)

    def _swapped(self, row: ComparisonRow, original: ComparisonRow) -> tuple[int, ...]:
        """Move every output to another place: two cards swap sides, three move on by one or two."""
        shown = [original.items[index].key for index in self.of(original.id)]
        if self._key:
            number = drawn_number(self._key, "repeat", row.id)
        else:
            number = stable_hash(str(self._seed), "repeat", row.id)
        turn = 1 + number % (len(shown) - 1)
        index_of = {item.key: index for index, item in enumerate(row.items)}
        return tuple(index_of[key] for key in shown[turn:] + shown[:turn])


def _group(row: ComparisonRow) -> tuple[str, ...]:
    return (row.axis, *sorted(item.identity for item in row.items))


def _in_plan_order(rows: Sequence[ComparisonRow]) -> Sequence[ComparisonRow]:
    ordered = all(earlier.position <= other.position for earlier, other in pairwise(rows))
    return rows if ordered else sorted(rows, key=lambda row: row.position)
