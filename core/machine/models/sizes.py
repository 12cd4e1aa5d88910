"""Sizes in words."""

UNITS = ("bytes", "kB", "MB", "GB", "TB")
UNKNOWN = "not known"


def in_words(size: int | None) -> str:
    """438 MB, 4.1 GB; decimal units, as file managers show them. `UNKNOWN` where nobody said."""
    if size is None:
        return UNKNOWN
    amount, unit = float(size), 0
    while amount >= 999.5 and unit + 1 < len(UNITS):
        amount, unit = amount / 1000, unit + 1
    digits = 1 if unit and amount < 9.95 else 0
    return f"{amount:.{digits}f} {UNITS[unit]}"
