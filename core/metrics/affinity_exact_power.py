"""The chance that the ABS test sees a preference: by adding up every split of the choices, not by an approximation."""

from collections.abc import Callable, Sequence
from math import comb

import numpy as np

from core.metrics.affinity_floor import EXACT_SPLITS
from core.metrics.affinity_power import ALPHA
from core.metrics.affinity_score import spread
from core.metrics.checks import finite
from core.metrics.resampling import TOLERANCE
from core.metrics.result import Floats, Ints

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
    """One identity chosen with chance `top`, the others equally often."""
    return (top, *[(1 - top) / (k - 1)] * (k - 1))


def splits(n: int, k: int) -> Ints:
    """Every way in which n choices fall on k identities: shape (number of ways, k)."""
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
    found = spread(rng.multinomial(n, chances, size=DRAWS) / n)
    p = (1 + len(null) - np.searchsorted(null, found / stretch**0.5 - TOLERANCE)) / (1 + len(null))
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
