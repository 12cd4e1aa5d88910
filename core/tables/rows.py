"""Rows of a table: the one that names the columns, the values of records, and every row that is not as it should be."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, nan
from typing import Any

EXCERPT_LENGTH = 60
EMPTY_ROW = "empty row"  # the reason of a row without any cell
# Bytes that do not decode are carried through the parser as U+DC00 + byte (see text_files.py).
UNDECODED = re.compile("[\udc00-\udcff]")
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Record:
    """One usable row. `number` counts data rows from 1, `line` is where the row starts in the file."""

    number: int
    line: int
    values: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Fault:
    """The reason a row is not as it should be; `kept` if it is used all the same."""

    reason: str
    detail: str = ""
    excerpt: str = ""
    kept: bool = False


@dataclass(frozen=True, slots=True)
class RawRow:
    """A row as a reader found it: the cells of the wanted columns, in their order, or a fault that drops it."""

    number: int
    line: int
    cells: tuple[str, ...] = ()
    fault: Fault | None = None


@dataclass(frozen=True, slots=True)
class RowProblem:
    """A row that is not as it should be. `reason` is a stable phrase, counted in `dropped` unless the row is kept.

    `values`: of a row that lacks nothing but a required value, its other ones.
    """

    number: int
    line: int
    reason: str
    detail: str = ""
    excerpt: str = ""
    kept: bool = False
    values: Mapping[str, str] | None = None

    def __str__(self) -> str:
        reason = "; ".join(part for part in (self.reason, self.detail) if part)
        return f"Row {self.number} (line {self.line}): {reason}" + (f": {self.excerpt}" if self.excerpt else "")


@dataclass(frozen=True)
class TableRead:
    """A whole table. `total` rows were read; `rows` are usable; `dropped` counts the others by reason.

    `unanswered`: of the dropped rows those that have everything but a text. `guessed` names the fields whose column was
    guessed. `line_break` is the mark that represents a line break in the texts ("" if none does): texts are kept
    exactly as received, `with_line_breaks` gives the form to show and measure.
    """

    rows: tuple[Record, ...]
    problems: tuple[RowProblem, ...]
    dropped: Mapping[str, int]
    total: int
    encoding: str
    columns: tuple[str, ...]
    mapping: Mapping[str, str]
    guessed: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    line_break: str = ""
    unanswered: tuple[Record, ...] = ()


def with_line_breaks(text: str, mark: str) -> str:
    """Return `text` with every `mark` turned into a line break; unchanged if there is no mark."""
    return text.replace(mark, "\n") if mark else text


def visible(text: str, most: int) -> str:
    """Return at most `most` characters, safe to print: undecoded bytes as \\xNN, control and bidi marks as \\uNNNN."""
    shown = UNDECODED.sub(lambda hit: f"\\x{ord(hit[0]) & 0xFF:02x}", text[:most])
    return _UNSAFE.sub(lambda hit: f"\\u{ord(hit[0]):04x}", shown) + ("…" if len(text) > most else "")


def excerpt(text: str) -> str:
    """The beginning of `text` in quotation marks."""
    return f"“{visible(text, EXCERPT_LENGTH)}”"


# ---- The header: the first row, below titles where there are some, or a chosen one


MOST_TITLES = 20  # rows above the header that may hold a title


@dataclass(frozen=True)
class HeaderPlace:
    """The place of the header: `sheet`, a name or a number from 1 ("": found); `row`, from 1 (None: found)."""

    sheet: str = ""
    row: int | None = None


ANYWHERE = HeaderPlace()


def titles_above(rows: Sequence[Sequence[str]]) -> int:
    """Return how many rows come before the header: blank ones, and titles with one filled cell, a table's first.

    One cell is a title where the row is as wide as the table, has a blank in its text, or comes before a blank row.
    """
    for place, cells in enumerate(rows[: MOST_TITLES + 1]):
        width = _filled(cells)
        if width > 1:
            return place
        if width == 1 and not _is_title(cells, rows[place + 1 :]):
            return place
    return next((place for place, cells in enumerate(rows) if _filled(cells)), 0)


def _is_title(cells: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    if not cells[0].strip() or not below:
        return False
    after = [row for row in below[:MOST_TITLES] if _filled(row)]
    wide = [_filled(row) for row in after if _filled(row) > 1]
    if not wide or len(wide) < len(after) / 2 or wide[0] != max(wide):  # the first wide row names the columns
        return False
    return len(cells) > 1 or " " in cells[0].strip() or not _filled(below[0])


def distinct(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names with a number at those that come again: `a (2)`, and `[model (2)] prompt` of promptfoo's."""
    seen: Counter[str] = Counter()
    numbered = []
    for name in names:
        seen[name] += 1
        model, bracket, prompt = name.rpartition("] ") if name.startswith("[") else (name, "", "")
        numbered.append(name if seen[name] == 1 else f"{model} ({seen[name]}){bracket}{prompt}")
    return tuple(numbered)


def about_titles(rows: Sequence[Sequence[str]], before: int) -> str:
    """Return the notice of rows above the header, "" where none holds anything."""
    titles = [next(cell for cell in cells if cell.strip()) for cells in rows[:before] if _filled(cells)]
    if not titles:
        return ""
    return f"Rows above the header were not read: {', '.join(f'“{visible(title.strip(), 40)}”' for title in titles)}."


def _filled(cells: Sequence[str]) -> int:
    return sum(bool(cell.strip()) for cell in cells)


# ---- Values inside nested records, by dotted paths such as `response.body.choices.0.message.content`


DEEPEST = 10  # parts of a path
MOST_ITEMS = 10  # of a list that paths lead into


def leaf_paths(value: object, prefix: str = "", depth: int = 0) -> Iterator[str]:
    """Yield the dotted path of every plain value in an object, in its order; the parts of a list are numbers from 0."""
    parts: Iterator[tuple[str, object]]
    if isinstance(value, Mapping):
        parts = iter(value.items())
    elif isinstance(value, list):
        parts = ((str(place), part) for place, part in enumerate(value[:MOST_ITEMS]))
    else:
        yield prefix
        return
    if depth < DEEPEST:
        for name, part in parts:
            yield from leaf_paths(part, f"{prefix}.{name}" if prefix else name, depth + 1)


def at_path(record: Mapping[str, Any] | list[Any], path: str) -> Any:
    """Return the value at a dotted path, None where there is none. A key that holds the dots itself goes first."""
    if isinstance(record, Mapping) and path in record:
        return record[path]
    value: Any = record
    for part in path.split("."):
        if isinstance(value, Mapping):
            value = value.get(part)
        elif isinstance(value, list) and part.isdecimal() and int(part) < len(value):
            value = value[int(part)]
        else:
            return None
    return value


def as_text(value: object) -> str:
    """Return a value as a cell: a text as it is, "" for null, everything else as JSON."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


# ---- Numbers as people write them: with a decimal point or comma, and with separators of thousands


_SPACES = re.compile(r"(?<=\d)[\u00a0\u202f ’'](?=\d{3}(?:\D|$))")
# Commas that can be nothing but decimal ones, and nothing but separators of thousands.
_DECIMAL_COMMA = re.compile(r"[-+]?(?:\d*,(?:\d{1,2}|\d{4,})|0,\d+|\d{4,},\d+|\d{1,3}(?:\.\d{3})+,\d+)")
_THOUSANDS_COMMA = re.compile(r"[-+]?\d{1,3}(?:(?:,\d{3})+\.\d+|(?:,\d{3}){2,})")
_COMMA = re.compile(r"[-+]?\d[\d.]*,\d+|[-+]?\d[\d,]*\.?\d*")


@dataclass(frozen=True)
class Numbers:
    """The numbers of a column, NaN where a cell holds none; `reason`: why those are none; `notice`: how it was read."""

    values: tuple[float, ...]
    reason: str = ""
    notice: str = ""


def read_numbers(name: str, cells: Sequence[str]) -> Numbers:
    """Read a column. Whether commas are decimal follows from cells that can be read in one way alone.

    Where no cell decides (all are like 1,234), cells with a comma are no numbers, and the reason says what to do.
    """
    plain = [_SPACES.sub("", cell.strip()) for cell in cells]
    commas = [cell for cell in plain if "," in cell]
    decimal = any(_DECIMAL_COMMA.fullmatch(cell) for cell in commas)
    thousands = any(_THOUSANDS_COMMA.fullmatch(cell) for cell in commas)
    if decimal and not thousands:
        plain = [cell.replace(".", "").replace(",", ".") if "," in cell else cell for cell in plain]
        notice = f"Column {name}: commas were read as decimal commas ({len(commas)} cells)."
    elif thousands and not decimal:
        plain = [cell.replace(",", "") if _COMMA.fullmatch(cell) else cell for cell in plain]
        notice = f"Column {name}: commas were read as separators of thousands ({len(commas)} cells)."
    else:
        notice = ""
    values = tuple(map(_number, plain))
    bad = next((cell for cell, value in zip(cells, values, strict=True) if cell.strip() and value != value), None)
    if bad is None:
        return Numbers(values, "", notice)
    if not notice and _COMMA.fullmatch(bad.strip()) and "," in bad:
        return Numbers(values, f"{name} may have decimal commas or thousands, such as “{bad[:40]}”: write 1.5 or 1500")
    return Numbers(values, f"{name} is not a number, such as “{bad[:40]}”", notice)


def _number(cell: str) -> float:
    try:
        value = float(cell)
    except ValueError:
        return nan
    return value if isfinite(value) else nan
