"""Temporary file for what a tally has to remember of each text, so that its memory does not grow with them.

A run of 10,000 letters left 20 MB of small objects in the window's process, and collecting garbage among them held it.
"""

import json
import sqlite3
import weakref
from collections.abc import Callable
from typing import Any, Generic, TypeVar

import numpy as np

from biasprint.core.errors import AppError
from biasprint.core.metrics.result import Floats

CACHE_KILOBYTES = 1_024  # below it nothing is written to a disk

Kept = TypeVar("Kept")


class NotKept(AppError):
    """Loss of what was to be remembered; whoever counts with it begins again."""


class Drawer:
    """The shelves of one tally, in a temporary database: SQLite removes its file as soon as it has opened it.

    Used by one thread at a time.
    """

    def __init__(self) -> None:
        self._shelves = 0
        self._connection = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        for line in (f"cache_size = -{CACHE_KILOBYTES}", "journal_mode = OFF", "synchronous = OFF"):
            self._connection.execute(f"PRAGMA {line}")
        self._connection.execute(
            "CREATE TABLE kept (shelf INTEGER, key TEXT, value TEXT, PRIMARY KEY (shelf, key)) WITHOUT ROWID"
        )
        weakref.finalize(self, self._connection.close)

    def shelf(self, pack: Callable[[Kept], Any], unpack: Callable[[Any], Kept]) -> "Shelf[Kept]":
        """Make a new shelf. `pack`: to what JSON can hold, `unpack`: its inverse."""
        self._shelves += 1
        return Shelf(self, self._shelves, pack, unpack)

    def run(self, statement: str, *values: object) -> Any:
        """Run a statement, and return its first row, if there is one. Raises `NotKept`."""
        try:
            return self._connection.execute(statement, values).fetchone()
        except sqlite3.Error as error:
            raise NotKept(
                "The live figures stopped: there is no room for them on the disk of temporary files.",
                kept="Texts, scores and judgments are in the project as before.",
                hint="Make room there, then open Charts again.",
                details=str(error),
            ) from error


class Shelf(Generic[Kept]):
    """A mapping whose values are copies: what was changed is put back. Keys: texts, numbers and tuples of them."""

    def __init__(self, drawer: Drawer, number: int, pack: Callable[[Kept], Any], unpack: Callable[[Any], Kept]) -> None:
        self._drawer, self._number, self._pack, self._unpack = drawer, number, pack, unpack

    def get(self, key: object) -> Kept | None:
        row = self._drawer.run("SELECT value FROM kept WHERE shelf = ? AND key = ?", self._number, json.dumps(key))
        return None if row is None else self._unpack(json.loads(row[0]))

    def __setitem__(self, key: object, value: Kept) -> None:
        packed = json.dumps(self._pack(value))
        self._drawer.run("INSERT OR REPLACE INTO kept VALUES (?, ?, ?)", self._number, json.dumps(key), packed)

    def __delitem__(self, key: object) -> None:
        self._drawer.run("DELETE FROM kept WHERE shelf = ? AND key = ?", self._number, json.dumps(key))


def rows_shelf(drawer: Drawer) -> Shelf[dict[Any, Floats]]:
    """Return a shelf for the rows of clusters whose groups are texts."""
    return drawer.shelf(
        lambda rows: {group: row.tolist() for group, row in rows.items()},
        lambda packed: {group: np.array(row) for group, row in packed.items()},
    )


class IdSet:
    """Numbers of rows, a bit for each up to the largest."""

    def __init__(self) -> None:
        self._bits = bytearray()

    def add(self, number: int) -> None:
        place, bit = divmod(number, 8)
        if place >= len(self._bits):
            self._bits.extend(bytes(place + 1 - len(self._bits)))
        self._bits[place] |= 1 << bit

    def __contains__(self, number: int) -> bool:
        place, bit = divmod(number, 8)
        return place < len(self._bits) and bool(self._bits[place] >> bit & 1)
