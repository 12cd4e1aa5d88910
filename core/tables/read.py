"""Reading a table of texts: one door for every kind of file. A bad row is named by its number, never lost silently."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Literal, Protocol

from core.errors import AppError, UsageError
from core.jobs import JobContext
from core.tables.encoding import Encoding, find_encoding
from core.tables.fields import FieldSpec, complete_mapping
from core.tables.rows import Fault, RawRow, Record, RowProblem, TableRead
from core.tables.text_files import CsvFile, JsonlFile
from core.tables.typed_files import ParquetFile, XlsxFile

Duplicates = Literal["report", "drop"]
SAMPLE_ROWS = 50
SHARED_CELL = 40  # characters; equal short cells (groups, jobs, names) share one string in memory
MOST_SHARED = 10_000


class TableFile(Protocol):
    """What a reader of one kind of file gives."""

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
    if path.stat().st_size == 0:
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
    """What is wrong with a row that the reader found sound."""
    for place in required:
        if not row.cells[place].strip():
            return [Fault(f"no {names[place]}")]
    first = seen.setdefault(_digest(row.cells), row.number)
    if first == row.number:
        return []
    return [Fault("duplicate", f"the same as row {first}", kept=keep_duplicates)]


def _digest(cells: tuple[str, ...]) -> bytes:
    """What stands for a row when looking for duplicates: 16 bytes, so that a million rows stay small."""
    return hashlib.blake2b(repr(cells).encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _share(cells: tuple[str, ...], shared: dict[str, str]) -> list[str]:
    if len(shared) > MOST_SHARED:
        shared.clear()
    return [shared.setdefault(cell, cell) if len(cell) <= SHARED_CELL else cell for cell in cells]


def read_records(
    path: Path | str,
    fields: Sequence[FieldSpec],
    mapping: Mapping[str, str] | None = None,
    encoding: str | None = None,
    *,
    duplicates: Duplicates = "report",
    ctx: JobContext | None = None,
) -> TableRead:
    """Read a whole table. Fields that `mapping` (field → column) leaves open are guessed.

    Raises `AppError` where the table cannot be used at all, also when not one row can; otherwise bad rows are in
    `problems`. See `iter_records` for duplicates.
    """
    table = look_at(path, encoding)
    asked = dict(mapping or {})
    complete = complete_mapping(table.file.path.name, table.columns, table.sample_rows, fields, asked)
    problems: list[RowProblem] = []
    rows = tuple(iter_records(table, fields, complete, problems.append, duplicates=duplicates, ctx=ctx))
    read = whole_table(table, rows, problems, complete)
    return replace(read, guessed=tuple(name for name in complete if name not in asked))


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
