"""Listed words that the letter does not mean as their category does are no marks: a small head on MiniLM reads them.

“Leader election”, “due diligence”, “unreliable witnesses”. The lists say where such words stand
(`core.letters.marks`); here each is read in its sentence, without the candidate's name and gender, and what the head
doubts is left out. How the head was made, and how sure it has to be: models/passages/card.md.
"""

import re
from collections.abc import Sequence

import numpy as np

from biasprint.core.cache import BatchCache
from biasprint.core.letters.categories import MASK, categories
from biasprint.core.letters.passages import FOUND, ReadClause, read_clauses
from biasprint.core.letters.values import Category, Mark, Sentence
from biasprint.core.letters.whose import MarkedText
from biasprint.core.scorers.agency_minilm import neutral
from biasprint.core.scorers.words_minilm import WEIGHTS_SHA256, Words, shares
from biasprint.core.swap import Person

# Chosen on letters by an author whom neither head had seen. Below LEAST words are doubted by the head for words, and so
# they are where the head for passages gives next to nothing to their category and is sure of another one.
LEAST = 0.3
MOST_OF_OWN, SURE_OF_ANOTHER = 0.06, 0.8
KIN: tuple[frozenset[Category], ...] = (frozenset({"family", "personal_life"}), frozenset({"appearance", "health"}))
_known: BatchCache[Words, float] = BatchCache(20_000)
_NAMED = re.compile(rf"{MASK}[{MASK}\s]*")
_TITLE = re.compile(r"(?:mrs|miss|madam)\.?", re.IGNORECASE)  # how a letter calls somebody, and no remark


def without_doubted(sentences: Sequence[Sentence], marks: Sequence[Mark], person: Person | None) -> tuple[Mark, ...]:
    """The marks of words without those that the heads doubt.

    What the house list asked for stays, and praise that is denied or weakened, which is a doubt. Raises `AppError`
    where the model or a head cannot be loaded.
    """
    read: dict[int, list[ReadClause]] = {}
    for clause in read_clauses(sentences, person):
        read.setdefault(clause.page.sentence.index, []).append(clause)
    asked = []
    for mark in marks:
        page = read[mark.sentence][0].page
        start = mark.start - page.sentence.start
        asked.append(as_asked(page, start, start + len(mark.words), mark.category))
    sure = _known.get(asked, shares)
    return tuple(
        mark
        for mark, share in zip(marks, sure, strict=True)
        if mark.of_house
        or mark.negated
        or mark.hedged
        or not (share < LEAST or _is_title(mark) or _says_something_else(mark, read[mark.sentence]))
    )


def _is_title(mark: Mark) -> bool:
    return mark.category == "gender" and _TITLE.fullmatch(mark.words) is not None


def _says_something_else(mark: Mark, clauses: Sequence[ReadClause]) -> bool:
    """Whether the clauses that the words stand in are of another category, and not of this one: “pleasant looking”."""
    if mark.category not in FOUND:
        return False
    start = mark.start - clauses[0].page.sentence.start
    over = [one.share for one in clauses if one.start < start + len(mark.words) and start < one.end]
    share = np.mean(over, axis=0)
    kin = {mark.category}.union(*(group for group in KIN if mark.category in group))
    if categories()[mark.category].praise:
        kin.add("standout")  # “the most talented of them” is both
    others = [float(one) for key, one in zip(FOUND, share, strict=False) if key not in kin]
    return bool(share[FOUND.index(mark.category)] < MOST_OF_OWN and max(others) > SURE_OF_ANOTHER)


def as_asked(page: MarkedText, start: int, end: int, category: Category) -> Words:
    """The words and what stands around them, without what tells the candidate's name and gender.

    Words that are marked for naming a gender keep it.
    """
    parts = [_plain(page.cased[:start]), page.cased[start:end], _plain(page.cased[end:])]
    return Words(parts[0], parts[1] if category == "gender" else _plain(parts[1]), parts[2], category)


def _plain(text: str) -> str:
    return neutral(_NAMED.sub(lambda found: "they" + found[0][len(found[0].rstrip()) :], text))


def version_of_checked_words() -> str:
    """Changes with every edit of the head and of what it doubts."""
    return f"words 2; head {WEIGHTS_SHA256[:12]}; from {LEAST}; another from {SURE_OF_ANOTHER}"
