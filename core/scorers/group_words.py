"""Mentions of groups in texts: every word or phrase of a group's list, counted once, with the sentence it is in.

Fast, because it looks up tokens and runs no pipeline: a word is a run of letters and digits, so that "woman's" and
"mother-in-law" mention a woman and a mother, and a phrase may be written with hyphens or blanks. The longest entry that
begins at a word wins. Sentences here end where the project's segmenter ends them in ordinary prose: at a full stop
that is neither an abbreviation's nor one of three, at ! and ?, and at a blank line.

Names of people in a text, read as one and the same name: which name it is says nothing about style.
"""

import re
import unicodedata
from collections import Counter, deque
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain, compress

import numpy as np
from numpy.typing import NDArray

from biasprint.core.given import packaged_toml
from biasprint.core.text import for_matching

# A name that the scorers know as one: the agency stand-in reads it as “they”, VADER's list does not have it, and the
# tagger takes it for a name.
ANY_NAME = "Kelly"

_CAPITAL = r"[^\W\d_a-zß-öø-ÿ][^\W\d_]*[a-zß-öø-ÿ][^\W\d_]*(?:['’-][^\W\d_]+)*"
_TITLE = re.compile(r"\b(?:Mr|Mrs|Ms|Mx|Miss|Dr|Prof|Professor|Sir|Dame|Madam|Lord|Lady|Sister|Nurse|Doctor)\.?\s+$")
_SAYS_OF = re.compile(
    r"(?:['’]s\b|\s+(?:is|was|has|had|does|did|will|would|can|could|may|might|should|also|never|always|often|soon|"
    r"[a-z]+(?:ed|[^s]s)|led|took|ran|made|built|won|taught|wrote|gave|kept|held|came|went|knew|rose|sang|saw|spoke|"
    r"stood|sold|brought|found)\b)"
)
_NEXT_NAME = re.compile(rf"\s+{_CAPITAL}")
_OPENS = re.compile(r"(?:^|[.!?:…]\s*|\n\s*)[\"“‘'(\[]*\s*$")
Ints = NDArray[np.int64]

# A word; the end of a sentence with the blank behind it; a blank line; any other sign. Hyphens join.
TOKEN = re.compile(r"\w+|\.{2,}|[.!?]+[\"'”’)\]]*\s|\n\s*\n|[^\w\s\-‐‑]")
ABBREVIATIONS = frozenset((
    "mr", "mrs", "ms", "dr", "st", "jr", "sr", "prof", "gen", "gov", "sen", "rep", "rev", "hon", "sgt", "lt", "col",
    "capt", "inc", "co", "corp", "ltd", "vs", "etc", "dept", "univ", "jan", "feb", "mar", "apr", "jun", "jul", "aug",
    "sep", "sept", "oct", "nov", "dec", "mt", "ft", "ave", "blvd", "ph",
))  # fmt: skip
NOTHING, END, START = 0, 1, 2


def without_names(text: str, spans: Sequence[tuple[int, int]]) -> list[str]:
    """Return the sentences of a text at `spans`, with ANY_NAME for each word that names a person in it.

    A word that is in the list of names that are words, with a capital, names a person inside a sentence and behind a
    title; a given name also before another name, and before a verb (“Faith leads”). At the beginning of
    a sentence it does so as well where the text has it with a capital inside another.
    """
    places = list(_pattern().finditer(text))
    begins = {start for start, _ in spans}
    inside = {match.group() for match in places if not _begins(text, match.start(), begins)}
    named = [
        match.span()
        for match in places
        if match.group() in inside
        or _TITLE.search(text[max(0, match.start() - 12) : match.start()])
        or _is_said_of(text, match)
    ]
    left = deque(named)
    return [_put(text, start, end, left) for start, end in spans]


def _begins(text: str, place: int, begins: set[int]) -> bool:
    return place in begins or _OPENS.search(text[max(0, place - 12) : place]) is not None


def _is_said_of(text: str, match: re.Match[str]) -> bool:
    if match.group().lower() not in names_that_are_words().given:
        return False
    return _NEXT_NAME.match(text, match.end()) is not None or _SAYS_OF.match(text, match.end()) is not None


def _put(text: str, start: int, end: int, named: deque[tuple[int, int]]) -> str:
    """`named`: places of names that are not behind; those of this sentence are taken from it."""
    parts, place = [], start
    while named and named[0][1] <= end:
        first, last = named.popleft()
        if first >= start:
            parts += [text[place:first], ANY_NAME]
            place = last
    return "".join([*parts, text[place:end]])


@dataclass(frozen=True)
class _Names:
    given: frozenset[str]
    family: frozenset[str]
    version: str


@cache
def names_that_are_words() -> _Names:
    """The names in small letters, and the list's version."""
    data = packaged_toml("lexicons", "names_that_are_words.toml")
    return _Names(frozenset(data["given"]), frozenset(data["family"]), data["version"])


def names_version() -> str:
    """Return a version that changes whenever another word could be taken for a name."""
    return f"names that are words {names_that_are_words().version}, rules 1"


@cache
def _pattern() -> re.Pattern[str]:
    names = names_that_are_words().given | names_that_are_words().family
    listed = "|".join(sorted((name.capitalize() for name in names), key=len, reverse=True))
    return re.compile(rf"(?<![\w'’-])(?:{listed})(?![\w-])")


@dataclass(frozen=True)
class GroupWord:
    """An entry of a group's list. `group`: its place among the groups. `exact`: matched with its case, as names are."""

    text: str
    group: int
    exact: bool = False

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words that must follow each other directly; none where the entry holds no letter or digit."""
        return tuple(re.findall(r"\w+", as_written(self.text) if self.exact else for_matching(self.text)))


@dataclass(frozen=True)
class WordBlocks:
    """The sentences that mention a group. `text` int64[b]: whose sentence it is. `counts` int64[b, groups]: mentions.

    `texts`: how many texts there are, those without any mention too.
    """

    texts: int
    text: Ints
    counts: Ints

    def of_groups(self, places: Sequence[int]) -> "WordBlocks":
        """The mentions of some groups alone, in the order of `places`."""
        counts = self.counts[:, list(places)]
        rows = counts.any(axis=1)
        return WordBlocks(self.texts, self.text[rows], counts[rows])

    def totals(self) -> Ints:
        """Mentions per text: int64[texts, groups]."""
        totals = np.zeros((self.texts, self.counts.shape[1]), dtype=np.int64)
        np.add.at(totals, self.text, self.counts)
        return totals


class GroupMatcher:
    """Finds the mentions of `groups` groups. Entries without a word are never found."""

    def __init__(self, entries: Iterable[GroupWord], groups: int) -> None:
        self.groups = groups
        self._exact: dict[tuple[str, ...], GroupWord] = {}
        self._folded: dict[tuple[str, ...], GroupWord] = {}
        lengths: dict[str, set[int]] = {}
        for entry in entries:
            if words := entry.words:
                (self._exact if entry.exact else self._folded).setdefault(words, entry)
                lengths.setdefault(for_matching(words[0]), set()).add(len(words))
        self._lengths = {start: sorted(lengths_here, reverse=True) for start, lengths_here in lengths.items()}
        self._kinds = _Kinds(self._lengths)

    def mentions(self, text: str) -> list[tuple[int, GroupWord]]:
        """Return every mention in order: the number of its sentence, counted from 0, and the entry."""
        return self.mentions_in(tokens_of(text))

    def mentions_in(self, tokens: Sequence[str]) -> list[tuple[int, GroupWord]]:
        """Return the mentions in a text that has been cut into tokens."""
        kinds = list(map(self._kinds.__getitem__, tokens))
        mentions = []
        sentence = past = 0
        for place in compress(range(len(tokens)), kinds):
            if kinds[place] == END:
                sentence += not _abbreviated(tokens, place)
            elif place >= past and (entry := self._longest(tokens, place)):
                mentions.append((sentence, entry))
                past = place + len(entry.words)
        return mentions

    def blocks(self, texts: Sequence[str]) -> WordBlocks:
        """The sentences of each text that mention a group."""
        return blocks_of([self], texts)[0]

    def uses(self, texts: Iterable[str]) -> Counter[GroupWord]:
        """Count how often each entry is found."""
        return Counter(entry for _, entry in chain.from_iterable(map(self.mentions, texts)))

    def _longest(self, tokens: Sequence[str], place: int) -> GroupWord | None:
        """The longest entry that begins here; a name before a word of the same length, because it says more."""
        for length in self._lengths[for_matching(tokens[place])]:
            here = tuple(tokens[place : place + length])
            entry = self._exact.get(here) or self._folded.get(tuple(map(for_matching, here)))
            if entry is not None:
                return entry
        return None


def blocks_of(matchers: Sequence[GroupMatcher], texts: Sequence[str]) -> list[WordBlocks]:
    """The sentences of each text that mention a group, for several matchers at once. A text is read once."""
    numbers = {text: number for number, text in enumerate(dict.fromkeys(texts))}
    read: list[list[list[tuple[int, int]]]] = [[] for _ in matchers]
    for text in numbers:
        tokens = tokens_of(text)
        for matcher, mentions in zip(matchers, read, strict=True):
            mentions.append([(sentence, entry.group) for sentence, entry in matcher.mentions_in(tokens)])
    of_text = [numbers[text] for text in texts]
    return [
        _blocks([mentions[number] for number in of_text], matcher.groups)
        for matcher, mentions in zip(matchers, read, strict=True)
    ]


def tokens_of(text: str) -> list[str]:
    return TOKEN.findall(as_written(text))


def _blocks(mentions: Sequence[Sequence[tuple[int, int]]], groups: int) -> WordBlocks:
    """Build the blocks from (sentence, group) of each mention of each text."""
    of_text, block, group = [], [], []
    for place, own_mentions in enumerate(mentions):
        before = -1
        for sentence, mentioned in own_mentions:
            if sentence != before:
                of_text.append(place)
                before = sentence
            block.append(len(of_text) - 1)
            group.append(mentioned)
    counts = np.zeros((len(of_text), groups), dtype=np.int64)
    np.add.at(counts, (np.array(block, dtype=np.int64), np.array(group, dtype=np.int64)), 1)
    return WordBlocks(len(mentions), np.array(of_text, dtype=np.int64), counts)


class _Kinds(dict[str, int]):
    """The kinds of token: decided once for every distinct token."""

    def __init__(self, starts: Container[str]) -> None:
        super().__init__()
        self.starts = starts

    def __missing__(self, token: str) -> int:
        kind = self[token] = END if token[-1].isspace() else START if for_matching(token) in self.starts else NOTHING
        return kind


def as_written(text: str) -> str:
    """The text in NFC, its case kept."""
    return text if unicodedata.is_normalized("NFC", text) else unicodedata.normalize("NFC", text)


def sentence_group(counts: Ints) -> Ints:
    """Return, for each row of mentions (n, groups), the group with strictly the most; −1 for a tie or none: neutral."""
    most = counts.max(axis=1, initial=0)
    alone = (counts == most[:, None]).sum(axis=1) == 1
    return np.where(alone & (most > 0), counts.argmax(axis=1), -1) if counts.shape[1] else np.full(len(counts), -1)


def _abbreviated(tokens: Sequence[str], place: int) -> bool:
    """Is the full stop at `place` an abbreviation's (“Dr.”, “U.S.”) and no end of a sentence?"""
    if place == 0 or tokens[place][0] != "." or len(tokens[place]) > 2:
        return False
    before = tokens[place - 1]
    return (len(before) == 1 and before.isalpha()) or before.lower() in ABBREVIATIONS
