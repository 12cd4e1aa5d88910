"""Words in a letter that are worth a second look, by category, with the reason and the source of each mark.

Categories are data: resources/letters/marks. Praise that is denied or weakened is marked as doubt.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Literal, NamedTuple, get_args

from biasprint.core.letters.about_whom import (
    PRIVATE,
    MarkedText,
    is_about_another,
    is_of_another,
    is_said_elsewhere,
    marked_text,
    meant,
    pages_of,
    without_opening,
)
from biasprint.core.letters.categories import (
    CANDIDATE,
    SPACE,
    CategoryWords,
    Scope,
    any_of,
    categories,
    kind_file,
    kind_words,
    lists,
    reason_of,
    scope,
)
from biasprint.core.letters.grammar import Parse
from biasprint.core.letters.values import CATEGORIES, Category, CodedCategory, DocumentKind, Mark, Sentence
from biasprint.core.swap import Person

# ---- Praise that is denied or weakened


class Turned(NamedTuple):
    """A negated or weakened entry: the kind, and where the words that do it and the entry begin and end together."""

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
    """Return what denies the entry at `start` to `end`, else what weakens it; `None` where nothing does."""
    reach = scope()
    place = page.parse.at(start, end) if page.parse is not None else None
    if page.parse is not None and place is not None:
        return _turned_by_grammar(page, page.parse, place, start, end)
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
    behind = _denied_behind(page, end)
    if behind is not None:
        return Turned("denied", start, behind)
    weakened = _nearest(reach.hedges, reach.no_hedges, near, window)
    return None if weakened is None else Turned("weakened", offset + weakened, end)


def _turned_by_grammar(page: MarkedText, parse: Parse, place: int, start: int, end: int) -> Turned | None:
    def governing(places: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
        return [
            (low, high) for low, high in places if (high <= start or end <= low) and parse.governs(low, high, place)
        ]

    denials = governing(page.denials)
    behind = _denied_behind(page, end)
    if behind is not None:
        denials.append((start, behind))
    nobody = parse.denied_by_nobody(place)
    if nobody is not None:
        denials.append(nobody)
    hedges = governing(page.hedges)
    if len(denials) % 2 and not _is_outdone(parse, place):
        low, high = denials[-1]
        return Turned("denied", min(low, start), max(high, end))
    if hedges and not denials:
        low, high = hedges[-1]
        return Turned("weakened", min(low, start), max(high, end))
    return None


def _denied_behind(page: MarkedText, end: int) -> int | None:
    """Return where words end that deny the entry before them: “her skill is lacking”; `None` where there are none."""
    skipped = len(page.after(end)) - len(page.after(end).lstrip())
    match = scope().denied_after.match(page.after(end)[skipped:])
    if match is None or is_idiom(page, end, end + skipped + match.end()):
        return None
    return end + skipped + match.end()


def _is_outdone(parse: Parse, place: int) -> bool:
    """“I have never met a kinder nurse”, “nobody works harder”: what is denied is that anybody is better."""
    return parse.is_compared(place) and parse.is_said_by_nobody(place)


def is_idiom(page: MarkedText, start: int, end: int) -> bool:
    """Return whether the words from `start` to `end` touch praise that is said in the words of a denial."""
    return any(low < end and start < high for low, high in page.idioms)


# What is no fault although it begins like one.
_NO_FAULT = frozenset({"unique", "united", "universal", "understanding", "under", "until", "unless", "unto", "unified"})


def denies_a_fault(page: MarkedText, start: int, end: int) -> bool:
    """Return whether a negation in these words denies a fault: “never unprepared”. Without a parse nothing does."""
    if page.parse is None:
        return False
    faults = [
        number
        for number, token in enumerate(page.parse.tokens)
        if start <= token.start < end
        and ((token.text.startswith("un") and token.text not in _NO_FAULT) or token.text in lists()["weak"])
        and token.tag[:2] in ("JJ", "RB", "VB", "NN")
    ]
    return any(page.parse.governs(low, high, fault) for low, high in page.denials for fault in faults)


_DENIED = re.compile(
    rf"\W{{0,3}}(?:{CANDIDATE}{SPACE}(?:(?:is|was|has been)(?:n't|{SPACE}(?:not|never|hardly|no)))(?![\w-]))"
)


def is_denied(page: MarkedText, start: int, end: int) -> bool:
    """Return whether a whole clause denies something of the candidate: “she is not the worst teacher”."""
    match = _DENIED.match(without_opening(page.lower[start:end]))
    return match is not None and not is_idiom(page, start, end)


_PLAINLY = re.compile(
    rf"(?:^|[,;:]\s{{1,9}}|(?<![\w-])(?:and|that|says|but)\s{{1,9}})\W{{0,3}}{CANDIDATE}(?:'s|\s{{1,9}}(?:is|was|has\s{{1,9}}been|remains))\s{{1,9}}"
    rf"(?:(?:a|an|also|very|so|always|both|truly|quite|extremely|highly|consistently)\s{{1,9}}){{0,2}}$"
)
_PLAIN_END = re.compile(r"\s{0,9}(?:[.,;!]|$|(?:and|but|in|with|at)(?![\w-]))")


def is_plainly_said(page: MarkedText, start: int, end: int) -> bool:
    """Return whether the clause is plain praise of the candidate: “she is confident”, “Emily is very kind, and …”."""
    return bool(_PLAINLY.search(page.before(start)) and _PLAIN_END.match(page.after(end)))


def _within_reach(before: str, reach: Scope) -> str:
    """Return the end of the text before an entry: a few words, and nothing on the other side of a “but”."""
    last = 0
    for match in reach.ends.finditer(before):
        last = match.end()
    near = before[last:]
    words = list(re.finditer(r"\S+", near))
    return near[words[-reach.reach].start() :] if len(words) >= reach.reach else near


def _nearest(pattern: re.Pattern[str], exceptions: re.Pattern[str], near: str, window: str) -> int | None:
    """Return where the nearest match of `pattern` begins in `near`; `None` where all are exceptions or there is none.

    The exceptions are looked for in the whole window: they may begin before the reach does.
    """
    offset = len(window) - len(near)
    places = [low - offset for low, _ in meant(pattern, exceptions, window) if low >= offset]
    return places[-1] if places else None


# ---- Marks of listed words

_TRAILING = re.compile(r"\s+(?:a|an|the|our|its|his|her|their|she|he|they|about|for|to|as|be|become|of)$")
_LEADING = re.compile(rf"{CANDIDATE}{SPACE}")
_OF_A_SUBJECT = PRIVATE | {"doubt"}
_SAID = {
    "denied": "Praise that is taken back: “{praise}” is denied here.",
    "weakened": "Praise that is weakened: “{praise}” is only hoped for or supposed here.",
}


def marks_of(
    sentences: Sequence[Sentence], person: Person | None = None, *, by_grammar: bool = False
) -> tuple[Mark, ...]:
    """The marks of all sentences, in order. `person`: whose names are no words. Only the body has marks.

    `by_grammar`: negations and subjects are found by the parser and not by the distance of words. Raises `AppError`
    where there is none.
    """
    return tuple(mark for page in pages_of(sentences, person, by_grammar) for mark in _of_page(page, person))


# “Best, John” at the end of a paragraph, where no line of its own shows that the letter closes.
_CLOSING = re.compile(
    r"\W{0,3}(?:(?:all|with) )?(?:the |my )?(?:very )?best(?: wishes| regards)?,(?:\W{1,3}\w+){0,4}\W{0,3}"
)


def _of_page(page: MarkedText, person: Person | None) -> list[Mark]:
    if _CLOSING.fullmatch(page.lower):
        return []
    marks: list[Mark] = []
    for category in (categories()[key] for key in CATEGORIES):
        for start, end in _places(page, category):
            marks += _mark(page, start, end, category, person)
    return _whole(page.sentence, _settled(marks))


def _places(page: MarkedText, category: CategoryWords) -> Iterator[tuple[int, int]]:
    """Yield the places of entries that none of the category's exceptions touches and that name nobody."""
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
        if category.key == "doubt" and is_idiom(page, start, end):
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
    yield (_plain(page.sentence, start, end, category) if how is None else _doubt(page.sentence, start, end, how))


def _doubt(sentence: Sentence, start: int, end: int, how: Turned) -> Mark:
    """Praise that is denied or weakened, marked with the words that do it."""
    praise = sentence.text[start:end]
    doubt = _plain(sentence, how.start, how.end, categories()["doubt"])
    return replace(
        doubt, reason=_SAID[how.how].format(praise=praise), negated=how.how == "denied", hedged=how.how == "weakened"
    )


def _plain(sentence: Sentence, start: int, end: int, category: CategoryWords) -> Mark:
    words = sentence.text[start:end]
    place, reason = sentence.start + start, reason_of(category, words.lower().replace("’", "'"))
    return Mark(
        category.key, place, place + len(words), sentence.index, words, reason.known_for, reason.source,
        unlawful=reason.unlawful,
    )  # fmt: skip


# “mother” or “mother of” is found; what is marked goes on to “mother of two” or “mother of three young children”.
_PARENT = re.compile(r"(?:mother|mum|mom|father|dad|parent|grandmother|grandfather)(?: of)?$", re.IGNORECASE)
_OF_WHOM = re.compile(
    r"(?: of)?(?: (?:a|an|two|three|four|five|six|seven|\d+))?(?: (?:young|small|little|grown|teenage|adult))*"
    r"(?: (?:child|children|kids|boys?|girls?|sons?|daughters?|twins|toddlers?|teenagers?|baby))?\b",
    re.IGNORECASE,
)


def _whole(sentence: Sentence, marks: Sequence[Mark]) -> list[Mark]:
    """Return the marks of families as whole phrases: “is a single” and “mother” are one, “mother of” goes on."""
    whole: list[Mark] = []
    for mark, after in zip(marks, [*marks[1:], None], strict=False):  # no mark: none
        end = mark.end - sentence.start
        tail = _OF_WHOM.match(sentence.text, end) if mark.category == "family" and _PARENT.search(mark.words) else None
        more = tail is not None and len(tail[0].split()) > (0 if mark.words.endswith(" of") else 1)
        if tail is not None and more and (after is None or sentence.start + tail.end() <= after.start):
            mark = replace(mark, end=sentence.start + tail.end(), words=mark.words + tail[0])
        last = whole[-1] if whole else None
        if last is not None and last.category == mark.category == "family" and mark.start == last.end + 1:
            whole[-1] = replace(last, end=mark.end, words=f"{last.words} {mark.words}")
        else:
            whole.append(mark)
    return whole


def _settled(marks: Sequence[Mark]) -> list[Mark]:
    """Keep the first and longest of overlapping marks of one category; praise inside longer praise counts once."""
    order: list[Category] = list(categories())
    settled: list[Mark] = []
    ends: dict[str, int] = {}
    for mark in sorted(marks, key=lambda mark: (mark.start, -mark.end, order.index(mark.category))):
        group = "praise" if categories()[mark.category].praise else mark.category
        inside = mark.end <= ends.get(group, -1)
        overlaps = mark.start < ends.get(mark.category, -1)
        if inside or overlaps:
            continue
        ends[mark.category] = max(mark.end, ends.get(mark.category, -1))
        ends[group] = max(mark.end, ends.get(group, -1))
        settled.append(mark)
    return settled


# ---- Marks of job adverts, reviews and peer evaluations: resources/letters/kinds
# An advert is about no candidate, so that none of the rules of letters apply.

CODED: tuple[CodedCategory, ...] = get_args(CodedCategory)
OF_DECODER = "The public Gender Decoder counts this word as well.", "Gender Decoder (Matfield)"
_DENIED_BEFORE = re.compile(r"(?:\bnot|\bnever|n't|\bhardly|\bwithout(?: being)?|\bfar from)\s(?:[\w'-]+\s){0,2}$")


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
                yield _mark_by_list(sentence, match, coded, reason, source)
    if not _welcomes().search(lower):
        for key, category in words.items():
            if key not in CODED:
                yield from _listed(sentence, lower, key, category.pattern, category.exceptions)


def _criticism(sentence: Sentence, person: Person | None) -> Iterator[Mark]:
    lower, category = marked_text(sentence, person).lower, kind_words("review")["personality"]
    for mark in _listed(sentence, lower, "personality", category.pattern, category.exceptions):
        if not _DENIED_BEFORE.search(lower[: mark.start - sentence.start]):
            yield mark


def _listed(
    sentence: Sentence, lower: str, key: Category, pattern: re.Pattern[str], unless: re.Pattern[str]
) -> Iterator[Mark]:
    excepted = [match.span() for match in unless.finditer(lower)]
    words = kind_words("review" if key == "personality" else "advert")[key]
    for match in pattern.finditer(lower):
        if not any(start < match.end() and match.start() < end for start, end in excepted):
            yield _mark_by_list(sentence, match, key, words.known_for, words.source)


def _mark_by_list(sentence: Sentence, match: re.Match[str], key: Category, reason: str, source: str) -> Mark:
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
