"""The jackknife: each unit left out once, for statistics without a usable formula of their variance."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from biasprint.core.metrics.means import t_quantile, two_sided_t
from biasprint.core.metrics.result import (
    LEVEL,
    NO_BOUNDS,
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
