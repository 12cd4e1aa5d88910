"""Reading parquet, batch by batch. Every value becomes plain text."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import AppError
from core.jobs import JobContext
from core.tables.encoding import Encoding, misfit
from core.tables.rows import Fault, RawRow, excerpt
from core.tables.typed_cells import plain_text

BATCH_ROWS = 2000
ENCRYPTED = b"PARE"


@dataclass(frozen=True)
class ParquetFile:
    """A parquet file whose columns are known; those that hold lists or mappings are left out, and told of."""

    path: Path
    encoding: Encoding
    columns: tuple[str, ...]

    @classmethod
    def open(cls, path: Path) -> "ParquetFile":
        """Read the schema. Raises `AppError` for what is no parquet file, is encrypted or broken, or has only lists."""
        with _opened(path) as file:
            schema = file.schema_arrow
            nested = [field.name for field in schema if not _is_plain(field.type)]
            columns = tuple(field.name for field in schema if _is_plain(field.type))
        listed = ", ".join(f"“{name}”" for name in nested)
        if not columns:
            message = f"No column of “{path.name}” holds plain values."
            message += f" Lists or mappings: {listed}." if nested else ""
            raise AppError(message, hint="Each row needs its text in a column of its own.")
        notice = f"Columns with lists or mappings were left out: {listed}." if nested else ""
        return cls(path, Encoding("utf-8", notice=notice), columns)

    def rows(self, wanted: Sequence[str], ctx: JobContext | None = None) -> Iterator[RawRow]:
        """Every row with the wanted columns as text ("" for null)."""
        number = 0
        with _opened(self.path) as file:
            total = file.metadata.num_rows
            for batch in file.iter_batches(BATCH_ROWS, columns=list(dict.fromkeys(wanted)), use_threads=False):
                if ctx:
                    ctx.check()
                    ctx.report(number, total, note=f"reading {self.path.name}")
                places = [batch.schema.get_all_field_indices(column)[0] for column in wanted]
                texts = {place: _texts(batch.column(place)) for place in set(places)}
                for row in zip(*(texts[place] for place in places), strict=True):
                    number += 1
                    yield self._row(number, row)

    def _row(self, number: int, cells: tuple[str, ...]) -> RawRow:
        for cell in cells:
            if why := misfit(cell, self.encoding):
                return RawRow(number, number, fault=Fault("wrong encoding", why, excerpt(cell)))
        return RawRow(number, number, cells)


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """The opened file. What the library says of a broken one becomes one sentence."""
    from pyarrow import ArrowException
    from pyarrow.parquet import ParquetFile as Reader

    with path.open("rb") as stream:
        if stream.read(len(ENCRYPTED)) == ENCRYPTED:
            raise AppError(f"“{path.name}” is encrypted.", hint="Save it without encryption, or as csv in UTF-8.")
        stream.seek(0)
        try:
            with Reader(stream) as file:
                yield file
        except (ArrowException, OSError) as error:
            if isinstance(error, OSError) and error.errno is not None:
                raise  # of the drive, not of what is in the file
            hint = "Check that it was saved or copied completely, or save it as csv in UTF-8."
            raise AppError(f"“{path.name}” is broken, or not a parquet file.", hint=hint, details=str(error)) from error


def _is_plain(kind: Any) -> bool:
    import pyarrow.types

    if pyarrow.types.is_dictionary(kind):
        return _is_plain(kind.value_type)
    return not (pyarrow.types.is_nested(kind) or isinstance(kind, pyarrow.BaseExtensionType))


def _texts(column: Any) -> list[str]:
    import pyarrow
    import pyarrow.types

    kind = column.type
    if pyarrow.types.is_dictionary(kind):
        return _texts(column.dictionary_decode())
    if pyarrow.types.is_float32(kind) or pyarrow.types.is_float16(kind):
        # Shortest in their own precision: 0.1, not 0.10000000149011612.
        return [plain_text(None if value is None else float(value)) for value in column.cast("string").to_pylist()]
    if pyarrow.types.is_temporal(kind) and getattr(kind, "unit", "") == "ns":
        column = column.cast(_in_microseconds(kind), safe=False)  # Python's own types hold no nanoseconds
    try:
        values = column.to_pylist()
    except UnicodeDecodeError:
        values = column.cast(pyarrow.large_binary()).to_pylist()
    return [plain_text(value) for value in values]


def _in_microseconds(kind: Any) -> Any:
    import pyarrow
    import pyarrow.types

    if pyarrow.types.is_timestamp(kind):
        return pyarrow.timestamp("us", kind.tz)
    return pyarrow.duration("us") if pyarrow.types.is_duration(kind) else pyarrow.time64("us")
