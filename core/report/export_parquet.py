"""Rows to parquet. A column's type is known only after its last row, so rows wait in a temporary file until then."""

import pickle
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import IO, Any, BinaryIO

from core.report.export_cells import Cell, Tally, cell_text, without_surrogates

BATCH_ROWS = 2000
EXACT_IN_FLOAT = 2**53
INT64 = range(-(2**63), 2**63)


def write_parquet(file: BinaryIO, columns: Sequence[str], rows: Iterable[list[Cell]], tally: Tally) -> None:
    """Write rows in batches. Numbers keep their type; a column that holds more than one kind becomes text."""
    import pyarrow
    from pyarrow.parquet import ParquetWriter

    names = {"bool": pyarrow.bool_(), "int": pyarrow.int64(), "float": pyarrow.float64(), "text": pyarrow.string()}
    with tempfile.TemporaryFile(dir=Path(file.name).parent) as waiting:
        kinds = _put_aside(waiting, len(columns), rows, tally)
        types = [_column_type(found) for found in kinds]
        schema = pyarrow.schema([(column, names[kind]) for column, kind in zip(columns, types, strict=True)])
        with ParquetWriter(file, schema) as writer:
            for batch in _take_back(waiting):
                data = [
                    [_as(kind, value) for value in cells]
                    for kind, cells in zip(types, zip(*batch, strict=True), strict=True)
                ]
                arrays = [pyarrow.array(cells, type=kind) for cells, kind in zip(data, schema.types, strict=True)]
                writer.write_batch(pyarrow.record_batch(arrays, schema=schema))


def _put_aside(waiting: IO[bytes], width: int, rows: Iterable[list[Cell]], tally: Tally) -> list[set[str]]:
    """Write the rows to `waiting`, and say which kinds of values each column holds."""
    kinds: list[set[str]] = [set() for _ in range(width)]
    source = iter(rows)
    while batch := list(islice(source, BATCH_ROWS)):
        for row in batch:
            for place, value in enumerate(row):
                if isinstance(value, str):
                    row[place] = without_surrogates(value, tally)
                kinds[place].add(_kind(value))
        pickle.dump(batch, waiting)
    return [found - {""} for found in kinds]


def _take_back(waiting: IO[bytes]) -> Iterator[list[list[Cell]]]:
    waiting.seek(0)
    while True:
        try:
            yield pickle.load(waiting)
        except EOFError:
            return


def _kind(value: Cell) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int):
        return "int" if abs(value) <= EXACT_IN_FLOAT else "long" if value in INT64 else "text"
    return "float" if isinstance(value, float) else "text"


def _column_type(kinds: set[str]) -> str:
    if kinds == {"bool"}:
        return "bool"
    if kinds and kinds <= {"int", "long"}:
        return "int"
    # A long whole number would lose digits among floats.
    return "float" if kinds and kinds <= {"int", "float"} else "text"


def _as(kind: str, value: Cell) -> Any:
    if value is None:
        return None
    if kind == "text":
        return cell_text(value)
    return float(value) if kind == "float" else value
