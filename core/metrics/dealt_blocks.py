"""Blocks of a pair dealt anew to its two sides: what a comparison gives when the sides differ by chance alone."""

from collections.abc import Iterator

import numpy as np

from core.metrics.checks import finite, same_length
from core.metrics.resampling import chunks
from core.metrics.result import RESAMPLES, Bools, Floats, Ints

# A random number just below 1 times the blocks left must not round up to them: the last wanted ones would be missed.
BELOW_ONE = np.float32(1 - 2**-22)


def dealt_sums(
    values: Floats, first: Bools, unit: Ints, rng: np.random.Generator, resamples: int = RESAMPLES
) -> Iterator[Floats]:
    """Sums of `values` over the first side, the blocks of each unit dealt at random: chunks of shape (chunk, units, c).

    As many blocks go to each side as it had. `values`: per block, shape (b, c); `first`: is it on the first side;
    `unit`: the pair it belongs to, numbered from 0 without a gap; shapes (b,). The second side is the unit's total
    less the first. Drawn block after block by selection sampling (Knuth, Algorithm 3.4.2 S), all units at once, so that
    memory is that of the sums. ValueError for NaN.
    """
    same_length(values, first)
    same_length(values, unit)
    units = int(unit.max(initial=-1)) + 1
    columns = np.ascontiguousarray(finite(values).reshape(len(values), -1).T)
    sizes = np.bincount(unit, minlength=units)
    # Units with the most blocks first: at every step those that still have one stand in front.
    ranks = np.argsort(-sizes, kind="stable")
    rank_of = np.empty(units, dtype=np.int64)
    rank_of[ranks] = np.arange(units)
    wanted = np.bincount(unit, first, minlength=units)[ranks].astype(np.float32)
    order = np.argsort(rank_of[unit], kind="stable")
    starts = np.concatenate([[0], np.cumsum(sizes[ranks])[:-1]])
    for size in chunks(resamples, units * len(columns)):
        sums = np.zeros((len(columns), size, units))
        missing = np.broadcast_to(wanted, (size, units)).copy()
        for step in range(int(sizes.max(initial=0))):
            active = int((sizes > step).sum())
            left = (sizes[ranks[:active]] - step).astype(np.float32) * BELOW_ONE
            taken = rng.random((size, active), dtype=np.float32) * left < missing[:, :active]
            missing[:, :active] -= taken
            blocks = order[starts[:active] + step]
            for column, total in zip(columns, sums, strict=True):
                total[:, :active] += taken * column[blocks]
        yield np.moveaxis(sums[:, :, rank_of], 0, 2)
