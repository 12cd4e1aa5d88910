"""Passages that belong to a category by their meaning, without a word of its list: small heads on encoders.

“She sat up all night with a homesick first-year” is warmth, and has no word for it. Each clause of the letter's body is
read, alone and in its sentence, without the candidate's name and gender; one that the head is sure of becomes a mark.
Word lists find the rest (`biasprint.core.letters.marks`). The head is on MiniLM; where all-mpnet-base-v2 is here, a
second one reads the sentences of what the first holds possible. How both were made, and how sure they are:
models/passages/card.md.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from biasprint.core.cache import BatchCache
from biasprint.core.letters.about_whom import PRIVATE, MarkedText, is_of_the_candidate, pages_of
from biasprint.core.letters.categories import MASK, categories
from biasprint.core.letters.marks import denies_a_fault, is_denied, is_idiom, is_plainly_said
from biasprint.core.letters.values import CATEGORIES, Category, Mark, Sentence
from biasprint.core.scorers import passages as passage_heads
from biasprint.core.scorers.agency_minilm import neutral, neutral_words
from biasprint.core.scorers.passages import WEIGHTS_SHA256, WORDS_SHA256, Words, probabilities, shares
from biasprint.core.swap import Person

# Gender is left to the lists: a clause is read without it.
FOUND: tuple[Category, ...] = tuple(key for key in CATEGORIES if key != "gender")
# The least probability: where about four of five are right, and three of five of those near it, on 72 letters of two
# authors whom the head of the count before had not seen, by what the authors set off (models/passages/card.md).
LEAST: dict[Category, float] = {
    "agentic": 0.65, "communal": 0.6, "standout": 0.65, "ability": 0.6, "grindstone": 0.6, "doubt": 0.8,
    "personal_life": 0.65, "age": 0.6, "family": 0.75, "appearance": 0.65, "health": 0.65, "origin": 0.7,
}  # fmt: skip
# Where the larger reader reads the sentence, both are less often near 1 together: at these 0.86 of its marks are right
# on the same letters, by heads that had not seen them, and 0.82 without it.
LEAST_OF_BOTH: dict[Category, float] = {key: round(least - 0.11, 2) for key, least in LEAST.items()}
POSSIBLE = 0.2  # it reads the sentences where MiniLM gives some clause so much of a category: two of three
LEAST_WORDS = 4
SAID = "No listed word is here: a small model read the passage so, and it may be wrong."
COUNTED = "The study counted words, not passages like this one."

_CUT = re.compile(
    r"(?:[,;:—–()]|\s-\s)\s*"
    r"|\s+(?=(?:and|but|though|although|because|while|when|who|which|so|if|until|where)\s)"
)
# What the head takes for a doubt and is praise, beside the idioms.
_PRAISE = re.compile(
    r"\b(?:always|consistently|never given to|without (?:equal|fail|peer)|willing|willingness"
    r"|eager(?:ly|ness)?|certain|confident|exceed(?:s|ed|ing)?|flawless(?:ly)?|few (?:equals|peers|rivals)"
    # It says nothing yet.
    r"|(?:do|does|did|done) (?:(?:two|three|four|five|six|a few|many|several|some|these) things))\b",
    re.IGNORECASE,
)


class ReadClause(NamedTuple):
    """A clause from `start` to `end` of its sentence; `share`: of FOUND, of approval and of neutral.

    `alone`: the same without what the rest of the sentence says.
    """

    page: MarkedText
    start: int
    end: int
    share: NDArray[np.float64]
    alone: NDArray[np.float64]


_known: BatchCache[str, tuple[float, ...]] = BatchCache(20_000)  # by the clause as it is read; 3 MB
_known_larger: BatchCache[str, tuple[float, ...]] = BatchCache(20_000)


def passages_of(
    sentences: Sequence[Sentence],
    marks: Sequence[Mark],
    person: Person | None = None,
    *,
    by_grammar: bool = False,
    by_both: bool = False,
) -> tuple[Mark, ...]:
    """The marks of whole passages beside `marks`, in order. Only the body has any.

    `by_grammar`: as for `marks_of`. `by_both`: the larger reader reads sentences.
    Raises `AppError` where the model or the head cannot be loaded.
    """
    taken: dict[int, list[Mark]] = {}
    for mark in marks:
        taken.setdefault(mark.sentence, []).append(mark)
    passages: list[Mark] = []
    read, least = read_clauses(sentences, person, by_grammar), LEAST
    if by_both:
        read, least = _read_again(read), LEAST_OF_BOTH
    for page, start, end, share, alone in read:
        place = int(np.argmax(share))
        if place >= len(FOUND) or share[place] < least[FOUND[place]]:
            continue
        category = FOUND[place]
        if category == "doubt" and _is_denied_doubt(page, start, end, alone[place]):
            continue
        if categories()[category].praise and is_denied(page, start, end):
            continue
        start, end = _trimmed(page.sentence.text, start, end)
        if _is_taken(page.sentence, start, end, category, taken.get(page.sentence.index, ())):
            continue
        if len(page.sentence.text.split()) < LEAST_WORDS or (
            category == "doubt" and _PRAISE.search(page.sentence.text, start, end)
        ):
            continue
        if is_of_the_candidate(page, start, end, category, person):
            _add(passages, page.sentence, start, end, category)
    return tuple(passages)


def _is_denied_doubt(page: MarkedText, start: int, end: int, alone: float) -> bool:
    """Return whether the head takes praise for a doubt because it is said in the words of a denial: “no small feat”.

    Beside such a clause another one is a doubt where it reads so alone.
    """
    if is_idiom(page, start, end) or denies_a_fault(page, start, end):
        return True
    return is_idiom(page, 0, len(page.lower)) and alone < LEAST["doubt"]


def read_clauses(sentences: Sequence[Sentence], person: Person | None, by_grammar: bool = False) -> list[ReadClause]:
    """Return every clause of the body with its probabilities, in order.

    Raises `AppError` where the model or the head cannot be loaded.
    """
    pages = pages_of(sentences, person, by_grammar)
    cut = [clauses(page.sentence.text) for page in pages]
    asked = [(page, start, end) for page, spans in zip(pages, cut, strict=True) for start, end in spans]
    of_clauses = _shares([_as_read(page, start, end) for page, start, end in asked])
    whole = _shares([_as_read(page, 0, len(page.sentence.text)) for page in pages])
    # A clause alone says little: “took the whole office” is told by its sentence. So both count alike.
    of_sentences = np.repeat(whole, np.array([len(spans) for spans in cut], dtype=int), axis=0)
    shares = (of_clauses + of_sentences) / 2
    return [ReadClause(*clause, *both) for clause, *both in zip(asked, shares, of_clauses, strict=True)]


def _read_again(read: Sequence[ReadClause]) -> list[ReadClause]:
    """Return the clauses, where one is possible with their sentence read by the larger reader instead of MiniLM."""
    possible = {clause.page.sentence.index for clause in read if clause.share[: len(FOUND)].max() >= POSSIBLE}
    asked = [place for place, clause in enumerate(read) if clause.page.sentence.index in possible]
    sentences = [_as_read(read[place].page, 0, len(read[place].page.sentence.text)) for place in asked]
    both = list(read)
    for place, larger in zip(asked, _known_larger.get(sentences, passage_heads.mpnet_probabilities), strict=True):
        both[place] = read[place]._replace(share=(read[place].alone + larger) / 2)
    return both


def _shares(texts: Sequence[str]) -> NDArray[np.float64]:
    return np.array(_known.get(texts, probabilities)).reshape(len(texts), len(FOUND) + 2)


def clauses(text: str) -> list[tuple[int, int]]:
    """The clauses of a sentence, cut at signs and conjunctions; none has fewer than LEAST_WORDS words if it can be."""
    spans: list[tuple[int, int]] = []
    start = 0
    for end in [*(cut.end() for cut in _CUT.finditer(text)), len(text)]:
        if len(text[start:end].split()) >= LEAST_WORDS:
            spans.append((start, end))
            start = end
    if start < len(text):
        spans[-1:] = [(spans[-1][0], len(text))] if spans else [(0, len(text))]
    return spans


def _as_read(page: MarkedText, start: int, end: int) -> str:
    """The clause without what tells the candidate's name and gender."""
    named = re.compile(rf"{MASK}[{MASK}\s]*")
    clause = named.sub(lambda match: "they" + match[0][len(match[0].rstrip()) :], page.cased[start:end])
    return neutral(_american(clause.strip(" ,;:—–()")))


def version_of_passages() -> str:
    """Return a version that changes with every edit of the head and of what is removed from a clause."""
    return f"passages 6; head {WEIGHTS_SHA256[:12]}; {neutral_words().version} ({neutral_words().sha256[:12]})"


def version_of_larger_reader() -> str:
    """Return a version that changes with every edit of the larger head and of how both are taken together."""
    return f"all-mpnet-base-v2; head {passage_heads.MPNET_WEIGHTS_SHA256[:12]}; both 1"


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Trim the conjunction before a clause, and the signs and spaces around it."""
    opening = re.match(r"[\s,;:—–()]*(?:(?:and|but|so|though|although|because)\s+)?", text[start:end], re.IGNORECASE)
    start += opening.end() if opening else 0
    return start, start + len(text[start:end].rstrip(" \t\n,;:.!—–()"))


def _is_taken(sentence: Sentence, start: int, end: int, category: Category, marks: Sequence[Mark]) -> bool:
    """Return whether words of a list mark it already: of this category, or for praise or doubt, any of both.

    What a list passes by on purpose is taken too: “her parent company”.
    """
    over = [mark for mark in marks if mark.start < sentence.start + end and sentence.start + start < mark.end]
    if any(mark.unlawful for mark in over):
        return True  # it says the gravest thing there
    own = {mark.category for mark in over}
    praise = {key for key, category_words in categories().items() if category_words.praise}
    if category in PRIVATE and categories()[category].exceptions.search(sentence.text.lower(), start, end):
        return True
    valued = praise | {"doubt"}
    return category in own or (category in valued and not own.isdisjoint(valued))


def _add(marks: list[Mark], sentence: Sentence, start: int, end: int, category: Category) -> None:
    """A new mark, or the last one made longer where it ends at this clause."""
    about = categories()[category]
    if marks and marks[-1].sentence == sentence.index and marks[-1].category == category:
        between = sentence.text[marks[-1].end - sentence.start : start]
        if len(between.split()) <= 1:
            start = marks.pop().start - sentence.start
    place = sentence.start + start
    words = sentence.text[start:end]
    reason = " ".join([SAID, about.known_for, *([COUNTED] if about.praise else [])])
    marks.append(Mark(category, place, place + len(words), sentence.index, words, reason, about.source, passage=True))


# ---- Listed words that a model checks

# Chosen on letters by an author whom neither head had seen. Below MEANT_FROM words are doubted by the head for words,
# and so they are where the head for passages gives next to nothing to their category and is sure of another one.
MEANT_FROM = 0.3
BESIDE = 500  # characters before and after that are prepared for the head, which reads 40 tokens of them
MOST_OF_OWN, SURE_OF_ANOTHER = 0.06, 0.8
KIN: tuple[frozenset[Category], ...] = (frozenset({"family", "personal_life"}), frozenset({"appearance", "health"}))
_checked_words_known: BatchCache[Words, float] = BatchCache(20_000)
_NAMED = re.compile(rf"{MASK}[{MASK}\s]*")
_TITLE = re.compile(r"(?:mrs|miss|madam)\.?", re.IGNORECASE)  # how a letter calls somebody, and no remark


def without_doubted(
    sentences: Sequence[Sentence], marks: Sequence[Mark], person: Person | None, *, by_grammar: bool = False
) -> tuple[Mark, ...]:
    """The marks of words without those that the heads doubt.

    What the house list asked for stays, what no applicant may be asked about (its entries look for others too), praise
    that is denied or weakened, which is a doubt, and plain praise: “she is confident”, “not only is she a skilled
    chef”. Raises `AppError` where the model or a head cannot be loaded.
    """
    read: dict[int, list[ReadClause]] = {}
    for clause in read_clauses(sentences, person, by_grammar):
        read.setdefault(clause.page.sentence.index, []).append(clause)
    asked = []
    for mark in marks:
        page = read[mark.sentence][0].page
        start = mark.start - page.sentence.start
        asked.append(as_asked(page, start, start + len(mark.words), mark.category))
    sure = _checked_words_known.get(asked, shares)
    return tuple(
        mark
        for mark, share in zip(marks, sure, strict=True)
        if mark.of_house
        or mark.unlawful
        or mark.negated
        or mark.hedged
        or _is_plain_praise(mark, read[mark.sentence][0].page)
        or not (share < MEANT_FROM or _is_title(mark) or _says_something_else(mark, read[mark.sentence]))
    )


def _is_plain_praise(mark: Mark, page: MarkedText) -> bool:
    start = mark.start - page.sentence.start
    end = start + len(mark.words)
    by_grammar = page.parse is not None and page.parse.says_of_candidate(start, end)
    return categories()[mark.category].praise and (by_grammar or is_plainly_said(page, start, end))


def _is_title(mark: Mark) -> bool:
    return mark.category == "gender" and _TITLE.fullmatch(mark.words) is not None


def _says_something_else(mark: Mark, clauses: Sequence[ReadClause]) -> bool:
    """Return whether the clauses around the words are of another category, not of this one: “pleasant looking”."""
    if mark.category not in FOUND:
        return False
    start = mark.start - clauses[0].page.sentence.start
    over = [clause.share for clause in clauses if clause.start < start + len(mark.words) and start < clause.end]
    share = np.mean(over, axis=0)
    kin = {mark.category}.union(*(group for group in KIN if mark.category in group))
    if categories()[mark.category].praise:
        kin.add("standout")  # “the most talented of them” is both
    others = [float(number) for key, number in zip(FOUND, share, strict=False) if key not in kin]
    return bool(share[FOUND.index(mark.category)] < MOST_OF_OWN and max(others) > SURE_OF_ANOTHER)


def as_asked(page: MarkedText, start: int, end: int, category: Category) -> Words:
    """Return the words and the text around them, without what shows the candidate's name and gender.

    Words that are marked for naming a gender keep it.
    """
    parts = [
        _plain(page.cased[max(0, start - BESIDE) : start]),
        page.cased[start:end],
        _plain(page.cased[end : end + BESIDE]),
    ]
    return Words(parts[0], parts[1] if category == "gender" else _plain(parts[1]), parts[2], category)


# The heads were made from American letters: “organised” and “organized” are one word to them.
_BRITISH = re.compile(
    r"\b(?P<stem>(?:dis|re|un|well-)?(?:organ|recogn|real|special|priorit|summar|energ|maxim|optim|minim|critic|apolog"
    r"|social|general|visual|memor|mobil|util|custom|final|formal|modern|normal|standard|sympath|system|revital"
    r"|human|personal|civil|author|character|empath|strateg|analyt)i)s(?P<rest>e|ed|er|ers|es|ing|ation|ations)\b"
    r"|\b(?P<our>hum|hon|col|fav|behavi|lab|endeav|rig|vig|neighb)our(?P<more>\w*)",
    re.IGNORECASE,
)


def _american(text: str) -> str:
    """The text in American spelling."""
    return _BRITISH.sub(
        lambda match: f"{match['stem']}z{match['rest']}" if match["stem"] else f"{match['our']}or{match['more']}", text
    )


def _plain(text: str) -> str:
    return neutral(_american(_NAMED.sub(lambda match: "they" + match[0][len(match[0].rstrip()) :], text)))


def version_of_checked_words() -> str:
    """Return a version that changes with every edit of the head and of what it doubts."""
    return f"words 4; head {WORDS_SHA256[:12]}; from {MEANT_FROM}; another from {SURE_OF_ANOTHER}"
