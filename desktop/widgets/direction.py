"""Which way a text runs, by its first letter with a direction of its own (Unicode's rules P2 and P3)."""

import unicodedata

from PySide6.QtCore import Qt

LOOKED_AT = 20_000  # characters; nobody reads so many numbers and signs before the first letter
_STRONG = {
    "L": Qt.LayoutDirection.LeftToRight,
    "R": Qt.LayoutDirection.RightToLeft,
    "AL": Qt.LayoutDirection.RightToLeft,
}


def direction_of(text: str) -> Qt.LayoutDirection | None:
    """None for a text without such a letter: numbers, signs, nothing."""
    for character in text[:LOOKED_AT]:
        direction = _STRONG.get(unicodedata.bidirectional(character))
        if direction is not None:
            return direction
    return None
