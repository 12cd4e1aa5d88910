"""The note that is typed in the tests of kills: of random letters, so that a part of it is known by its place."""

import random

LONGEST = 20_000
_NOTE = "".join(random.Random(7).choices("abcdefghijklmnopqrstuvwxyz ", k=LONGEST))


def letters(start: int, count: int) -> str:
    """`count` letters of the note from `start` on."""
    return _NOTE[start : start + count]
