"""Where a word stands in a letter of each group: the same block for both where there is one."""

import re
import unicodedata
from collections.abc import Sequence
from typing import Any

import numpy as np

from core.studies.letters.table import LettersTable
from core.studies.letters.word_choice import Compared

AROUND = 45  # characters before and after the word


def paired_snippets(word: str, column: Any, choice: Compared, table: LettersTable, texts: Sequence[str]) -> str:
    """A short passage of each group with the word in it. `column`: its counts per letter of the pair, sparse (n, 1)."""
    holding = np.zeros(len(choice.letters), dtype=bool)
    holding[column.nonzero()[0]] = True
    sides = [[int(place) for place in choice.letters[holding & side]] for side in (choice.first, ~choice.first)]
    chosen = [side[0] if side else None for side in sides]
    blocks = {table.block(letter): letter for letter in reversed(sides[1]) if table.block(letter)}
    for letter in sides[0]:
        if table.block(letter) in blocks:
            chosen = [letter, blocks[table.block(letter)]]
            break
    parts = [
        f"{group}: “{_around(word, texts[letter])}”"
        for group, letter in zip(choice.pair, chosen, strict=True)
        if letter is not None
    ]
    return f"{'; '.join(parts)}." if parts else ""


def _around(word: str, text: str) -> str:
    plain = " ".join(unicodedata.normalize("NFC", text).split())
    place = re.search(rf"(?<!\w){re.escape(word)}(?!\w)", plain, re.IGNORECASE)
    if place is None:  # the word was folded into a form that the text does not have, such as ß into ss
        return word
    start, end = max(0, place.start() - AROUND), min(len(plain), place.end() + AROUND)
    start = start if start == 0 else plain.find(" ", start, place.start()) + 1 or place.start()
    end = end if end == len(plain) else max(plain.rfind(" ", place.end(), end), place.end())
    return f"{'… ' if start else ''}{plain[start:end]}{' …' if end < len(plain) else ''}"
