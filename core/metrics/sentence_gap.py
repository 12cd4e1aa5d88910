"""How differently the sentences about each group are scored on the two sides of a pair."""

from dataclasses import dataclass

import numpy as np

from core.metrics.checks import finite
from core.metrics.result import Bools, Floats, Ints


@dataclass(frozen=True)
class GroupMeans:
    """Mean score per pair and group; 0 where `present` is False: no sentence there is about the group. (pairs, k)."""

    means: Floats
    present: Bools


@dataclass(frozen=True)
class SentenceGap:
    """`gap`: S of the defined pairs alone, shape (d,); `defined`, shape (pairs,): some group on both sides.

    `signed`: first minus second per pair and group, shape (pairs, k); 0 where `both` is False.
    """

    defined: Bools
    gap: Floats
    signed: Floats
    both: Bools

    @property
    def dropped(self) -> int:
        return int((~self.defined).sum())


def group_means(scores: Floats, group: Ints, pair: Ints, pairs: int, groups: int) -> GroupMeans:
    """Means over the sentences of each pair and group. `scores`, `group` (negative: neutral, left out), `pair`: (n,).

    ValueError for NaN.
    """
    values = finite(scores, "scores")
    about = group >= 0
    cell = pair[about] * groups + group[about]
    counts = np.bincount(cell, minlength=pairs * groups).reshape(pairs, groups)
    sums = np.bincount(cell, values[about], minlength=pairs * groups).reshape(pairs, groups)
    return GroupMeans(sums / np.maximum(counts, 1), counts > 0)


def sentence_gap(first: GroupMeans, second: GroupMeans) -> SentenceGap:
    """S = max over the groups present on both sides of |mean first − mean second|, per pair.

    It grows with the number of groups, which is why the signed differences stand beside it.
    Source: Fang et al. 2024, equations 5 and 6.
    """
    both = first.present & second.present
    signed = np.where(both, first.means - second.means, 0.0)
    defined = np.asarray(both.any(axis=1))
    return SentenceGap(defined, np.abs(signed).max(axis=1, initial=0.0)[defined], signed, both)
