"""Texts in batches of equal length, for models that torch computes.

Only texts of equal length share a batch and nothing is padded, so that a text's value is the same, to the bit, in any
company. Padding would change the last bits of a value with the texts beside it, and on a processor it is not faster
once many texts are sorted together.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby

from biasprint.core.machine.processor import keep_sums_alike

keep_sums_alike()  # before whatever imports this module computes with torch

BATCH = 16  # larger ones are slower on a processor
# The kernels of matrix products treat rows that do not fill a group of four otherwise, unless there are many.
GROUP = 4
ENOUGH_ROWS = 16


def batches(lengths: Sequence[int], most: int = BATCH) -> Iterator[list[int]]:
    """Places of equal length, at most `most` at a time, the shortest first; every place once."""
    by_length = sorted(range(len(lengths)), key=lambda place: lengths[place])
    for _, group in groupby(by_length, key=lambda place: lengths[place]):
        equal = list(group)
        for start in range(0, len(equal), most):
            yield equal[start : start + most]


def filled(count: int, length: int) -> int:
    """How many sequences of this length to compute for `count`: the last is repeated where few tokens are computed.

    Sequences of 16 tokens and more have the same sums in any number; shorter ones in multiples of four that have 16
    tokens together. Four single words with their two marks are 12, and had others than eight of them.
    """
    return count if length >= ENOUGH_ROWS else whole_groups(max(count, -(-ENOUGH_ROWS // length)))


def whole_groups(count: int) -> int:
    """`count`, rounded up to a multiple of four."""
    return -(-count // GROUP) * GROUP
