"""The changes between two versions of a text: few, readable replacements rather than the shortest list."""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

# Paragraph breaks, line breaks, words with what joins them, blanks, and every other character by itself.
_TOKEN = re.compile(r"\n{2,}|\n|\w+(?:['’‑-]\w+)*|[^\S\n]+|[^\w\s]")
MOST_TOKENS = 4_000  # of a stretch that is compared word by word; a longer one is replaced as a whole


class TextEdit(NamedTuple):
    """Characters `start` to `end` of the first text become `text`."""

    start: int
    end: int
    text: str


def edits(before: str, after: str) -> tuple[TextEdit, ...]:
    """The edits that make `after` of `before`, in order and apart from each other.

    Paragraphs are compared first, then the words of those that differ. Blanks between two changed words change too:
    somebody reads and accepts the result.
    """
    edits_found: list[TextEdit] = []
    first, second = _TOKEN.findall(before), _TOKEN.findall(after)
    place = 0
    for same, old, new in _joined(_steps(first, second)):
        removed, text = "".join(old), "".join(new)
        if not same:
            edits_found.append(_trimmed(place, removed, text))
        place += len(removed)
    return tuple(edit for edit in edits_found if edit.start < edit.end or edit.text)


Step = tuple[bool, Sequence[str], Sequence[str]]  # alike?, tokens before, tokens after


def _steps(first: Sequence[str], second: Sequence[str]) -> Iterator[Step]:
    """Compare by paragraphs, and by words within those that differ. Equal beginnings and ends are not searched."""
    old, new = _paragraphs(first), _paragraphs(second)
    ahead = _alike(old, new)
    behind = _alike(old[ahead:][::-1], new[ahead:][::-1])
    yield True, _tokens(old[:ahead]), _tokens(new[:ahead])
    yield from _searched(old[ahead : len(old) - behind], new[ahead : len(new) - behind])
    yield True, _tokens(old[len(old) - behind :]), _tokens(new[len(new) - behind :])


Paragraphs = Sequence[tuple[str, ...]]


def _alike(old: Paragraphs, new: Paragraphs) -> int:
    """Count how many are the same from the beginning on."""
    return next(
        (at for at, (old_item, new_item) in enumerate(zip(old, new, strict=False)) if old_item != new_item),
        min(len(old), len(new)),
    )


def _tokens(paragraphs: Paragraphs) -> list[str]:
    return [token for paragraph in paragraphs for token in paragraph]


def _searched(old: Paragraphs, new: Paragraphs) -> Iterator[Step]:
    # `autojunk`: in a long text no search begins at a break, of which there are as many as paragraphs.
    for kind, i, j, k, m in SequenceMatcher(None, old, new, autojunk=True).get_opcodes():
        a, b = _tokens(old[i:j]), _tokens(new[k:m])
        if kind == "equal" or len(a) + len(b) > MOST_TOKENS:
            yield kind == "equal", a, b
            continue
        for word, p, q, r, s in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
            yield word == "equal", a[p:q], b[r:s]


def _paragraphs(tokens: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the tokens of each paragraph, and each break between two as an item of its own."""
    paragraphs: list[tuple[str, ...]] = []
    start = 0
    for place, token in enumerate(tokens):
        if token.startswith("\n\n"):
            paragraphs += [tuple(tokens[start:place]), (token,)]
            start = place + 1
    return [*paragraphs, tuple(tokens[start:])]


def _joined(steps: Iterator[Step]) -> Iterator[Step]:
    """TrackedChanges with nothing but a blank between them are one change."""
    held: Step | None = None
    blank: Step | None = None
    for step in steps:
        same, old, new = step
        if not old and not new:
            continue
        if not same:
            if held is not None:
                between = blank[1] if blank is not None else ()
                step = (False, [*held[1], *between, *old], [*held[2], *between, *new])
            held = step
            blank = None
        elif held is not None and blank is None and len(old) == 1 and old[0].isspace() and "\n" not in old[0]:
            blank = step
        else:
            yield from (joined_step for joined_step in (held, blank) if joined_step is not None)
            held = blank = None
            yield step
    yield from (joined_step for joined_step in (held, blank) if joined_step is not None)


def _trimmed(place: int, removed: str, text: str) -> TextEdit:
    """Return the edit without blanks that both texts begin or end with; a longer stretch may have them in common."""
    start = 0
    while start < min(len(removed), len(text)) and removed[start] == text[start] and removed[start].isspace():
        start += 1
    end = 0
    while (
        end < min(len(removed), len(text)) - start
        and removed[-1 - end] == text[-1 - end]
        and removed[-1 - end].isspace()
    ):
        end += 1
    return TextEdit(place + start, place + len(removed) - end, text[start : len(text) - end])
