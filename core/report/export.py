"""Writing rows as csv, jsonl, xlsx or parquet, by the file's ending, or as a data set with its card: whole, or not
at all.

No exported cell is read as a formula. A csv cell that would be one gets an apostrophe in front, as does one that has
apostrophes before such a beginning already; `without_guard` takes it off again. (A spreadsheet with the wrong separator
cuts cells where it likes; xlsx is the format to give to people.) An xlsx cell is a string by type. jsonl and parquet
hold texts as they are. Where a format cannot hold a lone surrogate, it is escaped as in the project file.

A data set is a folder of JSON lines with a card, the README as Hugging Face's hub reads it (YAML above the words), and
Croissant: MLCommons' description of data sets in JSON-LD, version 1.0 (http://mlcommons.org/croissant/1.0), read
2026-11; tried with mlcroissant 1.1.
"""

import contextlib
import csv
import io
import json
import math
import pickle
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.resources import files
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any, BinaryIO
from zipfile import ZIP_DEFLATED, ZipFile

from biasprint.core import __version__
from biasprint.core.errors import AppError, UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.machine.files import not_written, whole_file, whole_folder
from biasprint.core.text import is_formula, sha256_file, store_text, with_guard

Cell = None | bool | int | float | str

_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class CutCell:
    """A text that a cell could not hold whole. `row` counts data rows from 1; lengths in characters."""

    row: int
    column: str
    length: int
    kept: int


@dataclass
class CellTally:
    """Tally of the rows that were written and of the cells that were changed."""

    rows: int = 0
    guarded: int = 0
    escaped: int = 0
    cut: list[CutCell] = field(default_factory=list)


def plain_cell(value: Any) -> Cell:
    """Return `value` as a number, text, truth value or nothing; lists and mappings as JSON, not-a-numbers as text."""
    if hasattr(value, "item") and not isinstance(value, str | int | float):
        value = value.item()  # numpy's numbers
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Mapping | list | tuple):
        return json.dumps(json_value(value), ensure_ascii=False, sort_keys=True)
    return str(value)


def json_value(value: Any) -> Any:
    """Return `value` in types that JSON has; keys as text."""
    if isinstance(value, Mapping):
        return {str(key): json_value(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [json_value(inner) for inner in value]
    return plain_cell(value)


def cell_text(value: Cell) -> str:
    """A cell where there is only text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


def without_surrogates(text: str, tally: CellTally) -> str:
    """Escape lone surrogates in `text` as in the project file, so that it is valid Unicode; count it if it had any."""
    if text.isascii() or not _SURROGATE.search(text):
        return text
    tally.escaped += 1
    return store_text(text).text


# xlsx

MOST_ROWS = 1_048_576  # of a sheet, its header included
MOST_UNITS = 32_767  # of a cell, in UTF-16 code units
EXACT_DIGITS = 15  # a spreadsheet rounds longer whole numbers, such as seeds
# XML cannot hold these; the format writes them as _xHHHH_, and so the underscore of a text that looks like that.
_TO_ESCAPE = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")


def write_xlsx(file: BinaryIO, columns: Sequence[str], rows: Iterable[list[Cell]], tally: CellTally) -> None:
    """Write one sheet, row by row. Raises `AppError` where there are more rows than a sheet holds."""
    from openpyxl import Workbook
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.writer.excel import ExcelWriter

    book = Workbook(write_only=True)
    sheet = book.create_sheet("Biasprint")

    def cell(value: Cell, column: str) -> Any:
        if isinstance(value, int) and not isinstance(value, bool) and len(str(abs(value))) > EXACT_DIGITS:
            value = str(value)
        if not isinstance(value, str):
            return value
        made = WriteOnlyCell(sheet, value=_fit(without_surrogates(value, tally), column, tally))
        made.data_type = "s"
        if is_formula(value):
            made.quotePrefix = True  # so that it stays text even when someone edits the cell
            tally.guarded += 1
        return made

    header: list[Cell] = list(columns)
    archive = ZipFile(file, "w", ZIP_DEFLATED)
    try:
        for number, row in enumerate(chain([header], rows)):
            if number == MOST_ROWS:
                raise _too_many_rows()
            sheet.append([cell(value, column) for value, column in zip(row, columns, strict=True)])
        ExcelWriter(book, archive).save()
    except BaseException:
        # Left open, both would try to finish their files when they are collected, and complain aloud.
        for unfinished in (sheet, archive):
            with contextlib.suppress(Exception):
                unfinished.close()
        raise


def _too_many_rows() -> AppError:
    message = f"An xlsx sheet holds {MOST_ROWS - 1:,} rows, and there are more."
    return AppError(message, hint="Export as csv or parquet instead.")


def _fit(text: str, column: str, tally: CellTally) -> str:
    """The text as the format writes it, cut to what a cell holds."""
    units = text.encode("utf-16-le")
    shortened = text if len(units) <= 2 * MOST_UNITS else units[: 2 * MOST_UNITS].decode("utf-16-le", "ignore")
    escaped = _escape(shortened)
    while len(escaped) > MOST_UNITS:
        shortened = shortened[: -max(1, (len(escaped) - MOST_UNITS) // len("_x0000_"))]
        escaped = _escape(shortened)
    if len(shortened) < len(text):
        tally.cut.append(CutCell(tally.rows, column, len(text), len(shortened)))
    return escaped


def _escape(text: str) -> str:
    return _TO_ESCAPE.sub(lambda hit: f"_x{ord(hit[0]):04X}_", text)


# parquet

BATCH_ROWS = 2000
EXACT_IN_FLOAT = 2**53
INT64 = range(-(2**63), 2**63)


def write_parquet(file: BinaryIO, columns: Sequence[str], rows: Iterable[list[Cell]], tally: CellTally) -> None:
    """Write rows in batches. Numbers keep their type; a column that holds more than one kind becomes text."""
    import pyarrow
    from pyarrow.parquet import ParquetWriter

    names = {"bool": pyarrow.bool_(), "int": pyarrow.int64(), "float": pyarrow.float64(), "text": pyarrow.string()}
    with tempfile.TemporaryFile(dir=Path(file.name).parent) as waiting:
        kinds = _put_aside(waiting, len(columns), rows, tally)
        types = [_column_type(kinds_found) for kinds_found in kinds]
        schema = pyarrow.schema([(column, names[kind]) for column, kind in zip(columns, types, strict=True)])
        with ParquetWriter(file, schema) as writer:
            for batch in _take_back(waiting):
                data = [
                    [_as(kind, value) for value in cells]
                    for kind, cells in zip(types, zip(*batch, strict=True), strict=True)
                ]
                arrays = [pyarrow.array(cells, type=kind) for cells, kind in zip(data, schema.types, strict=True)]
                writer.write_batch(pyarrow.record_batch(arrays, schema=schema))


def _put_aside(waiting: IO[bytes], width: int, rows: Iterable[list[Cell]], tally: CellTally) -> list[set[str]]:
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
    return [kinds_found - {""} for kinds_found in kinds]


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


# files

Row = Mapping[str, Any]


@dataclass(frozen=True)
class ExportReport:
    """Result of an export: the rows, the cells that were cut (xlsx), and how many were guarded or escaped."""

    path: Path
    rows: int
    cut: tuple[CutCell, ...] = ()
    guarded: int = 0
    escaped: int = 0

    def notices(self) -> list[str]:
        """Return what a person should know about the file, a sentence each."""
        sentences = []
        if self.cut:
            first = self.cut[0]
            sentences.append(
                f"{len(self.cut)} texts were longer than a cell holds and were cut; the first is row {first.row}, "
                f"column {first.column} ({first.length:,} characters). Export as csv or parquet to have them whole."
            )
        if self.guarded:
            sentences.append(f"{self.guarded} cells that look like formulas were written so that they stay text.")
        if self.escaped:
            sentences.append(f"{self.escaped} cells held characters that this format cannot hold; they were escaped.")
        return sentences


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
    tally = CellTally()
    counted = _counted(chain([] if first is None else [first], source), set(names), tally, ctx, total)
    try:
        with whole_file(target.resolve()) as file:
            writer(file, names, counted, tally)
    except OSError as error:
        raise not_written(target, error) from error
    return ExportReport(target, tally.rows, tuple(tally.cut), tally.guarded, tally.escaped)


def _counted(
    rows: Iterable[Row], names: set[str], tally: CellTally, ctx: JobContext | None, total: int | None
) -> Iterator[Row]:
    for row in rows:
        tally.rows += 1
        if unknown := row.keys() - names:
            raise ValueError(f"row {tally.rows} has columns that were not announced: {sorted(unknown)}")
        if ctx:
            ctx.step(tally.rows, total)
        yield row


def _write_csv(file: BinaryIO, columns: Sequence[str], rows: Iterable[Row], tally: CellTally) -> None:
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


def _write_jsonl(file: BinaryIO, columns: Sequence[str], rows: Iterable[Row], tally: CellTally) -> None:
    for row in rows:
        value = {column: json_value(row.get(column)) for column in columns}
        try:
            line = json.dumps(value, ensure_ascii=False).encode("utf-8")
        except UnicodeEncodeError:
            line = json.dumps(value).encode("ascii")  # \udXXX escapes hold lone surrogates exactly
        file.write(line + b"\n")


def _cells(columns: Sequence[str], rows: Iterable[Row]) -> Iterator[list[Cell]]:
    return ([plain_cell(row.get(column)) for column in columns] for row in rows)


def _write_xlsx(file: BinaryIO, columns: Sequence[str], rows: Iterable[Row], tally: CellTally) -> None:
    write_xlsx(file, columns, _cells(columns, rows), tally)


def _write_parquet(file: BinaryIO, columns: Sequence[str], rows: Iterable[Row], tally: CellTally) -> None:
    write_parquet(file, columns, _cells(columns, rows), tally)


WRITERS: Mapping[str, Callable[[BinaryIO, Sequence[str], Iterable[Row], CellTally], None]] = {
    ".csv": _write_csv,
    ".jsonl": _write_jsonl,
    ".xlsx": _write_xlsx,
    ".parquet": _write_parquet,
}


# ---- Data sets

FORMAT = "dataset"  # the command line's name of it
CARD, CROISSANT = "README.md", "croissant.json"
SOURCE = "https://github.com/biasprint/biasprint"
LIMITS = (
    "The texts were written by language models about people of named groups, to be compared. They can be unfair or "
    "hurtful; they are not examples to learn from. Codes stand for the people who judged. Say under which licence you "
    "hand the folder on: none is stated here."
)


def write_dataset(rows: Iterable[Row], folder: Path, columns: Sequence[str], what: str) -> ExportReport:
    """Write the folder, whole or not at all. `what`: “judgments” and the like.

    Raises `AppError` where the folder holds something or cannot be written.
    """
    if folder.is_symlink() or folder.exists():
        raise AppError(f"“{folder.name}” is there already.", kept="It stays as it is.", hint="Name a new folder.")
    try:
        with whole_folder(folder) as part:
            (part / "data").mkdir(parents=True)
            path = part / "data" / f"{what}.jsonl"
            report = export_rows(rows, path, columns)
            kinds = _kinds(path, columns)
            described = _croissant(what, path, kinds)
            (part / CROISSANT).write_text(json.dumps(described, indent=1, ensure_ascii=False) + "\n", "utf-8")
            (part / CARD).write_text(_card(what, report.rows, kinds), "utf-8")
    except OSError as error:
        raise not_written(folder, error) from error
    return report


def _kinds(path: Path, columns: Sequence[str]) -> dict[str, str]:
    """Return the type of each column by its values: a number where all that are there are numbers."""
    seen: dict[str, set[type]] = {name: set() for name in columns}
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            for name, value in json.loads(line).items():
                if value not in ("", None):
                    seen[name].add(type(value))
    return {name: _parquet_kind(name, types) for name, types in seen.items()}


def _parquet_kind(name: str, types: set[type]) -> str:
    if name.endswith("_at"):
        return "sc:DateTime"
    if types == {bool}:
        return "sc:Boolean"
    if types == {int}:
        return "sc:Integer"
    return "sc:Float" if types and types <= {int, float} else "sc:Text"


def _croissant(what: str, path: Path, kinds: Mapping[str, str]) -> dict[str, Any]:
    context = files("biasprint.resources").joinpath("report", "croissant_context.json")
    file = {
        "@type": "cr:FileObject", "@id": path.name, "name": path.name, "contentUrl": f"data/{path.name}",
        "encodingFormat": "application/jsonlines",
        "sha256": sha256_file(path), "contentSize": f"{path.stat().st_size} B",
    }  # fmt: skip
    fields = [
        {
            "@type": "cr:Field", "@id": f"{what}/{name}", "name": name, "dataType": kind,
            "source": {"fileObject": {"@id": path.name}, "extract": {"column": name}},
        }
        for name, kind in kinds.items()
    ]  # fmt: skip
    return {
        "@context": json.loads(context.read_text(encoding="utf-8")), "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": f"biasprint-{what}", "description": f"{what.capitalize()} of a Biasprint project. {LIMITS}",
        "version": "1.0.0", "datePublished": datetime.now(UTC).date().isoformat(), "url": SOURCE,
        "creator": {"@type": "sc:Organization", "name": f"Biasprint {__version__}"},
        "distribution": [file],
        "recordSet": [{"@type": "cr:RecordSet", "@id": what, "name": what, "field": fields}],
    }  # fmt: skip


def _card(what: str, rows: int, kinds: Mapping[str, str]) -> str:
    listed = "\n".join(f"| `{name}` | {kind.removeprefix('sc:').lower()} |" for name, kind in kinds.items())
    return (
        "---\n"
        f"pretty_name: {what.capitalize()} of a Biasprint project\n"
        "tags:\n- biasprint\n- social bias\n- human evaluation\n"
        f"configs:\n- config_name: {what}\n  data_files: data/{what}.jsonl\n"
        "---\n\n"
        f"# {what.capitalize()}\n\n{rows:,} rows, exported by Biasprint {__version__}.\n\n{LIMITS}\n\n"
        f"What each column means: docs/reference/tables.md of the program. `{CROISSANT}` describes the same for "
        f"programs.\n\n| column | type |\n|---|---|\n{listed}\n"
    )
