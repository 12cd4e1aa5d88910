"""Words in a letter that are known to matter, by category, with the reason and the source of each mark.

Categories are data: resources/letters/marks. Praise that is denied or weakened is marked as doubt.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Literal, NamedTuple

from core.documents.categories import CANDIDATE, MASK, SPACE, WORD, CategoryWords, Scope, categories, lists, scope
from core.documents.values import Category, Mark, Sentence
from core.swap import Person

_PLAIN = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "‐": "-", "‑": "-"})
WINDOW = 240  # characters before and after an entry that are looked at: far more than any rule reaches


@dataclass(frozen=True)
class MarkedText:
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


def marked_text(sentence: Sentence, person: Person | None) -> MarkedText:
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
    return MarkedText(sentence, cased, lower)


_W = rf"{WORD}\s{{1,9}}"
_NOT_THE_WRITER = frozenset(
    {
        "her", "him", "his", "hers", "she", "he", "they", "them", "their", "its", "this", "that", "such",
        "another", "each", "every", "with", "as", "for", "someone",
    }
)  # fmt: skip
_ARTICLES, _BEING = frozenset({"a", "an", "the"}), frozenset({"am", "was", "are", "were", "being"})
_WRITER = re.compile(rf"(?<![\w-])(?:i|we)(?:'(?:ve|d|m|re|ll))?\s{{1,9}}((?:{_W}){{0,2}})$")
_WRITERS_OWN = re.compile(rf"(?<![\w-])(?:my|our)\s{{1,9}}(?:{_W})?$")
_GENERIC = re.compile(
    rf"(?<![\w-])any\s{{1,9}}(?:{_W}){{0,2}}$"
    rf"|(?<![\w-])(?:that|which)\s{{1,9}}(?:values?|requires?|demands?|needs?|rewards?|calls? for|looks? for)"
    rf"\s{{1,9}}(?:(?!(?:her|his|she|he)(?!\w))[^.;:]){{0,80}}$"
)
_THEIRS = re.compile(rf"(?<![\w-])their\s{{1,9}}(?:{_W}){{0,2}}$")
_ONE = re.compile(r"(?<![\w-])(?:he|she|his|her|him|hers)(?![\w-])")
_THING = re.compile(
    rf"(?:^|[,;]\s{{1,9}}|(?<![\w-])and\s{{1,9}}|^\W{{1,3}})(?:this|that|it|these|those|which)\s{{1,9}}"
    rf"(?:(?:has|have|had|will|also)\s{{1,9}})?(?:is|was|are|were|been|be|proved|proves)\s{{1,9}}(?:{_W})?$"
)
_AMONG = re.compile(r"(?<![\w-])(?:one of|among|amongst|most|best of|first of)\s{1,9}[^.;:]{0,80}$")
_FUNCTION_WORDS = frozenset(
    {
        "in", "of", "that", "to", "for", "and", "or", "as", "is", "are", "was", "were", "will", "would", "can",
        "with", "at", "by", "on", "from", "which", "who", "but", "when", "if",
    }
)  # fmt: skip


def is_about_another(page: MarkedText, start: int, end: int, category: Category, person: Person | None) -> bool:
    """Whether the entry at `start` to `end` praises somebody or something that is not the candidate."""
    before, after, words = page.before(start), page.after(end), page.lower[start:end]
    return (
        _is_the_writers(page, start, before, after, category)
        or bool(_GENERIC.search(before))
        or is_theirs(page, start, words, person)
        or _is_others(before, after, words, category)
        or (category == "communal" and bool(_THING.search(before)))
    )


def _is_the_writers(page: MarkedText, start: int, before: str, after: str, category: Category) -> bool:
    """“I led”, “we have always worked hard”, “our expertise”; not “I found her reliable” nor “our best engineer”."""
    found = _WRITER.search(before)
    if found:
        between = page.cased[start - len(found[1]) : start].split()
        named = any(word in _NOT_THE_WRITER or word[0].isupper() or MASK in word for word in between)
        met = not _ARTICLES.isdisjoint(between) and _BEING.isdisjoint(between)
        if not named and not met:
            return True
    if not _WRITERS_OWN.search(before):
        return False
    following = re.match(rf"\s{{1,9}}({WORD})", after)
    describes = following is not None and following[1] not in _FUNCTION_WORDS and not following[1].endswith("s")
    return category != "standout" and not describes


def is_theirs(page: MarkedText, start: int, words: str, person: Person | None) -> bool:
    """“The team developed their skills”, “the poor and their children”, where the candidate is he or she."""
    if not words.startswith(("their ", "they ")) and not _THEIRS.search(page.before(start)):
        return False
    if person is not None and person.pronoun:
        return person.pronoun != "they"
    return bool(_ONE.search(page.lower))


def _is_others(before: str, after: str, words: str, category: Category) -> bool:
    """“Many talented students”, “the hard work of his colleagues”, “her colleagues’ skills”; not “one of the best”."""
    if _possessed().search(before):
        return True
    if category in {"ability", "grindstone", "communal"} and _of_others().match(after):
        return bool(re.search(rf"(?<![\w-])the\s{{1,9}}(?:{_W})?$", before))
    if category not in {"ability", "grindstone", "standout"} and words not in lists()["leaders"]:
        return False
    if not _people_after().match(after) and words not in lists()["leaders"]:
        return False
    return not _AMONG.search(f"{before}{words} ")


@cache
def _people() -> str:
    return "|".join(map(re.escape, lists()["people"]))


@cache
def _possessed() -> re.Pattern[str]:
    owners = rf"(?:{_people()})'s?|others'|everyone's|everybody's|someone's|team's|team\s{{1,9}}members'?"
    return re.compile(rf"(?<![\w-])(?:{owners})\s{{1,9}}(?:{_W})?$")


@cache
def _of_others() -> re.Pattern[str]:
    whose = r"(?:his|her|their|the|our|my|other|all)\s{1,9}"
    return re.compile(rf"\s{{1,9}}of\s{{1,9}}(?:others|(?:{whose}){{0,2}}(?:{_people()}|team|staff))(?![\w-])")


@cache
def _people_after() -> re.Pattern[str]:
    return re.compile(rf"\s{{1,9}}(?:(?:and|or)\s{{1,9}}{_W})?(?:{_W})?(?:{_people()})(?![\w'-])")


class Turned(NamedTuple):
    """How an entry is turned, and where the words that do it and the entry begin and end together."""

    how: Literal["denied", "weakened"]
    start: int
    end: int


def turned(page: MarkedText, start: int, end: int) -> Turned | None:
    """What denies the entry at `start` to `end`, else what weakens it; `None` where it stands as it is said."""
    reach = scope()
    near = _within_reach(page.before(start), reach)
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
            yield start, end


def _is_name(page: MarkedText, start: int, end: int) -> bool:
    """A word with a capital within a sentence names something: “Brilliant Foods”, “the M. H. de Young Museum”."""
    words = page.cased[start:end]
    return start > page.first and words[:1].isupper() and not words.isupper()


def _mark(page: MarkedText, start: int, end: int, category: CategoryWords, person: Person | None) -> Iterator[Mark]:
    if not category.praise:
        if is_theirs(page, start, page.lower[start:end], person):
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
