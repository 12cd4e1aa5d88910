"""Numbers as people write them: with a decimal point or comma, and with separators of thousands."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, nan

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
