"""What a known outside layout is: released files whose columns this program understands without being told."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from core.jobs import JobContext
from core.tables.read import Duplicates
from core.tables.rows import TableRead


class ReadFormat(Protocol):
    def __call__(
        self,
        path: Path,
        encoding: str | None,
        *,
        extra: Mapping[str, str],
        duplicates: Duplicates,
        ctx: JobContext | None,
    ) -> TableRead:
        """Read a file; `extra`: further fields of the table's kind → their columns, beside those the layout brings."""


@dataclass(frozen=True)
class KnownFormat:
    """`kind`: the kind of table (see study_fields.toml). `fits`: can a file with these columns be of this format?

    `brings`: the fields that it always fills, which therefore cannot be mapped.
    """

    name: str
    title: str
    kind: str
    fits: Callable[[Collection[str]], bool]
    read: ReadFormat
    brings: tuple[str, ...]
