"""Word choice by part of speech: `letters.word.odds_ratio`, as published and by default.

The most salient words of each group are also read by `weat`.

Nouns and adjectives of letters, counted letter by letter, and which of them are in categories of words.

What is read of a letter, and of a word, is kept where scores are (`biasprint.core.scorers.kept`).
"""

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biasprint.core.errors import AppError
from biasprint.core.findings import Adjustment, Effect, Finding, Power, ScorerUse, Variant
from biasprint.core.jobs import JobContext
from biasprint.core.metrics.odds import (
    FEWEST_EXPECTED,
    OddsRatio,
    clustered_odds_ratios,
    log_odds_ratio,
    sample_odds_ratio,
    smallest_expected,
)
from biasprint.core.metrics.result import LEVEL, NO_BOUNDS, NOT_ASKED, Bools, Floats, Ints, estimates_alone, holm
from biasprint.core.scorers.kept import Keep, completed, rows_of, whole_numbers
from biasprint.core.scorers.lexicon import RULES, Lexicon, count_published, count_words
from biasprint.core.scorers.parts_of_speech import CODES
from biasprint.core.scorers.protocol import ScoreValue
from biasprint.core.scorers.registry import info_of, score_batch
from biasprint.core.scorers.segment import SEGMENTER, is_english, words
from biasprint.core.studies.kit.findings import SIGNIFICANT, interval, missing_interval
from biasprint.core.studies.letters.lexicon import TWO_GROUPS, LettersTable, category_harm, one_name
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
        return [_undefined(table, part_words, table.compared, "default", TWO_GROUPS)]
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
    finding = table.undefined(
        ID,
        label=part_words.part,
        title=f"{part_words.part.capitalize()}s",
        reason=reason,
        unit="odds ratio",
        source=SOURCE,
        scorers=(part_words.scorer,),
        groups=groups,
    )
    return replace(finding, dims={"pos": part_words.part}, variant=variant)
