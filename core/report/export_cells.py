"""What becomes of a value in a cell: plain types, no formula, and nothing that the format cannot hold."""

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from core.project.stores.common import store_text

Cell = None | bool | int | float | str

# What spreadsheets take for the beginning of a formula, also behind blanks and in full width. Cells that hold
# apostrophes before it are guarded too, so that taking one apostrophe away is always right.
_FORMULA = re.compile("'*(?:[\t\r\n]|[\\s\ufeff]*[=+\\-@＝＋－＠])")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class CutCell:
    """A text that a cell could not hold whole. `row` counts data rows from 1; lengths in characters."""

    row: int
    column: str
    length: int
    kept: int


@dataclass
class Tally:
    """What happened while rows were written."""

    rows: int = 0
    guarded: int = 0
    escaped: int = 0
    cut: list[CutCell] = field(default_factory=list)


def plain_cell(value: Any) -> Cell:
    """`value` as a number, a text, a truth value or nothing; lists and mappings as JSON, not-a-numbers as text."""
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
    """`value` in types that JSON has; keys as text."""
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


def is_formula(text: str) -> bool:
    """Whether a spreadsheet could take `text` for a formula. A number with its sign is none."""
    return _FORMULA.match(text) is not None and _NUMBER.fullmatch(text) is None


def with_guard(text: str) -> str:
    """`text` so that no spreadsheet takes it for a formula."""
    return "'" + text if is_formula(text) else text


def without_guard(text: str) -> str:
    """The inverse of `with_guard`."""
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text


def without_surrogates(text: str, tally: Tally) -> str:
    """`text` with lone surrogates escaped as in the project file; valid Unicode, and counted if it had any."""
    if text.isascii() or not _SURROGATE.search(text):
        return text
    tally.escaped += 1
    return store_text(text).text
