"""Ends of a letter's sentences: the segmenter's, mended at abbreviations, hours and opening quotation marks.

The segmenter's own cuts stay as they are for studies, whose figures rest on them.
"""

import re
from collections.abc import Iterator, Sequence

from biasprint.core.scorers.segment import sentences

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
