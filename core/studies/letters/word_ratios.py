"""Word choice by part of speech: `letters.word.odds_ratio`, as published and by default.

The most salient words of each group are also read by `weat`."""

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import log
from typing import Any

import numpy as np

from biasprint.core.findings import Adjustment, Effect, Finding, Power, Variant
from biasprint.core.metrics.adjust import holm
from biasprint.core.metrics.odds import (
    FEWEST_EXPECTED,
    OddsRatio,
    clustered_odds_ratios,
    log_odds_ratio,
    sample_odds_ratio,
    smallest_expected,
)
from biasprint.core.metrics.result import LEVEL, NO_BOUNDS, NOT_ASKED, Bools, Floats, Ints, estimates_alone
from biasprint.core.studies.kit.findings import SIGNIFICANT, interval, missing_interval
from biasprint.core.studies.letters.lexicon import category_harm, one_name
from biasprint.core.studies.letters.part_words import PartWords, in_categories
from biasprint.core.studies.letters.table import LettersTable

# ---- Words of two groups that can be compared, and the most salient of each group

FEWEST_OCCURRENCES = 10
SHOWN = 10


@dataclass(frozen=True)
class ComparedWords:
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

    @cached_property
    def sums(self) -> tuple[Ints, Ints]:
        """Counts of each word in the first group's letters, and in the second's."""
        return _sums(self.counts, self.first), _sums(self.counts, ~self.first)

    @cached_property
    def all_words(self) -> tuple[int, int]:
        """The number of words of the part of speech in each group's letters."""
        return int(self.totals[self.first].sum()), int(self.totals[~self.first].sum())

    @cached_property
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


def compared_words(
    part_words: PartWords,
    table: LettersTable,
    pair: tuple[str, str],
    variant: Variant,
    given: Collection[str] = frozenset(),
) -> ComparedWords:
    """The words with at least FEWEST_OCCURRENCES in both groups as published, in both together by default.

    The rule for both hides the words that one group has almost alone. By default a word must also be expected at least
    FEWEST_EXPECTED times in the group with fewer words, or its ratio could not be tested. `given`: words that are left
    out, as their writer has them from the prompt.
    """
    within, first = table.members(pair)
    letters = np.flatnonzero(within)
    counts, totals = part_words.counts[letters], part_words.totals[letters]
    in_first, in_second = _sums(counts, first), _sums(counts, ~first)
    pooled = in_first + in_second
    if variant == "as_published":
        enough = np.minimum(in_first, in_second) >= FEWEST_OCCURRENCES
    else:
        all_first, all_second = int(totals[first].sum()), int(totals[~first].sum())
        rarest = smallest_expected(1.0, all_first, all_second) if all_first + all_second else 0.0
        enough = (pooled >= FEWEST_OCCURRENCES) & (pooled * rarest >= FEWEST_EXPECTED)
    enough &= np.array([word.lower() not in given for word in part_words.words], dtype=bool)
    ordered = sorted(np.flatnonzero(enough), key=lambda place: (-pooled[place], part_words.words[place]))
    places = np.array(ordered, dtype=np.int64)
    words = tuple(part_words.words[place] for place in places)
    return ComparedWords(pair, words, counts[:, places], totals, first, letters)


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


AROUND = 45  # characters before and after the word


def paired_snippets(word: str, column: Any, choice: ComparedWords, table: LettersTable, texts: Sequence[str]) -> str:
    """A short passage of each group with the word in it. `column`: its counts per letter of the pair, sparse (n, 1)."""
    holding = np.zeros(len(choice.letters), dtype=bool)
    holding[column.nonzero()[0]] = True
    sides = [[int(place) for place in choice.letters[holding & side]] for side in (choice.first, ~choice.first)]
    chosen = [side[0] if side else None for side in sides]
    blocks = {table.block(letter): letter for letter in reversed(sides[1]) if table.block(letter)}
    for letter in sides[0]:
        if table.block(letter) in blocks:
            chosen = [letter, blocks[table.block(letter)]]
            break
    parts = [
        f"{group}: “{_around(word, texts[letter])}”"
        for group, letter in zip(choice.pair, chosen, strict=True)
        if letter is not None
    ]
    return f"{'; '.join(parts)}." if parts else ""


def _around(word: str, text: str) -> str:
    plain = " ".join(unicodedata.normalize("NFC", text).split())
    place = re.search(rf"(?<!\w){re.escape(word)}(?!\w)", plain, re.IGNORECASE)
    if place is None:  # the word was folded into a form that the text does not have, such as ß into ss
        return word
    start, end = max(0, place.start() - AROUND), min(len(plain), place.end() + AROUND)
    start = start if start == 0 else plain.find(" ", start, place.start()) + 1 or place.start()
    end = end if end == len(plain) else max(plain.rfind(" ", place.end(), end), place.end())
    return f"{'… ' if start else ''}{plain[start:end]}{' …' if end < len(plain) else ''}"


# ---- `letters.word.odds_ratio`

ID = "letters.word.odds_ratio"
SOURCE = "Wan et al. 2023, section 3.2.1 and Table 3"
COLUMNS = 512  # words tested at a time, so that memory stays flat in the vocabulary
TOO_RARE = f"is used at least {FEWEST_OCCURRENCES} times by the letters of the two groups"
UNTRIED = OddsRatio(None, NOT_ASKED, NO_BOUNDS)
ALL_ALIKE = "no word is more frequent in one group than in the other"


def word_findings(
    table: LettersTable, part_words: PartWords, texts: Sequence[str], given: Collection[str] = frozenset()
) -> list[Finding]:
    """The most salient words of each group of every pair, by default and then as published.

    `given`: words that the prompts give, which by default are left out.
    """
    if not table.pairs:
        return [_undefined(table, part_words, table.compared, "default", "an odds ratio needs letters of two groups")]
    tested = [tested_words(compared_words(part_words, table, pair, "default", given), table) for pair in table.pairs]
    # Adjusted among all words that were tested, not only those shown: they are shown for their ratios.
    adjusted = iter(holm([ratio.p for each in tested for ratio in each.ratios]))
    tested = [replace(each, adjusted=tuple(next(adjusted) for _ in each.ratios)) for each in tested]
    tests = sum(p is not None for each in tested for p in each.adjusted)
    left_out = [word for word in part_words.words if word.lower() in given]
    note = _test_note([p for each in tested for p in each.adjusted], left_out)
    adjust = Adjustment("Holm", f"{ID}, {part_words.part}, default, {tests} words")
    default = [finding for each in tested for finding in _default(table, part_words, each, texts, note, adjust)]
    if estimates_alone():
        return default
    published = [finding for pair in table.pairs for finding in _published(table, part_words, pair, texts)]
    return default + published


@dataclass(frozen=True)
class Tested:
    """Every word that can be compared, with its ratio and its p after Holm's correction; which of them are shown."""

    choice: ComparedWords
    ratios: tuple[OddsRatio, ...]
    shown: tuple[int, ...]
    adjusted: tuple[float | None, ...] = ()


def tested_words(choice: ComparedWords, table: LettersTable) -> Tested:
    """The ratio of every word that can be compared, with intervals that hold for the words shown."""
    if not choice.words:
        return Tested(choice, (), ())
    clusters, places = table.clusters(choice.pair), shown(choice.log_ratios)
    if estimates_alone():  # of the words that are shown alone
        wanted = clustered_odds_ratios(choice.counts[:, places].toarray(), choice.totals, clusters)
        ratios = [UNTRIED] * len(choice.words)
        for place, ratio in zip(places, wanted, strict=True):
            ratios[place] = ratio
        return Tested(choice, tuple(ratios), tuple(places))
    # Words chosen for their ratios: at this level no more than 5 % of the intervals shown miss in the long run.
    level = 1 - (1 - LEVEL) * max(len(places), 1) / len(choice.words)
    ratios = []
    for start in range(0, len(choice.words), COLUMNS):
        counts = choice.counts[:, start : start + COLUMNS].toarray()
        ratios += clustered_odds_ratios(counts, choice.totals, clusters, level=level)
    return Tested(choice, tuple(ratios), tuple(places))


def _default(
    table: LettersTable, part_words: PartWords, tested: Tested, texts: Sequence[str], note: str, adjust: Adjustment
) -> Iterator[Finding]:
    choice = tested.choice
    if not choice.words:
        yield _undefined(table, part_words, choice.pair, "default", f"no {part_words.part} {TOO_RARE} together")
    elif not tested.shown:
        yield _undefined(table, part_words, choice.pair, "default", ALL_ALIKE)
    for place in tested.shown:
        finding = _finding(table, part_words, choice, place, tested.ratios[place], "default", texts, note)
        p = tested.adjusted[place]
        yield finding if p is None else replace(finding, p_adjusted=p, adjust=adjust)


def _published(
    table: LettersTable, part_words: PartWords, pair: tuple[str, str], texts: Sequence[str]
) -> Iterator[Finding]:
    choice = compared_words(part_words, table, pair, "as_published")
    (in_first, in_second), (all_first, all_second) = choice.sums, choice.all_words
    ratios = [
        sample_odds_ratio(int(a), all_first, int(b), all_second) for a, b in zip(in_first, in_second, strict=True)
    ]
    places = shown(choice.published_log_ratios)
    if not places:
        reason = ALL_ALIKE if ratios else f"no {part_words.part} {TOO_RARE} in each"
        yield _undefined(table, part_words, pair, "as_published", reason)
    note = f"Only words with {FEWEST_OCCURRENCES} occurrences in both groups; the paper tests nothing here."
    for place in places:
        yield _finding(table, part_words, choice, place, ratios[place], "as_published", texts, note)


def _finding(
    table: LettersTable,
    part_words: PartWords,
    choice: ComparedWords,
    place: int,
    ratio: OddsRatio,
    variant: Variant,
    texts: Sequence[str],
    note: str,
) -> Finding:
    word, pair = choice.words[place], choice.pair
    in_first, in_second = (int(sums[place]) for sums in choice.sums)
    lexicon = table.counted.lexicon
    of = [lexicon.categories[i] for i in np.flatnonzero(in_categories([word], lexicon, as_published=False)[0])]
    notes = (
        []
        if estimates_alone()
        else [
            f"{in_first} times in letters of {pair[0]}, {in_second} in those of {pair[1]}.",
            paired_snippets(word, choice.counts[:, [place]], choice, table, texts),
            f"In the categories: {', '.join(category.name for category in of)}." if of else "",
            one_name(table, pair),
            note,
        ]
    )
    by_group = table.by_group(pair)
    return Finding(
        id=ID,
        label=word,
        title=f"“{word}” ({part_words.part}): {pair[0]} against {pair[1]}",
        groups=pair,
        dims={"pos": part_words.part},
        estimate=ratio.value,
        reason=missing_interval(ratio.interval) if ratio.value is not None else ratio.reason,
        unit="odds ratio",
        variant=variant,
        interval=interval(ratio.interval.bounds),
        n=sum(by_group.values()),
        n_by_group=by_group,
        dropped=table.all_dropped,
        p=ratio.p,
        effect=Effect("log odds ratio", log(ratio.value)) if ratio.value else None,
        power=Power(ratio.detectable, None) if ratio.detectable else None,
        scorers=(part_words.scorer,),
        harm=category_harm(of[0], pair) if of else "",
        source=SOURCE,
        note=" ".join(filter(None, notes)),
    )


def _test_note(adjusted: Sequence[float | None], left_out: Sequence[str]) -> str:
    chosen = "Words are shown for their ratios, which exaggerates them."
    if left_out:
        chosen += f" Left out, as the prompts give them: {', '.join(sorted(left_out))}."
    if all(p is None or p > SIGNIFICANT for p in adjusted):
        return f"{chosen} After Holm’s correction no word is significant."
    return chosen


def _undefined(
    table: LettersTable, part_words: PartWords, groups: tuple[str, ...], variant: Variant, reason: str
) -> Finding:
    by_group = table.by_group(groups)
    return Finding(
        id=ID,
        label=part_words.part,
        title=f"{part_words.part.capitalize()}s",
        groups=groups,
        dims={"pos": part_words.part},
        estimate=None,
        reason=reason,
        unit="odds ratio",
        variant=variant,
        n=sum(by_group.values()),
        n_by_group=by_group,
        dropped=table.all_dropped,
        scorers=(part_words.scorer,),
        source=SOURCE,
    )
