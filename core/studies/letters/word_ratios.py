"""Word choice by part of speech: `letters.word.odds_ratio`, as published and by default."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import log

import numpy as np

from core.findings import Adjustment, Effect, Finding, Power, Variant
from core.metrics.adjust import holm
from core.metrics.odds import OddsRatio, clustered_odds_ratios, rare_odds_ratio, sample_odds_ratio
from core.metrics.result import LEVEL
from core.studies.findings import SIGNIFICANT, interval, missing_interval
from core.studies.letters.lexicon import category_harm, one_name
from core.studies.letters.snippets import paired_snippets
from core.studies.letters.table import LettersTable
from core.studies.letters.word_choice import FEWEST_OCCURRENCES, Compared, compared_words, shown
from core.studies.letters.words import PartWords, in_categories

ID = "letters.word.odds_ratio"
SOURCE = "Wan et al. 2023, section 3.2.1 and Table 3"
COLUMNS = 512  # words tested at a time, so that memory stays flat in the vocabulary
TOO_RARE = f"is used at least {FEWEST_OCCURRENCES} times by the letters of the two groups"
ALL_ALIKE = "no word is more frequent in one group than in the other"


def word_findings(
    table: LettersTable, found: PartWords, texts: Sequence[str], seed: int, resamples: int
) -> list[Finding]:
    """The most salient words of each group of every pair, by default and then as published."""
    if not table.pairs:
        return [_undefined(table, found, table.compared, "default", "an odds ratio needs letters of two groups")]
    tested = [
        tested_words(compared_words(found, table, pair, "default"), table, seed, resamples) for pair in table.pairs
    ]
    # Adjusted among all words that were tested, not only those shown: they are shown for their ratios.
    adjusted = iter(holm([ratio.p for each in tested for ratio in each.ratios]))
    tested = [replace(each, adjusted=tuple(next(adjusted) for _ in each.ratios)) for each in tested]
    tests = sum(p is not None for each in tested for p in each.adjusted)
    note = _test_note([p for each in tested for p in each.adjusted], resamples, tests)
    adjust = Adjustment("Holm", f"{ID}, {found.part}, default, {tests} words")
    default = [finding for each in tested for finding in _default(table, found, each, texts, note, adjust)]
    published = [finding for pair in table.pairs for finding in _published(table, found, pair, texts)]
    return default + published


@dataclass(frozen=True)
class Tested:
    """Every word that can be compared, with its ratio and its p after Holm's correction; which of them are shown."""

    choice: Compared
    ratios: tuple[OddsRatio, ...]
    shown: tuple[int, ...]
    adjusted: tuple[float | None, ...] = ()


def tested_words(choice: Compared, table: LettersTable, seed: int, resamples: int) -> Tested:
    """The ratio of every word that can be compared, with intervals that hold for the words shown."""
    if not choice.words:
        return Tested(choice, (), ())
    clusters, places = table.clusters(choice.pair), shown(choice.log_ratios)
    # Words chosen for their ratios: at this level no more than 5 % of the intervals shown miss in the long run.
    level = 1 - (1 - LEVEL) * max(len(places), 1) / len(choice.words)
    ratios: list[OddsRatio] = []
    for start in range(0, len(choice.words), COLUMNS):
        counts = choice.counts[:, start : start + COLUMNS].toarray()
        ratios += clustered_odds_ratios(counts, choice.totals, clusters, seed, resamples, level=level)
    for place in places:
        cells = [int(sums[place]) for sums in choice.sums]
        ratios[place] = rare_odds_ratio(ratios[place], cells[0], choice.all_words[0], cells[1], choice.all_words[1])
    return Tested(choice, tuple(ratios), tuple(places))


def _default(
    table: LettersTable, found: PartWords, tested: Tested, texts: Sequence[str], note: str, adjust: Adjustment
) -> Iterator[Finding]:
    choice = tested.choice
    if not choice.words:
        yield _undefined(table, found, choice.pair, "default", f"no {found.part} {TOO_RARE} together")
    elif not tested.shown:
        yield _undefined(table, found, choice.pair, "default", ALL_ALIKE)
    for place in tested.shown:
        finding = _finding(table, found, choice, place, tested.ratios[place], "default", texts, note)
        p = tested.adjusted[place]
        yield finding if p is None else replace(finding, p_adjusted=p, adjust=adjust)


def _published(table: LettersTable, found: PartWords, pair: tuple[str, str], texts: Sequence[str]) -> Iterator[Finding]:
    choice = compared_words(found, table, pair, "as_published")
    (in_first, in_second), (all_first, all_second) = choice.sums, choice.all_words
    ratios = [
        sample_odds_ratio(int(a), all_first, int(b), all_second) for a, b in zip(in_first, in_second, strict=True)
    ]
    places = shown(choice.published_log_ratios)
    if not places:
        reason = ALL_ALIKE if ratios else f"no {found.part} {TOO_RARE} in each"
        yield _undefined(table, found, pair, "as_published", reason)
    note = f"Only words with {FEWEST_OCCURRENCES} occurrences in both groups; the paper tests nothing here."
    for place in places:
        yield _finding(table, found, choice, place, ratios[place], "as_published", texts, note)


def _finding(
    table: LettersTable,
    found: PartWords,
    choice: Compared,
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
    notes = [
        f"{in_first} times in letters of {pair[0]}, {in_second} in those of {pair[1]}.",
        paired_snippets(word, choice.counts[:, [place]], choice, table, texts),
        f"In the categories: {', '.join(category.name for category in of)}." if of else "",
        one_name(table, pair),
        note,
    ]
    by_group = table.by_group(pair)
    return Finding(
        id=ID,
        label=word,
        title=f"“{word}” ({found.part}): {pair[0]} against {pair[1]}",
        groups=pair,
        dims={"pos": found.part},
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
        scorers=(found.scorer,),
        harm=category_harm(of[0], pair) if of else "",
        source=SOURCE,
        note=" ".join(filter(None, notes)),
    )


def _test_note(adjusted: Sequence[float | None], resamples: int, tests: int) -> str:
    chosen = "Words are shown for their ratios, which exaggerates them."
    if tests / (1 + resamples) > SIGNIFICANT:
        return f"{chosen} {resamples:,} permutations cannot make one of {tests} words significant after Holm."
    if all(p is None or p > SIGNIFICANT for p in adjusted):
        return f"{chosen} After Holm's correction no word is significant."
    return chosen


def _undefined(
    table: LettersTable, found: PartWords, groups: tuple[str, ...], variant: Variant, reason: str
) -> Finding:
    by_group = table.by_group(groups)
    return Finding(
        id=ID,
        label=found.part,
        title=f"{found.part.capitalize()}s",
        groups=groups,
        dims={"pos": found.part},
        estimate=None,
        reason=reason,
        unit="odds ratio",
        variant=variant,
        n=sum(by_group.values()),
        n_by_group=by_group,
        dropped=table.all_dropped,
        scorers=(found.scorer,),
        source=SOURCE,
    )
