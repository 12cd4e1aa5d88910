"""Putting words into a sentence so that it stays one: capitals, “a” and “an”, spaces and commas."""

import re
from typing import NamedTuple

from core.swap.agreement import article

_ARTICLE = re.compile(r"(?<![\w-])(an?)(\s+)$", re.IGNORECASE)
_WORD = re.compile(r"[\w’'-]+")


class Edit(NamedTuple):
    """The characters `start` to `end` of a sentence, and what stands there instead."""

    start: int
    end: int
    new: str


def replaced(sentence: str, start: int, end: int, new: str) -> Edit:
    """`new` instead of the characters, with a capital at the beginning, and the article before it made to fit."""
    if start == _first(sentence) or (sentence[start:end].isupper() and end - start > 1):
        new = new.upper() if sentence[start:end].isupper() and end - start > 3 else new[:1].upper() + new[1:]
    found = _ARTICLE.search(sentence[:start])
    if found is None:
        return Edit(start, end, new)
    right = article(new)
    if right == found[1].lower():
        return Edit(start, end, new)
    cased = right.capitalize() if found[1][0].isupper() else right
    return Edit(found.start(1), end, f"{cased}{found[2]}{new}")


def left_out(sentence: str, start: int, end: int) -> Edit:
    """The characters taken out: at the beginning the next word gets the capital, and an article before it fits."""
    following = _WORD.match(sentence, end)
    if start == _first(sentence) and following is not None:
        word = following[0]
        return Edit(start, following.end(), word[:1].upper() + word[1:])
    found = _ARTICLE.search(sentence[:start])
    if found is not None and following is not None and article(following[0]) != found[1].lower():
        right = article(following[0])
        cased = right.capitalize() if found[1][0].isupper() else right
        return Edit(found.start(1), following.end(), f"{cased}{found[2]}{following[0]}")
    return Edit(start, end, "")


def _first(sentence: str) -> int:
    """Where the first word begins, behind spaces and opening quotation marks."""
    found = re.search(r"\w", sentence)
    return found.start() if found else 0
