"""The parts of a letter's file that are not read as the letter's. Every reader fills one `UnreadText`, for the person.

The notes travel with the document (`Document.notes`): the command line, the report and the window show them.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

Beside = Literal["footnotes", "comments", "form fields"]
LONGEST_SHOWN = 90  # characters of what was left out
PAGE_WORD = r"(?:page|pg\.?|p\.|seite|página|sheet)"
PAGE_LINE = re.compile(
    rf"[\W_]*(?:{PAGE_WORD}\s*\d{{1,3}}(?:\s*(?:of|/|von|de)\s*\d{{1,3}})?|\d{{1,3}}\s*(?:of|/)\s*\d{{1,3}})[\W_]*",
    re.IGNORECASE,
)
BARE_NUMBER = re.compile(r"[\W_]*(?:\d{1,3}|[ivx]{1,5})[\W_]*", re.IGNORECASE)
DASHED_NUMBER = re.compile(r"\s*(?:[-–—]\s*\d{1,3}\s*[-–—]|\[\s*\d{1,3}\s*\])\s*")


@dataclass
class UnreadText:
    """Collects what is left out while a file is read.

    `hidden`: words that nobody sees who looks at the letter. `around`: heads and feet of pages, page numbers among
    them, which are not mentioned.
    `beside`: what belongs to the letter and is outside its text. `unknown`: characters that no reader could name.
    `stays`: the file can be written again, with all of it.
    """

    stays: bool = False
    hidden: list[str] = field(default_factory=list)
    around: list[str] = field(default_factory=list)
    beside: set[Beside] = field(default_factory=set)
    unknown: int = 0

    def notes(self) -> tuple[str, ...]:
        """Return a sentence for each kind of thing that was not read."""
        return tuple(self._sentences())

    def _sentences(self) -> Iterator[str]:
        stays = " In the letter's own file it stays." if self.stays else ""
        hidden = _words(self.hidden)
        if hidden:
            words = "1 word" if len(hidden) == 1 else f"{len(hidden):,} words"
            yield f"Hidden text was not read ({words}): {_quoted(' '.join(hidden))}{stays}"
        if self.beside:
            beside: tuple[Beside, ...] = ("footnotes", "comments", "form fields")
            kinds = [kind for kind in beside if kind in self.beside]
            listed = " and ".join(filter(None, (", ".join(kinds[:-1]), kinds[-1])))
            yield f"{listed.capitalize()} were not read.{' In its own file they stay.' if self.stays else ''}"
        around = list(dict.fromkeys(" ".join(text.split()) for text in self.around if text.strip()))
        around = [text for text in around if not (PAGE_LINE.fullmatch(text) or BARE_NUMBER.fullmatch(text))]
        if around:
            yield f"Above or below the text of a page, and not read: {_quoted('”, “'.join(around))}"
        if self.unknown:
            characters = "1 character" if self.unknown == 1 else f"{self.unknown:,} characters"
            yield f"The file does not say which letters {characters} of it are: “\ufffd” stands there instead."


def _words(texts: list[str]) -> list[str]:
    return [word for text in texts for word in text.split()]


def _quoted(text: str) -> str:
    """Return the beginning of a text in quotation marks, as the end of a sentence."""
    if len(text) > LONGEST_SHOWN:
        text = f"{text[:LONGEST_SHOWN].rpartition(' ')[0] or text[:LONGEST_SHOWN]} …"
    return f"“{text}”" if text.endswith((".", "!", "?", "…")) else f"“{text}”."
