"""Nouns and adjectives of letters, counted letter by letter, and which of them are in categories of words.

What is read of a letter, and of a word, is kept where scores are (`biasprint.core.scorers.kept`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biasprint.core.errors import AppError
from biasprint.core.findings import ScorerUse
from biasprint.core.jobs import JobContext
from biasprint.core.metrics.result import Bools, Ints
from biasprint.core.scorers.kept import Keep, completed, rows_of, whole_numbers
from biasprint.core.scorers.lexicon import RULES, Lexicon, count_published, count_words
from biasprint.core.scorers.parts_of_speech import CODES
from biasprint.core.scorers.protocol import ScoreValue
from biasprint.core.scorers.registry import info_of, score_batch
from biasprint.core.scorers.segment import SEGMENTER, is_english, words
from biasprint.core.text import for_matching

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

    def only(self, mask: Bools) -> "PartWords":
        return replace(self, counts=self.counts[np.flatnonzero(mask)], totals=self.totals[mask])


def part_words(texts: Sequence[str], tagger: str, ctx: JobContext | None = None) -> tuple[list[PartWords], Bools]:
    """The words of each of PARTS over `texts`, and which texts are English. One pass, in chunks."""
    ctx = ctx or JobContext()
    codes = {CODES[part]: _Tally() for part in PARTS}
    english: list[bool] = []
    rest = iter(texts)
    while chunk := list(islice(rest, CHUNK)):
        ctx.check()
        for text, (is_in_english, words_read) in zip(chunk, _read_words(chunk, tagger), strict=True):
            english.append(is_in_english)
            for code, tally in codes.items():
                tally.add(for_matching(text[start:end]) for start, end, of in words_read if of == code)
        ctx.report(len(english), len(texts), note="parts of speech")
    use = info_of(tagger).use() if english else ScorerUse("parts_of_speech", tagger, "")
    counted = [codes[CODES[part]].counted(part, use) for part in PARTS]
    return counted, np.array(english, dtype=np.bool_)


def _read_words(texts: Sequence[str], tagger: str) -> list[tuple[bool, list[list[int]]]]:
    """Return for each text: is it in English, and start, end and code of its words of PARTS. Kept where scores are."""

    def make(new: Sequence[str], keep: Keep) -> None:
        values = score_batch(tagger, new)[1]
        keep({text: _found_words(text, value.values, tagger) for text, value in zip(new, values, strict=True)})

    def reader() -> str:
        info = info_of(tagger)
        return f"words of {' and '.join(PARTS)}, rules 1; {tagger} {info.version} {info.sha256}; {SEGMENTER}"

    read = completed(reader, texts, make)
    return [(rows_of(value, 1)[0] == [1], rows_of(value, 3, after=1)) for value in read]


def _found_words(text: str, codes: NDArray[np.float32], tagger: str) -> ScoreValue:
    """1 for English, then three numbers for each word of PARTS."""
    tokens = words(text)
    if len(codes) != len(tokens):
        raise AppError(
            f"The scorer “{tagger}” gave {len(codes)} parts of speech for {len(tokens)} words.",
            hint="It was made for another version of the program; choose another scorer.",
        )
    wanted = [CODES[part] for part in PARTS]
    numbers = [
        number
        for word, code in zip(tokens, codes.astype(np.int32).tolist(), strict=True)
        if code in wanted
        for number in (word.start, word.end, code)
    ]
    return whole_numbers([int(is_english(tokens)), *numbers])


# Words that were looked up already: hash of the lexicon, rule → word → its categories.
_KNOWN: dict[tuple[str, bool], dict[str, Bools]] = {}


def in_categories(vocabulary: Sequence[str], lexicon: Lexicon, *, as_published: bool) -> Bools:
    """Membership of words in the lexicon's categories, shape (words, categories); each rule as for letters."""
    known = _KNOWN.setdefault((lexicon.sha256, as_published), {})

    def make(new: Sequence[str], keep: Keep) -> None:
        counted = (
            count_published(new, lexicon)
            if as_published
            else count_words([words(each_word) for each_word in new], lexicon)
        )
        rows = (counted.categories > 0).astype(np.float32)
        keep({word: ScoreValue(row, None) for word, row in zip(new, rows, strict=True)})

    if new := [word for word in dict.fromkeys(vocabulary) if word not in known]:
        rule = "as published" if as_published else SEGMENTER
        scored = completed(lambda: f"categories of {lexicon.sha256}, {RULES}; {rule}", new, make)
        known.update(zip(new, (value.values > 0 for value in scored), strict=True))
    return np.array([known[word] for word in vocabulary], dtype=np.bool_).reshape(-1, len(lexicon.categories))


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
