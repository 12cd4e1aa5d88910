"""Power: the smallest effect that so many units show, and how many units an effect needs."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import ceil, comb, sqrt

import numpy as np

from biasprint.core.metrics.affinity import EXACT_SPLITS, spread, spread_maximum
from biasprint.core.metrics.resampling import TOLERANCE
from biasprint.core.metrics.result import Floats, Ints, constant, estimates_alone, finite

# ---- differences of means

POWER = 0.8
ALPHA = 0.05
UNVARIED = "No smallest effect can be told: nothing varies."


def within_sd(*groups: Floats, magnitude: float = 1.0) -> float:
    """√(Σ (n − 1) s² / Σ (n − 1)) over the groups, shapes (n,).

    Exactly 0 where within no group anything varies beyond rounding: one cannot detect an effect of 5e-17. `magnitude`:
    of the numbers that the values were computed from; shares and scores are about 1. ValueError for NaN.
    """
    checked = [finite(group) for group in groups]
    if all(constant(group, magnitude) for group in checked):
        return 0.0
    known = [group for group in checked if len(group) > 1]
    squares = sum(float(np.var(group, ddof=1)) * (len(group) - 1) for group in known)
    return sqrt(squares / sum(len(group) - 1 for group in known))


def detectable_difference(
    sd: float, n: int, n_second: int | None = None, *, power: float = POWER, alpha: float = ALPHA
) -> float | None:
    """The smallest mean difference that a two-sided t-test finds with this power, by statsmodels' power of the t-test.

    One number: pairs, `sd` that of their differences; two: independent groups, `sd` within them. None with fewer than
    two units, or without spread.
    """
    if estimates_alone() or min(n, n if n_second is None else n_second) < 2 or finite(sd) <= 0:
        return None
    return _detectable(n, n_second, power, alpha) * sd


def needed_n(
    effect: float, sd: float, *, two_samples: bool = False, power: float = POWER, alpha: float = ALPHA
) -> int | None:
    """The smallest number of pairs (of units per group where `two_samples`) that finds a mean difference `effect`.

    None for an effect or a standard deviation of 0: no number, or any number, would do.
    """
    if estimates_alone() or finite(effect) == 0 or finite(sd) <= 0:
        return None
    size = abs(effect) / sd

    def enough(n: int) -> bool:
        return _power_of_t(size, n, n if two_samples else None, alpha) >= power

    # statsmodels' own search for n ends in NaN where two units are enough.
    low, high = 1, 2
    while not enough(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


@lru_cache(maxsize=4096)
def _detectable(n: int, n_second: int | None, power: float, alpha: float) -> float:
    """Return the detectable effect in standard deviations; statsmodels' own search stops at a millionth of it."""
    from scipy.optimize import brentq

    above = 1.0
    while _power_of_t(above, n, n_second, alpha) < power:
        above *= 2
    return float(brentq(lambda size: _power_of_t(size, n, n_second, alpha) - power, 0.0, above, xtol=1e-12))


def _power_of_t(size: float, n: int, n_second: int | None, alpha: float) -> float:
    from statsmodels.stats.power import TTestIndPower, TTestPower

    test = TTestPower() if n_second is None else TTestIndPower()
    ratio = {} if n_second is None else {"ratio": n_second / n}
    larger, smaller = (test.power(size, n, alpha / 2, alternative=side, **ratio) for side in ("larger", "smaller"))
    # NaN only where the one tail is 1, or the other 0, to machine precision.
    return float(np.nan_to_num(larger, nan=1.0) + np.nan_to_num(smaller))


# ---- ABS by formula


def detectable_affinity(n: float, k: int, power: float = POWER, alpha: float = ALPHA) -> float | None:
    """√(λ / (N k²)), λ the noncentrality at which the χ² test of k − 1 degrees of freedom has this power.

    None where even a rater who always chooses the same identity would be missed.
    """
    if estimates_alone() or n <= 0 or k < 2:
        return None
    smallest = sqrt(_noncentral_chi_squared(k - 1, power, alpha) / n) / k
    return smallest if smallest <= spread_maximum(k) else None


def choices_needed(abs_value: float, k: int, power: float = POWER, alpha: float = ALPHA) -> int | None:
    """The number of independent choices, λ / (k² ABS²), rounded up; None for an ABS of 0."""
    if estimates_alone() or abs_value <= 0 or k < 2:
        return None
    return ceil(_noncentral_chi_squared(k - 1, power, alpha) / (k * abs_value) ** 2)


@lru_cache(maxsize=4096)
def _noncentral_chi_squared(df: int, power: float, alpha: float) -> float:
    from scipy.optimize import brentq
    from scipy.stats import chi2, ncx2

    critical = float(chi2.isf(alpha, df))
    return float(brentq(lambda shift: ncx2.sf(critical, df, shift) - power, 1e-6, 1e4))


# ---- ABS exactly: every split of the choices is added up

# Beyond EXACT_SPLITS the floor is simulated, and so is the power: ± 0.7 points (two standard errors).
DRAWS = 20_000

Reached = Callable[[float], float]


def exact_power(
    n: int, shares: Sequence[float], axes: int = 1, alpha: float = ALPHA, stretch: float = 1.0
) -> float | None:
    """P(Holm-adjusted p ≤ `alpha`) of the exact test behind `affinity_floor`, one choice in each of `n` comparisons.

    Σ multinomial(split; `shares`) over the splits whose p under equal chances is small enough. Of several axes one has
    the preference and the others have none, with as many identities and comparisons: they only add tests.
    At equal shares this is the rate of false alarms. `stretch`: how many times larger the test takes the variance to be
    than it is (1 for one choice in each comparison); the squared spread has to be so much larger.
    Beyond EXACT_SPLITS splits simulated from a fixed seed. None without comparisons or with fewer than two identities.
    ValueError for shares that are not chances and for a stretch below 1.
    Source: the definition of power; Holm 1979 for several axes.
    """
    chances = np.asarray(shares, dtype=np.float64)
    if n <= 0 or len(chances) < 2:
        return None
    if (finite(chances, "shares") < 0).any() or abs(chances.sum() - 1) > TOLERANCE:
        raise ValueError("shares must not be negative and must add up to 1")
    if not stretch >= 1:
        raise ValueError("stretch must be at least 1")
    many = comb(n + len(chances) - 1, len(chances) - 1) > EXACT_SPLITS
    preferred, even = (_simulated if many else _enumerated)(n, chances, stretch)
    return _after_holm(preferred, even, axes, alpha)


def top_shares(top: float, k: int) -> tuple[float, ...]:
    """Return shares: one identity chosen with chance `top`, the others equally often."""
    return (top, *[(1 - top) / (k - 1)] * (k - 1))


def splits(n: int, k: int) -> Ints:
    """Return every way in which n choices fall on k identities: shape (number of ways, k)."""
    rows, left = np.zeros((1, 0), dtype=np.int64), np.array([n], dtype=np.int64)
    for _ in range(k - 1):
        sizes = left + 1
        parent = np.repeat(np.arange(len(left)), sizes)
        value = np.arange(len(parent)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        rows, left = np.column_stack([rows[parent], value]), left[parent] - value
    return np.column_stack([rows, left])


def _enumerated(n: int, chances: Floats, stretch: float) -> tuple[Reached, Reached]:
    """P(p ≤ t) of the exact test, with these chances and with equal ones."""
    ways, k = splits(n, len(chances)), len(chances)
    log_factorials = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])
    arrangements = log_factorials[n] - log_factorials[ways].sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        exponents = np.where(ways > 0, ways * np.log(chances), 0.0).sum(axis=1)
    even, preferred = np.exp(arrangements - n * np.log(k)), np.exp(arrangements + exponents)
    # k n² times the squared spread is a whole number, so ties are exact; the widest splits come first.
    widths, kind = np.unique(n * n - k * (ways**2).sum(axis=1), return_inverse=True)
    mass, wanted = np.bincount(kind.ravel(), even), np.bincount(kind.ravel(), preferred)
    tail = np.concatenate([[0.0], np.cumsum(mass)])
    p, stretched = tail[1:], tail[np.searchsorted(widths, widths / stretch, side="right")]
    return lambda t: float(wanted[stretched <= t].sum()), lambda t: float(mass[p <= t].sum())


def _simulated(n: int, chances: Floats, stretch: float) -> tuple[Reached, Reached]:
    rng, k = np.random.default_rng([n, len(chances)]), len(chances)
    null = np.sort(spread(rng.multinomial(n, np.full(k, 1 / k), size=DRAWS) / n))
    spreads = spread(rng.multinomial(n, chances, size=DRAWS) / n)
    p = (1 + len(null) - np.searchsorted(null, spreads / stretch**0.5 - TOLERANCE)) / (1 + len(null))
    return lambda t: float(np.mean(p <= t)), lambda t: t


def _after_holm(preferred: Reached, even: Reached, axes: int, alpha: float) -> float:
    """P(the axis with the preference is rejected) among `axes` independent tests, of which the others have none.

    A p between the thresholds of step j − 1 and j is rejected where for every i < j the i-th smallest of the others
    is below the threshold of step i.
    """
    thresholds = [alpha / (axes - step) for step in range(axes)]
    total, before = 0.0, 0.0
    for step, threshold in enumerate(thresholds):
        reached = preferred(threshold)
        total += (reached - before) * _all_below([even(each) for each in thresholds[:step]], axes - 1)
        before = reached
    return min(1.0, total)


def _all_below(chances: Sequence[float], others: int) -> float:
    """P(for every i the i-th smallest of `others` is below threshold i), `chances` to be below each, ascending."""
    below, known = {0: 1.0}, 0.0
    for place, chance in enumerate(chances, start=1):
        next_one = 0.0 if known >= 1 else (chance - known) / (1 - known)
        moved: dict[int, float] = {}
        for count, weight in below.items():
            free = others - count
            for more in range(free + 1):
                if count + more >= place:
                    binomial = comb(free, more) * next_one**more * (1 - next_one) ** (free - more)
                    moved[count + more] = moved.get(count + more, 0.0) + weight * binomial
        below, known = moved, chance
    return sum(below.values())


# ---- RBS

MOST_BLOCKS = 100_000


def detectable_representative(
    distances: Floats, blocks: int | None = None, power: float = POWER, alpha: float = ALPHA
) -> float | None:
    """√(λ σ² / (B k)), λ the noncentrality at which F with k − 1 and (k − 1)(B − 1) df has this power.

    `distances`: complete blocks × identities, shape (B, k); σ² is the variance within blocks that they show. `blocks`:
    for so many instead of B. None where σ² cannot be known, or is 0.
    """
    if estimates_alone():
        return None
    number, k = distances.shape
    variance = _variance(distances)
    blocks = number if blocks is None else blocks
    if variance is None or blocks < 2:
        return None
    return sqrt(_noncentral_f(k - 1, (k - 1) * (blocks - 1), power, alpha) * variance / (blocks * k))


def blocks_needed(distances: Floats, rbs: float, power: float = POWER, alpha: float = ALPHA) -> int | None:
    """The fewest blocks whose detectable RBS is at most `rbs`; None for an RBS of 0 and where σ² cannot be known."""
    if estimates_alone() or finite(rbs, "rbs") <= 0 or _variance(distances) is None:
        return None
    low, high = 1, 2
    while (smallest := detectable_representative(distances, high, power, alpha)) is not None and smallest > rbs:
        low, high = high, 2 * high
        if low > MOST_BLOCKS:
            return None
    while high - low > 1:
        middle = ceil((low + high) / 2)
        detectable = detectable_representative(distances, middle, power, alpha)
        low, high = (low, middle) if detectable is not None and detectable <= rbs else (middle, high)
    return high


def _variance(distances: Floats) -> float | None:
    """Mean square of the residuals of the two-way layout; None for fewer than two blocks or identities, or 0."""
    blocks, k = finite(distances, "distances").shape
    if blocks < 2 or k < 2:
        return None
    residual = distances - distances.mean(axis=1, keepdims=True)
    residual -= residual.mean(axis=0)
    variance = float((residual**2).sum()) / ((blocks - 1) * (k - 1))
    return variance if variance > np.finfo(np.float64).eps else None


@lru_cache(maxsize=4096)
def _noncentral_f(df: int, df_error: int, power: float, alpha: float) -> float:
    from scipy.optimize import brentq
    from scipy.stats import f, ncf

    critical = float(f.isf(alpha, df, df_error))
    above = 50.0
    while ncf.sf(critical, df, df_error, above) < power:
        above *= 2
    return float(brentq(lambda shift: ncf.sf(critical, df, df_error, shift) - power, 1e-6, above))
