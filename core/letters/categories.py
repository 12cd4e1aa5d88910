"""The categories of marks, their words and rules, and the patterns made from them (resources/letters/marks)."""

import hashlib
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Literal, NamedTuple

from biasprint.core.letters.values import CATEGORIES, UNLAWFUL, UNLAWFUL_TITLE, Category, DocumentKind, Mark
from biasprint.core.letters.verdict import by_harm
from biasprint.core.prompts.resource_files import from_resources, packaged, strict_data

MASK = "\ue000"  # stands for each sign of the candidate's name: a name is no word
# Neither inside a word nor inside a compound: “person” holds no son, “self-confident” is an entry of its own.
BEFORE, AFTER = rf"(?<![\w-])(?=[\w{MASK}])", r"(?![\w-])"
# All repetition is bounded, so that no text, however made, takes longer than its length calls for.
SPACE = r"\s{1,9}"
WORD = rf"[\w'{MASK}-]{{1,40}}"
BETWEEN = rf"(?:{WORD}{SPACE}){{0,2}}"
ENDING = r"[a-z']{0,20}"
NUMBER = (
    r"(?:\d{1,3}|(?:nineteen|eighteen|twenty|thirty|forty|fifty|sixty|seventy|eighty)"
    r"(?:[ -](?:one|two|three|four|five|six|seven|eight|nine))?)"
)
YEAR = r"(?:19|20)\d\d"
CANDIDATE = rf"(?:she|he|they|{MASK}{{1,40}}(?:{SPACE}{MASK}{{1,40}})?)"
_LISTED = re.compile(r"(\^?)\{(\w+)\}(.*)")
NEVER = re.compile(r"(?!)")

Lists = Mapping[str, tuple[str, ...]]


def any_of(entries: Iterable[str], lists: Lists | None = None, cased: bool = False) -> re.Pattern[str]:
    """Return a pattern for any of the entries, longest first. For lower-case text, or, `cased`, for unchanged text."""
    given = sorted(set(entries), key=len, reverse=True)
    if not given:
        return NEVER
    return re.compile(f"{BEFORE}(?:{'|'.join(_entry(entry, lists or {}, cased) for entry in given)}){AFTER}")


def is_cased(entry: str) -> bool:
    """Return whether an entry has words that only count with a capital: “Polish” and not “polish”."""
    return "^" in entry


def _entry(entry: str, lists: Lists, cased: bool) -> str:
    parts = []
    for word in entry.split():
        options = "|".join(_word(option, lists, cased) for option in word.split("|"))
        parts.append(BETWEEN if word == "~" else f"(?:{options}){SPACE}")
    return "".join(parts).removesuffix(SPACE)


def _word(word: str, lists: Lists, cased: bool) -> str:
    if word.startswith("{candidate}"):
        rest = re.escape(word.removeprefix("{candidate}"))
        return f"(?i:{CANDIDATE}){rest}" if cased else f"{CANDIDATE}{rest}"
    listed = _LISTED.fullmatch(word)
    if listed is None:
        return _plain(word, cased)
    capital, name, rest = listed.groups()
    return "|".join(
        SPACE.join(_plain(capital + piece, cased) for piece in f"{option}{rest}".split()) for option in lists[name]
    )


def _plain(word: str, cased: bool) -> str:
    capital, word = word.startswith("^"), word.removeprefix("^")
    if word == "*":
        return f"[A-Z]{WORD}" if capital else WORD
    if word == "####":
        return YEAR
    pieces = (NUMBER.join(map(re.escape, piece.split("#"))) for piece in word.split("*"))
    pattern = ENDING.join(pieces)
    if not cased:
        return pattern
    return f"{word[0].upper()}(?i:{pattern[1:]})" if capital else f"(?i:{pattern})"


Words = tuple[str, ...]
COUNTED_FROM = 0.8  # the share of right marks, below which a category is shown without a count


@dataclass(frozen=True)
class MarkPrecision:
    """Counts of a category's marks in letters that were opened once: `judged`, and of these `right`."""

    right: int
    judged: int

    @property
    def uncounted(self) -> bool:
        """True if too many marks are wrong for a count of them to mean anything."""
        return self.right < COUNTED_FROM * self.judged

    @property
    def said(self) -> str:
        """“In test letters 28 of 38 such marks were right (58 to 85 %).”, with Wilson's 95 % interval."""
        from biasprint.core.metrics.proportions import wilson

        bounds = wilson(self.right, self.judged)
        assert bounds is not None
        interval = f"{100 * bounds.low:.0f} to {100 * bounds.high:.0f} %"
        return f"In test letters {self.right} of {self.judged} such marks were right ({interval})."


@strict_data
class _CategoryFile:
    title: str
    known_for: str
    source: str
    harm: Literal["more", "fewer"]
    praise: bool
    entries: Words
    unless: Words


@strict_data
class _KindCategory:
    title: str
    known_for: str
    source: str
    entries: Words
    unless: Words
    decoder: Words = ()
    do: str = ""  # what a person can do about such words


@strict_data
class KindReason:
    """A reason and source of a category's words in this kind of document, where letters have another."""

    kind: DocumentKind
    category: Category
    known_for: str
    source: str


@strict_data
class KindFile:
    """The words of a kind beside those of letters. In a sentence with one of `welcomes` nobody is kept away."""

    version: str
    categories: dict[Category, _KindCategory]
    reasons: tuple[KindReason, ...] = ()
    welcomes: Words = ()


@strict_data
class _PrecisionFile:
    marks: dict[Category, tuple[int, int]]


@strict_data
class _ReasonOfWords:
    category: Category
    known_for: str
    source: str
    entries: Words
    unlawful: bool = False


@strict_data
class _ReasonsFile:
    reason: tuple[_ReasonOfWords, ...]


@strict_data
class _ScopeFile:
    version: str
    negations: Words
    no_negations: Words
    denied_after: Words
    hedges: Words
    no_hedges: Words
    ends: Words
    reach: int


@strict_data
class _ListsFile:
    lists: dict[str, Words]


@dataclass(frozen=True)
class CategoryWords:
    """A category as the program uses it. `harm`: whether more or fewer such words count against the candidate."""

    key: Category
    title: str
    known_for: str
    source: str
    harm: Literal["more", "fewer"]
    praise: bool
    entries: Words
    unless: Words
    precision: MarkPrecision

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """For lower-case text."""
        return any_of((entry for entry in self.entries if not is_cased(entry)), lists())

    @cached_property
    def cased_pattern(self) -> re.Pattern[str]:
        """A pattern for text with its capitals unchanged."""
        return any_of(filter(is_cased, self.entries), lists(), cased=True)

    @cached_property
    def exceptions(self) -> re.Pattern[str]:
        """For lower-case text."""
        return any_of(self.unless, lists())


@dataclass(frozen=True)
class MarkReason:
    """A reason for a mark, and its source. `unlawful`: in many countries no applicant may be asked about this."""

    known_for: str
    source: str
    unlawful: bool = False


@dataclass(frozen=True)
class Scope:
    """Words that negate or weaken praise, how many words far they reach, and what stops them."""

    negations: re.Pattern[str]
    no_negations: re.Pattern[str]
    denied_after: re.Pattern[str]
    hedges: re.Pattern[str]
    no_hedges: re.Pattern[str]
    ends: re.Pattern[str]
    reach: int


@cache
def categories() -> Mapping[Category, CategoryWords]:
    """Return the categories of letters in the order of values.CATEGORIES, then those of other kinds alone."""
    letters: dict[Category, CategoryWords] = {key: _category(key) for key in CATEGORIES}
    for words in (kind_words("review"), kind_words("advert")):
        letters.update({key: category for key, category in words.items() if key not in letters})
    return letters


@cache
def kind_words(kind: Literal["advert", "review"]) -> Mapping[Category, CategoryWords]:
    """Return the categories of a kind of document with the words and sources that count there."""
    return {
        key: CategoryWords(
            key, words.title, words.known_for, words.source, "more", False, (*words.entries, *words.decoder),
            words.unless, MarkPrecision(0, 0),
        )
        for key, words in kind_file(kind).categories.items()
    }  # fmt: skip


@cache
def kind_file(kind: Literal["advert", "review"]) -> KindFile:
    """Return what resources/letters/kinds says of a kind of document."""
    return from_resources(KindFile, "letters", "kinds", f"{kind}.toml")


def reason_of(category: CategoryWords, words: str) -> MarkReason:
    """Return the reason for a mark of a category with these words, in lower case: its own, or the category's."""
    for pattern, reason in _reasons().get(category.key, ()):
        if pattern.search(words):
            return reason
    return MarkReason(category.known_for, category.source)


class MarkGroup(NamedTuple):
    """Marks that are shown under one title. `reasons`: each with its source. `sure`: how far they can be relied on,
    "" where that needs no word; only a `counted` group is shown with a number.
    """

    title: str
    marks: tuple[Mark, ...]
    reasons: tuple[tuple[str, str], ...]
    sure: str
    counted: bool


UNMEASURED = "Found by a short list of phrases; how many of them are right was not measured."


def grouped(marks: Iterable[Mark], kind: DocumentKind = "reference") -> tuple[MarkGroup, ...]:
    """Return the marks by category, the most harmful first; what no applicant should be asked is a group of its own.

    `kind`: of the document that they are of; how many marks are right was measured in letters.
    """
    own_words = kind_words("advert") if kind == "advert" else categories()
    groups: dict[str, list[Mark]] = {}
    for mark in by_harm(marks):
        groups.setdefault(mark.kind, []).append(mark)
    return tuple(_group(title, tuple(own), own_words) for title, own in groups.items())


def _group(kind: str, marks: tuple[Mark, ...], words: Mapping[Category, CategoryWords]) -> MarkGroup:
    if kind == UNLAWFUL:
        return MarkGroup(UNLAWFUL_TITLE, marks, _reasons_of(marks), UNMEASURED, counted=True)
    category = words.get(marks[0].category) or categories()[marks[0].category]
    precision = category.precision
    sure = precision.said if precision.uncounted else UNMEASURED if category.key == "personality" else ""
    return MarkGroup(category.title, marks, _reasons_of(marks), sure, counted=not precision.uncounted)


def _reasons_of(marks: Collection[Mark]) -> tuple[tuple[str, str], ...]:
    """Return the reasons and sources that marks of one category share: those of its words, else the category's own."""
    words = [mark for mark in marks if not (mark.of_house or mark.passage or mark.negated or mark.hedged)]
    shared = dict.fromkeys((mark.reason, mark.source) for mark in words)
    if not shared:
        own = (categories()[mark.category] for mark in marks if not mark.of_house)
        shared = dict.fromkeys((category.known_for, category.source) for category in own)
    return tuple(shared)


@cache
def _reasons() -> Mapping[Category, tuple[tuple[re.Pattern[str], MarkReason], ...]]:
    file = from_resources(_ReasonsFile, "letters", "marks", "reasons.toml")
    found: dict[Category, tuple[tuple[re.Pattern[str], MarkReason], ...]] = {}
    for one in file.reason:
        reason = any_of(one.entries, lists()), MarkReason(one.known_for, one.source, one.unlawful)
        found[one.category] = (*found.get(one.category, ()), reason)
    return found


@cache
def precisions() -> Mapping[Category, MarkPrecision]:
    """Return what test letters say of each category's marks."""
    file = from_resources(_PrecisionFile, "letters", "marks", "precision.toml")
    return {key: MarkPrecision(*file.marks[key]) for key in CATEGORIES}


@cache
def uncounted() -> tuple[Category, ...]:
    """Return the categories whose marks are too often wrong to be counted."""
    return tuple(key for key, precision in precisions().items() if precision.uncounted)


@cache
def lists() -> Mapping[str, Words]:
    """The groups of words that entries name in braces."""
    return from_resources(_ListsFile, "letters", "marks", "lists.toml").lists


@cache
def scope() -> Scope:
    """The words that deny and weaken, and where their reach ends."""
    scope_words = from_resources(_ScopeFile, "letters", "marks", "scope.toml")
    signs = [re.escape(end) for end in scope_words.ends if not end[0].isalnum()]
    words = any_of((end for end in scope_words.ends if end[0].isalnum()), lists()).pattern
    # After a comma a new clause has its own subject, and no “not” before the comma denies it.
    clause = r",\s{1,9}(?:(?:and|so|or)\s{1,9})?(?:she|he|it|they|i|we|her|his|their|the|this|you|my|our)(?![\w-])"
    joined = (
        r"(?<![\w-])and\s{1,9}(?:she|he|it|they|i|we)(?![\w-])"
        # “doesn't shrink, and reduces a bold red”: a verb with an object of its own
        r"|(?<![\w-])and\s{1,9}[\w'-]{1,40}(?:s|ed)\s{1,9}(?:a|an|the|her|his|their|our|every)(?![\w-])"
    )
    negations = any_of(word for word in scope_words.negations if word != "n't").pattern
    return Scope(
        re.compile(rf"n't\b|{negations}"),
        any_of(scope_words.no_negations, lists()),
        any_of(scope_words.denied_after, lists()),
        any_of(scope_words.hedges, lists()),
        any_of(scope_words.no_hedges, lists()),
        re.compile("|".join((*signs, words, clause, joined))),
        scope_words.reach,
    )


@strict_data
class _IdiomsFile:
    version: str
    idioms: Words


@cache
def idioms() -> re.Pattern[str]:
    """Return the pattern of praise in the words of a denial: “no small feat”. For lower-case text."""
    return any_of(
        from_resources(_IdiomsFile, "letters", "marks", "idioms.toml").idioms,
        lists(),
    )


@cache
def version_of_marks() -> str:
    """Return a version that changes with every edit of the categories."""
    names = (*CATEGORIES, "scope", "lists", "idioms")
    content = b"\n".join(packaged("letters", "marks", f"{name}.toml").read_bytes() for name in names)
    return f"marks 4; {hashlib.sha256(content).hexdigest()[:12]}"


def _category(key: Category) -> CategoryWords:
    file = from_resources(_CategoryFile, "letters", "marks", f"{key}.toml")
    given = (file.title, file.known_for, file.source, file.harm, file.praise, file.entries, file.unless)
    return CategoryWords(key, *given, precisions()[key])
