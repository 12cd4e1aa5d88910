"""Known outside layouts, one module each; this is the door to them."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from core.errors import UsageError
from core.jobs import JobContext
from core.tables.formats import kamruzzaman, kumar, wan
from core.tables.formats.known import KnownFormat
from core.tables.read import Duplicates
from core.tables.rows import TableRead
from core.tables.study_fields import fields_of


@cache
def known_formats() -> Mapping[str, KnownFormat]:
    """The formats by name."""
    return {known.name: known for known in (wan.FORMAT, kamruzzaman.FORMAT, kumar.FORMAT)}


def known_format(name: str) -> KnownFormat:
    """The format called `name`. Raises `UsageError` that says which there are."""
    found = known_formats().get(name)
    if found is None:
        raise UsageError(f"There is no format “{name}”.", hint=f"Formats: {', '.join(known_formats())}.")
    return found


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
