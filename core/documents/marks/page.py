"""A sentence as the rules read it: names masked, quotation marks and hyphens plain, once as it stands, once lower."""

import re
from dataclasses import dataclass
from functools import cached_property

from core.documents.marks.patterns import MASK
from core.documents.values import Sentence
from core.swap import Person

_PLAIN = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "‐": "-", "‑": "-"})
WINDOW = 240  # characters before and after an entry that are looked at: far more than any rule reaches


@dataclass(frozen=True)
class Page:
    """A sentence and its readings, all of one length, so that places are the same in each."""

    sentence: Sentence
    cased: str
    lower: str

    @cached_property
    def first(self) -> int:
        """Where the first letter or digit stands."""
        found = re.search(r"\w", self.sentence.text)
        return found.start() if found else 0

    def before(self, place: int) -> str:
        return self.lower[max(0, place - WINDOW) : place]

    def after(self, place: int) -> str:
        return self.lower[place : place + WINDOW]


def page_of(sentence: Sentence, person: Person | None) -> Page:
    """The sentence's page. The candidate's names, written with a capital, are masked wherever they stand."""
    cased = sentence.text.translate(_PLAIN)
    names = [name for name in (person.first_name, person.last_name) if len(name) > 1] if person else []
    for name in names:
        plain = name.translate(_PLAIN)
        pattern = rf"(?<![\w-])(?:{re.escape(plain)}|{re.escape(plain.upper())})(?=$|'s?(?!\w)|[^\w'-])"
        cased = re.sub(pattern, lambda found: MASK * len(found[0]), cased)
    lower = cased.lower()
    if len(lower) != len(cased):  # a few letters grow when they are folded
        lower = "".join(one if len(one.lower()) != 1 else one.lower() for one in cased)
    return Page(sentence, cased, lower)
