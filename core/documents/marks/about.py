"""Whom praise is about: the writer's, other people's, a thing's and what a post asks for is not the candidate's."""

import re
from functools import cache

from core.documents.marks.categories import lists
from core.documents.marks.page import Page
from core.documents.marks.patterns import MASK, WORD
from core.documents.values import Category
from core.swap import Person

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


def is_about_another(page: Page, start: int, end: int, category: Category, person: Person | None) -> bool:
    """Whether the entry at `start` to `end` praises somebody or something that is not the candidate."""
    before, after, words = page.before(start), page.after(end), page.lower[start:end]
    return (
        _is_the_writers(page, start, before, after, category)
        or bool(_GENERIC.search(before))
        or is_theirs(page, start, words, person)
        or _is_others(before, after, words, category)
        or (category == "communal" and bool(_THING.search(before)))
    )


def _is_the_writers(page: Page, start: int, before: str, after: str, category: Category) -> bool:
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


def is_theirs(page: Page, start: int, words: str, person: Person | None) -> bool:
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
