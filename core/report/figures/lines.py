"""Texts in lines that fit: SVG breaks none by itself, and what reads this cannot ask a font."""

from collections.abc import Iterator

# Widths in em, rounded up to those of DejaVu Sans: wider than Inter and what else may stand in for it.
_NARROW, _USUAL, _WIDE, _FULL = 0.4, 0.63, 1.0, 1.05
_FULL_FROM = "\u1100"  # from here on letters are as wide as they are high


def width(text: str, size: float, bold: bool = False) -> float:
    """How wide a text is at most, in pixels."""
    return sum(map(_em, text)) * size * (1.06 if bold else 1.0)


def _em(letter: str) -> float:
    if letter in "iljtfrI.,:;'|!()[]· ’“”":
        return _NARROW
    if letter in "mwMW%@—…→×":
        return _WIDE
    if letter >= _FULL_FROM and letter not in "–—‘’“”…→−Δτκα":
        return _FULL
    return 0.73 if letter.isupper() else _USUAL


def wrap(text: str, size: float, room: float, bold: bool = False, most: int = 100) -> list[str]:
    """The text in lines of at most `room` pixels; after `most` lines it ends in “…”. A word that is too long is cut."""
    lines: list[str] = []
    line = ""
    for word in _pieces(text, size, room, bold):
        longer = f"{line} {word}".strip()
        if line and width(longer, size, bold) > room:
            lines.append(line)
            line = word
        else:
            line = longer
    lines.append(line)
    if len(lines) <= most:
        return lines
    last = lines[most - 1]
    while last and width(f"{last}…", size, bold) > room:
        last = last[:-1]
    return [*lines[: most - 1], f"{last.rstrip()}…"]


def _pieces(text: str, size: float, room: float, bold: bool) -> Iterator[str]:
    """The words, those that do not fit a line in pieces."""
    for word in text.split():
        while len(word) > 1 and width(word, size, bold) > room:
            fit = max(
                1, next(end for end in range(len(word), 0, -1) if end == 1 or width(word[:end], size, bold) <= room)
            )
            yield word[:fit]
            word = word[fit:]
        yield word
