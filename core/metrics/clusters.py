"""Texts and replies that were sampled together: how they are counted, permuted and resampled as wholes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from biasprint.core.metrics.resampling import chunks, shuffled_sums, shuffled_within
from biasprint.core.metrics.result import RESAMPLES, Bools, Floats, Ints, same_length, truths

# ---- blocks of texts of two groups
# A block is what was made from one cell or one biography. A block with texts of both groups is matched: the groups are
# swapped within it, and it is left out whole. A block of one group is one unit; a text without a block stands alone.


@dataclass(frozen=True)
class Clusters:
    """`first`: is the text of the first group, shape (n,). `cluster`: its block's number, shape (n,)."""

    first: Bools
    cluster: Ints

    @classmethod
    def of(cls, first: Bools, blocks: Sequence[str]) -> "Clusters":
        """`blocks`: a key per text; an empty key means that the text is a cluster of its own."""
        keys = [(1, key) if key else (0, str(place)) for place, key in enumerate(blocks)]
        numbers: dict[tuple[int, str], int] = {}
        return cls(first, np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.int64))

    @property
    def number(self) -> int:
        return int(self.cluster.max()) + 1 if len(self.cluster) else 0

    @cached_property
    def has_first(self) -> Bools:
        return np.bincount(self.cluster, self.first, minlength=self.number) > 0

    @cached_property
    def has_second(self) -> Bools:
        return np.bincount(self.cluster, ~self.first, minlength=self.number) > 0

    @property
    def matched(self) -> Bools:
        """Per cluster: does it hold texts of both groups?"""
        return np.asarray(self.has_first & self.has_second)

    @property
    def on_both_sides(self) -> tuple[int, int]:
        """The number of clusters with texts of the first group, and the number with texts of the second."""
        return int(self.has_first.sum()), int(self.has_second.sum())

    def strata(self) -> list[Ints]:
        """The clusters that vary among each other: all of them once any is matched, else each group's own."""
        if self.matched.any():
            return [np.arange(self.number)]
        return [side for side in (np.flatnonzero(self.has_first), np.flatnonzero(self.has_second)) if len(side)]

    def totals(self, values: Floats, of_first: bool) -> Floats:
        """Sums of `values` (n, c) per cluster over the texts of one group: shape (clusters, c)."""
        chosen = self.first == of_first
        sums = np.zeros((self.number, values.shape[1]))
        np.add.at(sums, self.cluster[chosen], values[chosen])
        return sums

    def permuted_sums(self, values: Floats, rng: np.random.Generator, resamples: int) -> Iterator[Floats]:
        """Sums of `values` (n, c) over the first group with the groups permuted: chunks of shape (resamples, c).

        Within matched clusters the texts swap groups; clusters of one group swap groups as wholes.
        """
        in_matched = self.matched[self.cluster]
        unit = np.where(in_matched, self.number + np.arange(len(self.first)), self.cluster)
        _, place, unit = np.unique(unit, return_index=True, return_inverse=True)
        sums = np.zeros((len(place), values.shape[1]))
        np.add.at(sums, unit, values)
        # Every matched cluster is a stratum of its own; all the others share one.
        stratum = np.where(in_matched, self.cluster, self.number)[place]
        labels = self.first[place].astype(np.float64)
        for size in chunks(resamples, len(place)):
            yield shuffled_sums(labels, stratum, sums, rng, size)

    def chance_on_one_side(self, has: Bools) -> float:
        """The exact chance that all texts that have something (n,) fall on one side when groups are permuted so.

        Of both sides together: Π C(n − b, m − b) / C(n, m) over the strata, each with n units, m of them of that side,
        b with it (hypergeometric, as in Fisher's test). 1 where no text has it.
        """
        if not has.any():
            return 1.0
        in_matched = self.matched[self.cluster]
        unit = np.where(in_matched, self.number + np.arange(len(self.first)), self.cluster)
        _, place, unit = np.unique(unit, return_index=True, return_inverse=True)
        holding = np.bincount(unit, truths(has)) > 0
        first, stratum = self.first[place], np.where(in_matched, self.cluster, self.number)[place]
        chance = [1.0, 1.0]
        for each in np.unique(stratum[holding]):
            here = stratum == each
            units, with_it = int(here.sum()), int((here & holding).sum())
            for side, members in enumerate((int((here & first).sum()), int((here & ~first).sum()))):
                ways = comb(units - with_it, members - with_it) if members >= with_it else 0
                chance[side] *= ways / comb(units, members)
        return min(1.0, sum(chance))


# ---- replies counted by given term and option pair
# A reply belongs to a term, which says something positive or negative, and to a pair of options. Replies of one term
# move together, and so do replies to one pair of options. Resampling counts instead of replies gives the same sums.

# Sums of counts stay whole and far below 2²⁴: half the width is exact, and twice as fast.
Singles: TypeAlias = NDArray[np.float32]
Draws: TypeAlias = Singles | Floats


@dataclass(frozen=True)
class CrossedCounts:
    """`entries`: how often each outcome occurred in each (term, pair) that occurs, shape (e, c).

    `term`, `pair`: the numbers of an entry's term and pair, shape (e,), from 0 without gaps. `positive`: is the term
    positive? shape (terms,).
    """

    term: Ints
    pair: Ints
    entries: Floats
    positive: Bools

    @classmethod
    def of(cls, term: Ints, pair: Ints, outcome: Ints, positive: Bools, outcomes: int) -> "CrossedCounts":
        """Count one value per reply, shape (n,); `outcome` from 0 to `outcomes` − 1.

        A term that is positive in some replies and negative in others counts as two. ValueError for no replies.
        """
        same_length(term, pair)
        same_length(term, outcome)
        if len(term) == 0:
            raise ValueError("no replies")
        sided = np.unique(term, return_inverse=True)[1] * 2 + truths(positive)
        sides, term_number = np.unique(sided, return_inverse=True)
        pairs, pair_number = np.unique(pair, return_inverse=True)
        crossed, entry = np.unique(term_number * len(pairs) + pair_number, return_inverse=True)
        counts = np.bincount(entry * outcomes + outcome, minlength=len(crossed) * outcomes).reshape(-1, outcomes)
        return cls(crossed // len(pairs), crossed % len(pairs), counts.astype(np.float64), sides % 2 == 1)

    @property
    def by_term(self) -> Floats:
        """Counts per term, shape (terms, c)."""
        sums = np.zeros((len(self.positive), self.entries.shape[1]))
        np.add.at(sums, self.term, self.entries)
        return sums

    @property
    def observed(self) -> Floats:
        """Counts under positive and under negative terms: shape (2, c)."""
        sums = self.by_term
        return np.stack([sums[self.positive].sum(axis=0), sums[~self.positive].sum(axis=0)])

    def resampled(self, rng: np.random.Generator, resamples: int = RESAMPLES) -> Singles:
        """`observed` over terms and, independently, option pairs drawn with replacement: shape (2, c, resamples).

        Positive and negative terms are drawn each among themselves: the design fixes how many there are. An entry
        counts as often as its term times its pair. Source: Owen 2007 (the pigeonhole bootstrap).
        """
        sides = np.concatenate([self._side(True), self._side(False)], axis=1).T.astype(np.float32)
        sums = np.empty((len(sides), resamples), dtype=np.float32)
        start = 0
        for size in chunks(resamples, 4 * len(self.term)):
            terms = np.empty((len(self.positive), size), dtype=np.float32)
            for side in (True, False):
                terms[self.positive == side] = _drawn(int((self.positive == side).sum()), size, rng)
            weights = terms[self.term]
            weights *= _drawn(int(self.pair.max()) + 1, size, rng)[self.pair]
            np.matmul(sides, weights, out=sums[:, start : start + size])
            start += size
        return sums.reshape(2, len(sides) // 2, resamples)

    def permuted(self, rng: np.random.Generator, resamples: int = RESAMPLES) -> Singles:
        """`observed` with the terms' polarities shuffled among the terms: shape (2, c, resamples)."""
        sums = self.by_term
        positive = np.empty((sums.shape[1], resamples), dtype=np.float32)
        start = 0
        for size in chunks(resamples, len(sums)):
            labels = shuffled_within(self.positive, np.zeros(len(sums), dtype=np.int64), rng, size)
            positive[:, start : start + size] = (labels.astype(np.float32) @ sums.astype(np.float32)).T
            start += size
        total = sums.sum(axis=0, dtype=np.float32)[:, None]
        return np.stack([positive, total - positive])

    def _side(self, positive: bool) -> Floats:
        return np.where((self.positive[self.term] == positive)[:, None], self.entries, 0.0)


def _drawn(levels: int, size: int, rng: np.random.Generator) -> Singles:
    """Count how often each of `levels` is drawn when as many are drawn with replacement: shape (levels, size)."""
    draws = rng.integers(0, max(levels, 1), size=(levels, size), dtype=np.uint32).astype(np.int64)
    draws *= size
    draws += np.arange(size)
    return np.bincount(draws.ravel(), minlength=levels * size).reshape(levels, size).astype(np.float32)
