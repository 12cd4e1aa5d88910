"""Texts that were made from those of a catalogue: with names and numbers in them, and several in a row.

“12 raters are few.” is made from “{n} raters are few.”. The text of the catalogue that fits and says most is taken, and
what fills its places is put into the language in turn, but for words that are measured, and for what is in quotation
marks: a name stays, unless it is one that the program gave. Where none fits, the text is taken apart: lines, sentences,
and what is between semicolons, colons, brackets and commas. Of several ways the one is taken that leaves no English.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import NamedTuple

from biasprint.core.language.catalogue import Catalogue

MOST_KEPT = 20_000
LONGEST = 20_000  # characters: what is longer is a document, no message
MOST_TRIED = 1000  # parts of one text: more would hold the window up
_PLACE = re.compile(r"\{(\w+)\}")
_ONE = r"(?:[np] )?[-−+<=≥≤≈×> ]*\d{1,3}(?:,\d{3}|\d)*(?:\.\d+)?(?: ?%|×)?"
_MORE = rf"{_ONE}(?:(?: ± | → |[–/±]){_ONE})*"
# A number, a range, shares of several, an estimate and its interval.
_FIGURES = re.compile(rf"{_MORE}(?: \({_MORE}\))?|\({_MORE}\)")
_TESTED = re.compile(r"[np] [=<>] [\d.,]+\d")  # no other text has it
_DAY = re.compile(r"\b(\d{1,2}) (January|February|March|April|May|June|July|August|September|October|November|December)"
                  r" (\d{4})\b")  # fmt: skip
DAY = "{day} {month} {year}"  # in the catalogue: how a day is written
_APART = (
    re.compile(r"(\s*\n\s*)"),
    re.compile(r"(?<=[.!?…\]])( +)(?=[^a-z])"),
    re.compile(r"( · )"),
    re.compile(r"(; )"),
    re.compile(r"(: )"),
    re.compile(r"( \(|\)(?=[ ,.;:]|$))"),
    re.compile(r"(, )"),
    re.compile(r"( )(?=[-−+]?\.?\d[\d,]*(?:\.\d+)?(?: to [-−]?\d[\d.,]*)?(?: ?%)?$)"),
)
HARD = 3  # of them: line ends, sentences and points, over which few templates reach
_ANYWHERE = re.compile(r"((?<=[.!?…\])]) +|\s*\n\s*| · |; |: |, | \()")
MOST_PIECES = 20
# Words that only English has: where a text still has them, it was not put into the language.
_ENGLISH = re.compile(
    r"\b(the|of|and|are|is|with|than|that|this|which|each|from|not|were|has|have|to|for|their|other|by|chosen)\b"
)
_HIDDEN, _KEPT, _KEPT_END = "\ufdd0", "\ufdd1", "\ufdd2"  # codes that no text has
_QUOTED = re.compile(f"[“„{_KEPT}][^”“{_KEPT_END}]*[”“{_KEPT_END}]")
_QUOTES_BEGIN = re.compile(f"[“„{_KEPT}]")
_KEPT_SIGNS = re.compile(f"[{_KEPT}{_KEPT_END}]")
_INNER = re.compile("“([^”“]*)”")
_MARK = re.compile("[“”]")
_COMPOSED = re.compile(r": |, | \(")  # of a title, with what it is about
_BRACKETED = re.compile(r"\[[^\[\]]*\]")
QUOTES = "“{name}”"  # in the catalogue: the language's marks
_NAME = re.compile(r"[\w.-]*[a-z][.-]?\d[\w.-]*|\w+[_.]\w[\w.]*")  # of a model, or an id
_IN_NAME = re.compile(r"[a-z][.-]?\d|\w[_.]\w")
_LISTED = r"[\w'’-]+(?: \d+ \(\d+\))?"
# What fills places that are called so. What is kept stays but for its numbers: words of texts, and names with numbers.
KEPT = {"measured": re.compile(rf"{_LISTED}(?:, {_LISTED})*"), "reported": re.compile("[^:;]+")}
HELD = KEPT | {
    "n": re.compile(r".*\d.*"),
    "size": re.compile("[^“”:;]+"),
    "one": re.compile("[^,;]+"),
    "given": re.compile("[^,;]+"),
}
_ANY_NUMBER = re.compile(r"(?<![\w.-])\d[\d,]*(?:\.\d+)?(?!\w|\.\d)")
MOST_FITS = 6  # templates that are tried for one text, the longest
FEW = 15  # characters of a template that many texts fit
_WORD = re.compile(r"[A-Za-zÄÖÜäöüß]+")
_ENDS, _END_SIGNS = re.compile(r"(.*\w[”’)%]*)([.:…!?]+)", re.S), tuple(".:…!?")
_SENTENCE_END = re.compile(r"[.!?] [A-Z]| · ")


@dataclass(frozen=True, eq=False)
class _Template:
    """A text with places: `said` is what is around them, one more than there are `names`.

    `quoted`: the places in quotation marks.
    """

    english: str
    said: tuple[str, ...]
    names: tuple[str, ...]
    quoted: frozenset[int]

    @classmethod
    def of(cls, english: str) -> "_Template":
        parts = _PLACE.split(english.strip())
        said = parts[::2]
        quoted = (place for place, words in enumerate(said[:-1]) if words.endswith("“") and said[place + 1][:1] == "”")
        return cls(english, tuple(said), tuple(parts[1::2]), frozenset(quoted))

    @cached_property
    def characters(self) -> int:
        """The number of characters that are no places."""
        return sum(map(len, self.said))

    def words(self) -> Iterator[str]:
        """Yield the words that every text has which was made from this one; no place begins or ends in them."""
        for place, words in enumerate(self.said):
            for match in _WORD.finditer(words):
                if (match.start() or not place) and (match.end() < len(words) or place == len(self.names)):
                    yield match[0]

    def holds(self, values: list[str]) -> bool:
        """Return whether what fills the places is what those of their names hold, and no quotation is cut."""
        named = zip(self.names, values, strict=True)
        return not any(_MARK.search(_INNER.sub("", value)) for value in values) and all(
            HELD[kind].fullmatch(value) for name, value in named if (kind := name.rstrip("_234")) in HELD
        )

    def values(self, text: str) -> list[str] | None:
        """Return what fills the places of a text that was made from this one; each is as short as can be."""
        first, last = self.said[0], self.said[-1]
        if not (text.startswith(first) and text.endswith(last)):
            return None
        at, end = len(first), len(text) - len(last)
        if at > end:
            return None
        values = []
        for words in self.said[1:-1]:
            found = text.find(words, at, end)
            if found < 0:
                return None
            values.append(text[at:found])
            at = found + len(words)
        return [*values, text[at:end]]


class _Fit(NamedTuple):
    """A template, what fills its places in a text, and the part of the text that it is."""

    template: _Template
    values: list[str]
    inner: str


@dataclass
class _Trial:
    """The parts of one text that were put into the language, and how many more may be tried."""

    known: dict[tuple[str, bool], str] = field(default_factory=dict)
    left: int = MOST_TRIED


class Phrases:
    """Translates whole texts by one catalogue."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._texts = _sentences(catalogue.texts) | _counted(catalogue) | catalogue.texts
        self._templates = _by_word(map(_Template.of, filter(_worth, self._texts)))
        self._stems = frozenset(map(_stem, self._texts))
        self._sorted_stems = sorted(self._stems)
        self._last_words = {stem.rpartition(" ")[2] for stem in self._stems}
        self._english = _english_words(catalogue)
        menus = [written for english, written in self._texts.items() if english.endswith("…")]
        self._and_more = " …" if 2 * sum(written.endswith(" …") for written in menus) > len(menus) else "…"
        self._exact = lru_cache(MOST_KEPT)(self._found_exact)
        self._fits = lru_cache(MOST_KEPT)(self._found_fits)
        self._english_in = lru_cache(MOST_KEPT)(self._count_english)
        self._sentence = lru_cache(MOST_KEPT)(lambda text: self._in(text, _Trial(), is_piece=True))
        self.translated = lru_cache(MOST_KEPT)(self._translated)

    def plural(self, n: int, one: str, many: str) -> str:
        """Return the form of a phrase for `n` things; English where the catalogue has none."""
        return self._catalogue.plural(n, one, many) or self.translated(one if n == 1 else many)

    def _translated(self, text: str) -> str:
        return text if len(text) > LONGEST else _KEPT_SIGNS.sub("", self._in(text, _Trial()))

    def _in(self, text: str, trial: _Trial, *, is_piece: bool = False) -> str:
        if (exact := self._exact(text)) is not None:
            return exact
        if _is_figure(text):
            return self._number(text)
        if (day := _DAY.fullmatch(text)) is not None:
            return self._day(day)
        if (text, is_piece) not in trial.known:
            if not trial.left:
                return text
            trial.left -= 1
            trial.known[text, is_piece] = self._in_parts(text, trial, is_piece=is_piece)
        return trial.known[text, is_piece]

    def _in_parts(self, text: str, trial: _Trial, *, is_piece: bool) -> str:
        """Of all ways to put a text into the language the first that leaves no English, else the one with the least."""
        best, least = text, None
        for written in self._ways(text, trial, is_piece=is_piece):
            left = self._english_in(written)
            if least is None or left < least:
                best, least = written, left
            if not left:
                break
        return best

    def _ways(self, text: str, trial: _Trial, *, is_piece: bool) -> Iterator[str]:
        """Yield what a text can be: as one that says most of it, its sentences, as one that says some, its parts."""
        fits = self._fits(text)
        yield from self._by_templates(text, fits[0], trial)
        for apart in _APART[:HARD]:
            yield from self._taken_apart(apart, text, self._sentence)
        yield from self._by_templates(text, fits[1], trial)
        if not is_piece and (known := self._known_run(text, trial)) is not None:
            yield known
        if text.startswith("(") and text.find(")") == len(text) - 1:
            yield f"({self._in(text[1:-1], trial, is_piece=True)})"
        for apart in _APART[HARD:]:
            yield from self._taken_apart(apart, text, lambda piece: self._in(piece, trial, is_piece=True))
        yield from self._by_templates(text, fits[2], trial)
        yield self._begun_or_ended(text, trial) or _DAY.sub(self._day, _INNER.sub(self._in_marks, text))

    def _taken_apart(self, apart: re.Pattern[str], text: str, put: Callable[[str], str]) -> Iterator[str]:
        if len(pieces := _split(apart, text)) > 1:
            yield "".join(self._in_pieces(pieces, put))

    def _found_fits(self, text: str) -> tuple[list[_Fit], list[_Fit], list[_Fit]]:
        """Return the templates that a text can be made from: those that say most of it, some of it, and few words with
        commas and the like between them; with and without its final sign, also with another first letter."""
        fits: tuple[list[_Fit], list[_Fit], list[_Fit]] = ([], [], [])
        core = text.strip()
        ended = _ended(core)
        inners = (core, ended[1]) if ended is not None else (core,)
        swapped = (f"{inner[:1].swapcase()}{inner[1:]}" for inner in inners)
        for begun, inner in dict(zip((*inners, *swapped), inners * 2, strict=True)).items():
            found = [
                (template, values)
                for word in {"", *_WORD.findall(begun)}
                for template in self._templates.get(word, ())
                if (values := template.values(begun)) is not None and template.holds(values)
            ]
            for template, values in sorted(found, key=lambda each: (-each[0].characters, each[0].english)):
                loose = [value for place, value in enumerate(values) if place not in template.quoted]
                if not any(_SENTENCE_END.search(_unquoted(value)) for value in loose):
                    says_most = 2 * template.characters >= len(text)
                    reaches = template.characters < FEW and any(map(_ANYWHERE.search, loose))
                    fits[0 if says_most else 2 if reaches else 1].append(_Fit(template, values, inner))
        return fits[0][:MOST_FITS], fits[1][:MOST_FITS], fits[2][:MOST_FITS]

    def _by_templates(self, text: str, fits: list[_Fit], trial: _Trial) -> Iterator[str]:
        for fit in fits:
            if (filled := self._filled(fit, trial)) is not None:
                begun = f"{filled[:1].upper()}{filled[1:]}" if fit.inner[:1].isupper() else filled
                yield text.replace(fit.inner, begun, 1)

    def _titled(self, text: str) -> str:
        """Return words in quotation marks: the program’s titles in the language, names and others as they are."""
        if " " not in text:
            return text
        if (known := self._exact(text)) is not None:
            return known
        written = self.translated(text) if _COMPOSED.search(text) else text
        return text if self._english_in(written) else written

    def _in_marks(self, match: re.Match[str]) -> str:
        return self._texts.get(QUOTES, QUOTES).format(name=self._titled(match[1]))

    def _known_run(self, text: str, trial: _Trial) -> str | None:
        """A text with a known one in it that has a comma, a colon or the like itself, the longest; None: with none."""
        pieces = _split(_ANYWHERE, text)
        count = len(pieces)
        if not 3 < count < 2 * MOST_PIECES:
            return None
        starts = [start for start in range(0, count, 2) if self._begins_one(_stem(pieces[start]))]
        for length in range(count - 2, 2, -2):
            for start in (start for start in starts if start + length <= count):
                inner = "".join(pieces[start : start + length])
                if _stem(inner) in self._stems and (found := self._exact(inner)) is not None:
                    end = start + length
                    left = self._in("".join(pieces[: start - 1]), trial) + pieces[start - 1] if start else ""
                    right = pieces[end] + self._in("".join(pieces[end + 1 :]), trial) if end < count else ""
                    return f"{left}{found}{right}"
        return None

    def _begins_one(self, begun: str) -> bool:
        place = bisect_left(self._sorted_stems, begun)
        return place < len(self._sorted_stems) and self._sorted_stems[place].startswith(begun)

    def _begun_or_ended(self, text: str, trial: _Trial) -> str:
        """A text that begins or ends with a known one of two words and more; "" where none does."""
        words = text.split(" ")
        begun, ended = f"{words[0]} {words[1]}" if len(words) > 1 else "", _stem(text).rpartition(" ")[2]
        can_begin = "_" in text or self._begins_one(_stem(begun))
        can_end = "_" in text or ended in self._last_words
        for known in range(len(words) - 1, 1, -1) if can_begin or can_end else ():
            if can_begin and (found := self._exact(" ".join(words[:known]))) is not None:
                found = f"{found} {self._in(' '.join(words[known:]), trial)}"
                return "" if self._says_english(found) else found
            if can_end and (found := self._exact(" ".join(words[-known:]))) is not None:
                found = f"{self._in(' '.join(words[:-known]), trial)} {found}"
                return "" if self._says_english(found) else found
        return ""

    def _in_pieces(self, pieces: list[str], put: Callable[[str], str]) -> list[str]:
        """Every second piece stood between two. Beside texts of which none is English the numbers are none either."""
        written = list(pieces)
        texts = [place for place in range(0, len(pieces), 2) if not _is_figure(pieces[place])]
        for place in texts:
            written[place] = put(pieces[place])
        if not texts or any(written[place] != pieces[place] for place in texts):
            return [self._number(each) if _is_figure(each) else each for each in written]
        return [self._number(each) if _TESTED.fullmatch(each) else each for each in written]

    def _found_exact(self, text: str) -> str | None:
        """The text itself, with another first letter, or without the sign at its end."""
        if not text.strip() or len(text) < 2:
            return self._texts.get(text, text)
        core = text.strip()
        for english in (
            core,
            core[0].swapcase() + core[1:],
            *([core.replace("_", " ").capitalize()] if "_" in core else []),
        ):
            if (found := self._texts.get(english)) is not None:
                if english is not core and core[0].isupper():
                    found = found[0].upper() + found[1:]
                return text.replace(core, found, 1)
        ended = _ended(core)
        if ended is not None and (found := self._exact(ended[1])) is not None:
            return text.replace(core, found + (self._and_more if ended[2] == "…" else ended[2]), 1)
        return None

    def _kept(self, value: str) -> str:
        value = _ANY_NUMBER.sub(lambda number: self._number(number[0]), value)
        return f"{_KEPT}{re.sub(' points', ' ' + self._texts.get('points', 'points'), value)}{_KEPT_END}"

    def _filled(self, fit: _Fit, trial: _Trial) -> str | None:
        template, values, inner = fit
        filled = {
            name: self._kept(value)
            if name.rstrip("_234") in KEPT
            else self._titled(value)
            if place in template.quoted
            else self._in(value, trial)
            for place, (name, value) in enumerate(zip(template.names, values, strict=True))
        }
        left = {value for place, value in enumerate(values) if place not in template.quoted} & set(filled.values())
        own = (each for place, each in enumerate(template.names) if place not in template.quoted)
        said = (filled[name] for name in own if name.rstrip("_234") not in KEPT)
        if 2 * template.characters < len(inner) and (any(map(_is_prose, left)) or any(map(self._says_english, said))):
            return None  # a few words that many sentences have, and English on both sides of them
        return _PLACE.sub(lambda place: filled[place[1]], self._texts[template.english].strip())

    def _count_english(self, text: str) -> int:
        """Return how many words of a text only English has, but for capitals, names of models and quotations."""
        text = _unquoted(text)
        if _IN_NAME.search(text):
            text = _NAME.sub("", text)
        while self._catalogue.has_english and (inner := _BRACKETED.sub("", text)) != text:
            text = inner
        return sum(word.lower() in self._english and not word.isupper() for word in _WORD.findall(text))

    def _says_english(self, text: str) -> bool:
        return not self._catalogue.has_english and _ENGLISH.search(_unquoted(text)) is not None

    def _number(self, text: str) -> str:
        point, thousands = self._catalogue.signs
        return text.replace(",", "\0").replace(".", point).replace("\0", thousands)

    def _day(self, match: re.Match[str]) -> str:
        pattern = self._texts.get(DAY, DAY)
        month = self._texts.get(match[2], match[2])
        return pattern.format(day=match[1], month=month, year=match[3])


def _sentences(texts: dict[str, str]) -> dict[str, str]:
    """Return the sentences of texts that have several, where the language has as many: each can be met alone."""
    pairs: dict[str, str] = {}
    for english, written in texts.items():
        both = [_split(_APART[1], text)[::2] for text in (english, written)]
        if len(both[0]) == len(both[1]) > 1:
            pairs |= zip(*both, strict=True)
    return pairs


def _counted(catalogue: Catalogue) -> dict[str, str]:
    """Return the texts that were made by `plural`, with a place for the number: "1 text", "{n} texts"."""
    one, several = catalogue.plural_of(1), catalogue.plural_of(2)
    pairs = {english: written[one] for (english, _), written in catalogue.plurals.items() if english}
    return pairs | {
        english.replace("%n", "{n}"): written[several].replace("%n", "{n}")
        for (_, english), written in catalogue.plurals.items()
    }


def _words(text: str) -> set[str]:
    return set(_WORD.findall(_PLACE.sub(" ", _unquoted(text))))


def _english_words(catalogue: Catalogue) -> set[str]:
    """Return the words of English texts that are none of the language: no translation has them but from its English."""
    english: set[str] = set()
    others: set[str] = set()
    for text, written in catalogue.texts.items():
        words = _words(text)
        english |= {word.lower() for word in words if len(word) > 1}
        others |= set() if catalogue.has_english else {word.lower() for word in _words(written) - words}
    return english - others


def _is_figure(text: str) -> bool:
    return (text[1:2] == " " or not text[:1].isalpha()) and _FIGURES.fullmatch(text) is not None


def _ended(text: str) -> re.Match[str] | None:
    return _ENDS.fullmatch(text) if text.endswith(_END_SIGNS) else None


def _stem(text: str) -> str:
    return text.strip().rstrip(".:…!?").lower()


def _is_prose(value: str) -> bool:
    """Return whether a value that has no translation is more than a name: four words and more."""
    return len(re.findall(r"\b[A-Za-z]{2,}\b", _unquoted(value))) > 3


def _by_word(templates: Iterable[_Template]) -> dict[str, list[_Template]]:
    """Return the templates by the word of theirs that the fewest others have; those without a whole word by ""."""
    every = list(templates)
    often = Counter(word for template in every for word in set(template.words()))
    by_word: dict[str, list[_Template]] = {}
    for template in every:
        by_word.setdefault(min(template.words(), key=lambda word: often[word], default=""), []).append(template)
    return by_word


def _split(apart: re.Pattern[str], text: str) -> list[str]:
    """Split a text, but nowhere between quotation marks."""
    if not _QUOTES_BEGIN.search(text):
        return apart.split(text)
    quotes = iter(_QUOTED.findall(text))
    pieces = apart.split(_QUOTED.sub(_HIDDEN, text))
    return [re.sub(_HIDDEN, lambda _: next(quotes), piece) if _HIDDEN in piece else piece for piece in pieces]


def _unquoted(text: str) -> str:
    return _QUOTED.sub("", text) if _QUOTES_BEGIN.search(text) else text


def _worth(english: str) -> bool:
    """Return whether a text has places, and a word beside them."""
    return _PLACE.search(english) is not None and re.search(r"[A-Za-z]{2}", _PLACE.sub("", english)) is not None
