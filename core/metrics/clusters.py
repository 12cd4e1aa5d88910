"""Texts and replies that were sampled together: how they are counted and permuted as wholes, and their errors.

The jackknife: each unit left out once, for statistics without a usable formula of their variance.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb, sqrt
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from biasprint.core.metrics.means import t_quantile, two_sided_t
from biasprint.core.metrics.resampling import chunks, shuffled_sums, shuffled_within
from biasprint.core.metrics.result import (
    LEVEL,
    NO_BOUNDS,
    RESAMPLES,
    Bools,
    Bounds,
    Difference,
    Floats,
    Ints,
    MaybeBounds,
    Numbers,
    estimates_alone,
    finite,
    same_length,
    separated,
    truths,
    untested,
)

NEARLY_STRAIGHT = 1e-6  # skewness: below it the correction is rounding


class Kinds(NamedTuple):
    """Distinct rows, shape (kinds, c), and how often each occurs in the original rows, int64[kinds]."""

    rows: Any
    times: Ints

    @property
    def n(self) -> int:
        return int(self.times.sum())

    def kept(self, which: Any) -> "Kinds":
        """Return some kinds alone, chosen by bool[kinds] or by their places."""
        return Kinds(self.rows[which], self.times[which])

    def without_one(self, place: int) -> "Kinds":
        """Return the kinds without one row of one kind."""
        if self.times[place] == 1:
            return Kinds(np.delete(self.rows, place, axis=0), np.delete(self.times, place))
        times = self.times.copy()
        times[place] -= 1
        return Kinds(self.rows, times)


def kinds_of(rows: Numbers) -> Kinds:
    """The kinds of rows, shape (n, c). ValueError for NaN."""
    finite(rows, "rows")
    base = int(rows.max()) - int(rows.min()) + 1 if rows.size and rows.dtype.kind in "iu" else 0
    if not base or base ** rows.shape[1] >= 2**62:
        return Kinds(*np.unique(rows, axis=0, return_counts=True))
    # Small whole numbers are digits of one number, which is sorted fifty times as fast as a row of them.
    least, powers = rows.min(), base ** np.arange(rows.shape[1])[::-1]
    numbers, times = np.unique((rows - least) @ powers, return_counts=True)
    return Kinds((numbers[:, None] // powers % base + least).astype(rows.dtype), times)


Statistic: TypeAlias = Callable[[Kinds], float | None]
# With fewer units its coverage falls below 93 % (tests/simulations/creativity.py).
FEWEST_UNITS = 10


@dataclass(frozen=True)
class Jackknife:
    """`value`: θ. `centre`: it less its bias of order 1/n. `error`: its standard error. `units`: how many there are."""

    value: float
    centre: float
    error: float
    units: int


def jackknife(units: Kinds, statistic: Statistic) -> Jackknife | None:
    """Each unit left out once: centre n θ − (n − 1) θ̄, error √((n − 1)/n Σ (θ₍ᵢ₎ − θ̄)²).

    Units that are equal give the same value when left out, so `statistic` is asked once for every kind of them. None
    where it is undefined without some unit. Source: Quenouille 1956, Tukey 1958.
    """
    n = units.n
    whole = statistic(units)
    left_out = [statistic(units.without_one(place)) for place in range(len(units.times))] if n > 1 else [None]
    if whole is None or any(value is None for value in left_out):
        return None
    values = np.array(left_out, dtype=np.float64)
    mean = float(units.times @ values) / n
    return Jackknife(
        value=whole,
        centre=n * whole - (n - 1) * mean,
        error=sqrt((n - 1) / n * float(units.times @ (values - mean) ** 2)),
        units=n,
    )


def jackknife_interval(
    units: Kinds,
    statistic: Statistic,
    unit: str,
    *,
    least: float = -np.inf,
    most: float = np.inf,
    level: float = LEVEL,
) -> MaybeBounds:
    """centre ± t₍n−1₎ · error · √(n / (n − 3)), within `least` and `most`, stretched where necessary to hold θ itself.

    `unit`: what a unit is, in the plural, for the reason. The last factor is for lattices: agreement takes few values,
    and with 10 to 30 units the plain interval covers 91 %. A percentile bootstrap covers 76 to 90 % there
    (tests/simulations/creativity.py).
    """
    n = units.n
    if estimates_alone():
        return NO_BOUNDS
    if n < FEWEST_UNITS:
        return MaybeBounds(None, f"fewer than {FEWEST_UNITS} {unit}")
    estimate = jackknife(units, statistic)
    if estimate is None:
        return MaybeBounds(None, f"undefined once one of the {unit} is left out")
    if estimate.error <= 16 * np.finfo(np.float64).eps * float(np.abs(units.rows).max()):
        return MaybeBounds(None, f"the {unit} do not differ")
    half = t_quantile((1 + level) / 2, n - 1) * estimate.error * sqrt(n / (n - 3))
    low, high = min(estimate.centre - half, estimate.value), max(estimate.centre + half, estimate.value)
    return MaybeBounds(Bounds(max(least, low), min(most, high), f"jackknife over {unit}, t", level))


def group_jackknife(
    whole: float, left_out: Sequence[float], sizes: Sequence[int], unit: str, *, level: float = LEVEL
) -> Difference:
    """A difference from its values without each of g groups of units: t with g − 1 df around the value of all of them.

    With h_j = n / m_j, the pseudo-values are h_j θ − (h_j − 1) θ_(−j), and the variance is
    1/g Σ (pseudo_j − θ_J)² / (h_j − 1), θ_J = g θ − Σ (1 − m_j / n) θ_(−j). For a mean with one unit a group
    this is the one-sample t test, and the paired one for a mean of differences. Where each group gives the same
    value, other than 0, it is tested by exact sign flips of the groups.

    `whole`: θ; `left_out`: θ_(−j), shape (g,); `sizes`: m_j, the units of each group, n in all. `unit`: what they are
    called, in the plural. No p with fewer than two groups. ValueError for NaN or unequal lengths.
    Source: Busing, Meijer, van der Leeden 1999, Delete-m jackknife for unequal m.
    """
    same_length(left_out, sizes)
    values, theta = finite(np.asarray(left_out, dtype=np.float64)), float(finite([whole])[0])
    m, g = np.asarray(sizes, dtype=np.float64), len(values)
    n = int(m.sum())
    test = f"jackknife over {g} groups of {unit}, t"
    if g < 2:
        return untested(theta, f"fewer than 2 groups of {unit}", test, "", n, (n,))
    h = n / m
    pseudo = h * theta - (h - 1) * values
    spread = pseudo - (g * theta - float((1 - m / n) @ values))
    error = sqrt(float((spread**2 / (h - 1)).mean()))
    # A pseudo-value is a small difference of products of this magnitude: what is left of them may be rounding alone.
    if error <= 64 * np.finfo(np.float64).eps * float(h.max()) * max(abs(theta), float(np.abs(values).max())):
        alike = untested(theta, f"the groups of {unit} do not differ", test, "", n, (n,))
        return alike if theta == 0 else separated(alike, f"sign flips of {g} groups of {unit}, exact", 0.5**g)
    half = t_quantile((1 + level) / 2, g - 1) * error
    return Difference(
        value=theta,
        reason="",
        interval=MaybeBounds(Bounds(theta - half, theta + half, f"{test}, df {g - 1}", level)),
        p=two_sided_t(theta / error, g - 1),
        statistic=theta / error,
        test=test,
        effect_name="",
        effect=None,
        n=n,
        n_by_group=(n,),
    )


# ---- t with a correction for skewness


@dataclass(frozen=True)
class SkewedT:
    """t of estimates by the jackknife, corrected for the skewness of what the units contribute; one of each column.

    θ₍₋ᵢ₎ is the estimate without unit i, u_i = mean of θ₍₋ⱼ₎ over its stratum − θ₍₋ᵢ₎. Error s = √Σu², a little above
    the jackknife's; skewness λ = Σu³ / s³; degrees of freedom after Welch and Satterthwaite, s⁴ / Σ_h s_h⁴ / (m_h − 1)
    over strata of m_h units. S = (θ̂ − θ) / s becomes g(S) = ((1 + λS/3)³ − 1) / λ + λ/6, which grows with S, so that
    interval and test are one. `error`, `skewness`, `freedom`: shape (c,). Source: Hall 1992.
    """

    error: Floats
    skewness: Floats
    freedom: Floats

    @classmethod
    def of(cls, without: Floats, strata: Sequence[Ints], least: Floats) -> "SkewedT":
        """`without`: θ₍₋ᵢ₎, shape (units, c); `strata`: the numbers of the units of each; `least`: the smallest error
        that is believed, shape (c,), or 0.
        """
        squares, cubes, uncertain = (np.zeros(without.shape[1]) for _ in range(3))
        for units in strata:
            own = without[units]
            influence = own.mean(axis=0) - own
            square = (influence**2).sum(axis=0)
            squares += square
            cubes += (influence**3).sum(axis=0)
            uncertain += square**2 / max(1, len(units) - 1)
        error = np.maximum(np.sqrt(squares), least)
        known = error > 0
        skewness = np.divide(cubes, error**3, out=np.zeros_like(error), where=known)
        every = float(sum(map(len, strata)) - len(strata))
        freedom = np.divide(squares**2, uncertain, out=np.full_like(error, every), where=uncertain > 0)
        return cls(error, skewness, freedom)

    def p(self, values: Floats) -> Floats:
        """Two-sided p of θ = 0 for the estimates, shape (c,); not a number where the error is 0."""
        from scipy.special import stdtr

        with np.errstate(divide="ignore", invalid="ignore"):
            straightened = self._straightened(values / self.error)
        return np.asarray(2 * stdtr(self.freedom, -np.abs(straightened)))

    def bounds(self, values: Floats, level: float = LEVEL) -> tuple[Floats, Floats]:
        """θ̂ − s g⁻¹(t) and θ̂ − s g⁻¹(−t) with t of the level: shapes (c,)."""
        from scipy.special import stdtrit

        reach = stdtrit(self.freedom, (1 + level) / 2)
        return values - self.error * self._bent(reach), values - self.error * self._bent(-reach)

    def _straightened(self, statistic: Floats) -> Floats:
        skew = self.skewness
        return np.asarray(statistic + skew * statistic**2 / 3 + skew**2 * statistic**3 / 27 + skew / 6)

    def _bent(self, reach: Floats) -> Floats:
        """g⁻¹(y) = (3/λ) (∛(1 + λ (y − λ/6)) − 1); y where λ is nearly 0."""
        skew = self.skewness
        straight = np.abs(skew) < NEARLY_STRAIGHT
        safe = np.where(straight, 1.0, skew)
        return np.where(straight, reach, 3 / safe * (np.cbrt(1 + safe * (reach - safe / 6)) - 1))


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
