"""Right-to-left text on a page that is written from left to right: letters joined, and in the order they are seen."""

import unicodedata
from collections.abc import Iterator
from functools import cache

FORMS = {"<isolated>": 0, "<final>": 1, "<initial>": 2, "<medial>": 3}
PRESENTATION = ((0xFB50, 0xFC00), (0xFE80, 0xFEFD))  # where Unicode has a letter's forms as signs of their own
NO_FORMS = ("", "", "", "")
RIGHT_TO_LEFT = ("R", "AL")


def has_right_to_left(text: str) -> bool:
    return not text.isascii() and any(unicodedata.bidirectional(sign) in RIGHT_TO_LEFT for sign in text)


def joined(text: str) -> str:
    """Arabic letters in the form that their neighbours ask for; lam and alef as one sign. Other text stays."""
    if text.isascii() or not any("\u0600" <= sign <= "\u06ff" for sign in text):
        return text
    return "".join(_joined(text))


def _joined(text: str) -> Iterator[str]:
    forms, signs = _forms(), _letters(text)
    for place, letter in enumerate(signs):
        own = forms.get(letter)
        if own is None:
            yield letter
            continue
        before = forms.get(_neighbour(signs, place, -1), NO_FORMS)
        after = forms.get(_neighbour(signs, place, 1), NO_FORMS)
        to_right, to_left = before[2] and own[1], own[2] and after[1]
        yield own[bool(to_right) + 2 * bool(to_left)] or letter


def _letters(text: str) -> list[str]:
    """The signs of a text, lam with the alef that follows as one."""
    known = _forms()
    made: list[str] = []
    for sign in text:
        if made and made[-1] + sign in known:
            made[-1] += sign
        else:
            made.append(sign)
    return made


def _neighbour(signs: list[str], place: int, step: int) -> str:
    """The next letter in this direction, over marks that stand above or below."""
    place += step
    while 0 <= place < len(signs) and unicodedata.category(signs[place][0]) == "Mn":
        place += step
    return signs[place] if 0 <= place < len(signs) else ""


@cache
def _forms() -> dict[str, tuple[str, ...]]:
    """A letter, or lam with an alef → its forms: alone, last, first, between; those that it has not are empty."""
    found: dict[str, list[str]] = {}
    for start, end in PRESENTATION:
        for code in range(start, end):
            form, _, letters = unicodedata.decomposition(chr(code)).partition(" ")
            if form in FORMS and letters:
                own = found.setdefault("".join(chr(int(each, 16)) for each in letters.split()), [""] * len(FORMS))
                own[FORMS[form]] = own[FORMS[form]] or chr(code)
    return {letters: tuple(own) for letters, own in found.items()}


def reordered(text: str) -> Iterator[tuple[str, int]]:
    """The signs of a line in the order in which they are seen from left to right, each with its place in the text."""
    from fpdf.bidi import BidiParagraph
    from fpdf.enums import TextDirection

    for one in BidiParagraph(text, base_direction=TextDirection.LTR).get_reordered_characters():
        yield one.character, one.character_index
