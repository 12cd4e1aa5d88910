"""The lines of a document with their places, and what a single line looks like."""

import re
from dataclasses import dataclass
from functools import cache
from typing import Literal

from pydantic import ConfigDict
from pydantic.dataclasses import dataclass as checked

from core.documents.values import Document
from core.prompts.resource_files import packaged, read_toml, validated

Look = Literal["salutation", "closing", "letterhead", "cv heading", "quote"]
LONG = 90  # characters: a longer line is running text
SHORT = 60
_BULLET = re.compile(r"\s*(?:[-*•–·▪]|\d{1,2}[.)])\s+\S")
_SENTENCE = re.compile(r"[.!?][”\"')]*$")


@checked(frozen=True, config=ConfigDict(extra="forbid"))
class _Words:
    version: str
    salutations: tuple[str, ...]
    closings: tuple[str, ...]
    letterhead: tuple[str, ...]
    cv_headings: tuple[str, ...]
    quotes: tuple[str, ...]


@dataclass(frozen=True)
class Line:
    """`start` and `end` are places in the document's text; `paragraph` counts from 0."""

    paragraph: int
    start: int
    end: int
    text: str

    def looks_like(self, look: Look) -> bool:
        """Whether the line starts as such a line does, and is no longer than one."""
        longest = {"salutation": 110, "closing": 60, "letterhead": LONG, "cv heading": 45, "quote": 140}[look]
        return len(self.text) <= longest and bool(_patterns()[look].match(self.text.strip()))

    @property
    def is_long(self) -> bool:
        return len(self.text) > LONG

    @property
    def is_sentence(self) -> bool:
        return bool(_SENTENCE.search(self.text)) and len(self.text.split()) >= 4

    @property
    def is_bullet(self) -> bool:
        return bool(_BULLET.match(self.text))

    @property
    def is_quoted(self) -> bool:
        return self.text.lstrip().startswith((">", "|"))


def lines_of(document: Document) -> list[Line]:
    """Every line of every paragraph, in order."""
    found: list[Line] = []
    at = 0
    for number, paragraph in enumerate(document.paragraphs):
        for text in paragraph.split("\n"):
            found.append(Line(number, at, at + len(text), text))
            at += len(text) + 1
        at += 1  # paragraphs are two line ends apart
    return found


@cache
def _patterns() -> dict[Look, re.Pattern[str]]:
    words = validated(_Words, read_toml(packaged("letters", "parts.toml")), "The file letters/parts.toml")
    given: dict[Look, tuple[str, ...]] = {
        "salutation": words.salutations,
        "closing": words.closings,
        "letterhead": words.letterhead,
        "cv heading": words.cv_headings,
        "quote": words.quotes,
    }
    return {look: re.compile("|".join(f"(?:{one})" for one in ones), re.IGNORECASE) for look, ones in given.items()}
