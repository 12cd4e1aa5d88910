"""Sums that grow one by one and do not depend on the order: the same digits as all values at once.

Watching a study, a new text adds its own numbers here and no old one is read again; what a text or block said before is
taken away exactly. `exact_mean` is what the measures of finished studies use, so that both give the same last digit.
"""

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import combinations
from typing import Any, Protocol

import numpy as np

from biasprint.core.metrics.result import Floats, Ints, finite


def exact_mean(values: Floats) -> float:
    """Σ x / n with the sum rounded once, whatever the order. ValueError for NaN and for no values."""
    finite(values)
    if len(values) == 0:
        raise ValueError("there are no values")
    return math.fsum(values.tolist()) / len(values)


def cluster_means(values: Floats, clusters: Ints) -> Floats:
    """`exact_mean` of each cluster, in the order of their numbers. `values`, `clusters`: shapes (n,)."""
    if len(values) == 0:
        return np.zeros(0)
    order = np.argsort(clusters, kind="stable")
    starts = np.flatnonzero(np.diff(clusters[order], prepend=clusters[order[0]] - 1))
    return np.array([exact_mean(part) for part in np.split(finite(values)[order], starts[1:])])


class ExactSum:
    """A sum of floats without rounding: what was added can be removed again, and the order leaves no trace.

    Kept as a whole number of 2 ** −places, with as many places as a value has needed: a float has 1074 at most, and
    shares about 55, so that a sum of them is no larger than two words.
    """

    __slots__ = ("_places", "_whole")

    def __init__(self, whole: int = 0, places: int = 0) -> None:
        self._whole, self._places = whole, places

    @property
    def parts(self) -> tuple[int, int]:
        """The two numbers that make the same sum again."""
        return self._whole, self._places

    def add(self, value: float) -> None:
        """ValueError for NaN and infinite values."""
        self._change(value, 1)

    def remove(self, value: float) -> None:
        self._change(value, -1)

    def _change(self, value: float, sign: int) -> None:
        if not math.isfinite(value):
            raise ValueError("values must be finite numbers")
        numerator, denominator = float(value).as_integer_ratio()
        places = denominator.bit_length() - 1
        if places > self._places:
            self._whole <<= places - self._places
            self._places = places
        self._whole += sign * numerator << self._places - places

    @property
    def value(self) -> float:
        """Rounded once, as `math.fsum` does."""
        return self._whole / (1 << self._places)


class Moments:
    """Mean and standard error of units that come, and may go again, one by one."""

    def __init__(self) -> None:
        self.n = 0
        self._sum, self._squares = ExactSum(), ExactSum()

    def add(self, value: float) -> None:
        self._sum.add(value)
        self._squares.add(value * value)
        self.n += 1

    def remove(self, value: float) -> None:
        self._sum.remove(value)
        self._squares.remove(value * value)
        self.n -= 1

    @property
    def mean(self) -> float | None:
        """The same digits as `exact_mean` of the values; None where there are none."""
        return self._sum.value / self.n if self.n else None

    @property
    def error(self) -> float | None:
        """s / √n with s ddof 1; None for fewer than two units, and where they do not vary beyond rounding."""
        if self.n < 2:
            return None
        squares, total = self._squares.value, self._sum.value
        between = squares - total * total / self.n
        if between <= _ROUNDING * squares:
            return None
        return math.sqrt(between / (self.n - 1) / self.n)


_ROUNDING = 1e-13  # of a sum of squares, what is left of values that are all equal


class ClusterRows(Protocol):
    """The rows of each cluster by group: a dict, or what keeps as much elsewhere."""

    def get(self, cluster: Hashable, /) -> dict[Any, Floats] | None: ...

    def __setitem__(self, cluster: Hashable, rows: dict[Any, Floats], /) -> None: ...

    def __delitem__(self, cluster: Hashable, /) -> None: ...


class ClusterSums:
    """Totals by group of numbers that come in clusters, and the error of any smooth function of these totals.

    A cluster is what was sampled together, such as the letters of one biography; it has at most one row of `width`
    numbers for each group. With T the totals and g = ∂f/∂T, f's linearised variance is
    C/(C − 1) [Σ_c (g·x_c)² − (Σ_c g·x_c)²/C], C clusters (Cochran 1977, section 9.2); Σ x_c x_cᵀ is all that it needs.
    `rows`: where the clusters' rows are kept, to be found when more comes of a cluster; in memory if not given.
    """

    def __init__(self, width: int, rows: ClusterRows | None = None) -> None:
        self.width = width
        self._rows: ClusterRows = {} if rows is None else rows
        self._totals: dict[Hashable, list[ExactSum]] = {}
        self._products: dict[tuple[Hashable, Hashable], Floats] = {}
        self._counts: dict[tuple[Hashable, Hashable], int] = {}

    def put(self, cluster: Hashable, group: Hashable, row: Floats | None) -> None:
        """Set the numbers of a cluster and group in place of those it had; None takes it away. ValueError for NaN."""
        self._change(cluster, group, lambda known: row)

    def add(self, cluster: Hashable, group: Hashable, more: Floats) -> None:
        """Add to the numbers of a cluster and group, zeros where it has none. ValueError for NaN."""
        self._change(cluster, group, lambda known: more if known is None else known + more)

    def _change(self, cluster: Hashable, group: Hashable, to: Callable[[Floats | None], Floats | None]) -> None:
        known = self._rows.get(cluster)
        rows = {} if known is None else known
        row = to(rows.get(group))
        if row is not None and finite(row).shape != (self.width,):
            raise ValueError(f"a row has {self.width} numbers")
        self._count(rows, group, -1)
        if row is None:
            rows.pop(group, None)
        else:
            rows[group] = np.array(row, dtype=np.float64)
        self._count(rows, group, 1)
        if rows:
            self._rows[cluster] = rows
        elif known is not None:
            del self._rows[cluster]

    def row(self, cluster: Hashable, group: Hashable) -> Floats:
        """The numbers of a cluster and group; zeros where it has none."""
        sums = (self._rows.get(cluster) or {}).get(group)
        return np.zeros(self.width) if sums is None else sums

    def totals(self, group: Hashable) -> Floats:
        """Rounded once, in whatever order they came."""
        sums = self._totals.get(group)
        return np.zeros(self.width) if sums is None else np.array([each.value for each in sums])

    def clusters(self, *groups: Hashable) -> int:
        """Count the clusters with at least one of these groups; for one or two groups."""
        alone = sum(self._counts.get((group, group), 0) for group in groups)
        return alone - sum(self._counts.get(pair, 0) for pair in map(_key, combinations(groups, 2)))

    def both(self, first: Hashable, second: Hashable) -> int:
        """Count the clusters that have both groups."""
        return self._counts.get(_key((first, second)), 0)

    def error(self, gradients: Mapping[Any, Floats], beside: Sequence[float] = ()) -> float | None:
        """The standard error of a function of the totals of one group or two, `gradients`: its derivatives by group.

        `beside`: g·x of clusters that count here and in no total, as observations that an adjusted interval adds. None
        for fewer than two clusters, and where they do not vary beyond rounding.
        """
        squares = sum(self._form(group, group, row, row) for group, row in gradients.items())
        squares += sum(error * error for error in beside)
        for (first, gradient), (second, other) in combinations(gradients.items(), 2):
            squares += 2 * self._form(first, second, gradient, other)
        count = self.clusters(*gradients) + len(beside)
        if count < 2:
            return None
        sums = [*beside, *(float(row @ self.totals(group)) for group, row in gradients.items())]
        between = squares - sum(sums) ** 2 / count
        return math.sqrt(between * count / (count - 1)) if between > _ROUNDING * squares else None

    def covariance(self, group: Hashable) -> Floats | None:
        """Return the covariance of a group's means over its clusters, (width, width); None for fewer than two."""
        count = self._counts.get((group, group), 0)
        if count < 2:
            return None
        totals = self.totals(group)
        products = self._products[group, group] - np.outer(totals, totals) / count
        return np.asarray(products / (count - 1) / count)

    def _form(self, first: Hashable, second: Hashable, x: Floats, y: Floats) -> float:
        key = _key((first, second))
        products = self._products.get(key)
        if products is None:
            return 0.0
        return float(x @ products @ y if key == (first, second) else y @ products @ x)

    def _count(self, rows: Mapping[Hashable, Floats], group: Hashable, sign: int) -> None:
        """Add (or take away) what a group's row of a cluster brings, beside the rows of the other groups there."""
        row = rows.get(group)
        if row is None:
            return
        sums = self._totals.setdefault(group, [ExactSum() for _ in range(self.width)])
        for each, value in zip(sums, row.tolist(), strict=True):
            each.add(value) if sign > 0 else each.remove(value)
        for other, beside in rows.items():
            key = _key((group, other))
            first, second = (row, beside) if key == (group, other) else (beside, row)
            known = self._products.setdefault(key, np.zeros((self.width, self.width)))
            known += sign * np.outer(first, second)
            self._counts[key] = self._counts.get(key, 0) + sign


def _key(pair: tuple[Hashable, Hashable]) -> tuple[Hashable, Hashable]:
    """Two groups in one order."""
    first, second = pair
    return pair if str(first) <= str(second) else (second, first)
