"""Known outside layouts, one module each; this is the door to them."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Protocol

from biasprint.core.errors import UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.tables.fields import fields_of
from biasprint.core.tables.read import Duplicates
from biasprint.core.tables.rows import TableRead


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


_FORMATS = ("wan", "kamruzzaman", "kumar")  # modules here that take `KnownFormat` from this one and give a FORMAT


@cache
def known_formats() -> Mapping[str, KnownFormat]:
    """The formats by name."""
    return {name: import_module(f"{__name__}.{name}").FORMAT for name in _FORMATS}


def known_format(name: str) -> KnownFormat:
    """The format called `name`. Raises `UsageError` that says which there are."""
    known = known_formats().get(name)
    if known is None:
        raise UsageError(f"There is no format “{name}”.", hint=f"Formats: {', '.join(known_formats())}.")
    return known


def read_format(
    path: Path | str,
    name: str,
    encoding: str | None = None,
    *,
    extra: Mapping[str, str] | None = None,
    duplicates: Duplicates = "report",
    ctx: JobContext | None = None,
) -> TableRead:
    """Read a file of a known format; `extra`: further fields → their columns.

    Raises `UsageError` for an unknown format and for a field that it brings itself or that its kind of table does not
    have, `AppError` where the file has none of its layouts or no usable row.
    """
    known = known_format(name)
    for field in extra or {}:
        if field in known.brings:
            raise UsageError(f"The format {name} brings its own column for {field}.", hint=f"Leave --map {field} out.")
        if field not in (names := [spec.name for spec in fields_of(known.kind)]):
            raise UsageError(f"There is no field “{field}”.", hint=f"Fields: {', '.join(names)}.")
    return known.read(Path(path), encoding, extra=extra or {}, duplicates=duplicates, ctx=ctx)
