"""Products of matrices on several cores: each core does a whole group of texts, and none waits for another.

numpy's own threads share every single product. For products of a few hundred rows they mostly wait for each other, and
use the processor while they wait: half as much again for the same letters.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import cache
from typing import TYPE_CHECKING, TypeVar

from biasprint.core.machine.processor import cores

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

Given = TypeVar("Given")
Found = TypeVar("Found")


def side_by_side(compute: Callable[[Given], Found], groups: Sequence[Given]) -> Iterator[Found]:
    """What `compute` makes of each, in order; meanwhile a product of matrices has one thread."""
    with one_thread():
        yield from map(compute, groups) if len(groups) < 2 or threads() < 2 else _workers().map(compute, groups)


def one_thread() -> AbstractContextManager[object]:
    """Within it a product of matrices has one thread."""
    limited: AbstractContextManager[object] = _libraries().limit(limits=1, user_api="blas")
    return limited


@cache
def threads() -> int:
    """As many as this process was told to have, else as there are cores for it."""
    told = os.environ.get("OMP_NUM_THREADS", "")
    return int(told) if told.isdigit() and int(told) else cores()


@cache
def _workers() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads(), thread_name_prefix="matrices")


@cache
def _libraries() -> "ThreadpoolController":
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
