"""Letters written from the categories' names alone, before their lists were read (data/letters_by_hand.txt).

`[category|words]` is a passage that belongs to a category, `[!category|words]` a trap that only looks like one. Letters
with an odd number were looked at while the rules were made; those with an even number are held out.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from biasprint.core.letters.marks import marks_of
from biasprint.core.letters.parts import parts_of
from biasprint.core.letters.values import Document, Mark, Sentence
from biasprint.core.swap.guess import guess_person

FILE = Path(__file__).parent / "data" / "letters_by_hand.txt"
_END = re.compile(r"(?<!\bDr)(?<!\bMr)(?<!\bMrs)(?<=[.!?])\s+(?=[A-Z“])")  # these letters need no segmenter
_PASSAGE = re.compile(r"\[(!?)(\w+)\|([^\]]+)\]")


@dataclass(frozen=True)
class Passage:
    category: str
    start: int
    end: int
    words: str


@dataclass(frozen=True)
class HandLetter:
    number: int
    text: str
    planted: tuple[Passage, ...]
    traps: tuple[Passage, ...]

    @property
    def held_out(self) -> bool:
        return self.number % 2 == 0

    def marks(self) -> tuple[Mark, ...]:
        """What the program marks in it; nobody says whom it is about."""
        document = Document("letter", "pasted", tuple(self.text.split("\n\n")))
        found: list[Sentence] = []
        for part in parts_of(document):
            ends = [hit.start() for hit in _END.finditer(self.text, part.start, part.end)]
            for start, end in zip([part.start, *ends], [*ends, part.end], strict=True):
                text = self.text[start:end]
                place = start + len(text) - len(text.lstrip())
                found.append(Sentence(len(found), place, end, text.strip(), part.kind))
        return marks_of(found, guess_person(self.text))


def letters_by_hand() -> list[HandLetter]:
    pages = re.split(r"^# (\d+) .*\n", FILE.read_text("utf-8"), flags=re.MULTILINE)[1:]
    return [_letter(int(number), page) for number, page in zip(pages[::2], pages[1::2], strict=True)]


def _letter(number: int, page: str) -> HandLetter:
    text = ""
    passages: tuple[list[Passage], list[Passage]] = ([], [])
    place = 0
    source = page.strip().replace("\n", "\n\n")
    for found in _PASSAGE.finditer(source):
        text += source[place : found.start()]
        passages[found[1] == "!"].append(Passage(found[2], len(text), len(text) + len(found[3]), found[3]))
        text += found[3]
        place = found.end()
    return HandLetter(number, text + source[place:], tuple(passages[0]), tuple(passages[1]))


def hit(passage: Passage, marks: Sequence[Mark]) -> bool:
    """Whether a mark of the passage's category is on its words."""
    return any(
        mark.category == passage.category and mark.start < passage.end and passage.start < mark.end for mark in marks
    )


@dataclass(frozen=True)
class HandCount:
    """By category: passages found and passages there; traps marked and traps there."""

    found: Counter[str]
    planted: Counter[str]
    caught: Counter[str]
    traps: Counter[str]


def counted(letters: Sequence[HandLetter]) -> HandCount:
    count = HandCount(Counter(), Counter(), Counter(), Counter())
    for letter in letters:
        marks = letter.marks()
        for passage in letter.planted:
            count.planted[passage.category] += 1
            count.found[passage.category] += hit(passage, marks)
        for trap in letter.traps:
            count.traps[trap.category] += 1
            count.caught[trap.category] += hit(trap, marks)
    return count
