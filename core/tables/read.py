"""Reading a table of texts: one door for every kind of file. A bad row is named by its number, never lost silently."""

import csv
import hashlib
import itertools
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, Literal, Protocol, TextIO

from biasprint.core.errors import AppError, UsageError
from biasprint.core.given import ordinary_file
from biasprint.core.jobs import JobContext
from biasprint.core.tables.encoding import Encoding, find_encoding, misfit, open_text, watch
from biasprint.core.tables.fields import FieldSpec, complete_mapping
from biasprint.core.tables.rows import Fault, RawRow, Record, RowProblem, TableRead, excerpt
from biasprint.core.tables.typed_files import ParquetFile, XlsxFile

# ---- csv and tsv: which separator, which columns, and every row, sound or not

SEPARATORS = ",;\t|"
SNIFFED_LINES = 200
EMPTY_ROW = "empty row"
csv.field_size_limit(2**31 - 1)  # the default refuses cells above 128 kB; the limit is a C long, 32 bits on Windows


@dataclass(frozen=True)
class CsvFile:
    """A csv or tsv file whose header has been read."""

    path: Path
    encoding: Encoding
    separator: str
    columns: tuple[str, ...]

    @classmethod
    def open(cls, path: Path, encoding: Encoding) -> "CsvFile":
        """Find the separator and the header. Raises `AppError` if there is none."""
        with open_text(path, encoding, newline="") as stream:
            separator = _find_separator(list(itertools.islice(stream, SNIFFED_LINES)), path.suffix.lower())
        with open_text(path, encoding, newline="") as stream:
            header = next((cells for _, cells in _parse(stream, separator) if cells), None)
        if header is None or isinstance(header, Fault):
            raise AppError(
                f"The header of “{path.name}” cannot be read.",
                hint="The first line must name the columns, separated by commas, semicolons or tabs.",
            )
        return cls(path, encoding, separator, tuple(name.strip() for name in header))

    def rows(self, wanted: Sequence[str], ctx: JobContext | None = None) -> Iterator[RawRow]:
        """Yield every data row with the wanted columns' cells; an unusable one carries its fault instead."""
        places = [self.columns.index(column) for column in wanted]
        with open_text(self.path, self.encoding, newline="") as stream:
            parsed = _parse(stream, self.separator)
            next(cells for _, cells in parsed if cells)  # the header
            for number, (line, cells) in enumerate(parsed, start=1):
                watch(stream, self.path, number, ctx)
                if isinstance(cells, Fault):
                    yield RawRow(number, line, fault=cells)
                    continue
                fault = self._fault(cells, places)
                dropped = fault is not None and not fault.kept
                yield RawRow(number, line, () if dropped else tuple([cells[place] for place in places]), fault)

    def _fault(self, cells: list[str], places: Sequence[int]) -> Fault | None:
        width = len(self.columns)
        if not any(cells):
            return Fault(EMPTY_ROW)
        if len(cells) < width:
            return Fault("too few cells", f"{len(cells)} where the header has {width}", excerpt(cells[0]))
        if len(cells) > width and any(cells[width:]):
            return Fault("too many cells", f"{len(cells)} where the header has {width}", excerpt(cells[width]))
        for place, cell in enumerate(cells):
            if why := misfit(cell, self.encoding):
                # A column that nobody asked for must not cost the row, but the row is named all the same.
                return Fault("wrong encoding", why, excerpt(cell), kept=place not in places)
        return None


def _parse(stream: TextIO, separator: str) -> Iterator[tuple[int, list[str] | Fault]]:
    """Yield each row's first line in the file and its cells; blank lines give no cells.

    Strict, because the lenient parser changes texts with stray quotes silently.
    """
    reader = csv.reader(stream, delimiter=separator, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error:
            lines = f"lines {line} to {reader.line_num}" if reader.line_num > line else "this line"
            yield line, Fault("unbalanced quotes", f"{lines} could not be told apart")
        else:
            yield line, cells


def _find_separator(lines: list[str], suffix: str) -> str:
    """The separator that gives the most rows as wide as the header; a tab in a .tsv, if it has any."""
    if suffix == ".tsv" and any("\t" in line for line in lines):
        return "\t"

    def fit(separator: str) -> tuple[float, int]:
        rows = [row for row in csv.reader(lines, delimiter=separator) if row]
        width = len(rows[0]) if rows else 0
        return (sum(len(row) == width for row in rows) / len(rows), width) if width > 1 else (0.0, 0)

    return max(SEPARATORS, key=fit)  # the first of equals: the comma


# ---- jsonl: one JSON object a line; texts and numbers are kept exactly as written

HEADER_ROWS = 1000  # keys are looked for in this many first rows
BLANK = Fault(EMPTY_ROW)


@dataclass(frozen=True)
class JsonlFile:
    """A jsonl file whose keys are known."""

    path: Path
    encoding: Encoding
    columns: tuple[str, ...]

    @classmethod
    def open(cls, path: Path, encoding: Encoding) -> "JsonlFile":
        """Collect the keys of the first rows that are not blank. Raises `AppError` if no line holds an object."""
        filled = (parsed for _, parsed in _parse_jsonl_file(path, encoding, None) if parsed != BLANK)
        first_lines = list(islice(filled, HEADER_ROWS))
        objects = [parsed for parsed in first_lines if isinstance(parsed, dict)]
        if not first_lines:
            raise AppError(f"“{path.name}” has no rows.", hint="Check that it was saved completely.")
        if not objects:
            raise AppError(
                f"No line of “{path.name}” is a JSON object.",
                hint='Each line must hold one row, like {"text": "…", "group": "…"}.',
            )
        return cls(path, encoding, tuple(dict.fromkeys(key for row in objects for key in row)))

    def rows(self, wanted: Sequence[str], ctx: JobContext | None = None) -> Iterator[RawRow]:
        """Yield every line with the values of the wanted keys ("" where one is absent or null)."""
        for number, (line, parsed) in enumerate(_parse_jsonl_file(self.path, self.encoding, ctx), start=1):
            if isinstance(parsed, Fault):
                yield RawRow(number, line, fault=parsed)
                continue
            values = [parsed.get(column) for column in wanted]
            odd = next((column for column, value in zip(wanted, values, strict=True) if _is_nested(value)), None)
            if odd is not None:
                yield RawRow(number, line, fault=Fault("not a text", f"“{odd}” holds a list or an object"))
            else:
                yield RawRow(number, line, tuple(_as_text(value) for value in values))


def _parse_jsonl_file(
    path: Path, encoding: Encoding, ctx: JobContext | None
) -> Iterator[tuple[int, dict[str, Any] | Fault]]:
    with open_text(path, encoding, newline="\n") as stream:  # only \n ends a line: texts may hold U+2028 or \r
        for number, line in enumerate(stream, start=1):
            watch(stream, path, number, ctx)
            yield number, _parse_line(line, encoding)


def _parse_line(line: str, encoding: Encoding) -> dict[str, Any] | Fault:
    if not line.strip():
        return BLANK
    if why := misfit(line, encoding):
        return Fault("wrong encoding", why, excerpt(line))
    try:
        parsed = _DECODER.decode(line)
    except _KeyTwice as error:
        return Fault("key given twice", str(error), excerpt(line))
    except (ValueError, RecursionError) as error:
        return Fault("not valid JSON", str(error), excerpt(line))
    return parsed if isinstance(parsed, dict) else Fault("not a JSON object", excerpt=excerpt(line))


class _KeyTwice(Exception):
    """The parser would keep the last value and lose the first without a word."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        keys = [key for key, _ in pairs]
        raise _KeyTwice(next(f"“{key}”" for key in keys if keys.count(key) > 1))
    return result


# Numbers stay as they are written: no rounding, and no limit on their length.
_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_int=str, parse_float=str, parse_constant=str)


def _is_nested(value: object) -> bool:
    return isinstance(value, dict | list)


def _as_text(value: str | bool | None) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value)


# ---- One door for every kind of file

Duplicates = Literal["report", "drop"]
SAMPLE_ROWS = 50
SHARED_CELL = 40  # characters; equal short cells (groups, jobs, names) share one string in memory
MOST_SHARED = 10_000


class TableFile(Protocol):
    """A reader of one kind of file."""

    @property
    def path(self) -> Path: ...
    @property
    def encoding(self) -> Encoding: ...
    @property
    def columns(self) -> tuple[str, ...]: ...
    def rows(self, wanted: Sequence[str], ctx: JobContext | None = None) -> Iterator[RawRow]: ...


Opener = Callable[[Path, str | None], TableFile]


def _in_text(opened: Callable[[Path, Encoding], TableFile]) -> Opener:
    """A file of text, whose encoding may be asked for."""
    return lambda path, asked: opened(path, find_encoding(path, asked))


def _with_types(opened: Callable[[Path], TableFile]) -> Opener:
    """A file whose format fixes its encoding."""

    def at(path: Path, asked: str | None) -> TableFile:
        if asked is not None:
            raise UsageError(f"A {path.suffix} file has no encoding to choose.", hint="Leave the encoding out.")
        return opened(path)

    return at


READERS: Mapping[str, Opener] = {
    ".csv": _in_text(CsvFile.open),
    ".tsv": _in_text(CsvFile.open),
    ".jsonl": _in_text(JsonlFile.open),
    ".ndjson": _in_text(JsonlFile.open),
    ".xlsx": _with_types(XlsxFile.open),
    ".parquet": _with_types(ParquetFile.open),
}


@dataclass(frozen=True)
class OpenTable:
    """A table that has been looked at: its columns and first rows, for a guess that a person can check."""

    file: TableFile
    columns: tuple[str, ...]
    sample_rows: tuple[Mapping[str, str], ...]

    @property
    def encoding(self) -> Encoding:
        return self.file.encoding


def look_at(path: Path | str, encoding: str | None = None) -> OpenTable:
    """Open a table and read its columns and first rows.

    Raises `AppError`, with what to do, for a file that is missing, a folder, empty, binary, or of another kind.
    """
    path = Path(path)
    reader = _reader_for(path)
    try:
        file = reader(path, encoding)
        first = [row.cells for row in islice(file.rows(file.columns), SAMPLE_ROWS) if row.cells]
    except OSError as error:
        raise _unreadable(path, error) from error
    return OpenTable(file, file.columns, tuple(dict(zip(file.columns, cells, strict=True)) for cells in first))


def _reader_for(path: Path) -> Opener:
    if path.is_dir():
        raise AppError(f"“{path.name}” is a folder, not a table.", hint="Name a file in it.")
    if not path.exists():
        raise AppError(f"There is no file “{path}”.", hint="Check its name and folder.")
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise AppError(
            f"“{path.name}” is not a kind of table that can be read.",
            hint=f"Kinds: {', '.join(ending[1:] for ending in READERS)}. Save it as csv in UTF-8.",
        )
    if ordinary_file(path, follow=True).st_size == 0:
        raise AppError(f"“{path.name}” is empty.", hint="Check that it was saved or copied completely.")
    return reader


def _unreadable(path: Path, error: OSError) -> AppError:
    hint = "Check that the drive is connected and that you may open the file."
    return AppError(f"“{path.name}” could not be read.", hint=hint, details=str(error))


def iter_records(
    table: OpenTable,
    fields: Sequence[FieldSpec],
    mapping: Mapping[str, str],
    on_problem: Callable[[RowProblem], None],
    *,
    duplicates: Duplicates = "report",
    ctx: JobContext | None = None,
) -> Iterator[Record]:
    """The usable rows one by one, for tables too large to hold; every other row goes to `on_problem`.

    `mapping` is complete (see `complete_mapping`). A duplicate is a row whose mapped values all equal an earlier
    row's: two people may well have written the same sentence, so it is reported and kept, unless the caller asks to
    drop it.
    """
    names = tuple(mapping)
    required = {place for place, name in enumerate(names) if any(f.name == name and f.required for f in fields)}
    shared: dict[str, str] = {}
    seen: dict[bytes, int] = {}
    try:
        for row in table.file.rows(tuple(mapping.values()), ctx):
            faults = [row.fault] if row.fault else []
            if all(fault.kept for fault in faults):
                faults += _own_faults(row, names, required, seen, keep_duplicates=duplicates == "report")
            for fault in faults:
                on_problem(RowProblem(row.number, row.line, fault.reason, fault.detail, fault.excerpt, fault.kept))
            if all(fault.kept for fault in faults):
                yield Record(row.number, row.line, dict(zip(names, _share(row.cells, shared), strict=True)))
    except OSError as error:
        raise _unreadable(table.file.path, error) from error


def _own_faults(
    row: RawRow, names: Sequence[str], required: set[int], seen: dict[bytes, int], *, keep_duplicates: bool
) -> list[Fault]:
    """The fault of a row that the reader found sound."""
    for place in required:
        if not row.cells[place].strip():
            return [Fault(f"no {names[place]}")]
    first = seen.setdefault(_digest(row.cells), row.number)
    if first == row.number:
        return []
    return [Fault("duplicate", f"the same as row {first}", kept=keep_duplicates)]


def _digest(cells: tuple[str, ...]) -> bytes:
    """The digest of a row for finding duplicates: 16 bytes, so that a million rows stay small."""
    return hashlib.blake2b(repr(cells).encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _share(cells: tuple[str, ...], shared: dict[str, str]) -> list[str]:
    if len(shared) > MOST_SHARED:
        shared.clear()
    return [shared.setdefault(cell, cell) if len(cell) <= SHARED_CELL else cell for cell in cells]


def read_records(
    path: Path | str,
    fields: Sequence[FieldSpec] | Callable[[Sequence[str]], Sequence[FieldSpec]],
    mapping: Mapping[str, str] | None = None,
    encoding: str | None = None,
    *,
    duplicates: Duplicates = "report",
    ctx: JobContext | None = None,
) -> TableRead:
    """Read a whole table. Fields that `mapping` (field → column) leaves open are guessed. `fields`: or, by the columns
    that the table has.

    Raises `AppError` where the table cannot be used at all, also when not one row can; otherwise bad rows are in
    `problems`. See `iter_records` for duplicates.
    """
    table = look_at(path, encoding)
    fields = fields(table.columns) if callable(fields) else fields
    asked = dict(mapping or {})
    complete = complete_mapping(table.file.path.name, table.columns, table.sample_rows, fields, asked)
    problems: list[RowProblem] = []
    rows = tuple(iter_records(table, fields, complete, problems.append, duplicates=duplicates, ctx=ctx))
    read = whole_table(table, rows, problems, complete)
    return replace(read, guessed=tuple(name for name in complete if name not in asked))


def read_columns(path: Path | str, ctx: JobContext | None = None, *, kept: str) -> TableRead:
    """A whole table with all its columns. Raises `AppError` for the first row that cannot be read, other than an empty
    one; `kept` is what the error says of what was done so far.
    """
    columns = look_at(path).columns
    source = f"“{Path(path).name}”"
    if twice := next((column for column in columns if columns.count(column) > 1), None):
        raise AppError(f"{source} has the column “{twice}” twice.", hint="Rename one of them.")
    specs = tuple(FieldSpec(column) for column in columns)
    read = read_records(path, specs, {column: column for column in columns}, duplicates="report", ctx=ctx)
    if lost := next((problem for problem in read.problems if not problem.kept and problem.reason != EMPTY_ROW), None):
        raise AppError(f"{source} cannot be used: {lost}.", kept=kept, hint="Mend that row.")
    return read


def whole_table(
    table: OpenTable, rows: tuple[Record, ...], problems: Sequence[RowProblem], mapping: Mapping[str, str]
) -> TableRead:
    """The result of reading a table. Raises `AppError` where not one row can be used."""
    if not rows:
        raise _no_rows(table.file.path.name, problems)
    dropped = Counter(problem.reason for problem in problems if not problem.kept)
    return TableRead(
        rows=rows,
        problems=tuple(problems),
        dropped=dict(dropped),
        total=len(rows) + dropped.total(),
        encoding=table.encoding.name,
        columns=table.columns,
        mapping=mapping,
        notices=(table.encoding.notice,) if table.encoding.notice else (),
    )


def _no_rows(name: str, problems: Sequence[RowProblem]) -> AppError:
    if not problems:
        return AppError(f"“{name}” has no rows below its header.", hint="Check that it was saved completely.")
    way_out = " Save the file as UTF-8, or name its encoding." if problems[0].reason == "wrong encoding" else ""
    return AppError(
        f"None of the {len(problems)} rows of “{name}” can be used.",
        hint=f"{problems[0]}.{way_out}",
        details="\n".join(str(problem) for problem in problems[:100]),
    )
