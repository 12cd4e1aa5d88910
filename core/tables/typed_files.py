"""Tables in files whose cells have types: parquet, xlsx and Arrow. Their libraries are imported when one is read."""

import json
import re
import warnings
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import date, datetime, time
from decimal import Decimal
from itertools import islice
from pathlib import Path
from typing import Any

from biasprint.core.errors import AppError, JobCancelled
from biasprint.core.jobs import JobContext
from biasprint.core.tables.json_files import Parsed, RecordsFile
from biasprint.core.tables.rows import (
    ANYWHERE,
    MOST_TITLES,
    Fault,
    HeaderPlace,
    RawRow,
    about_titles,
    at_path,
    excerpt,
    leaf_paths,
    titles_above,
)
from biasprint.core.tables.text_files import HANDLER, UTF8, Encoding, misfit

EXACT_IN_FLOAT = 2**53


def plain_text(value: object) -> str:
    """`value` in one stable form: 60 rather than 60.0, dates as in ISO 8601, nothing as "".

    Bytes are read as UTF-8; those that are not are carried as in `biasprint.core.tables.text_files`.
    """
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return value.decode("utf-8", HANDLER)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) <= EXACT_IN_FLOAT else repr(value)
    if isinstance(value, Decimal):
        digits = f"{value:f}"
        return digits.rstrip("0").rstrip(".") if "." in digits else digits
    if isinstance(value, datetime):
        # A day without a time is how spreadsheets hold a date.
        return value.date().isoformat() if value.time() == time() and value.tzinfo is None else value.isoformat(" ")
    return value.isoformat() if isinstance(value, date | time) else str(value)


# ---- parquet, batch by batch

BATCH_ROWS = 2000
FIRST_ROWS = 100  # whose lists and mappings are looked into
MOST_PATHS = 1000  # of one value
ENCRYPTED_PARQUET = b"PARE"


@dataclass(frozen=True)
class ParquetFile:
    """A parquet file whose columns are known. Values inside lists and mappings are columns named by dotted paths, such
    as `response.choices.0.text`; lists of numbers are omitted, and reported.
    """

    path: Path
    encoding: Encoding
    columns: tuple[str, ...]
    roots: Mapping[str, str] = field(default_factory=dict)  # dotted path → its column in the file

    @classmethod
    def open(cls, path: Path) -> "ParquetFile":
        """Read the schema. Raises `AppError` for what is no parquet file, is encrypted or broken, or has only lists."""
        with _opened(path) as file:
            schema = file.schema_arrow
            nested = [field.name for field in schema if not _is_plain(field.type)]
            inner = [field.name for field in schema if not _is_plain(field.type) and not _is_vector(field.type)]
            plain = [field.name for field in schema if _is_plain(field.type)]
            first = next(file.iter_batches(FIRST_ROWS, columns=inner, use_threads=False), None) if inner else None
            roots = {} if first is None else {path: name for name in inner for path in _paths(first, name)}
            roots = {path: name for path, name in roots.items() if path not in schema.names}
        columns = (*plain, *roots)
        listed = ", ".join(f"“{name}”" for name in nested if name not in roots.values())
        if not columns:
            message = f"No column of “{path.name}” holds plain values."
            message += f" Lists or mappings: {listed}." if nested else ""
            raise AppError(message, hint="Each row needs its text in a column of its own.")
        notice = f"Columns with lists or mappings were left out: {listed}." if listed else ""
        return cls(path, Encoding("utf-8", notice=notice), columns, roots)

    def rows(self, wanted: Sequence[str], ctx: JobContext | None = None) -> Iterator[RawRow]:
        """Yield every row with the wanted columns as text ("" for null)."""
        number = 0
        with _opened(self.path) as file:
            total = file.metadata.num_rows
            needed = list(dict.fromkeys(self.roots.get(name, name) for name in wanted))
            for batch in file.iter_batches(BATCH_ROWS, columns=needed, use_threads=False):
                if ctx:
                    ctx.step(number, total, note=f"reading {self.path.name}")
                texts = {name: _texts(_column(batch, name)) for name in wanted if name not in self.roots}
                for root in {self.roots[name] for name in wanted if name in self.roots}:
                    values = _column(batch, root).to_pylist(maps_as_pydicts="lossy")
                    for name in (name for name in wanted if self.roots.get(name) == root):
                        inner = name.removeprefix(f"{root}.")
                        texts[name] = [plain_text(None if value is None else at_path(value, inner)) for value in values]
                for row in zip(*(texts[name] for name in wanted), strict=True):
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
        if stream.read(len(ENCRYPTED_PARQUET)) == ENCRYPTED_PARQUET:
            raise AppError(f"“{path.name}” is encrypted.", hint="Save it without encryption, or as csv in UTF-8.")
        stream.seek(0)
        try:
            with Reader(stream) as file:
                yield file
        except (ArrowException, UnicodeDecodeError, OSError) as error:
            if isinstance(error, OSError) and error.errno is not None:
                raise  # of the drive, not of what is in the file
            hint = "Check that it was saved or copied completely, or save it as csv in UTF-8."
            raise AppError(f"“{path.name}” is broken, or not a parquet file.", hint=hint, details=str(error)) from error


def _column(batch: Any, name: str) -> Any:
    return batch.column(batch.schema.get_all_field_indices(name)[0])


def _paths(batch: Any, name: str) -> list[str]:
    """The dotted paths of the plain values in a column of lists or mappings."""
    values = _column(batch, name).to_pylist(maps_as_pydicts="lossy")
    found = dict.fromkeys(path for value in values for path in islice(leaf_paths(value, name), MOST_PATHS))
    return [path for path in found if path != name]


def _is_vector(kind: Any) -> bool:
    """Is this a list of numbers, such as an embedding?"""
    import pyarrow.types as types

    lists = types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)
    return lists and (types.is_primitive(kind.value_type) or _is_vector(kind.value_type))


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


# ---- xlsx: the first sheet that has rows, formulas as the values saved with them

MOST_BYTES = 2 * 1024**3  # unpacked
MOST_RATIO = 200  # of the unpacked to the packed size; even texts that all repeat each other stay near 50
SMALL_BYTES = 10 * 1024**2  # unpacked; harmless whatever its ratio
MOST_ROWS = 1_048_576  # of a sheet, by the format
CHUNK_BYTES = 1 << 20
OLD_OFFICE = b"\xd0\xcf\x11\xe0"
ENCRYPTED_XLSX = "EncryptedPackage".encode("utf-16-le")
# The format writes characters that XML cannot hold as _xHHHH_, and so the underscore of a text that looks like that.
_ESCAPED = re.compile("_x(?![dD][89a-fA-F])([0-9A-Fa-f]{4})_")
_MERGED = re.compile(rb"<(?:\w+:)?mergeCell\s")
_UNSAVED = re.compile(
    rb'<(?:\w+:)?c\b(?![^<>]*\bt="str")[^<>]*>\s*(?:<(?:\w+:)?f\b[^<>]*/>|<(?:\w+:)?f\b[^<>]*>[^<]*</(?:\w+:)?f>)'
    rb"\s*(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v></(?:\w+:)?v>)?\s*</(?:\w+:)?c>"
)
_LONGEST_MATCH = 64 * 1024  # bytes that are looked at again with the next chunk; a formula has 8,192 characters at most


@dataclass(frozen=True)
class XlsxFile:
    """A workbook whose sheet has been chosen and whose header has been read. `encoding` carries what to tell."""

    path: Path
    encoding: Encoding
    sheet: int  # among the worksheets, from 0
    columns: tuple[str, ...]
    header: int = 1  # its number in the sheet
    sheets: tuple[str, ...] = ()  # those with rows
    title: str = ""  # of the sheet

    @classmethod
    def open(cls, path: Path, place: HeaderPlace = ANYWHERE) -> "XlsxFile":
        """Choose the sheet, where none is asked for, and read its header: its first row below titles.

        Raises `AppError` for what is no workbook, is encrypted, broken, empty, or unpacks to too much, and for a sheet
        that is not there.
        """
        with _workbook(path) as book:
            sheets = book.worksheets
            headers = {number: header for number, sheet in enumerate(sheets) if (header := _header(sheet, place))}
            if not headers:
                raise AppError(f"“{path.name}” has no rows.", hint="Check that it was saved completely.")
            chosen = _asked_sheet(path, sheets, place.sheet) if place.sheet else _likely_sheet(sheets, headers)
            if chosen not in headers:
                raise AppError(f"The sheet “{sheets[chosen].title}” of “{path.name}” has no rows.", hint=_named(sheets))
            others = [sheets[number].title for number in headers if number != chosen]
            notices = _about_sheets(sheets[chosen], others, asked=bool(place.sheet))
            line, names, titles = headers[chosen]
            notices += [titles] if titles else []
            notices += _about_cells(sheets[chosen])
            titles_of = tuple(sheets[number].title for number in headers)
        encoding = Encoding("utf-8", notice=" ".join(notices))
        return cls(path, encoding, chosen, names, line, titles_of, sheets[chosen].title)

    def rows(self, wanted: Sequence[str], ctx: JobContext | None = None) -> Iterator[RawRow]:
        """Yield every row below the header that holds anything; `line` is its number in the sheet."""
        places = [self.columns.index(column) for column in wanted]
        with _workbook(self.path) as book:
            sheet = book.worksheets[self.sheet]
            total = sheet.max_row
            filled = ((line, cells) for line, cells in _filled_rows(sheet) if line > self.header)
            for number, (line, cells) in enumerate(filled, start=1):
                if ctx and number % 1000 == 0:
                    ctx.step(line, max(total or 0, line), note=f"reading {self.path.name}")
                yield self._row(number, line, cells, places)

    def _row(self, number: int, line: int, cells: Sequence[Any], places: Sequence[int]) -> RawRow:
        for place in places:
            if place < len(cells) and cells[place].data_type == "e":
                detail = f"“{self.columns[place]}” holds {cells[place].value}"
                return RawRow(number, line, fault=Fault("error in a formula", detail))
        texts = tuple([_text(cells[place]) if place < len(cells) else "" for place in places])
        beyond = next((text for cell in cells[len(self.columns) :] if (text := _text(cell))), "")
        fault = Fault("cell without a column name", excerpt=excerpt(beyond), kept=True) if beyond else None
        return RawRow(number, line, texts, fault)


@contextmanager
def _workbook(path: Path) -> Iterator[Any]:
    """The opened workbook. Whatever goes wrong in it becomes one sentence."""
    _check_archive(path)
    # About extensions and formats that are of no concern to the cells' values.
    warnings.filterwarnings("ignore", category=UserWarning, module="openpyxl")
    try:
        with closing(_load(path)) as book:
            yield book
    except (AppError, JobCancelled, MemoryError, GeneratorExit):
        raise
    except OSError as error:
        if error.errno is not None:
            raise  # of the drive, not of what is in the file
        raise _broken(path, str(error)) from error
    except Exception as error:  # what a broken workbook raises is not documented, and has every type
        raise _broken(path, f"{type(error).__name__}: {error}") from error


def _load(path: Path) -> Any:
    from openpyxl.cell.text import Text
    from openpyxl.reader.excel import ExcelReader
    from openpyxl.xml.constants import SHARED_STRINGS, SHEET_MAIN_NS
    from openpyxl.xml.functions import iterparse

    class Reader(ExcelReader):  # type: ignore[misc]
        """Keeps shared texts as written: the library's own way loses which underscores were escaped."""

        def read_strings(self) -> None:
            part = self.package.find(SHARED_STRINGS)
            if part is None:
                return
            with self.archive.open(part.PartName[1:]) as source:
                for _, node in iterparse(source):
                    if node.tag == f"{{{SHEET_MAIN_NS}}}si":
                        self.shared_strings.append(Text.from_tree(node).content)
                        node.clear()

        def read_chartsheet(self, *_: object) -> None:
            """A chart has no rows, and the library fails on an empty one."""

    reader = Reader(path, read_only=True, data_only=True, keep_links=False)
    try:
        reader.read()
    except BaseException:
        reader.archive.close()
        raise
    return reader.wb


def _check_archive(path: Path) -> None:
    """Refuse what is no workbook, is encrypted, or would unpack to more than a computer can hold."""
    with path.open("rb") as file:
        head = file.read(len(OLD_OFFICE))
        if head == OLD_OFFICE:
            file.seek(0)
            raise _encrypted(path) if ENCRYPTED_XLSX in file.read(64 * CHUNK_BYTES) else _no_workbook(path)
    if not zipfile.is_zipfile(path):
        raise _no_workbook(path)
    try:
        with zipfile.ZipFile(path) as archive:
            parts = archive.infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:  # the last: of a later version than zip has
        raise _broken(path, str(error)) from error
    if any(part.flag_bits & 1 for part in parts):
        raise _encrypted(path)
    # Reading stops at the size that is declared, so a false declaration gains nothing.
    unpacked = sum(part.file_size for part in parts)
    if unpacked > MOST_BYTES or (unpacked > SMALL_BYTES and unpacked > MOST_RATIO * path.stat().st_size):
        raise AppError(
            f"“{path.name}” would unpack to {unpacked / 1024**2:,.0f} MB, which is more than a table needs.",
            hint="Save it as csv in UTF-8 if you trust where it comes from.",
        )


def _filled_rows(sheet: Any) -> Iterator[tuple[int, Sequence[Any]]]:
    """The rows that hold anything, each with its number in the sheet; the size that the sheet declares may be wrong."""
    sheet.reset_dimensions()
    for line, cells in enumerate(sheet.rows, start=1):
        if line > MOST_ROWS:
            raise ValueError(f"more than {MOST_ROWS} rows")
        if any(cell.value not in (None, "") for cell in cells):
            yield line, cells


def _header(sheet: Any, place: HeaderPlace) -> tuple[int, tuple[str, ...], str] | None:
    """The header's number, the column names up to the last one, and a notice of titles; None without rows."""
    rows: dict[int, list[str]] = {}
    for line, cells in _filled_rows(sheet):
        if (place.row is None and len(rows) > 2 * MOST_TITLES) or (place.row is not None and line > place.row):
            break
        rows[line] = [_text(cell).strip() for cell in cells]
    if place.row is None:
        if not rows:
            return None
        every = [rows.get(line, []) for line in range(1, max(rows) + 1)]
        at = titles_above(every) + 1
        titles = about_titles(every, at - 1)
    else:
        at, titles = place.row, ""
    names = list(rows.get(at, []))
    while names and not names[-1]:
        names.pop()
    return (at, tuple(names), titles) if names else None


def _likely_sheet(sheets: Sequence[Any], headers: Mapping[int, tuple[int, tuple[str, ...], str]]) -> int:
    """The first visible sheet that is a table, with two columns or more, else the first with any row."""
    shown = [number for number in headers if sheets[number].sheet_state == "visible"] or list(headers)
    return next((number for number in shown if len(headers[number][1]) > 1), shown[0])


def _asked_sheet(path: Path, sheets: Sequence[Any], asked: str) -> int:
    """The sheet of this name, or else of this number, from 1."""
    names = [sheet.title.casefold() for sheet in sheets]
    if asked.casefold() in names:
        return names.index(asked.casefold())
    if asked.isdecimal() and 1 <= int(asked) <= len(sheets):
        return int(asked) - 1
    raise AppError(f"“{path.name}” has no sheet “{asked}”.", hint=_named(sheets))


def _named(sheets: Sequence[Any]) -> str:
    return f"Sheets there: {', '.join(f'“{sheet.title}”' for sheet in sheets)}."


def _text(cell: Any) -> str:
    value = cell.value
    return _ESCAPED.sub(lambda hit: chr(int(hit[1], 16)), value) if isinstance(value, str) else plain_text(value)


def _about_sheets(sheet: Any, others: Sequence[str], *, asked: bool) -> list[str]:
    notices = []
    if others and not asked:
        notices.append(f"The sheet “{sheet.title}” was read; not read: {', '.join(f'“{title}”' for title in others)}.")
    if sheet.sheet_state != "visible" and not asked:
        notices.append(f"The sheet “{sheet.title}” is hidden in the workbook; no other holds rows.")
    return notices


def _about_cells(sheet: Any) -> list[str]:
    """Notices of what the cells do not show: merged ranges, and formulas that were never calculated."""
    merged = unsaved = False
    with sheet._get_source() as source:
        tail = b""
        while (chunk := source.read(CHUNK_BYTES)) and not (merged and unsaved):
            tail = tail[-_LONGEST_MATCH:] + chunk
            merged = merged or _MERGED.search(tail) is not None
            unsaved = unsaved or _UNSAVED.search(tail) is not None
    notices = []
    if merged:
        notices.append("Cells are merged: only the first cell of each such range has the value, the others are empty.")
    if unsaved:
        notices.append(
            "Some formulas have no saved value and are empty; save the workbook once in a spreadsheet program."
        )
    return notices


def _no_workbook(path: Path) -> AppError:
    return AppError(f"“{path.name}” is not an xlsx workbook.", hint="Save it as xlsx or csv where it was made.")


def _encrypted(path: Path) -> AppError:
    return AppError(f"“{path.name}” is protected by a password.", hint="Save it without one, or as csv in UTF-8.")


def _broken(path: Path, details: str) -> AppError:
    hint = "Open it in a spreadsheet program and save it again, or save it as csv in UTF-8."
    return AppError(f"“{path.name}” is broken and cannot be read.", hint=hint, details=details)


# ---- Arrow: folders that `datasets` saved with `save_to_disk`, and single files, batch by batch


STATE, SPLITS = "state.json", "dataset_dict.json"


def is_arrow_folder(path: Path) -> bool:
    """Return whether `datasets` saved this folder."""
    return path.is_dir() and ((path / STATE).is_file() or (path / SPLITS).is_file())


def open_arrow(path: Path) -> RecordsFile:
    """Open a folder of Arrow files, or one file; rows of several splits have a column `split`."""
    files = _files(path)
    if missing := next((file for _, file in files if not file.is_file()), None):
        raise AppError(f"“{path.name}” lacks its part “{missing.name}”.", hint="Copy the whole folder again.")
    if not files:
        raise AppError(f"“{path.name}” has no Arrow file.", hint="Copy the whole folder again.")
    return RecordsFile.open(path, UTF8, lambda ctx: _records(path, files, ctx))


def _files(path: Path) -> list[tuple[str, Path]]:
    if path.is_file():
        return [("", path)]
    if (path / SPLITS).is_file():
        splits = _json(path / SPLITS).get("splits", [])
        return [(split, file) for split in splits for _, file in _files(path / Path(str(split)).name)]
    return [("", path / Path(str(item["filename"])).name) for item in _json(path / STATE).get("_data_files", [])]


def _json(path: Path) -> Any:
    try:
        whole = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise AppError(f"“{path}” cannot be read.", hint="Copy the whole folder again.", details=str(error)) from error
    return whole if isinstance(whole, dict) else {}


def _records(path: Path, files: list[tuple[str, Path]], ctx: JobContext | None) -> Iterator[tuple[int, Parsed]]:
    number = 0
    for place, (split, file) in enumerate(files):
        for batch in _batches(file):
            if ctx:
                ctx.step(place, len(files), note=f"reading {path.name}")
            for record in batch.to_pylist():
                number += 1
                plain = {**({"split": split} if split else {}), **{key: _plain(value) for key, value in record.items()}}
                bad = next((cell for cell in plain.values() if isinstance(cell, str) and misfit(cell, UTF8)), None)
                yield number, plain if bad is None else Fault("wrong encoding", misfit(bad, UTF8), excerpt(bad))


def _batches(file: Path) -> Iterator[Any]:
    """The record batches of a stream, which `datasets` writes, or of a file with a footer."""
    from pyarrow import ArrowException, ipc, memory_map

    try:
        with memory_map(str(file)) as source:
            try:
                reader = ipc.open_stream(source)
            except ArrowException:
                source.seek(0)
                opened = ipc.open_file(source)
                batches = (opened.get_batch(place) for place in range(opened.num_record_batches))
            else:
                batches = iter(reader)
            for batch in batches:
                for start in range(0, batch.num_rows, BATCH_ROWS):
                    yield batch.slice(start, BATCH_ROWS)
    except (ArrowException, UnicodeDecodeError, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        hint = "Check that it was copied completely, or save the data set as parquet."
        raise AppError(f"“{file.name}” is broken, or not an Arrow file.", hint=hint, details=str(error)) from error


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    return [_plain(part) for part in value] if isinstance(value, list) else plain_text(value)
