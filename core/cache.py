"""A cache for values that are made in batches, which `functools.lru_cache` cannot hold."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import islice
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class BatchCache(Generic[Key, Value]):
    """At most `size` values by key; those that were made first go first."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._values: dict[Key, Value] = {}

    def get(self, keys: Sequence[Key], make: Callable[[list[Key]], Iterable[Value]]) -> list[Value]:
        """The values of `keys`, in their order. `make` is asked once for all that are not here, if there are any."""
        if new := [key for key in dict.fromkeys(keys) if key not in self._values]:
            self._values.update(zip(new, make(new), strict=True))
        values = [self._values[key] for key in keys]
        # All at once: to look for the first of a dictionary again and again takes the square of what was deleted.
        for key in list(islice(self._values, max(0, len(self._values) - self._size))):
            del self._values[key]
        return values
