"""The nouns and the adjectives of letters, counted letter by letter."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np

from core.errors import AppError
from core.findings import ScorerUse
from core.jobs import JobContext
from core.metrics.result import Bools, Ints
from core.scorers.language import is_english
from core.scorers.lexicon import Lexicon, count_published, count_words
from core.scorers.pos_textblob import CODES
from core.scorers.protocol import ScorerInfo
from core.scorers.registry import score_batch
from core.scorers.segment import words
from core.text import for_matching

PARTS = ("noun", "adjective")
CHUNK = 64


@dataclass(frozen=True)
class PartWords:
    """The words of one part of speech.

    `counts`: sparse int64 (letters, words); `totals`: how many words of this part of speech a letter has, int64
    (letters,). `words` are folded for matching, in order of appearance.
    """

    part: str
    words: tuple[str, ...]
    counts: Any
    totals: Ints
    scorer: ScorerUse

    def only(self, kept: Bools) -> "PartWords":
        return replace(self, counts=self.counts[np.flatnonzero(kept)], totals=self.totals[kept])


def part_words(texts: Sequence[str], tagger: str, ctx: JobContext | None = None) -> tuple[list[PartWords], Bools]:
    """The words of each of PARTS over `texts`, and which texts are English. One pass, in chunks."""
    ctx = ctx or JobContext()
    codes = {CODES[part]: _Tally() for part in PARTS}
    english, use = [], None
    rest = iter(texts)
    while chunk := list(islice(rest, CHUNK)):
        ctx.check()
        info, values = score_batch(tagger, chunk)
        use = ScorerInfo(**info).use()
        for text, value in zip(chunk, values, strict=True):
            found = words(text)
            if len(value.values) != len(found):
                raise AppError(
                    f"The scorer “{tagger}” gave {len(value.values)} parts of speech for {len(found)} words.",
                    hint="It was made for another version of the program; choose another scorer.",
                )
            english.append(is_english(found))
            for code, tally in codes.items():
                tally.add(for_matching(word.text) for word, of in zip(found, value.values, strict=True) if of == code)
        ctx.report(len(english), len(texts), note="parts of speech")
    use = use or ScorerUse("parts_of_speech", tagger, "")
    counted = [codes[CODES[part]].counted(part, use) for part in PARTS]
    return counted, np.array(english, dtype=np.bool_)


def in_categories(vocabulary: Sequence[str], lexicon: Lexicon, *, as_published: bool) -> Bools:
    """Which words fall in which of the lexicon's categories, shape (words, categories); each rule as for letters."""
    if as_published:
        return np.asarray(count_published(vocabulary, lexicon).categories > 0)
    return np.asarray(count_words([words(word) for word in vocabulary], lexicon).categories > 0)


class _Tally:
    """Words per letter, as the parts of a sparse matrix."""

    def __init__(self) -> None:
        self._number_of: dict[str, int] = {}
        self._numbers: list[int] = []
        self._ends = [0]

    def add(self, letter: Iterable[str]) -> None:
        self._numbers.extend(self._number_of.setdefault(word, len(self._number_of)) for word in letter)
        self._ends.append(len(self._numbers))

    def counted(self, part: str, use: ScorerUse) -> PartWords:
        from scipy.sparse import csr_array

        ones = np.ones(len(self._numbers), dtype=np.int64)
        places = (ones, np.array(self._numbers, dtype=np.int64), np.array(self._ends))
        counts = csr_array(places, shape=(len(self._ends) - 1, len(self._number_of)))
        counts.sum_duplicates()
        return PartWords(part, tuple(self._number_of), counts, np.diff(self._ends).astype(np.int64), use)
