"""Reading csv and tsv: which separator, which columns, and every row, sound or not."""

import csv
import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TextIO

from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.tables.encoding import Encoding, misfit, open_text, watch
from biasprint.core.tables.headers import ANYWHERE, HeaderPlace, about_titles, titles_above
from biasprint.core.tables.rows import EMPTY_ROW, Fault, RawRow, excerpt

SEPARATORS = ",;\t|"
SNIFFED_LINES = 200
_SEPARATOR_LINE = re.compile("\ufeff?sep=(.)", re.IGNORECASE)  # a first line of Excel's, which names the separator
csv.field_size_limit(2**31 - 1)  # the default refuses cells above 128 kB; the limit is a C long, 32 bits on Windows


@dataclass(frozen=True)
class CsvFile:
    """A csv or tsv file whose header has been read."""

    path: Path
    encoding: Encoding
    separator: str
    columns: tuple[str, ...]
    before: int = 0  # parsed rows before the first data row

    @classmethod
    def open(cls, path: Path, encoding: Encoding, place: HeaderPlace = ANYWHERE) -> "CsvFile":
        """Find the separator and the header. Raises `AppError` if there is none."""
        with open_text(path, encoding, newline="") as stream:
            lines = list(itertools.islice(stream, SNIFFED_LINES))
        named = _SEPARATOR_LINE.fullmatch(lines[0].strip()) if lines else None
        first = 1 if named else 0
        separator = named[1] if named else _find_separator(lines, path.suffix.lower())
        with open_text(path, encoding, newline="") as stream:
            most = max(SNIFFED_LINES, place.row or 0)
            parsed = [cells for _, cells in itertools.islice(_parse(stream, separator), most)]
        above = [cells if isinstance(cells, list) else [] for cells in parsed[first:]]
        at = place.row - 1 if place.row else first + titles_above(above)
        header = parsed[at] if at < len(parsed) else None
        if not header or any(isinstance(cells, Fault) for cells in parsed[first : at + 1]):
            where = f"Row {place.row}" if place.row else "The first line"
            raise AppError(
                f"The header of “{path.name}” cannot be read.",
                hint=f"{where} must name the columns, separated by commas, semicolons or tabs.",
            )
        notice = " ".join(filter(None, (encoding.notice, about_titles(above, at - first))))
        columns = tuple(name.strip() for name in above[at - first])
        return cls(path, replace(encoding, notice=notice), separator, columns, at + 1)

    def rows(self, wanted: Sequence[str], ctx: JobContext | None = None) -> Iterator[RawRow]:
        """Yield every data row with the wanted columns' cells; an unusable one carries its fault instead."""
        places = [self.columns.index(column) for column in wanted]
        with open_text(self.path, self.encoding, newline="") as stream:
            parsed = itertools.islice(_parse(stream, self.separator), self.before, None)
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
        if "".join(cells).isascii():
            return None
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
        rows = list(csv.reader(lines, delimiter=separator))
        filled = [row for row in rows[titles_above(rows) :] if row]
        width = len(filled[0]) if filled else 0
        return (sum(len(row) == width for row in filled) / len(filled), width) if width > 1 else (0.0, 0)

    return max(SEPARATORS, key=fit)  # the first of equals: the comma
