"""Which texts of two groups belong together, and how they are permuted and resampled.

A block is what was made from one cell or one biography. A block with texts of both groups is matched: the groups are
swapped within it, and it is resampled whole. A block of one group is one unit; a text without a block stands alone.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from core.metrics.resampling import chunks
from core.metrics.result import Bools, Floats, Ints


@dataclass(frozen=True)
class Clusters:
    """`first`: is the text of the first group, shape (n,). `cluster`: its block's number, shape (n,)."""

    first: Bools
    cluster: Ints

    @classmethod
    def of(cls, first: Bools, blocks: Sequence[str]) -> "Clusters":
        """`blocks`: a key per text; an empty key means that the text stands alone."""
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
        """How many clusters hold texts of the first group, and how many of the second."""
        return int(self.has_first.sum()), int(self.has_second.sum())

    def strata(self) -> list[Ints]:
        """The clusters that are resampled among each other: all of them once any is matched, else each group's own."""
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
        sorted_labels = self.first[place][np.argsort(stratum, kind="stable")].astype(np.float64)
        for size in chunks(resamples, len(place)):
            order = np.argsort(stratum + rng.random((size, len(place))), axis=1)
            labels = np.empty((size, len(place)))
            np.put_along_axis(labels, order, np.broadcast_to(sorted_labels, labels.shape), axis=1)
            yield labels @ sums

    def resampled_sums(self, per_cluster: Floats, rng: np.random.Generator, resamples: int) -> Iterator[Floats]:
        """Sums of `per_cluster` (clusters, c) over clusters drawn with replacement within strata: (resamples, c)."""
        for size in chunks(resamples, self.number):
            total = np.zeros((size, per_cluster.shape[1]))
            for members in self.strata():
                equal = np.full(len(members), 1 / len(members))
                total += rng.multinomial(len(members), equal, size=size) @ per_cluster[members]
            yield total
