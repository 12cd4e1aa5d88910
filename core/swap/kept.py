"""Stretches of a letter in which little or nothing may change: addresses, quotations, the salutation, the signature."""

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from core.swap.result import Stretch
from core.swap.words import swap_words

KeptKind = Literal["address", "title", "speech", "salutation", "signature"]

_ADDRESS = re.compile(
    r"(?<![\w.+%-])[\w.+%-]+@[\w-]+(?:\.[\w-]+)+"
    r"|(?:https?://|www\.)[^\s<>“”\"]+"
    r"|(?<![\w.-])[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|edu|gov|info|io|eu|de|fr|ch|nl|co\.uk|ac\.uk|pdf|docx?|odt|html?)\b"
    r"(?:/[^\s<>“”\"]*)?"
    r"|(?<!\w)[@#]\w+|\b\w+_\w+\b",
    re.IGNORECASE,
)
_QUOTED = re.compile(
    r"“[^”]{1,600}”|\"[^\"\n]{1,600}\"|«[^»]{1,600}»|(?<!\w)‘[^‘\n]{1,300}?’(?!\w)|(?<!\w)'[^'\n]{1,300}?'(?!\w)"
)
_SALUTATION = re.compile(
    r"^[^\S\n]*(?:dear\b|hello\b|hi\b|greetings\b|attention\b|to whom\b)[^\n,:]{0,100}[,:]?",
    re.IGNORECASE | re.MULTILINE,
)
_CLOSING = re.compile(
    r"^[^\S\n]*(?:(?:yours\s+)?(?:very\s+)?(?:sincerely|faithfully|truly|respectfully|cordially)(?:\s+yours)?|"
    r"(?:with\s+)?(?:my\s+)?(?:best|kind|kindest|warm|warmest)(?:\s+(?:regards|wishes))?|regards|yours)[^\S\n]*,?[^\S\n]*$",
    re.IGNORECASE | re.MULTILINE,
)
_POSTSCRIPT = re.compile(r"^[^\S\n]*p\.?\s?s\b", re.IGNORECASE | re.MULTILINE)
_LONGEST_SIGNATURE = 600


class Kept(NamedTuple):
    kind: KeptKind
    start: int
    end: int


def kept(text: str, parts: Sequence[Stretch] = ()) -> list[Kept]:
    """All such stretches in order of their start; they may overlap. `parts`, where given, say what is salutation."""
    found = [Kept("address", *match.span()) for match in _ADDRESS.finditer(text)]
    found += [
        Kept("title" if is_title(match.group()[1:-1]) else "speech", *match.span()) for match in _QUOTED.finditer(text)
    ]
    if parts:
        found += [Kept("salutation", part.start, part.end) for part in parts if part.kind == "salutation"]
        found += [Kept("signature", part.start, part.end) for part in parts if part.kind == "signature"]
    else:
        found += [Kept("salutation", *match.span()) for match in _SALUTATION.finditer(text)]
        found += _signature(text)
    return sorted(found, key=lambda one: (one.start, one.end))


def is_title(quoted: str) -> bool:
    """A work's or a prize's name (“Her Own Room”), not something somebody said (“She never gave up.”)."""
    small = swap_words().file.lists.small
    told: list[str] = [word for word in re.findall(r"[^\W\d_][\w'’-]*", quoted) if word.lower() not in small]
    if not told:
        return True
    capitals = sum(word[0].isupper() for word in told)
    return capitals >= 0.7 * len(told)


def _signature(text: str) -> list[Kept]:
    closings = list(_CLOSING.finditer(text))
    if not closings or len(text) - closings[-1].end() > _LONGEST_SIGNATURE:
        return []
    start = closings[-1].end()
    later = _POSTSCRIPT.search(text, start)
    return [Kept("signature", start, later.start() if later else len(text))]
