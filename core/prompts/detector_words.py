"""A prompt as a string of signs, one for each word: words that a rule names have a sign of their own.

Patterns over such a string are short and run in time linear in the prompt, however long the lists of words are.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

UNKNOWN, STOP, COMMA, COLON, QUOTE, SLUR, OTHER = "x", ".", ",", ":", '"', "!", "-"
_PUNCTUATION = {".": STOP, "!": STOP, "?": STOP, "\n": STOP, ",": COMMA, ":": COLON, ";": COLON}
_QUOTES = '"“”„«»'
_FIRST_SIGN = 0x4E00  # a range of 20,000 characters in a row
_TOKEN = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*|[^\w\s]|\n|_+")


@dataclass(frozen=True)
class Encoded:
    """The signs of a text, with the characters from where to where each stands."""

    signs: str
    starts: Sequence[int]
    ends: Sequence[int]
    quoted: Sequence[bool]


@dataclass
class Vocabulary:
    """The terms that rules name, and slurs that are known by their digest alone (digest → class)."""

    slurs: Mapping[str, str] = field(default_factory=dict)
    _signs: dict[tuple[str, ...], str] = field(default_factory=dict)
    _longest: dict[str, int] = field(default_factory=dict)  # words of the longest term, by its first word

    def sign(self, term: str) -> str:
        """The sign of a term, which is added where it is new."""
        words = tuple(fold(found[0]) for found in _TOKEN.finditer(term))
        if len(words) == 1 and words[0] in _PUNCTUATION:
            return _PUNCTUATION[words[0]]
        self._longest[words[0]] = max(len(words), self._longest.get(words[0], 0))
        return self._signs.setdefault(words, chr(_FIRST_SIGN + len(self._signs)))

    def signs(self, terms: Iterable[str]) -> str:
        return "".join(self.sign(term) for term in terms)

    def encode(self, text: str) -> Encoded:
        """The text in signs; the longest term that begins at a word stands for all its words."""
        found = [(match[0], match.start(), match.end()) for match in _TOKEN.finditer(text)]
        words = [fold(word) for word, _, _ in found]
        signs: list[str] = []
        places: list[int] = []
        ends: list[int] = []
        known: dict[str, str] = {}
        at = 0
        while at < len(words):
            sign, length = self._at(words, at, known)
            signs.append(sign)
            places.append(at)
            ends.append(found[at + length - 1][2])
            at += length
        quoted = _quoted(words)
        return Encoded("".join(signs), [found[at][1] for at in places], ends, [quoted[at] for at in places])

    def slur_class(self, word: str) -> str:
        """Against whom a word is a slur; "" for any other word."""
        return self.slurs.get(digest(fold(word)), "")

    def _at(self, words: Sequence[str], at: int, known: dict[str, str]) -> tuple[str, int]:
        word = words[at]
        for length in range(min(self._longest.get(word, 0), len(words) - at), 0, -1):
            if sign := self._signs.get(tuple(words[at : at + length])):
                return sign, length
        if sign := known.get(word):
            return sign, 1
        known[word] = self._single(word)
        return known[word], 1

    def _single(self, word: str) -> str:
        if word in _PUNCTUATION:
            return _PUNCTUATION[word]
        if not word[0].isalnum():
            return QUOTE if word in _QUOTES else OTHER
        if self.slur_class(word):
            return SLUR
        owner = word.removesuffix("'s").removesuffix("'")
        return self._signs.get((owner,), UNKNOWN)  # a misogynist's view is a view of a misogynist


def fold(word: str) -> str:
    return word.replace("’", "'").casefold()


def digest(word: str) -> str:
    """What stands for a slur in the data file, so that nobody has to read it there."""
    return hashlib.sha256(word.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _quoted(words: Sequence[str]) -> list[bool]:
    """Which words stand in quotation marks: somebody else's words, as in a headline. A mark without a partner is none.

    Where nothing stands outside the marks, the whole is what is asked for.
    """
    marks = [place for place, word in enumerate(words) if word in _QUOTES]
    quoted = [False] * len(words)
    if marks == [0, len(words) - 1]:
        return quoted
    for first, last in zip(marks[::2], marks[1::2], strict=False):
        quoted[first : last + 1] = [True] * (last + 1 - first)
    return quoted
