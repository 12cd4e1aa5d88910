"""Reading a table of texts: one door for every kind of file. A bad row is named by its number, never lost silently."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Literal, Protocol

from biasprint.core.errors import AppError, UsageError
from biasprint.core.given import ordinary_file
from biasprint.core.jobs import JobContext
from biasprint.core.tables.fields import FieldSpec, about_mapping, complete_mapping, joined_columns
from biasprint.core.tables.json_files import Parsed, RecordsFile, open_archive, open_json, open_lines
from biasprint.core.tables.logs import format_of
from biasprint.core.tables.rows import (
    ANYWHERE,
    EMPTY_ROW,
    Fault,
    HeaderPlace,
    RawRow,
    Record,
    RowProblem,
    TableRead,
    distinct,
)
from biasprint.core.tables.text_files import CsvFile, Encoding, find_encoding
from biasprint.core.tables.typed_files import ParquetFile, XlsxFile, is_arrow_folder, open_arrow

Duplicates = Literal["report", "drop"]
SAMPLE_ROWS = 50
SHARED_CELL = 40  # characters; equal short cells (groups, jobs, names) share one string in memory
MOST_SHARED = 10_000
NO_TEXT = ("no text", "no generated", "no response")  # reasons of a row of which nothing was written


class TableFile(Protocol):
    """A reader of one kind of file."""

    @property
    def path(self) -> Path: ...
    @property
    def encoding(self) -> Encoding: ...
    @property
    def columns(self) -> tuple[str, ...]: ...
    def rows(self, wanted: Sequence[str], ctx: JobContext | None = None) -> Iterator[RawRow]: ...


Opener = Callable[[Path, str | None, HeaderPlace], TableFile]


def _csv(path: Path, asked: str | None, place: HeaderPlace) -> TableFile:
    _without_sheet(path, place)
    return CsvFile.open(path, find_encoding(path, asked), place)


def _json(path: Path, asked: str | None, place: HeaderPlace) -> TableFile:
    """A file of JSON, whatever it is called: an archive, a list of records or a log, or one object a line."""
    _without_header(path, place)
    with path.open("rb") as file:
        head = file.read(4)
    if head.startswith(b"PK"):
        return open_archive(path)
    encoding = find_encoding(path, asked)
    return (open_lines if path.suffix.lower() in JSON_LINES else open_json)(path, encoding)


def _xlsx(path: Path, asked: str | None, place: HeaderPlace) -> TableFile:
    _without_encoding(path, asked)
    return XlsxFile.open(path, place)


def _parquet(path: Path, asked: str | None, place: HeaderPlace) -> TableFile:
    _without_encoding(path, asked)
    _without_header(path, place)
    return ParquetFile.open(path)


def _arrow(path: Path, asked: str | None, place: HeaderPlace) -> TableFile:
    _without_encoding(path, asked)
    _without_header(path, place)
    return open_arrow(path)


def _without_encoding(path: Path, asked: str | None) -> None:
    if asked is not None:
        raise UsageError(f"A {path.suffix} file has no encoding to choose.", hint="Leave the encoding out.")


def _without_sheet(path: Path, place: HeaderPlace) -> None:
    if place.sheet:
        raise UsageError(f"“{path.name}” has no sheets to choose from.", hint="Leave the sheet out.")


def _without_header(path: Path, place: HeaderPlace) -> None:
    _without_sheet(path, place)
    if place.row is not None:
        raise UsageError(f"“{path.name}” has no header to choose.", hint="Leave the header's row out.")


JSON_LINES = (".jsonl", ".ndjson")
READERS: Mapping[str, Opener] = {
    ".csv": _csv,
    ".tsv": _csv,
    ".jsonl": _json,
    ".ndjson": _json,
    ".json": _json,
    ".eval": _json,
    ".xlsx": _xlsx,
    ".parquet": _parquet,
    ".arrow": _arrow,
}


def as_log(file: TableFile) -> TableFile:
    """Return a table as the log that it is, such as an export of traces as csv; an ordinary one as it is."""
    if isinstance(file, RecordsFile):
        return file
    table = file
    if isinstance(file, CsvFile | XlsxFile):  # two columns of one name are two columns of a log
        file = replace(file, columns=distinct(file.columns))
    row = next((row for row in file.rows(file.columns) if row.cells), None)
    if row is None or format_of(dict(zip(file.columns, row.cells, strict=True))) is None:
        return table

    def records(ctx: JobContext | None) -> Iterator[tuple[int, Parsed]]:
        for row in file.rows(file.columns, ctx):
            bad = row.fault is not None and not row.fault.kept
            yield row.line, row.fault if bad and row.fault else dict(zip(file.columns, row.cells, strict=True))

    return RecordsFile.open(file.path, file.encoding, records)


@dataclass(frozen=True)
class OpenTable:
    """A table that has been looked at: its columns and first rows, for a guess that a person can check."""

    file: TableFile
    columns: tuple[str, ...]
    sample_rows: tuple[Mapping[str, str], ...]

    @property
    def encoding(self) -> Encoding:
        return self.file.encoding

    @property
    def sheets(self) -> tuple[str, ...]:
        """The sheets with rows of a workbook."""
        return self.file.sheets if isinstance(self.file, XlsxFile) else ()

    @property
    def place(self) -> HeaderPlace | None:
        """The place of the header; None where a file's records name their fields themselves."""
        if isinstance(self.file, XlsxFile):
            return HeaderPlace(self.file.title, self.file.header)
        return HeaderPlace(row=self.file.before) if isinstance(self.file, CsvFile) else None

    @property
    def paths(self) -> tuple[str, ...]:
        """Places to map beside the columns: dotted paths into the records of a log."""
        return self.file.paths if isinstance(self.file, RecordsFile) else ()


def look_at(path: Path | str, encoding: str | None = None, place: HeaderPlace = ANYWHERE) -> OpenTable:
    """Open a table, or another program's log, and read its columns and first rows. `place`: of the header.

    Raises `AppError`, with what to do, for a file that is missing, a folder, empty, binary, or of another kind.
    """
    path = Path(path)
    reader = _reader_for(path)
    try:
        file = as_log(reader(path, encoding, place))
        first = [row.cells for row in islice(file.rows(file.columns), SAMPLE_ROWS) if row.cells]
    except OSError as error:
        raise _unreadable(path, error) from error
    return OpenTable(file, file.columns, tuple(dict(zip(file.columns, cells, strict=True)) for cells in first))


def _reader_for(path: Path) -> Opener:
    if is_arrow_folder(path):
        return _arrow
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
        for row in _rows(table, fields, mapping, ctx):
            faults = [row.fault] if row.fault else []
            if all(fault.kept for fault in faults):
                faults += _own_faults(row, names, required, seen, keep_duplicates=duplicates == "report")
            for fault in faults:
                lacking = fault.reason in (f"no {names[place]}" for place in required)
                values = dict(zip(names, row.cells, strict=True)) if lacking else None
                on_problem(
                    RowProblem(row.number, row.line, fault.reason, fault.detail, fault.excerpt, fault.kept, values)
                )
            if all(fault.kept for fault in faults):
                yield Record(row.number, row.line, dict(zip(names, _share(row.cells, shared), strict=True)))
    except OSError as error:
        raise _unreadable(table.file.path, error) from error


def _rows(
    table: OpenTable, fields: Sequence[FieldSpec], mapping: Mapping[str, str], ctx: JobContext | None
) -> Iterator[RawRow]:
    """The rows with the cells of each field. Of several columns that are joined each gives a row of its own, with its
    cell for a field of long texts and its name for every other.
    """
    joints = {column: parts for column in mapping.values() if (parts := joined_columns(column, table.columns))}
    if len(joints) > 1:
        raise UsageError(
            f"Columns are joined in two ways: {' and '.join(joints)}.", hint="Join the same ones, in one order."
        )
    if not joints:
        yield from table.file.rows(tuple(mapping.values()), ctx)
        return
    ((joint, parts),) = joints.items()
    others = [column for column in mapping.values() if column != joint]
    long_texts = {field.name for field in fields if field.long_text}
    named = [name for name, column in mapping.items() if column == joint]
    if not long_texts & set(named):
        raise UsageError(
            f"The columns “{joint}” are joined for {', '.join(named)}, and for no text.", hint=f"Say text={joint} too."
        )
    for row in table.file.rows((*others, *parts), ctx):
        if row.fault and not row.fault.kept:
            yield row
            continue
        for place, part in enumerate(parts):
            cells = dict(zip(others, row.cells, strict=False))
            own = {True: row.cells[len(others) + place], False: part}
            yield RawRow(
                row.number,
                row.line,
                tuple(
                    own[name in long_texts] if column == joint else cells[column] for name, column in mapping.items()
                ),
                row.fault if place == 0 else None,
            )


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
    place: HeaderPlace = ANYWHERE,
    duplicates: Duplicates = "report",
    ctx: JobContext | None = None,
) -> TableRead:
    """Read a whole table. Fields that `mapping` (field → column) leaves open are guessed. `fields`: or, by the columns
    that the table has.

    Raises `AppError` where the table cannot be used at all, also when not one row can; otherwise bad rows are in
    `problems`. See `iter_records` for duplicates.
    """
    table = look_at(path, encoding, place)
    fields = fields(table.columns) if callable(fields) else fields
    asked = dict(mapping or {})
    complete = complete_mapping(table.file.path.name, table.columns, table.sample_rows, fields, asked, table.paths)
    problems: list[RowProblem] = []
    rows = tuple(iter_records(table, fields, complete, problems.append, duplicates=duplicates, ctx=ctx))
    read = whole_table(table, rows, problems, complete)
    notices = (*read.notices, *about_mapping(complete, fields, table.columns))
    return replace(read, guessed=tuple(name for name in complete if name not in asked), notices=notices)


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
        unanswered=tuple(
            Record(problem.number, problem.line, problem.values)
            for problem in problems
            if problem.values is not None and problem.reason in NO_TEXT
        ),
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
