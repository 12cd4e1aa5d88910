"""Values of files that have types, as the plain text that everything else works with."""

from datetime import date, datetime, time
from decimal import Decimal

from core.tables.encoding import HANDLER

EXACT_IN_FLOAT = 2**53


def plain_text(value: object) -> str:
    """`value` in one stable form: 60 rather than 60.0, dates as in ISO 8601, nothing as "".

    Bytes are read as UTF-8; those that are not are carried as in `core.tables.encoding`.
    """
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return value.decode("utf-8", HANDLER)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) <= EXACT_IN_FLOAT else repr(value)
    if isinstance(value, Decimal):
        digits = f"{value:f}"
        return digits.rstrip("0").rstrip(".") if "." in digits else digits
    if isinstance(value, datetime):
        # A day without a time is how spreadsheets hold a date.
        return value.date().isoformat() if value.time() == time() and value.tzinfo is None else value.isoformat(" ")
    return value.isoformat() if isinstance(value, date | time) else str(value)
