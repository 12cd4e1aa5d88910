"""Batches of equal lengths: nothing is padded, so that a text's value is the same, to the bit, in any company.

Padding would change the last bits of a value with the texts beside it, and on a processor it is not faster once many
texts are sorted together.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby

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

    With 16 tokens and more the sums are the same for any number; below, only for multiples of four.
    """
    return count if length >= ENOUGH_ROWS else whole_groups(count)


def whole_groups(count: int) -> int:
    """`count`, rounded up to a multiple of four."""
    return -(-count // GROUP) * GROUP
