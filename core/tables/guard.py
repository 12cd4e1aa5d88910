"""Keeping exported text from being read as a formula by a spreadsheet."""

import re

# What spreadsheets take for the beginning of a formula, also behind blanks and in full width. Cells that hold
# apostrophes before it are guarded too, so that taking one apostrophe away is always right.
_FORMULA = re.compile("'*(?:[\t\r\n]|[\\s\ufeff]*[=+\\-@＝＋－＠])")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


def is_formula(text: str) -> bool:
    """Return whether a spreadsheet could take `text` for a formula. A number with its sign is none."""
    return _FORMULA.match(text) is not None and _NUMBER.fullmatch(text) is None


def with_guard(text: str) -> str:
    """`text` so that no spreadsheet takes it for a formula."""
    return "'" + text if is_formula(text) else text


def without_guard(text: str) -> str:
    """The inverse of `with_guard`."""
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text
