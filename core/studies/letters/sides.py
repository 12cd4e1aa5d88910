"""One number per letter, of two groups set against each other: as pairs where letters are matched, else two samples."""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from core.metrics.clusters import Clusters
from core.metrics.means import Equivalence, equivalence, paired_difference, two_sample_difference
from core.metrics.power import detectable_difference, needed_n
from core.metrics.result import Bools, Difference, Floats
from core.studies.letters.table import LettersTable

Pair = tuple[str, str]


@dataclass(frozen=True)
class Sides:
    """`first`, `second`: a value per unit, a unit being what was written from one block (or one letter without).

    Where `paired`, values at the same place belong to the same block. `letters`: letters used of each group;
    `unmatched`: letters left out because their block has none of the other group; `missing`: letters without a value.
    """

    pair: Pair
    first: Floats
    second: Floats
    paired: bool
    letters: tuple[int, int]
    unmatched: int
    missing: int

    @property
    def dropped(self) -> dict[str, int]:
        counts = {"no score": self.missing, "no counterpart of the other group": self.unmatched}
        return {reason: count for reason, count in counts.items() if count}

    def difference(self) -> Difference:
        """Paired t, else Welch's."""
        return (paired_difference if self.paired else two_sample_difference)(self.first, self.second)

    def equivalence(self, margin: float) -> Equivalence:
        return equivalence(self.first - self.second if self.paired else (self.first, self.second), margin)

    def power(self, planned: float) -> tuple[float | None, int | None]:
        """The smallest difference that this many units show, and how many (pairs, or per group) `planned` needs."""
        counts = (len(self.first), len(self.second))
        if min(counts) < 2:
            return None, None
        if self.paired:
            sd = float(np.std(self.first - self.second, ddof=1))
            return detectable_difference(sd, counts[0]), needed_n(planned, sd)
        spread = [float(np.var(side, ddof=1)) * (len(side) - 1) for side in (self.first, self.second)]
        sd = sqrt(sum(spread) / (sum(counts) - 2))
        return detectable_difference(sd, *counts), needed_n(planned, sd, two_samples=True)


def sides(values: Floats, table: LettersTable, pair: Pair) -> Sides:
    """`values`: one per letter of the table, NaN where a letter has none.

    Letters of one block and group are averaged: they were written from the same biography. Pairs are made where at
    least half of the letters are in a block with both groups.
    """
    within, first = table.members(pair)
    places = np.flatnonzero(within)
    there = np.isfinite(values[places])
    kept, of_first = values[places[there]], first[there]
    clusters = Clusters.of(of_first, [table.block(int(place)) for place in places[there]])
    in_matched = clusters.matched[clusters.cluster] if len(kept) else np.zeros(0, dtype=bool)
    paired = bool(len(kept)) and 2 * int(in_matched.sum()) >= len(kept)
    used = in_matched if paired else np.ones(len(kept), dtype=bool)
    one, other = (_means(kept, clusters, used & (of_first == side)) for side in (True, False))
    letters = (int((used & of_first).sum()), int((used & ~of_first).sum()))
    return Sides(pair, one, other, paired, letters, len(kept) - sum(letters), int((~there).sum()))


def raw_sides(values: Floats, table: LettersTable, pair: Pair) -> tuple[Floats, Floats]:
    """The values of both groups' letters, every letter for itself."""
    within, first = table.members(pair)
    kept = values[within]
    there = np.isfinite(kept)
    return kept[there & first], kept[there & ~first]


def block_means(values: Floats, table: LettersTable, chosen: Bools) -> Floats:
    """The mean over the chosen letters of each block; a letter without a block is one."""
    places = np.flatnonzero(chosen)
    clusters = Clusters.of(np.ones(len(places), dtype=np.bool_), [table.block(int(place)) for place in places])
    return _means(values[places], clusters, np.ones(len(places), dtype=np.bool_))


def _means(values: Floats, clusters: Clusters, chosen: Bools) -> Floats:
    """The mean of each cluster with a chosen letter, in the clusters' order."""
    sums = np.bincount(clusters.cluster[chosen], values[chosen], minlength=clusters.number)
    counts = np.bincount(clusters.cluster[chosen], minlength=clusters.number)
    return np.asarray(sums[counts > 0] / counts[counts > 0], dtype=np.float64)
