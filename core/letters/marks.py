"""Words in a letter that are worth a second look, by category, with the reason and the source of each mark.

Categories are data: resources/letters/marks. Praise that is denied or weakened is marked as doubt.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

from biasprint.core.letters.categories import CANDIDATE, SPACE, CategoryWords, Scope, categories, scope
from biasprint.core.letters.subject import PRIVATE, is_said_elsewhere
from biasprint.core.letters.values import Category, Mark, Sentence
from biasprint.core.letters.whose import MarkedText, is_about_another, is_of_another, marked_text
from biasprint.core.swap import Person


class Turned(NamedTuple):
    """How an entry is turned, and where the words that do it and the entry begin and end together."""

    how: Literal["denied", "weakened"]
    start: int
    end: int


# “Never late and puts in long hours”: the verb begins a statement of its own, which no “never” before it denies.
_AND = re.compile(r"(?<![\w-])and\s{1,9}$")
_NEW_VERB = re.compile(
    r"(?:puts?|works|worked|goes|went|takes|took|leads|led|makes|made|stands|stood|keeps|kept|brings|brought|gives|gave"
    r"|learns|learned|helps|helped|cares|cared|listens|listened|meets|met|stays|stayed|treats|treated|shares|shared"
    r"|drives|drove|runs|ran|sets|wins|won)(?![\w-])"
)


def turned(page: MarkedText, start: int, end: int) -> Turned | None:
    """What denies the entry at `start` to `end`, else what weakens it; `None` where it stands as it is said."""
    reach = scope()
    near = (
        ""
        if _NEW_VERB.match(page.lower, start) and _AND.search(page.before(start))
        else (_within_reach(page.before(start), reach))
    )
    offset = start - len(near)
    window = page.before(start)
    denied = _nearest(reach.negations, reach.no_negations, near, window)
    if denied is not None:
        return Turned("denied", offset + denied, end)
    after = reach.denied_after.match(page.after(end).lstrip())
    if after is not None:
        skipped = len(page.after(end)) - len(page.after(end).lstrip())
        return Turned("denied", start, end + skipped + after.end())
    weakened = _nearest(reach.hedges, reach.no_hedges, near, window)
    return None if weakened is None else Turned("weakened", offset + weakened, end)


def _within_reach(before: str, reach: Scope) -> str:
    """The end of what stands before an entry: a few words, and nothing on the other side of a “but”."""
    last = 0
    for found in reach.ends.finditer(before):
        last = found.end()
    near = before[last:]
    words = list(re.finditer(r"\S+", near))
    return near[words[-reach.reach].start() :] if len(words) >= reach.reach else near


def _nearest(pattern: re.Pattern[str], exceptions: re.Pattern[str], near: str, window: str) -> int | None:
    """Where the nearest such word begins in `near`; `None` where there is none, or one that only looks like it.

    The exceptions are looked for in the whole window: they may begin before the reach does.
    """
    offset = len(window) - len(near)
    not_meant = [found.span() for found in exceptions.finditer(window)]
    places = [
        found.start()
        for found in pattern.finditer(near)
        if not any(low <= offset + found.start() < high for low, high in not_meant)
    ]
    return places[-1] if places else None


_TRAILING = re.compile(r"\s+(?:a|an|the|our|its|his|her|their|she|he|they|about|for|to|as|be|become|of)$")
_LEADING = re.compile(rf"{CANDIDATE}{SPACE}")
_OF_A_SUBJECT = PRIVATE | {"doubt"}
_SAID = {"denied": "It denies this of the candidate.", "weakened": "It is hoped for or supposed, and not said."}


def marks_of(sentences: Sequence[Sentence], person: Person | None = None) -> tuple[Mark, ...]:
    """The marks of all sentences, in order. `person`: whose names are no words. Only the body has marks."""
    return tuple(mark for sentence in sentences if sentence.part == "body" for mark in _of_sentence(sentence, person))


def _of_sentence(sentence: Sentence, person: Person | None) -> list[Mark]:
    page = marked_text(sentence, person)
    found: list[Mark] = []
    for category in categories().values():
        for start, end in _places(page, category):
            found += _mark(page, start, end, category, person)
    return _settled(found)


def _places(page: MarkedText, category: CategoryWords) -> Iterator[tuple[int, int]]:
    """Where entries stand that none of the category's exceptions touches and that name nobody."""
    plain = [
        match.span()
        for match in category.pattern.finditer(page.lower)
        # Peoples and faiths are written with a capital.
        if category.key == "origin" or not _is_name(page, match.start(), match.end())
    ]
    places = plain + [match.span() for match in category.cased_pattern.finditer(page.cased)]
    if not places:
        return
    excepted = [match.span() for match in category.exceptions.finditer(page.lower)]
    passed = 0
    for start, end in sorted(places):
        while passed < len(excepted) and excepted[passed][1] <= start:
            passed += 1
        if passed == len(excepted) or excepted[passed][0] >= end:
            yield start, start + len(page.lower[start:end].rstrip(",.;"))


def _is_name(page: MarkedText, start: int, end: int) -> bool:
    """A word with a capital within a sentence names something: “Brilliant Foods”, “the M. H. de Young Museum”."""
    words = page.cased[start:end]
    return start > page.first and words[:1].isupper() and not words.isupper()


def _mark(page: MarkedText, start: int, end: int, category: CategoryWords, person: Person | None) -> Iterator[Mark]:
    if not category.praise:
        if is_of_another(page, start, end, category.key, person):
            return
        if category.key in _OF_A_SUBJECT and is_said_elsewhere(page, start, end, category.key, person):
            return
        leading = _LEADING.match(page.lower, start, end)
        start = leading.end() if leading else start  # “she seemed” is found by “she”, and said of “seemed”
        # Mentioning a family is mentioning it, whatever is said; only a doubt that is denied is none.
        how = turned(page, start, end) if category.key == "doubt" else None
        if how is None or how.how != "denied":
            yield _plain(page.sentence, start, end, category)
        return
    trailing = _TRAILING.search(page.lower[start:end])
    end = start + trailing.start() if trailing else end
    if is_about_another(page, start, end, category.key, person):
        return
    how = turned(page, start, end)
    yield (
        _plain(page.sentence, start, end, category) if how is None else _doubt(page.sentence, start, end, category, how)
    )


def _doubt(sentence: Sentence, start: int, end: int, category: CategoryWords, how: Turned) -> Mark:
    """Praise that is denied or weakened, marked with the words that do it."""
    praise = sentence.text[start:end]
    doubt = _plain(sentence, how.start, how.end, categories()["doubt"])
    reason = f"{_SAID[how.how]} Otherwise “{praise}” would be praise ({category.title.lower()})."
    return replace(doubt, reason=reason, negated=how.how == "denied", hedged=how.how == "weakened")


def _plain(sentence: Sentence, start: int, end: int, category: CategoryWords) -> Mark:
    words = sentence.text[start:end]
    place = sentence.start + start
    return Mark(category.key, place, place + len(words), sentence.index, words, category.known_for, category.source)


def _settled(marks: Sequence[Mark]) -> list[Mark]:
    """Of marks of one category that overlap, the first and longest; praise inside longer praise is said once."""
    order: list[Category] = list(categories())
    kept: list[Mark] = []
    ends: dict[str, int] = {}
    for mark in sorted(marks, key=lambda mark: (mark.start, -mark.end, order.index(mark.category))):
        group = "praise" if categories()[mark.category].praise else mark.category
        inside = mark.end <= ends.get(group, -1)
        overlaps = mark.start < ends.get(mark.category, -1)
        if inside or overlaps:
            continue
        ends[mark.category] = max(mark.end, ends.get(mark.category, -1))
        ends[group] = max(mark.end, ends.get(group, -1))
        kept.append(mark)
    return kept
