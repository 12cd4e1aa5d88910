"""Tables in files of text: csv, tsv and jsonl."""

import csv
import itertools
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, TextIO

from core.errors import AppError
from core.jobs import JobContext
from core.tables.encoding import Encoding, misfit, open_text, watch
from core.tables.rows import Fault, RawRow, excerpt

# ---- csv and tsv: which separator, which columns, and every row, sound or not

SEPARATORS = ",;\t|"
SNIFFED_LINES = 200
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
        """Every data row with the cells of the wanted columns; one that cannot be used carries its fault instead."""
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
            return Fault("empty row")
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
    """Each row's first line in the file and its cells; blank lines give no cells.

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
BLANK = Fault("empty row")


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
        found = list(islice(filled, HEADER_ROWS))
        objects = [parsed for parsed in found if isinstance(parsed, dict)]
        if not found:
            raise AppError(f"“{path.name}” has no rows.", hint="Check that it was saved completely.")
        if not objects:
            raise AppError(
                f"No line of “{path.name}” is a JSON object.",
                hint='Each line must hold one row, like {"text": "…", "group": "…"}.',
            )
        return cls(path, encoding, tuple(dict.fromkeys(key for row in objects for key in row)))

    def rows(self, wanted: Sequence[str], ctx: JobContext | None = None) -> Iterator[RawRow]:
        """Every line with the values of the wanted keys ("" where one is absent or null)."""
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
