"""Which CV belongs to which letter of a pile, by the names of the files alone."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from biasprint.core.letters.formats import ENDINGS
from biasprint.core.text import for_matching

CV_WORDS = frozenset(("cv", "cvs", "resume", "resumes", "vita", "vitae", "lebenslauf", "curriculum"))
# What names of files hold beside a candidate.
PLAIN_WORDS = CV_WORDS | frozenset(
    (
        "letter", "letters", "reference", "references", "recommendation", "recommendations", "ref", "rec", "lor",
        "candidate", "candidates", "applicant", "applicants", "application", "applications", "final", "draft", "copy",
        "version", "v", "signed", "scan", "for", "of", "from", "by", "to", "the", "and", "dr", "mr", "mrs", "ms",
        "prof",
    )
)  # fmt: skip
FEWEST_FOR_COMMON = 3  # letters, before a word that all their names share tells nothing
MOST_NEAR = 200  # CVs with the same word that are looked at: more are told apart by nothing
_YEAR = re.compile(r"(?:19|20)\d\d")
_BETWEEN = re.compile(r"(?<=[a-z])(?=[A-Z])")
_WORD = re.compile(r"[^\W\d_]+|\d+")


@dataclass(frozen=True)
class MatchedCvs:
    """`by_letter`: path of a letter → path of its CV. `unclear`: letters whose name fits several CVs as well."""

    by_letter: Mapping[str, str]
    unclear: tuple[str, ...]

    @property
    def used(self) -> frozenset[str]:
        return frozenset(self.by_letter.values())


@dataclass(frozen=True)
class _Named:
    """The words and the numbers of a path that may tell a candidate."""

    words: frozenset[str]
    numbers: frozenset[str]

    @property
    def telling(self) -> frozenset[str]:
        return self.words or self.numbers

    @property
    def ids(self) -> frozenset[str]:
        """Numbers that are no year and no count of letters."""
        return frozenset(one for one in self.numbers if len(one) > 1 and not _YEAR.fullmatch(one))

    def without(self, words: frozenset[str]) -> "_Named":
        return _Named(self.words - words, self.numbers)

    def fits(self, cv: "_Named") -> bool:
        """All telling words of one are in the other, and where both have numbers of a candidate they share one."""
        own, there = self.telling, cv.telling
        return (
            bool(own and there)
            and (there <= own or own <= there)
            and (not self.ids or not cv.ids or bool(self.ids & cv.ids))
        )


def named_like_a_cv(path: str) -> bool:
    """Whether a name says “CV”, in the file's name or its folder's."""
    return bool(_words(path) & CV_WORDS)


def match_cvs(letters: Sequence[str], cvs: Sequence[str]) -> MatchedCvs:
    """The CV of each letter whose name fits one: all telling words of one name are in the other, and no id differs.

    Words such as “letter” and “CV”, and what the names of all letters share, tell nothing; an id is a number that is no
    year. Of several that fit, the one with most in common is taken; where two have as much, none is.
    """
    named = {path: _named(path) for path in letters}
    common: frozenset[str] = frozenset()
    if len(named) >= FEWEST_FOR_COMMON:
        common = frozenset.intersection(*(one.words for one in named.values()))
        named = {path: one.without(common) for path, one in named.items()}
    index = _Index({path: _named(path).without(common) for path in cvs})
    found: dict[str, str] = {}
    unclear: list[str] = []
    for path, one in named.items():
        fitting = sorted(((_in_common(one, index.named[cv]), cv) for cv in index.fitting(one)), reverse=True)
        if len(fitting) > 1 and fitting[0][0] == fitting[1][0]:
            unclear.append(path)
        elif fitting:
            found[path] = fitting[0][1]
    return MatchedCvs(found, tuple(unclear))


def cvs_among(paths: Sequence[str]) -> MatchedCvs:
    """The files of a pile that are named like a CV and fit a letter of it."""
    cvs = [path for path in paths if named_like_a_cv(path)]
    taken = set(cvs)
    return match_cvs([path for path in paths if path not in taken], cvs)


class _Index:
    """Finds the CVs that may fit without looking at each of them."""

    def __init__(self, named: Mapping[str, _Named]) -> None:
        self.named = named
        self._all = _WordIndex(named)
        self._without_id = _WordIndex({path: one for path, one in named.items() if not one.ids})
        self._by_id: defaultdict[str, list[str]] = defaultdict(list)
        for path, one in named.items():
            for number in one.ids:
                self._by_id[number].append(path)

    def fitting(self, letter: _Named) -> list[str]:
        """The CVs that fit."""
        if letter.ids:
            may = self._without_id.near(letter) | {cv for number in letter.ids for cv in self._by_id.get(number, ())}
        else:
            may = self._all.near(letter)
        return [cv for cv in may if letter.fits(self.named[cv])]


class _WordIndex:
    def __init__(self, named: Mapping[str, _Named]) -> None:
        self._holding: defaultdict[str, list[str]] = defaultdict(list)
        for path, one in named.items():
            for word in one.telling:
                self._holding[word].append(path)
        self._by_rarest: defaultdict[str, list[str]] = defaultdict(list)
        for path, one in named.items():
            if one.telling:
                self._by_rarest[min(one.telling, key=self._often)].append(path)

    def near(self, letter: _Named) -> set[str]:
        """Those that have the letter's rarest word, and those whose rarest word the letter has."""
        if not letter.telling:
            return set()
        of_each = [self._holding.get(min(letter.telling, key=self._often), ())]
        of_each += [self._by_rarest.get(word, ()) for word in letter.telling]
        return {cv for some in of_each for cv in islice(some, MOST_NEAR)}

    def _often(self, word: str) -> tuple[int, str]:
        return len(self._holding.get(word, ())), word


def _in_common(letter: _Named, cv: _Named) -> tuple[int, int, int]:
    """Shared words, then shared numbers, then as few words of one alone as possible."""
    return len(letter.words & cv.words), len(letter.numbers & cv.numbers), -len(letter.words ^ cv.words)


def _named(path: str) -> _Named:
    words = _words(path) - PLAIN_WORDS
    numbers = frozenset(word for word in words if word.isdigit())
    return _Named(words - numbers, numbers)


def _words(path: str) -> frozenset[str]:
    stem, _, ending = path.rpartition(".")
    spaced = _BETWEEN.sub(" ", stem if ending.lower() in ENDINGS else path)
    plain = "".join(sign for sign in unicodedata.normalize("NFKD", spaced) if not unicodedata.combining(sign))
    return frozenset(_WORD.findall(for_matching(plain)))
