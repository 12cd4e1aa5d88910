"""The worth of choices that belong together, by one person or in one comparison, in independent choices.

Choices of one person resemble each other, and so do choices among the same texts. Taken as independent they make
intervals too narrow; here both count, and how badly few persons tell how much they differ.
"""

from dataclasses import dataclass
from math import inf, isinf

import numpy as np

from biasprint.core.metrics.result import Floats, Ints, Numbers, finite, same_length

ROUNDING = 1e-9


@dataclass(frozen=True)
class Worth:
    """n choices are worth n / `effect` independent ones; `freedom`: the degrees of freedom with which that is known.

    `clusters`: how many there are of the kind that tells least.
    """

    effect: float = 1.0
    freedom: float = inf
    clusters: int = 0

    @property
    def words(self) -> str:
        """For the method of an interval; empty where nothing goes together."""
        if self.effect == 1 and isinf(self.freedom):
            return ""
        known = "" if isinf(self.freedom) else f", t with {self.freedom:.1f} df"
        return f"divided by the design effect {self.effect:.2f}{known}"


def worth_of_choices(counts: Numbers, *groupings: Ints) -> Worth:
    """Return the worth of choices that belong together in each of these ways, crossed.

    `counts`: choices per judgment and identity, shape (c, k). `groupings`: numbers, shape (c,): of the person, of the
    comparison. Choices that are all the same count once for each cluster. ValueError without choices, and for NaN.
    """
    counts = finite(counts)
    sizes = counts.sum(axis=1)
    n = float(sizes.sum())
    if n == 0:
        raise ValueError("no choices")
    shares = counts.sum(axis=0) / n
    uneven = 1 - float(shares @ shares)
    return worth(counts - sizes[:, None] * shares, sizes, n * uneven if uneven > ROUNDING else 0.0, *groupings)


def worth(residuals: Floats, sizes: Floats, independent: float, *groupings: Ints, single: bool = False) -> Worth:
    """Design effect δ = T / `independent` of residuals (c, k) that belong together, and its degrees of freedom.

    T = Σ_g |S_g|² / (1 − m_g/N) for one grouping, S_g the sum of the residuals of cluster g, m_g of `sizes` (c,), N of
    all: the cluster-robust variance CR2 of a mean, times N². Of two groupings T₁ + T₂ less Σ |residual|², which both
    hold, and at least either of them. δ is at least 1: clusters that are by chance alike are worth no more than they
    hold. Degrees of freedom by Satterthwaite, Σ_g Σ_h of the squares as if choices were independent; times the rank of
    the spread for several identities. `single`: residuals of a model, whose variance is not `independent` even where
    each cluster has one.
    Source: Bell & McCaffrey 2002; Cameron, Gelbach & Miller 2011 (two groupings). With Student's t it covers where the
    sandwich with the normal quantile covers 80 to 90 % (docs/tables/statistics-simulations.md).
    """
    numbered = [np.unique(grouping, return_inverse=True)[1] for grouping in groupings]
    for grouping in numbered:
        same_length(residuals, grouping)
    least = min(int(grouping.max()) + 1 for grouping in numbered)
    together = [grouping for grouping in numbered if np.bincount(grouping).max() > 1]
    if not together and not single:
        return Worth(clusters=least)
    n = float(sizes.sum())
    if least == 1 or independent == 0:
        return Worth(max(1.0, n / least), clusters=least)
    kinds = [
        of_clusters(_sums(residuals, grouping), np.bincount(grouping, sizes).astype(np.float64))
        for grouping in together or numbered[:1]
    ]
    both = sum(total for total, _ in kinds) - (len(kinds) - 1) * float((residuals**2).sum())
    total = max(both, *(total for total, _ in kinds))
    uncertain = sum(total**2 / freedom for total, freedom in kinds)
    freedom = total**2 / uncertain if uncertain > 0 else min(freedom for _, freedom in kinds)
    return Worth(max(1.0, total / independent), freedom, least)


def of_clusters(sums: Floats, sizes: Floats) -> tuple[float, float]:
    """T of one grouping, and its degrees of freedom. `sums`: S_g, shape (g, k); `sizes`: m_g, shape (g,), g ≥ 2."""
    n = float(sizes.sum())
    inflated = 1 / (1 - sizes / n)
    spread = (sums * inflated[:, None]).T @ sums
    crossed = inflated * sizes**2
    squares = float((sizes**2).sum() + (crossed.sum() ** 2 - (crossed**2).sum()) / n**2)
    total = float(np.trace(spread))
    rank = total**2 / float((spread**2).sum()) if total > 0 else 1.0
    return total, n**2 / squares * rank


def _sums(residuals: Floats, grouping: Ints) -> Floats:
    sums = np.zeros((int(grouping.max()) + 1, residuals.shape[1]))
    np.add.at(sums, grouping, residuals)
    return sums
