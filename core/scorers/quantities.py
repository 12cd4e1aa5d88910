"""Numbers that a text tells, in digits and in words, with how far “nearly” or “about” lets them be another; and the
numbers that a context holds, the lengths of its spans of years among them.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from biasprint.core.scorers.stand_in import chosen
from biasprint.core.text import for_matching

TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)?|\S")
DATE = re.compile(r"(?<![\d.,])\d{1,2}[./](?:\d{1,2}[./])?(?=(?:19|20)\d\d(?!\d))")  # day and month before a year
_YEAR = r"(?<!\d)(?:19|20)\d\d(?!\d)"
YEAR = re.compile(_YEAR)
SPAN = re.compile(
    rf"({_YEAR})[^\S\n]*(?:[–—-]+|\bto\b|\btill\b|\buntil\b)[^\S\n]*(?:[^\W\d_]{{3,9}}\.?[^\S\n]+(?={_YEAR}))?"
    rf"({_YEAR}|\d\d(?!\d)|[^\W\d_]+)?"
)
SINCE = re.compile(rf"\bsince\s+(?:[^\W\d_]+\s+)?({_YEAR})", re.IGNORECASE)
YEARS = range(1900, 2100)
WORDS_BEFORE = 3  # “at least about forty”
MOST_SPANS = 200  # no life has more
STILL = 5  # years that may have passed since the latest year of a context
NEAR = 0.15  # how far “about” reaches
FAR = 0.35  # how far “over” reaches, and “nearly”


@dataclass(frozen=True)
class Quantity:
    """A number as it is told: any value of `low` to `high` is meant by it. `years`: it counts years."""

    low: float
    high: float
    years: bool = False

    def among(self, held: Iterable["Held"]) -> bool:
        return any(self.low <= value <= self.high for each in held for value in each.of(self))


@dataclass(frozen=True)
class Held:
    """What a passage holds. `values`: its numbers, and how many years it lists. `lengths`: of its spans of years."""

    values: frozenset[float]
    lengths: frozenset[float]

    def of(self, asked: Quantity) -> frozenset[float]:
        return self.values | self.lengths if asked.years else self.values


def told(text: str) -> tuple[Quantity, ...]:
    """The numbers of a text, in order. “One” is none of them: “one of the best” counts nothing."""
    tokens = [for_matching(token) for token in TOKEN.findall(DATE.sub("", text))]
    return tuple(_hedged(value, tokens, start, end) for value, start, end in _found(tokens) if value != 1)


def is_number(form: str) -> bool:
    """Whether a folded word is a number, in digits or in letters."""
    lists = _lists()
    return form[0].isdigit() or any(form in lists[name] for name in ("small", "large_numbers", "counts"))


def held(passages: Sequence[str]) -> list[Held]:
    """What each passage of a context holds. A span that goes on where another ends is read with it, in both places."""
    plain = [DATE.sub("", passage) for passage in passages]
    latest = max((int(year) for passage in plain for year in YEAR.findall(passage)), default=0)
    spans = [list(dict.fromkeys(_spans(passage, latest)))[:MOST_SPANS] for passage in plain]
    every = list(dict.fromkeys(span for found in spans for span in found))[:MOST_SPANS]
    return [
        Held(frozenset(_values(passage)), frozenset(length for span in found for length in _lengths(span, every)))
        for passage, found in zip(plain, spans, strict=True)
    ]


@dataclass(frozen=True)
class _Span:
    first: int
    last: int
    end: int  # the same as `last`, or later where the span goes on

    @property
    def lengths(self) -> range:
        return range(self.last - self.first, self.end - self.first + 1)


def _spans(text: str, latest: int) -> Iterator[_Span]:
    goes_on = _lists()["goes_on"]
    for found in SPAN.finditer(text):
        first, last = int(found[1]), found[2] or ""
        if last.isdigit():
            year = int(last) if len(last) == 4 else first // 100 * 100 + int(last)
            yield _Span(first, year, year)
        elif not last or for_matching(last) in goes_on:
            yield _Span(first, latest, latest + STILL)
    for found in SINCE.finditer(text):
        yield _Span(int(found[1]), latest, latest + STILL)


def _lengths(span: _Span, every: Sequence[_Span]) -> Iterator[float]:
    yield from map(float, span.lengths)
    for other in every:
        if other.first == span.last and span.last == span.end:
            yield from map(float, _Span(span.first, other.last, other.end).lengths)
        if span.first == other.last and other.last == other.end:
            yield from map(float, _Span(other.first, span.last, span.end).lengths)


def _values(text: str) -> Iterator[float]:
    tokens = [for_matching(token) for token in TOKEN.findall(text)]
    for value, start, end in _found(tokens):
        yield value
        if end == start + 2 and tokens[start][0].isdigit():  # 42 m are metres, or millions
            yield float(tokens[start].replace(",", ""))
    listed = set(YEAR.findall(SPAN.sub(" ", text)))
    if len(listed) > 1:
        yield float(len(listed))


def _found(tokens: Sequence[str]) -> Iterator[tuple[float, int, int]]:
    """Each number with the places of its first token and behind its last."""
    place = 0
    while place < len(tokens):
        value, end = _in_digits(tokens, place) if tokens[place][0].isdigit() else _in_words(tokens, place)
        if value is not None:
            yield value, place, end
        place = end


def _in_digits(tokens: Sequence[str], place: int) -> tuple[float | None, int]:
    plain = tokens[place].replace(",", "")
    if not plain.isascii() or plain.count(".") > 1 or len(plain) > 19:
        return None, place + 1
    after = tokens[place + 1] if place + 1 < len(tokens) else ""
    if after in _lists()["magnitudes"]:
        return float(plain) * _lists()["magnitudes"][after], place + 2
    return float(plain), place + 1


def _in_words(tokens: Sequence[str], place: int) -> tuple[float | None, int]:
    """“forty-two”, “a hundred and fifty”, “two decades”, “a fifth”."""
    small, large, whole, parts = (_lists()[name] for name in ("small", "large_numbers", "counts", "parts"))
    if tuple(tokens[place : place + 3]) == ("half", "a", "dozen"):
        return 6.0, place + 3
    if tokens[place] in whole:
        return float(whole[tokens[place]]), place + 1
    if tokens[place] in ("a", "one") and tokens[place + 1 : place + 2] and tokens[place + 1] in parts:
        return float(parts[tokens[place + 1]]), place + 2
    total, current, end = 0.0, 0.0, place
    while end < len(tokens):
        token, after = tokens[end], tokens[end + 1] if end + 1 < len(tokens) else ""
        if token in small:
            current += small[token]
        elif token in large:
            current = max(current, 1.0) * large[token]
            if large[token] >= 1000:
                total, current = total + current, 0.0
        elif not (token in ("and", "-") and end > place and (after in small or after in large)):
            break
        end += 1
    return (total + current, end) if end > place else (None, place + 1)


def _hedged(value: float, tokens: Sequence[str], start: int, end: int) -> Quantity:
    before = re.sub(r" (?:an?|the)$", "", " ".join(tokens[max(0, start - WORDS_BEFORE - 1) : start]))
    behind = " ".join(tokens[end : end + 3])
    lists = _lists()
    low = high = value
    if value in YEARS:
        pass
    elif re.search(rf"\b(?:{lists['over']})$", before):
        high = value * (1 + FAR)
    elif re.search(rf"\b(?:{lists['under']})$", before):
        low = value * (1 - FAR)
    elif re.search(rf"\b(?:{lists['about']})$", before) or re.match(rf"(?:{lists['or_so']})\b", behind):
        low, high = min(value - 1, value * (1 - NEAR)), max(value + 1, value * (1 + NEAR))
    counted = " ".join(tokens[start : end + 3])
    return Quantity(low, high, bool(re.search(r"\b(?:years?|decades?)\b", counted)))


@cache
def _lists() -> dict[str, Any]:
    data = chosen("entailment", "words").values
    small = {word: float(value) for value, word in enumerate(data["small_numbers"])}
    tens = {word: 10.0 * value for value, word in enumerate(data["tens"], start=2)}
    hedges = {name: "|".join(map(re.escape, words)) for name, words in data["hedges"].items()}
    return {**data, **hedges, "small": small | tens, "goes_on": frozenset(data["goes_on"])}
