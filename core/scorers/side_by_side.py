"""Products of matrices on several cores: each core does a whole group of texts, and none waits for another.

numpy's own threads share every single product. For products of a few hundred rows they mostly wait for each other, and
use the processor while they wait: half as much again for the same letters.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

Given = TypeVar("Given")
Found = TypeVar("Found")


def side_by_side(compute: Callable[[Given], Found], groups: Sequence[Given]) -> Iterator[Found]:
    """What `compute` makes of each, in order; meanwhile a product of matrices has one thread."""
    with _libraries().limit(limits=1, user_api="blas"):
        yield from map(compute, groups) if len(groups) < 2 or cores() < 2 else _workers().map(compute, groups)


@cache
def cores() -> int:
    """How many this process may use: as many threads as it was told to have, else as there are."""
    told = os.environ.get("OMP_NUM_THREADS", "")
    return int(told) if told.isdigit() and int(told) else os.cpu_count() or 1


@cache
def _workers() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(cores(), thread_name_prefix="matrices")


@cache
def _libraries() -> "ThreadpoolController":
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
