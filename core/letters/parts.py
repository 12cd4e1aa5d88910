"""The parts of a letter: letterhead, salutation, body, closing, signature, quoted parts of a CV; and its sentences."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby, pairwise
from typing import Literal

from biasprint.core.letters.values import Document, Part, PartKind, Suspicion
from biasprint.core.prompts.resource_files import from_resources, strict_data
from biasprint.core.scorers.segment import is_english, language_of, sentences, words

Look = Literal["salutation", "closing", "letterhead", "cv heading", "quote"]
LONG = 90  # characters: a longer line is running text
SHORT = 60
_BULLET = re.compile(r"\s*(?:[-*•–·▪]|\d{1,2}[.)])\s+\S")
_SENTENCE = re.compile(r"[.!?][”\"')]*$")


@strict_data
class _Words:
    version: str
    salutations: tuple[str, ...]
    closings: tuple[str, ...]
    letterhead: tuple[str, ...]
    cv_headings: tuple[str, ...]
    quotes: tuple[str, ...]


@dataclass(frozen=True)
class LetterLine:
    """`start` and `end` are places in the document's text; `paragraph` counts from 0."""

    paragraph: int
    start: int
    end: int
    text: str

    def looks_like(self, look: Look) -> bool:
        """Return whether the line starts as such a line does, and is no longer than one."""
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


def lines_of(document: Document) -> list[LetterLine]:
    """Return every line of every paragraph, in order."""
    lines: list[LetterLine] = []
    at = 0
    for number, paragraph in enumerate(document.paragraphs):
        for text in paragraph.split("\n"):
            lines.append(LetterLine(number, at, at + len(text), text))
            at += len(text) + 1
        at += 1  # paragraphs are two line ends apart
    return lines


@cache
def _patterns() -> dict[Look, re.Pattern[str]]:
    words = from_resources(_Words, "letters", "parts.toml")
    given: dict[Look, tuple[str, ...]] = {
        "salutation": words.salutations,
        "closing": words.closings,
        "letterhead": words.letterhead,
        "cv heading": words.cv_headings,
        "quote": words.quotes,
    }
    return {
        look: re.compile("|".join(f"(?:{pattern})" for pattern in ones), re.IGNORECASE) for look, ones in given.items()
    }


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


def _set_apart_head(lines: Sequence[LetterLine], kinds: list[PartKind]) -> int:
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


def _stands_above(line: LetterLine) -> bool:
    return not line.is_sentence and not line.is_long and line.looks_like("letterhead")


def _set_apart_end(lines: Sequence[LetterLine], kinds: list[PartKind], begin: int) -> int:
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


def _is_signed(line: LetterLine) -> bool:
    plain = len(line.text) <= SHORT and not line.is_sentence and not line.is_bullet
    return (plain and line.text[:1] in "[(") or (plain and line.text.istitle())


def _set_apart_quotes(lines: Sequence[LetterLine], kinds: list[PartKind], begin: int, end: int) -> None:
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


def _listed(lines: Sequence[LetterLine], begin: int, end: int) -> int:
    """Count the lines from `begin` on that belong to a list: bullets, headings, short lines that are no sentences."""
    place = begin
    while place < end:
        line = lines[place]
        short = len(line.text) <= SHORT and not line.is_sentence
        if not (line.is_bullet or line.is_quoted or line.looks_like("cv heading") or short):
            break
        place += 1
    return place - begin


FEWEST_HEADINGS = 3
FEWEST_WORDS = 30


def suspicions(document: Document, parts: Sequence[Part]) -> tuple[Suspicion, ...]:
    """Return everything that looks wrong, the gravest first. Heavy: the language is identified by its words."""
    doubts = []
    is_cv = looks_like_cv(document, parts)  # by English headings; a list has too few little words to tell by
    language = "" if is_cv else other_language(document.text)
    if language:
        sentence = f"This seems to be {language}. Only English letters can be read, so nothing was scored."
        doubts.append(Suspicion("language", sentence, stops=True))
    if is_cv:
        sentence = "This looks like a CV, not a letter. Give it as the context, and choose the letter."
        doubts.append(Suspicion("cv", sentence))
    if holds_several(document):
        sentence = "This file seems to hold more than one letter. What is shown mixes them: check each by itself."
        doubts.append(Suspicion("two letters", sentence))
    words = len(document.text.split())
    if words < FEWEST_WORDS:
        counted = "This is 1 word" if words == 1 else f"These are {words} words"
        sentence = f"{counted}: too few to say anything about the letter as a whole."
        doubts.append(Suspicion("too short", sentence))
    return tuple(doubts)


def looks_like_cv(document: Document, parts: Sequence[Part]) -> bool:
    """Headings of a CV, no greeting, and hardly a sentence."""
    if any(part.kind == "salutation" for part in parts):
        return False
    lines = lines_of(document)
    headings = sum(line.looks_like("cv heading") and not line.is_sentence for line in lines)
    sentences = sum(line.is_sentence and line.is_long for line in lines)
    return headings >= FEWEST_HEADINGS and sentences <= len(lines) / 3


def looks_like_letter(document: Document) -> bool:
    """Return whether it has a greeting and a closing, as a letter has and a CV has not."""
    return {"salutation", "closing"} <= {part.kind for part in parts_of(document)}


def holds_several(document: Document) -> bool:
    """Return whether a greeting follows a closing, with running text after it: several letters."""
    lines = lines_of(document)
    looks = [
        "greeting" if line.looks_like("salutation") else "closing" if line.looks_like("closing") else ""
        for line in lines
    ]
    greetings = [place for place, look in enumerate(looks) if look == "greeting"]
    return any(
        "closing" in looks[greeting + 1 : following]
        and any(line.is_long or line.is_sentence for line in lines[following + 1 :])
        for greeting, following in pairwise(greetings)
    )


def other_language(text: str) -> str:
    """The language's English name where the text is not English; "" where it is, or where nobody could tell."""
    if is_english(words(text)):
        return ""
    return LANGUAGES.get(language_of(text), "another language than English")


LANGUAGES = {
    "ar": "Arabic", "bg": "Bulgarian", "bn": "Bengali", "ca": "Catalan", "cs": "Czech", "da": "Danish", "de": "German",
    "el": "Greek", "es": "Spanish", "et": "Estonian", "eu": "Basque", "fa": "Persian", "fi": "Finnish", "fr": "French",
    "ga": "Irish", "gl": "Galician", "he": "Hebrew", "hi": "Hindi", "hr": "Croatian", "hu": "Hungarian",
    "id": "Indonesian", "is": "Icelandic", "it": "Italian", "ja": "Japanese", "ko": "Korean", "lt": "Lithuanian",
    "lv": "Latvian", "mk": "Macedonian", "ms": "Malay", "nb": "Norwegian", "nl": "Dutch", "nn": "Norwegian",
    "no": "Norwegian", "pl": "Polish", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "sk": "Slovak",
    "sl": "Slovenian", "sq": "Albanian", "sr": "Serbian", "sv": "Swedish", "ta": "Tamil", "th": "Thai", "tr": "Turkish",
    "uk": "Ukrainian", "ur": "Urdu", "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip


# ---- Ends of sentences: the segmenter's, mended at abbreviations, hours and opening quotation marks
# The segmenter's own cuts stay as they are for studies, whose figures rest on them.

RULES = "letters' sentence ends 1"
Span = tuple[int, int]

_OPENING = "“‘«\"'(["
_CLOSING = "”’»\"')\\]"
_OPENS_NEXT = re.compile(rf"[.!?…][{_CLOSING}]*(\s+)([{re.escape(_OPENING)}]+)$")
# Never the last word of a sentence.
_NEVER_LAST = frozenset(
    (
        "e.g", "i.e", "cf", "viz", "vs", "approx", "ca", "lt", "col", "capt", "cmdr", "sgt", "maj", "gen", "gov", "sen",
        "rev", "hon", "msgr", "assoc", "asst", "adj", "messrs", "mme", "mlle", "drs", "profs", "mt",
    )
)  # fmt: skip
# What they name has a number or a letter.
_NUMBERED = frozenset(
    (
        "fig", "figs", "eq", "eqs", "no", "nos", "nr", "sec", "sect", "ch", "chap", "vol", "vols", "p", "pp", "para",
        "art", "ref", "refs", "tab", "tabs", "app", "ex", "thm", "ed", "eds", "iss", "ver",
    )
)  # fmt: skip
# The last word of a sentence or not: what follows tells.
_SHORTENED = frozenset(
    (
        "al", "etc", "univ", "dept", "inst", "int", "intl", "proc", "resp", "incl", "excl", "est", "min", "max", "avg",
        "st", "ave", "rd", "co", "inc", "ltd", "corp", "jr", "sr", "ff", "f", "div", "natl", "tel", "ext", "hrs", "yrs",
        "govt", "mgmt", "assn", "bros", "ph.d", "m.d", "b.a", "m.a", "b.sc", "m.sc", "m.phil", "d.phil", "a.m", "p.m",
        "u.s", "u.k", "u.n", "e.u", "d.c",
    )
)  # fmt: skip
_LAST_WORD = re.compile(rf"([^\s{re.escape(_OPENING)}]+)\.$")
_NUMBER = re.compile(r"#?(?:\d|[IVXLC]{2,}\b|[B-HJ-Z]\b)")  # not “I” or “A”
_SPEECH = re.compile(r"[.!?…][”’»\"']$")

# Shortened forms that the segmenter never ends a sentence at, before a word that hardly stands inside one.
_STARTERS = (
    "She He They We I It You The This That These Those Her His Their My Our Its In On At As After Before When While "
    "Although Though Since Because If With Without For From To By During Among Under Over Both Each Every All Many "
    "Most Such What Who There Here Then Thus Therefore However Moreover Furthermore Also Finally Yet But And So Not "
    "Dr Prof Professor Mr Mrs Ms Mx"
)
_ENDS_THERE = re.compile(
    r"(?<![\w.])(?:[ap]\.m\.|etc\.|Ph\.\s?D\.|D\.Phil\.|[MB]\.(?:A|Sc|S|Ed|Phil)\.|M\.D\.|Inc\.|Ltd\.|Corp\.|Co\.|Jr\.|Sr\.|"
    rf"U\.S\.(?:A\.)?|U\.K\.|U\.N\.|D\.C\.)[{_CLOSING}]*(\s+)(?=[“‘\"'(]?(?:{_STARTERS.replace(' ', '|')})\b)"
)


def letter_sentences(text: str) -> list[Span]:
    """Return the start and end of every sentence, without the blanks around it. Heavy at the first call."""
    return list(_parted(text, _joined(text, _with_openings(text, sentences(text)))))


def _with_openings(text: str, spans: Sequence[Span]) -> list[Span]:
    """An opening quotation mark or bracket belongs to the sentence that it opens."""
    moved: list[Span] = []
    begin: int | None = None
    for place, (start, end) in enumerate(spans):
        first = start if begin is None else begin
        begin = None
        opens = _OPENS_NEXT.search(text, first, end) if place + 1 < len(spans) else None
        if opens is not None and text[end : spans[place + 1][0]] == "":
            begin, end = opens.start(2), opens.start(1)
        moved.append((first, end))
    return moved


def _joined(text: str, spans: Sequence[Span]) -> list[Span]:
    joined: list[Span] = []
    for start, end in spans:
        if joined and not text[joined[-1][1] : start].count("\n") > 1:
            before, after = text[joined[-1][0] : joined[-1][1]], text[start:end]
            if _goes_on(before, after):
                joined[-1] = (joined[-1][0], end)
                continue
        joined.append((start, end))
    return joined


def _goes_on(before: str, after: str) -> bool:
    """Return whether a cut between the two lies inside a sentence."""
    begins = after.lstrip(_OPENING)[:1]
    if not begins or not re.search(r"\w", after):
        return True  # a closing mark alone
    if _SPEECH.search(before) or before.endswith(("...", "…")):
        return begins.islower()
    last = _LAST_WORD.search(before)
    if last is None:
        return False
    word = last.group(1).lower()
    if word in _NEVER_LAST:
        return True
    if word in _NUMBERED:
        return bool(_NUMBER.match(after.lstrip(_OPENING))) or begins.islower()
    if word == "al":
        return begins.islower() or begins.isdigit() or after[:1] in "(["
    return word in _SHORTENED and begins.islower()


def _parted(text: str, spans: Sequence[Span]) -> Iterator[Span]:
    for start, end in spans:
        for gap in _ENDS_THERE.finditer(text, start, end):
            yield start, gap.start(1)
            start = gap.end(1)
        yield start, end
