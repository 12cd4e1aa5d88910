"""Telling the parts of a letter apart, line by line, from the outside in."""

from collections.abc import Sequence
from itertools import groupby

from core.documents.parts.lines import SHORT, Line, lines_of
from core.documents.values import Document, Part, PartKind

MOST_SIGNED = 8  # lines: a name, posts, an address
FEWEST_LISTED = 3


def parts_of(document: Document) -> tuple[Part, ...]:
    """The parts in order. They cover every line; a part ends where the last of its lines does."""
    lines = lines_of(document)
    kinds: list[PartKind] = ["body"] * len(lines)
    begin = _set_apart_head(lines, kinds)
    end = _set_apart_end(lines, kinds, begin)
    _set_apart_quotes(lines, kinds, begin, end)
    numbered = groupby(range(len(lines)), key=lambda place: kinds[place])
    stretches = [(kind, list(places)) for kind, places in numbered]
    return tuple(Part(kind, lines[places[0]].start, lines[places[-1]].end) for kind, places in stretches)


def _set_apart_head(lines: Sequence[Line], kinds: list[PartKind]) -> int:
    """Letterhead and salutation; the place of the first line after them."""
    greeting = next((place for place, line in enumerate(lines[:40]) if line.looks_like("salutation")), None)
    if greeting is not None and not any(line.is_long for line in lines[:greeting]):
        kinds[:greeting] = ["letterhead"] * greeting
        kinds[greeting] = "salutation"
        return greeting + 1
    place = 0
    while place < min(len(lines) - 1, 15) and _stands_above(lines[place]):
        kinds[place] = "letterhead"
        place += 1
    return place


def _stands_above(line: Line) -> bool:
    return not line.is_sentence and not line.is_long and line.looks_like("letterhead")


def _set_apart_end(lines: Sequence[Line], kinds: list[PartKind], begin: int) -> int:
    """Closing and signature; the place of the first of their lines."""
    for place in range(len(lines) - 1, begin - 1, -1):
        after = lines[place + 1 :]
        if lines[place].looks_like("closing") and not any(line.is_long or line.is_sentence for line in after):
            kinds[place] = "closing"
            kinds[place + 1 :] = ["signature"] * len(after)
            return place
    # A letter without a closing line may still end in a name.
    place = len(lines)
    while place > begin + 1 and len(lines) - place < MOST_SIGNED and _is_signed(lines[place - 1]):
        place -= 1
        kinds[place] = "signature"
    return place


def _is_signed(line: Line) -> bool:
    plain = len(line.text) <= SHORT and not line.is_sentence and not line.is_bullet
    return (plain and line.text[:1] in "[(") or (plain and line.text.istitle())


def _set_apart_quotes(lines: Sequence[Line], kinds: list[PartKind], begin: int, end: int) -> None:
    """Lines marked as quoted, what follows an announcement of a CV, and lists under the headings of one."""
    place = begin
    while place < end:
        line = lines[place]
        if line.is_quoted:
            kinds[place] = "quoted_cv"
        elif line.looks_like("quote") or (line.looks_like("cv heading") and not line.is_sentence):
            listed = _listed(lines, place + 1, end)
            if listed >= (1 if line.looks_like("quote") else FEWEST_LISTED):
                kinds[place : place + 1 + listed] = ["quoted_cv"] * (1 + listed)
                place += listed
        place += 1


def _listed(lines: Sequence[Line], begin: int, end: int) -> int:
    """How many lines from `begin` on belong to a list: bullets, headings, short lines that are no sentences."""
    place = begin
    while place < end:
        line = lines[place]
        short = len(line.text) <= SHORT and not line.is_sentence
        if not (line.is_bullet or line.is_quoted or line.looks_like("cv heading") or short):
            break
        place += 1
    return place - begin
