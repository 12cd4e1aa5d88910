"""Results of reading a table: records, and every row that is not as it should be, named by its number."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

EXCERPT_LENGTH = 60
EMPTY_ROW = "empty row"  # the reason of a row without any cell
# Bytes that do not decode are carried through the parser as U+DC00 + byte (see encoding.py).
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
