"""“a” and “an” before words that changed."""

import re
from collections.abc import Iterable, Iterator

from core.swap.page import Page
from core.swap.result import Change, in_case_of

_CONSONANT = re.compile(r"(?:uni|use|usu|eu|ewe|one\b|once|ut[io]|ufo)", re.IGNORECASE)
_SILENT_H = re.compile(r"(?:heir|honest|honou?r|hour)", re.IGNORECASE)
_SPOKEN_AS_VOWEL = frozenset("AEFHILMNORSX")  # letters whose names begin with a vowel: “an M. Hill”


def article(word: str) -> str:
    """“a” or “an”, by the sound that `word` begins with."""
    if re.match(r"[A-Z](?:\.|$)", word):
        return "an" if word[0] in _SPOKEN_AS_VOWEL else "a"
    if _SILENT_H.match(word):
        return "an"
    return "an" if word[:1].lower() in ("a", "e", "i", "o", "u") and not _CONSONANT.match(word) else "a"


def change_articles(page: Page, changes: Iterable[Change]) -> Iterator[Change]:
    """Articles right before a change whose new word begins with another sound."""
    starts = {token.start: place for place, token in enumerate(page.tokens)}
    for change in changes:
        place = starts.get(change.start)
        if not place or not change.new or page.touching(place - 1) is None:
            continue
        token = page.tokens[place - 1]
        if token.lower in ("a", "an") and article(change.new) != token.lower and article(change.old) == token.lower:
            new = in_case_of(token.text, article(change.new))
            yield Change(token.start, token.end, token.text, new, "article before a changed word")
