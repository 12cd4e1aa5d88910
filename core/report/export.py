"""Writing rows as csv, jsonl, xlsx or parquet, by the file's ending: whole, or not at all.

No exported cell is read as a formula. A csv cell that would be one gets an apostrophe in front, as does one that has
apostrophes before such a beginning already; `without_guard` takes it off again. (A spreadsheet that is told a wrong
separator cuts cells where it likes; xlsx is the format to give to people.) An xlsx cell is a string by type. jsonl and
parquet hold texts as they are. Where a format cannot hold a lone surrogate, it is escaped as in the project file.
"""

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

from core.errors import UsageError
from core.jobs import JobContext
from core.report.export_cells import (
    Cell,
    CutCell,
    Tally,
    cell_text,
    is_formula,
    json_value,
    plain_cell,
    with_guard,
    without_surrogates,
)
from core.report.export_parquet import write_parquet
from core.report.export_xlsx import write_xlsx
from core.report.whole_file import not_written, whole_file

Row = Mapping[str, Any]


@dataclass(frozen=True)
class ExportReport:
    """What was written: the rows, the cells that were cut (xlsx), and how many were guarded or escaped."""

    path: Path
    rows: int
    cut: tuple[CutCell, ...] = ()
    guarded: int = 0
    escaped: int = 0

    def notices(self) -> list[str]:
        """What a person should know about the file, a sentence each."""
        told = []
        if self.cut:
            first = self.cut[0]
            told.append(
                f"{len(self.cut)} texts were longer than a cell holds and were cut; the first is row {first.row}, "
                f"column {first.column} ({first.length:,} characters). Export as csv or parquet to have them whole."
            )
        if self.guarded:
            told.append(f"{self.guarded} cells that look like formulas were written so that they stay text.")
        if self.escaped:
            told.append(f"{self.escaped} cells held characters that this format cannot hold; they were escaped.")
        return told


def export_rows(
    rows: Iterable[Row],
    path: Path | str,
    columns: Sequence[str] | None = None,
    *,
    ctx: JobContext | None = None,
    total: int | None = None,
) -> ExportReport:
    """Write `rows` to `path`, replacing what was there only when everything is on the disk.

    `columns` (default: the keys of the first row) gives the order; a key that a row lacks is an empty cell. Raises
    `UsageError` for an ending that is not csv, jsonl, xlsx or parquet, `ValueError` for a key outside `columns`, and
    `AppError` where the file cannot be written.
    """
    target = Path(path)
    writer = WRITERS.get(target.suffix.lower())
    if writer is None:
        raise UsageError(f"“{target.name}” has no ending to export to.", hint=f"Endings: {', '.join(WRITERS)}.")
    source = iter(rows)
    first = next(source, None)
    names = list(columns if columns is not None else first or [])
    tally = Tally()
    counted = _counted(chain([] if first is None else [first], source), set(names), tally, ctx, total)
    try:
        with whole_file(target.resolve()) as file:
            writer(file, names, counted, tally)
    except OSError as error:
        raise not_written(target, error) from error
    return ExportReport(target, tally.rows, tuple(tally.cut), tally.guarded, tally.escaped)


def _counted(
    rows: Iterable[Row], names: set[str], tally: Tally, ctx: JobContext | None, total: int | None
) -> Iterator[Row]:
    for row in rows:
        tally.rows += 1
        if unknown := row.keys() - names:
            raise ValueError(f"row {tally.rows} has columns that were not announced: {sorted(unknown)}")
        if ctx:
            ctx.check()
            ctx.report(tally.rows, total)
        yield row


def _write_csv(file: BinaryIO, columns: Sequence[str], rows: Iterable[Row], tally: Tally) -> None:
    def safe(value: Cell) -> str:
        if not isinstance(value, str):
            return cell_text(value)
        tally.guarded += is_formula(value)
        return with_guard(without_surrogates(value, tally))

    text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    writer = csv.writer(text)
    writer.writerow([safe(column) for column in columns])
    writer.writerows([safe(cell) for cell in cells] for cells in _cells(columns, rows))
    text.detach()


def _write_jsonl(file: BinaryIO, columns: Sequence[str], rows: Iterable[Row], tally: Tally) -> None:
    for row in rows:
        value = {column: json_value(row.get(column)) for column in columns}
        try:
            line = json.dumps(value, ensure_ascii=False).encode("utf-8")
        except UnicodeEncodeError:
            line = json.dumps(value).encode("ascii")  # \udXXX escapes hold lone surrogates exactly
        file.write(line + b"\n")


def _cells(columns: Sequence[str], rows: Iterable[Row]) -> Iterator[list[Cell]]:
    return ([plain_cell(row.get(column)) for column in columns] for row in rows)


def _write_xlsx(file: BinaryIO, columns: Sequence[str], rows: Iterable[Row], tally: Tally) -> None:
    write_xlsx(file, columns, _cells(columns, rows), tally)


def _write_parquet(file: BinaryIO, columns: Sequence[str], rows: Iterable[Row], tally: Tally) -> None:
    write_parquet(file, columns, _cells(columns, rows), tally)


WRITERS: Mapping[str, Callable[[BinaryIO, Sequence[str], Iterable[Row], Tally], None]] = {
    ".csv": _write_csv,
    ".jsonl": _write_jsonl,
    ".xlsx": _write_xlsx,
    ".parquet": _write_parquet,
}
