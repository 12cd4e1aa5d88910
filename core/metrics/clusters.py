"""Texts and replies that were sampled together: how they are counted and permuted as wholes, and their errors."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb, sqrt
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
# move together, and so do replies to one pair of options.

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

    def permuted(self, rng: np.random.Generator, resamples: int = RESAMPLES) -> Singles:
        """`observed` with the terms' polarities shuffled among the terms: shape (2, c, resamples)."""
        sums = self.by_term.astype(np.float32)
        positive = np.empty((sums.shape[1], resamples), dtype=np.float32)
        start = 0
        for size in chunks(resamples, len(sums)):
            labels = shuffled_within(self.positive, np.zeros(len(sums), dtype=np.int64), rng, size)
            positive[:, start : start + size] = (labels.astype(np.float32) @ sums).T
            start += size
        total = sums.sum(axis=0, dtype=np.float32)[:, None]
        return np.stack([positive, total - positive])

    def only(self, columns: slice) -> "CrossedCounts":
        """The entries with any of some outcomes, under the same numbers of terms and pairs."""
        entries = self.entries[:, columns]
        there = entries.any(axis=1)
        return CrossedCounts(self.term[there], self.pair[there], entries[there], self.positive)

    def influences(self, gradient: Floats) -> "Influences":
        """Compute what entries add to a statistic: Σ ∂s/∂n of their polarity and outcomes, `gradient` (2, c).

        Entries of a polarity that the statistic is not about are left out.
        """
        of_positive = self.positive[self.term]
        slope = np.where(of_positive[:, None], gradient[0], gradient[1])
        about = slope.any(axis=1)
        value = (self.entries * slope).sum(axis=1)
        return Influences(self.term[about], self.pair[about], of_positive[about], value[about])


@dataclass(frozen=True)
class Influences:
    """The parts that replies of a term and a pair add to a statistic, each of shape (e,), in one stratum."""

    term: Ints
    pair: Ints
    positive: Bools
    value: Floats

    def beside(self, other: "Influences") -> "Influences":
        """These and others of the same stratum, such as those of another pronoun."""
        parts = zip(vars(self).values(), vars(other).values(), strict=True)
        return Influences(*(np.concatenate(pair) for pair in parts))


@dataclass(frozen=True)
class TwoWayError:
    """Standard error of a statistic whose replies share terms and pairs, and its degrees of freedom for t."""

    error: float
    degrees: float


def two_way_error(strata: Sequence[Influences]) -> TwoWayError:
    """√(V_t + V_p − V_tp): sums of influences over terms, over pairs, and over both crossed; at least V_t and V_p.

    V = Σ_h m/(m − 1) Σ (u − ū)², u the sum of a unit, m units in a stratum h, terms and crossings by polarity. Degrees
    by Satterthwaite: the smaller of those of V_t and V_p. Source: Cameron, Gelbach & Miller 2011; of influences Liang &
    Zeger 1986.
    """
    of_terms, of_pairs, of_both = [], [], []
    for each in strata:
        crossed = each.term * (int(each.pair.max(initial=0)) + 1) + each.pair
        for side in (True, False):
            here = each.positive == side
            of_terms.append(_variance_of_sums(each.term[here], each.value[here]))
            of_both.append(_variance_of_sums(crossed[here], each.value[here]))
        of_pairs.append(_variance_of_sums(each.pair, each.value))
    terms, pairs, both = (sum(variance for variance, _ in parts) for parts in (of_terms, of_pairs, of_both))
    degrees = min(_degrees(of_terms), _degrees(of_pairs))
    return TwoWayError(sqrt(max(terms, pairs, terms + pairs - both)), degrees)


def _degrees(parts: Sequence[tuple[float, int]]) -> float:
    """Satterthwaite's degrees of freedom of a sum of variances."""
    by_degrees = sum(variance**2 / degrees for variance, degrees in parts if degrees)
    return sum(variance for variance, _ in parts) ** 2 / by_degrees if by_degrees else 0.0


def _variance_of_sums(unit: Ints, value: Floats) -> tuple[float, int]:
    """m/(m − 1) Σ (u − ū)² and m − 1; of one unit u², which has no degrees."""
    sums = np.bincount(np.unique(unit, return_inverse=True)[1], value) if len(unit) else np.zeros(0)
    m = len(sums)
    if m < 2:
        return float((sums**2).sum()), 0
    return float(m / (m - 1) * ((sums - sums.mean()) ** 2).sum()), m - 1


def gradient(statistics: Callable[[Floats], Floats], counts: Floats) -> Floats:
    """∂s/∂n of statistics of a table, by central differences: `counts` (2, c) → shape (s, 2, c).

    `statistics`: of many tables at once, shape (2, c, tables) → (s, tables); their value depends on shares alone.
    """
    step = max(1.0, counts.sum()) * 1e-5
    moved = step * np.eye(counts.size).reshape(*counts.shape, -1)
    ahead, behind = (np.atleast_2d(statistics(counts[..., None] + sign * moved)) for sign in (1, -1))
    return np.asarray(((ahead - behind) / (2 * step)).reshape(-1, *counts.shape))
