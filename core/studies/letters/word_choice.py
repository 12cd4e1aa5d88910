"""Which words of two groups' letters can be compared, and which of them are the most salient of each group."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from core.findings import Variant
from core.metrics.odds import FEWEST_EXPECTED, log_odds_ratio, smallest_expected
from core.metrics.result import Bools, Floats, Ints
from core.studies.letters.table import LettersTable
from core.studies.letters.words import PartWords

FEWEST_OCCURRENCES = 10
SHOWN = 10


@dataclass(frozen=True)
class Compared:
    """Words of one part of speech in the letters of two groups, the most frequent first.

    `counts`: sparse int64 (letters of the pair, words); `totals`: all words of the part of speech per letter; `first`:
    is the letter of the first group. `letters`: the letters' places in the table.
    """

    pair: tuple[str, str]
    words: tuple[str, ...]
    counts: Any
    totals: Ints
    first: Bools
    letters: Ints

    @property
    def sums(self) -> tuple[Ints, Ints]:
        """How often each word is used in the first group's letters, and in the second's."""
        return _sums(self.counts, self.first), _sums(self.counts, ~self.first)

    @property
    def all_words(self) -> tuple[int, int]:
        """How many words of the part of speech each group's letters have."""
        return int(self.totals[self.first].sum()), int(self.totals[~self.first].sum())

    @property
    def log_ratios(self) -> Floats:
        """ln of each word's odds ratio, Haldane's ½ in every cell."""
        (in_first, in_second), (all_first, all_second) = self.sums, self.all_words
        cells = (in_first, np.array([all_first]), in_second, np.array([all_second]))
        return log_odds_ratio(*(cell.astype(np.float64) for cell in cells))

    @property
    def published_log_ratios(self) -> Floats:
        """ln of the plain odds ratio; 0 where a cell is 0."""
        (a, b), (all_first, all_second) = self.sums, self.all_words
        cells = np.stack([a, all_first - a, b, all_second - b]).astype(np.float64)
        defined = (cells > 0).all(axis=0)
        logs = np.log(np.where(defined, cells, 1.0))
        return np.asarray(logs[0] - logs[1] - logs[2] + logs[3])


def compared_words(found: PartWords, table: LettersTable, pair: tuple[str, str], variant: Variant) -> Compared:
    """The words with at least FEWEST_OCCURRENCES in both groups as published, in both together by default.

    The rule for both hides the words that one group has almost alone. By default a word must also be expected at least
    FEWEST_EXPECTED times in the group with fewer words, or its ratio could not be tested.
    """
    within, first = table.members(pair)
    letters = np.flatnonzero(within)
    counts, totals = found.counts[letters], found.totals[letters]
    in_first, in_second = _sums(counts, first), _sums(counts, ~first)
    pooled = in_first + in_second
    if variant == "as_published":
        enough = np.minimum(in_first, in_second) >= FEWEST_OCCURRENCES
    else:
        all_first, all_second = int(totals[first].sum()), int(totals[~first].sum())
        rarest = smallest_expected(1.0, all_first, all_second) if all_first + all_second else 0.0
        enough = (pooled >= FEWEST_OCCURRENCES) & (pooled * rarest >= FEWEST_EXPECTED)
    ordered = sorted(np.flatnonzero(enough), key=lambda place: (-pooled[place], found.words[place]))
    places = np.array(ordered, dtype=np.int64)
    words = tuple(found.words[place] for place in places)
    return Compared(pair, words, counts[:, places], totals, first, letters)


def shown(ratios: Floats) -> list[int]:
    """The places of the salient words: the first group's from the highest ratio down, then the second's likewise."""
    high, low = most_salient(ratios[None])
    first = sorted(np.flatnonzero(high[0]), key=lambda place: (-ratios[place], place))
    second = sorted(np.flatnonzero(low[0]), key=lambda place: (ratios[place], place))
    return [int(place) for place in first + second]


def most_salient(ratios: Floats, most: int = SHOWN) -> tuple[Bools, Bools]:
    """The `most` words with the highest ln OR above 0, and with the lowest below 0; ties by place. Shape as `ratios`.

    `ratios`: ln OR, shape (choices, words).
    """
    return _highest(ratios, most), _highest(-ratios, most)


def _highest(ratios: Floats, most: int) -> Bools:
    order = np.argsort(-ratios, axis=1, kind="stable")[:, :most]
    chosen = np.zeros(ratios.shape, dtype=bool)
    np.put_along_axis(chosen, order, True, axis=1)
    return np.asarray(chosen & (ratios > 0))


def _sums(counts: Any, letters: Bools) -> Ints:
    return np.asarray(counts[np.flatnonzero(letters)].sum(axis=0), dtype=np.int64).ravel()
