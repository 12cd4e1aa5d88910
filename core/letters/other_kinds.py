"""Marks of job adverts, reviews and peer evaluations: words of their own lists, with their own sources.

The lists are resources/letters/kinds. An advert is about no candidate, so that none of the rules of letters apply.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import get_args

from biasprint.core.letters.categories import any_of, kind_file, kind_words, lists
from biasprint.core.letters.marks import marked_text
from biasprint.core.letters.values import Category, CodedCategory, DocumentKind, Mark, Sentence
from biasprint.core.swap import Person

CODED: tuple[CodedCategory, ...] = get_args(CodedCategory)
OF_DECODER = "The public Gender Decoder counts this word as well.", "Gender Decoder (Matfield)"
_DENIED = re.compile(r"(?:\bnot|\bnever|n't|\bhardly|\bwithout(?: being)?|\bfar from)\s(?:[\w'-]+\s){0,2}$")


def marks_of_advert(sentences: Sequence[Sentence]) -> tuple[Mark, ...]:
    """Return the marks of an advert's body, in order: gender-coded words, and words that keep somebody away."""
    marks = [mark for sentence in sentences if sentence.part == "body" for mark in _of_advert(sentence)]
    return tuple(sorted(marks, key=lambda mark: (mark.start, -mark.end)))


def criticism_of(kind: DocumentKind, sentences: Sequence[Sentence], person: Person | None) -> tuple[Mark, ...]:
    """Return the criticism of somebody's personality in a review or peer evaluation; none in other kinds."""
    if kind not in ("review", "peer"):
        return ()
    marks = tuple(mark for sentence in sentences if sentence.part == "body" for mark in _criticism(sentence, person))
    return known_of(kind, marks)


def known_of(kind: DocumentKind, marks: Sequence[Mark]) -> tuple[Mark, ...]:
    """Return the marks with what is known of their category in this kind of document, where it is not as in letters."""
    known = {(key.kind, key.category): key for key in kind_file("review").reasons}
    found = [known.get((kind, mark.category)) for mark in marks]
    return tuple(
        mark
        if own is None or mark.of_house or mark.passage or mark.unlawful
        else replace(mark, reason=own.known_for, source=own.source)
        for mark, own in zip(marks, found, strict=True)
    )


def _of_advert(sentence: Sentence) -> Iterator[Mark]:
    lower = marked_text(sentence, None).lower
    words = kind_words("advert")
    for coded in CODED:
        for match in _coded(coded).finditer(lower):
            if not _not_coded().match(match.group()):
                reason, source = words[coded].known_for, words[coded].source
                if _added(coded).match(match.group()):
                    reason, source = OF_DECODER
                yield _mark(sentence, match, coded, reason, source)
    if not _welcomes().search(lower):
        for key, category in words.items():
            if key not in CODED:
                yield from _listed(sentence, lower, key, category.pattern, category.exceptions)


def _criticism(sentence: Sentence, person: Person | None) -> Iterator[Mark]:
    lower, category = marked_text(sentence, person).lower, kind_words("review")["personality"]
    for mark in _listed(sentence, lower, "personality", category.pattern, category.exceptions):
        if not _DENIED.search(lower[: mark.start - sentence.start]):
            yield mark


def _listed(
    sentence: Sentence, lower: str, key: Category, pattern: re.Pattern[str], unless: re.Pattern[str]
) -> Iterator[Mark]:
    excepted = [match.span() for match in unless.finditer(lower)]
    words = kind_words("review" if key == "personality" else "advert")[key]
    for match in pattern.finditer(lower):
        if not any(start < match.end() and match.start() < end for start, end in excepted):
            yield _mark(sentence, match, key, words.known_for, words.source)


def _mark(sentence: Sentence, match: re.Match[str], key: Category, reason: str, source: str) -> Mark:
    start, end = match.span()
    place = sentence.start + start
    return Mark(key, place, place + end - start, sentence.index, sentence.text[start:end], reason, source)


# As in the decoder, a word counts by how it begins, also behind a hyphen: “results-driven”. Each counts once.


@cache
def _coded(key: CodedCategory) -> re.Pattern[str]:
    return _beginnings(kind_words("advert")[key].entries)


@cache
def _added(key: CodedCategory) -> re.Pattern[str]:
    return _beginnings(kind_file("advert").categories[key].decoder)


@cache
def _not_coded() -> re.Pattern[str]:
    return _beginnings(entry for key in CODED for entry in kind_words("advert")[key].unless)


@cache
def _welcomes() -> re.Pattern[str]:
    return any_of(kind_file("advert").welcomes, lists())


def _beginnings(entries: Iterable[str]) -> re.Pattern[str]:
    stems = sorted({re.escape(entry.removesuffix("*")) for entry in entries}, key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(stems)})\w*")
