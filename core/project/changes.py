"""The rows that a write changed, so that panels refresh only on what concerns them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

Key = int | str


@dataclass(frozen=True)
class Changes:
    """Keys of the rows that were written, by table."""

    rows: Mapping[str, frozenset[Key]] = field(default_factory=dict)

    @classmethod
    def to(cls, table: str, keys: Iterable[Key]) -> "Changes":
        return cls({table: frozenset(keys)})

    def __or__(self, other: "Changes") -> "Changes":
        tables = self.rows.keys() | other.rows.keys()
        return Changes({table: self.of(table) | other.of(table) for table in tables})

    def of(self, table: str) -> frozenset[Key]:
        return self.rows.get(table, frozenset())

    def touches(self, *tables: str) -> bool:
        return any(self.of(table) for table in tables)

    def number(self, table: str) -> int:
        """Return the key of the one row of `table` that was written, where keys are numbers."""
        (key,) = self.of(table)
        assert isinstance(key, int)
        return key

    def uuid(self, table: str) -> str:
        """Return the key of the one row of `table` that was written, where keys are UUIDs."""
        (key,) = self.of(table)
        assert isinstance(key, str)
        return key
