"""Result objects of several statistics, the types of their arrays, and the checks of their input.

Adjustment of p values for many tests: Holm, and Benjamini and Hochberg.
"""

from collections.abc import Iterator, Sequence, Sized
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """p̃₍ᵢ₎ = max over j ≤ i of min(1, (m − j + 1) p₍ⱼ₎), in the order given.

    None (no test) stays None and is not counted in m. ValueError for NaN. Source: Holm 1979.
    """
    tested = finite([p for p in p_values if p is not None], "p values")
    # statsmodels' multipletests gives the same bits, but collects garbage at each call: 60 ms in place of microseconds.
    order = np.argsort(tested, kind="stable")
    ranked = np.empty(len(tested))
    ranked[order] = np.maximum.accumulate(np.minimum(1.0, (len(tested) - np.arange(len(tested))) * tested[order]))
    adjusted = iter(ranked.tolist())
    return [None if p is None else next(adjusted) for p in p_values]


def benjamini_hochberg(p_values: Sequence[float | None]) -> list[float | None]:
    """q₍ᵢ₎ = min over j ≥ i of min(1, m p₍ⱼ₎ / j), in the order given.

    None (no test) stays None and is not counted in m. ValueError for NaN or p outside [0, 1].
    Source: Benjamini & Hochberg 1995.
    """
    from scipy.stats import false_discovery_control

    tested = [p for p in p_values if p is not None]
    if not tested:
        return [None] * len(p_values)
    adjusted = iter(false_discovery_control(finite(tested, "p values")))
    return [None if p is None else float(next(adjusted)) for p in p_values]


# ---- results

LEVEL = 0.95
RESAMPLES = 10_000

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Bools: TypeAlias = NDArray[np.bool_]
Numbers: TypeAlias = NDArray[np.int64] | NDArray[np.float64]


@dataclass(frozen=True)
class Bounds:
    """An interval and how it was made."""

    low: float
    high: float
    method: str
    level: float = LEVEL


@dataclass(frozen=True)
class MaybeBounds:
    """Bounds, or the reason why there are none."""

    bounds: Bounds | None
    reason: str = ""


@dataclass(frozen=True)
class NoiseFloor:
    """A measure of spread under no bias at all: mean, 95th percentile, and p, the chance of at least the observed."""

    mean: float
    p95: float
    p: float
    method: str


@dataclass(frozen=True)
class TestResult:
    """A test as a paper runs it. `p` is None where it is undefined, and `reason` says why."""

    __test__ = False  # pytest collects classes by this name

    name: str
    statistic: float | None
    p: float | None
    reason: str = ""


# ---- differences

Alternative = Literal["two-sided", "greater", "less"]


@dataclass(frozen=True)
class Difference:
    """`value` is the first minus the second; None where undefined, and `reason` says why.

    `reason` also explains a missing `p` where there is a value. The interval is two-sided whatever the alternative.
    `effect` is the standardised difference that `effect_name` names; `n` counts units (pairs where paired).
    """

    value: float | None
    reason: str
    interval: MaybeBounds
    p: float | None
    statistic: float | None
    test: str
    effect_name: str
    effect: float | None
    n: int
    n_by_group: tuple[int, ...]


def untested(
    value: float | None, reason: str, test: str, effect_name: str, n: int, n_by_group: tuple[int, ...]
) -> Difference:
    """A difference without interval, p and effect size, all for the same reason."""
    return Difference(value, reason, MaybeBounds(None, reason), None, None, test, effect_name, None, n, n_by_group)


def separated(untried: Difference, test: str, chance: float, alternative: Alternative = "two-sided") -> Difference:
    """A difference other than 0 without any variation, with the p of the exact permutation test `test`.

    `chance`: the share of arrangements that give this value, the farthest from 0 there is; two-sided p is twice it.
    """
    towards = "greater" if (untried.value or 0.0) > 0 else "less"
    one_sided = chance if towards == alternative else 1.0
    return replace(untried, reason="", p=2 * chance if alternative == "two-sided" else one_sided, test=test)


# ---- estimates alone

_ALONE = ContextVar("estimates alone", default=False)
NOT_ASKED = "not asked for"
NO_BOUNDS = MaybeBounds(None, NOT_ASKED)


@contextmanager
def only_estimates() -> Iterator[None]:
    """Compute only estimates: within this context statistics have no interval, p, floor or power.

    For measuring many times over, as a jackknife does: what is beside an estimate takes most of the time.
    """
    token = _ALONE.set(True)
    try:
        yield
    finally:
        _ALONE.reset(token)


def estimates_alone() -> bool:
    return _ALONE.get()


# ---- checks of input


def finite(values: ArrayLike, name: str = "values") -> Floats:
    """The values as floats; a ValueError where one is NaN or infinite, which would make every result meaningless."""
    numbers = np.asarray(values, dtype=np.float64)
    if not np.isfinite(numbers).all():
        raise ValueError(f"{name} must be finite numbers")
    return numbers


def truths(values: ArrayLike) -> Bools:
    """The values as truth values; a ValueError where one is anything but true, false, 1 or 0."""
    given = np.asarray(values)
    if not np.isin(given, (0, 1)).all():
        raise ValueError("values must be true or false")
    return given.astype(np.bool_)


def same_length(first: Sized, second: Sized) -> None:
    if len(first) != len(second):
        raise ValueError("pairs need as many values on one side as on the other")


SQUARE_IS_ZERO = 1e-150


def constant(values: Floats, magnitude: float = 0.0) -> bool:
    """Return whether values vary only by rounding: 0.3 − 0.1 and 0.4 − 0.2 are the same difference.

    `magnitude`: of the numbers that the values were computed from, where those were larger. Values whose squares are 0
    in floating point do not vary either.
    """
    if len(values) == 0:
        return True
    rounding = 16 * np.finfo(np.float64).eps * max(magnitude, float(np.abs(values).max()))
    return bool(np.ptp(values) <= max(rounding, SQUARE_IS_ZERO))
