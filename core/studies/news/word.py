"""Word level: how generated and original articles divide their mentions among groups (equations 1 to 4)."""

from collections.abc import Iterator

import numpy as np

from core.metrics.distances import wasserstein_share
from core.metrics.resampling import dealt_sums, generator
from core.metrics.result import Bools, Floats, Ints
from core.scorers.group_words import WordBlocks
from core.studies.news.groups import GroupAxis
from core.studies.news.level import (
    COST_OF_PAIR,
    DECIMALS,
    Draws,
    Level,
    LevelDesign,
    MeasuredLevel,
    PairValues,
    deals_for,
    floors,
    share_sums,
)
from core.studies.news.table import NewsTable

# Sentences that follow each other tend to be about the same person: they are dealt together.
RUN = 3
PLANNED = 0.05  # five percentage points of a group's share
METHODS = "Fang et al. 2024, methods, equations 1 to 4"

WORD = Level(
    id="news.word",
    distance="wasserstein",
    titles={
        "distance": "Words: Wasserstein distance of group shares",
        "prejudice_share": "Words: articles that mention the group less than the original",
        "prejudice_drop": "Words: how much less, in those articles",
        "difference": "Words: difference of the group's share",
    },
    unit="proportion",
    planned=PLANNED,
    undefined="no group words on a side",
    sources={
        "distance": f"{METHODS}, Figures 2a and 3a",
        "prejudice_share": "Fang et al. 2024, Figures 2b and 3c",
        "prejudice_drop": "Fang et al. 2024, Figures 2c and 3d",
        "difference": "Fang et al. 2024, Table 1 and Figure 3b",
    },
)


def measure_words(table: NewsTable, axis: GroupAxis) -> MeasuredLevel:
    """The values of every pair on one axis, with all of its groups and with the paper's."""
    published = axis.as_published()
    return MeasuredLevel(
        level=WORD,
        axis=axis,
        values=_values(table, axis),
        published_axis=published,
        published=_values(table, published) if published else None,
    )


def word_floors(
    table: NewsTable, axis: GroupAxis, design: LevelDesign, seed: int, resamples: int
) -> list[Draws | None]:
    """The floor's draws for each stratum."""
    counts = np.concatenate([table.word_counts(axis, "generated"), table.word_counts(axis, "original")])
    rng = generator(seed, WORD.id, axis.id)

    def compare(first: Ints, second: Ints) -> PairValues:
        return share_values(counts[first], counts[second])

    return floors(
        design, compare, lambda: _dealt(table, axis, design, rng, resamples), WORD.sign, rng, resamples,
        f"sentences with group words, in runs of {RUN},",
    )  # fmt: skip


def share_values(first: Ints, second: Ints) -> PairValues:
    """From mentions per pair and group on both sides to the values of the pairs."""
    result = wasserstein_share(first, second)
    pairs, groups = first.shape
    distance, signed, among = np.zeros(pairs), np.zeros((pairs, groups)), np.zeros((pairs, groups), dtype=bool)
    distance[result.defined] = result.distance.round(DECIMALS)
    signed[result.defined] = result.signed.round(DECIMALS)
    among[result.defined] = result.second > 0
    present = np.repeat(result.defined[:, None], groups, axis=1)
    return PairValues(result.defined, distance, signed, present, among)


def _values(table: NewsTable, axis: GroupAxis) -> PairValues:
    return share_values(table.word_counts(axis, "generated"), table.word_counts(axis, "original"))


def _dealt(
    table: NewsTable, axis: GroupAxis, design: LevelDesign, rng: np.random.Generator, resamples: int
) -> Iterator[Floats]:
    """Sums per deal and stratum over the defined pairs, their runs of sentences with group words dealt anew."""
    sides = [in_runs(table.word_blocks(axis, side), RUN) for side in ("generated", "original")]
    used = np.flatnonzero(np.logical_and(*(_mentioned(side) for side in sides)))
    if not len(used):
        return
    row = np.full(len(table.pairs), -1)
    row[used] = np.arange(len(used))
    kept = [row[side.text] >= 0 for side in sides]
    unit = np.concatenate([row[side.text[keep]] for side, keep in zip(sides, kept, strict=True)])
    counts = np.concatenate([side.counts[keep] for side, keep in zip(sides, kept, strict=True)]).astype(np.float64)
    first = np.repeat([True, False], [int(keep.sum()) for keep in kept])
    totals = np.zeros((len(used), counts.shape[1]))
    np.add.at(totals, unit, counts)
    dealt = dealt_sums(counts, first, unit, rng, deals_for(len(unit) + COST_OF_PAIR * len(used), resamples))
    yield from share_sums(dealt, totals, design.members[:, used])


def in_runs(blocks: WordBlocks, length: int) -> WordBlocks:
    """The sentences of each text in runs of so many, their mentions added up; the last run of a text may be shorter."""
    starts = np.flatnonzero(np.diff(blocks.text, prepend=-1))
    place = np.arange(len(blocks.text)) - np.repeat(starts, np.diff([*starts, len(blocks.text)]))
    first = np.flatnonzero(place % length == 0)
    counts = np.add.reduceat(blocks.counts, first, axis=0) if len(first) else blocks.counts
    return WordBlocks(blocks.texts, blocks.text[first], counts)


def _mentioned(side: WordBlocks) -> Bools:
    return np.asarray(np.bincount(side.text, minlength=side.texts) > 0)
