"""The content of a letter without greeting, signature and addresses: its sentences, and lines that name its subject."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise

from biasprint.core.prompts.resource_files import from_resources, strict_data
from biasprint.core.swap.page import Person, Stretch, kept
from biasprint.core.swap.vocabulary import swap_words

Words = frozenset[str]
SEVERAL_UNNAMED = (
    "This letter seems to recommend more than one person, and names none: whom a sentence is about is not known. "
    "Make a letter of each, or add the names, before a twin is made."
)


@strict_data
class PersonWords:
    """letters/persons.toml; see the file for what each list is for."""

    version: int
    titles: Words
    particles: tuple[str, ...]
    no_names: Words
    placing: Words
    headings: str
    several: tuple[str, ...]
    told: Mapping[str, tuple[str, ...]]
    roles: Mapping[str, str]


@cache
def person_words() -> PersonWords:
    return from_resources(PersonWords, "letters", "persons.toml")


def several_said(text: str, person: Person, beside: Sequence[Person]) -> str:
    """Return the warning on a letter that says it is about more than one candidate (“I recommend both”); else "".

    `beside`: the others who were found: with them the letter is read for one, and needs no warning.
    """
    if beside or not _several().search(text):
        return ""
    if not person.full_name:
        return SEVERAL_UNNAMED
    return (
        "This letter seems to recommend more than one person, and is read as if for "
        f"{person.full_name} alone: look whom each sentence is about."
    )


@cache
def _several() -> re.Pattern[str]:
    return re.compile(rf"(?<![\w’'-])(?:{'|'.join(person_words().several)})", re.IGNORECASE)


@dataclass(frozen=True)
class Telling:
    """A letter without greeting, signature and addresses, of the same length: its statements, and their subjects.

    `headed`: the stretches of lines that say whom it is about; `signed` and `greeted`: words of those places.
    """

    text: str
    headed: tuple[tuple[int, int], ...]
    signed: Words
    greeted: Words

    @cached_property
    def sentences(self) -> tuple[tuple[int, int], ...]:
        return tuple(_sentences(self.text))

    def sentence_at(self, place: int) -> int:
        return min(bisect_right(self._ends, place), len(self._ends) - 1)

    @cached_property
    def _ends(self) -> tuple[int, ...]:
        return tuple(end for _, end in self.sentences)


_GREETING = re.compile(r"^[^\S\n]*(?:dear|hello|hi|hey|greetings)\b[^\n,:.!]{0,100}[,:!]", re.IGNORECASE | re.MULTILINE)
LONGEST = 12_000  # characters: whom a letter is about it says by then, and the work grows with the square
_LONGEST_SIGNED_LINE = 60
_WRAPPED = 45  # characters: a line this long goes on in the next one


def told(text: str, parts: Sequence[Stretch] = ()) -> Telling:
    """Return the content of the letter, without the places that routinely name others."""
    text, parts = text[:LONGEST], [part for part in parts if part.end <= LONGEST]
    places: list[tuple[str, int, int]] = [(part.kind, part.start, part.end) for part in kept(text, parts)]
    places += [("salutation", *match.span()) for match in _GREETING.finditer(text)]
    places += [("letterhead", part.start, part.end) for part in parts if part.kind in ("letterhead", "closing")]
    places += [("signature", start, len(text)) for start in _signature(text)]
    headed = tuple(_headings(text))
    shown = text
    for kind, start, end in places:
        if (
            kind == "speech"
            or (kind == "title" and " " not in text[start:end])
            or any(start <= part < end for part, _ in headed if kind != "salutation")
        ):
            shown = _masked(shown, start, end, headed) if kind == "letterhead" else shown
            continue
        shown = _masked(shown, start, end, ())
    signed = _capitalised(text[start:end] for kind, start, end in places if kind == "signature")
    greeted = _capitalised(text[start:end] for kind, start, end in places if kind == "salutation")
    return Telling(_unwrapped(shown), headed, signed | _writer(shown), greeted)


def _masked(text: str, start: int, end: int, but: Sequence[tuple[int, int]]) -> str:
    def is_shown(place: int) -> bool:
        return text[place] == "\n" or any(start <= place < end for start, end in but)

    return text[:start] + "".join(text[at] if is_shown(at) else " " for at in range(start, end)) + text[end:]


def _capitalised(texts: Iterator[str]) -> Words:
    return frozenset(word for text in texts for word in re.findall(r"[^\W\d_a-z][\w’'-]+|[^\W\d_a-z]\.", text))


def _writer(text: str) -> Words:
    names = re.findall(r"(?:\b[Mm]y name is|\bI am|\bI'm|\bI’m)\s+((?:[A-Z][\w’'-]+\s?){1,4})", text)
    return _capitalised(iter(names))


def _signature(text: str) -> Iterator[int]:
    """Yield the start of the short lines that end a letter, with or without a greeting: a name, posts, an address."""
    lines = [(match.start(), match.group().strip()) for match in re.finditer(r"[^\n]+", text) if match.group().strip()]
    place = len(lines)
    while place > 1 and len(lines) - place < 7:
        line = lines[place - 1][1]
        if len(line) > _LONGEST_SIGNED_LINE or line[-1:] in ".?!:;" or _is_heading(line):
            break
        place -= 1
    # The last line of a paragraph may have lost its full stop: a signature has a blank line before it.
    if place < len(lines) and "\n\n" in re.sub(r"[^\S\n]", "", text[: lines[place][0]])[-2:]:
        yield lines[place][0]


@cache
def _heading() -> re.Pattern[str]:
    return re.compile(rf"\W*(?:{person_words().headings})", re.IGNORECASE)


def _is_heading(line: str) -> bool:
    return _heading().match(line) is not None and not re.match(r"\W*name of ref", line, re.IGNORECASE)


def _headings(text: str) -> Iterator[tuple[int, int]]:
    """Lines that say whom the letter is about, up to the end of the line or its first sentence."""
    lines = [match for match in re.finditer(r"[^\n]+", text) if match.group().strip()]
    for match in lines[:15]:
        line = match.group()
        if _is_heading(line.strip()) and (len(line) <= 110 or re.match(r"\W*(?:re|subject)\b", line, re.IGNORECASE)):
            ends = re.search(r"[a-z]{2}[.!?]\s", line)
            yield match.start(), match.start() + (ends.end() if ends else len(line))


def _unwrapped(text: str) -> str:
    """Line ends within a paragraph become blanks: a name may be parted by one."""
    lines = text.split("\n")
    joined = [line + (" " if len(line) >= _WRAPPED and after.strip() else "\n") for line, after in pairwise(lines)]
    return "".join([*joined, lines[-1]])


_END = re.compile(r"[.!?…]+[”\"’')\]]*\s+|\n\s*")


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for match in _END.finditer(text):
        before = re.search(r"[\w.’'-]*$", text[start : match.start()])
        word = before.group().lower() if before else ""
        short = len(word) == 1 or word in swap_words().file.lists.abbreviations or word in ("capt", "sgt", "revd", "lt")
        goes_on = text[match.end() : match.end() + 1].islower()
        if text[match.start()] == "." and ((short and word != "i") or goes_on or re.fullmatch(r"(?:\w\.)+\w", word)):
            continue
        if text[start : match.end()].strip():
            yield start, match.end()
        start = match.end()
    if text[start:].strip():
        yield start, len(text)
