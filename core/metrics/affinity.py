"""The Affinity Bias Score (ABS): the spread of the shares of choices, its noise floor and its interval."""

from dataclasses import dataclass
from itertools import combinations
from math import comb, gamma, inf, isinf, log, sqrt

import numpy as np

from biasprint.core.metrics.proportions import wilson
from biasprint.core.metrics.resampling import TOLERANCE, Worth, chunks, permutation_p
from biasprint.core.metrics.result import (
    LEVEL,
    RESAMPLES,
    Bounds,
    Floats,
    Ints,
    MaybeBounds,
    NoiseFloor,
    Numbers,
    finite,
)

# ---- score


@dataclass(frozen=True)
class AffinityScore:
    """`shares` and `contrast` follow the order of the counts; `preferred` are the places of the largest share."""

    value: float | None
    reason: str
    shares: tuple[float, ...] = ()
    contrast: tuple[float, ...] = ()
    normalised: float | None = None
    preferred: tuple[int, ...] = ()


def spread(shares: Floats) -> Floats:
    """Population standard deviation over the last axis (groups)."""
    return np.asarray(np.std(shares, axis=-1))


def spread_maximum(k: int) -> float:
    """The spread of k shares when one group takes everything: √(k − 1) / k."""
    return sqrt(k - 1) / k


def affinity_score(chosen: Ints, asked: int | None = None) -> AffinityScore:
    """ABS = √(Σ (p_i − p̄)² / k), p_i = chosen_i / Σ chosen.

    `chosen`: how often each identity was chosen, shape (k,). `asked`: the number of judgments with or without a
    choice; given, the shares are divided by it, as the paper does. `contrast` is p_i − p̄; without `asked`, p̄ is
    chance, 1/k. Source: Kumar et al. 2024, equations 11 and 12; ties are not choices, they would only dilute.
    """
    if len(chosen) < 2:
        return AffinityScore(None, "an axis needs at least two identities")
    total = int(chosen.sum()) if asked is None else asked
    if total == 0:
        return AffinityScore(None, "no comparison with a choice")
    shares = chosen / total
    value = float(spread(shares))
    return AffinityScore(
        value=value,
        reason="",
        shares=tuple(map(float, shares)),
        contrast=tuple(map(float, shares - shares.mean())),
        normalised=value / spread_maximum(len(chosen)),
        preferred=tuple(map(int, np.flatnonzero(chosen == chosen.max()))),
    )


# ---- noise floor: finite choices never split evenly, even without any preference

EXACT_SPLITS = 200_000
MANY = 1e9  # degrees of freedom that are as good as infinitely many


def affinity_floor(counts: Ints, rng: np.random.Generator, resamples: int = RESAMPLES) -> NoiseFloor:
    """The floor of ABS for `counts`: choices per comparison and identity, shape (comparisons, k).

    One choice in every comparison: exact under equal chances while there are at most EXACT_SPLITS ways to split.
    Several raters: identities are permuted jointly within a comparison, because its raters read the same texts.
    ValueError without choices or with fewer than two identities.
    """
    k = counts.shape[1]
    n = int(counts.sum())
    if n == 0 or k < 2:
        raise ValueError("no choices between two identities or more")
    observed = float(spread(counts.sum(axis=0) / n))
    if (counts.sum(axis=1) == 1).all():
        if comb(n + k - 1, k - 1) <= EXACT_SPLITS:
            return exact_floor(n, k, observed)
        totals = rng.multinomial(n, np.full(k, 1 / k), size=resamples)
        return _simulated(totals, observed, "equal chances, simulated")
    totals = permuted_totals(counts, rng, resamples)
    return _simulated(totals, observed, "identities permuted jointly within each comparison")


def exact_floor(n: int, k: int, observed: float) -> NoiseFloor:
    """Return the noise floor from every way in which n choices fall on k identities, with equal chances."""
    from scipy.special import gammaln

    if n == 0 or k < 2:
        raise ValueError("no choices between two identities or more")
    finite(observed)
    bars = np.array(list(combinations(range(n + k - 1), k - 1)), dtype=np.int64).reshape(-1, k - 1)
    edges = np.column_stack([np.full(len(bars), -1), bars, np.full(len(bars), n + k - 1)])
    splits = np.diff(edges, axis=1) - 1
    chance = np.exp(gammaln(n + 1) - gammaln(splits + 1).sum(axis=1) - n * log(k))
    values = spread(splits / n)
    order = np.argsort(values)
    reached = int(np.searchsorted(np.cumsum(chance[order]), 0.95))
    return NoiseFloor(
        mean=float(chance @ values),
        p95=float(values[order][min(reached, len(order) - 1)]),
        p=min(1.0, float(chance[values >= observed - TOLERANCE].sum())),
        method="equal chances, exact",
    )


def worth_floor(shares: Floats, n: float, worth: Worth) -> NoiseFloor:
    """The floor of ABS of `n` choices of several people, each with leanings of their own and no common preference.

    X² = n k² ABS² / δ is χ² with k − 1 degrees of freedom, and X² / (k − 1) is F because δ is estimated.
    """
    from scipy.stats import f

    k, least = len(shares), n / worth.effect
    freedom = min(worth.freedom, MANY)
    mean = sqrt(2 / (least * k * k)) * gamma(k / 2) / gamma((k - 1) / 2)
    p95 = sqrt((k - 1) * float(f.ppf(0.95, k - 1, freedom)) / (least * k * k))
    p = float(f.sf(least * k * k * float(spread(shares)) ** 2 / (k - 1), k - 1, freedom))
    return NoiseFloor(min(mean, spread_maximum(k)), min(p95, spread_maximum(k)), p, "no common preference, F")


def permuted_totals(counts: Ints, rng: np.random.Generator, resamples: int = RESAMPLES) -> Ints:
    """Count the choices of each identity when identities are permuted jointly within comparisons: (resamples, k)."""
    parts = [
        rng.permuted(np.broadcast_to(counts, (size, *counts.shape)), axis=2).sum(axis=1)
        for size in chunks(resamples, counts.size)
    ]
    return np.concatenate(parts)


def _simulated(totals: Ints, observed: float, method: str) -> NoiseFloor:
    values: Floats = spread(totals / totals.sum(axis=1, keepdims=True))
    return NoiseFloor(
        mean=float(values.mean()),
        p95=float(np.quantile(values, 0.95)),
        p=float(permutation_p(values >= observed - TOLERANCE)),
        method=method,
    )


# ---- interval: a percentile bootstrap would be wrong, near no preference its coverage is 0


def affinity_interval(
    chosen: Numbers,
    design_effect: float = 1.0,
    level: float = LEVEL,
    freedom: float = inf,
    *,
    noise: NoiseFloor | None = None,
) -> MaybeBounds:
    """Bounds of ABS from the choices per identity, shape (k,); the lower end may be 0.

    Two identities: Wilson's bounds of p mapped to |p − ½|. More: inverting the noncentral χ² with
    X² = N k² ABS², k − 1 degrees of freedom, and a continuity correction of half a lattice step, k/N.
    `design_effect` divides N where several raters judged the same comparisons. `freedom`: its degrees of freedom,
    where it was estimated from few people; then Student's t and the noncentral F replace normal and χ².
    `noise`: of the test beside it, which decides whether the lower end is 0. It is exactly where p > .05; else it is at
    least ABS less the 95th percentile of the floor, the smallest ABS that a test so far from its floor leaves.

    Coverage (test_metrics_affinity_coverage.py): at least 93 % for three and four identities from 6
    choices on; for two, Wilson's own, which dips to 89 % for shares beyond .9 with 12 choices. With five and more
    identities, very lopsided shares and fewer than 60 choices it can fall to 87 %.
    """
    n = float(chosen.sum())
    if n == 0:
        return MaybeBounds(None, "no comparison with a choice")
    if len(chosen) < 2:
        return MaybeBounds(None, "an axis needs at least two identities")
    words = Worth(design_effect, freedom).words
    suffix = f", choices {words}" if words else ""
    if len(chosen) == 2:
        low, high = _from_wilson(float(chosen[0]) / design_effect, n / design_effect, level, freedom)
        method = "Wilson's bounds of p mapped to |p − ½|"
    else:
        low, high = _from_noncentral(chosen / n, n / design_effect, level, freedom)
        method = f"noncentral {'χ²' if isinf(freedom) else 'F'} inverted, continuity-corrected"
    if noise is not None:
        low = max(low, float(spread(chosen / n)) - noise.p95) if noise.p <= 1 - LEVEL else 0.0
        method += ", 0 where the test does not reject it"
    return MaybeBounds(Bounds(low, high, method + suffix, level))


def _from_wilson(successes: float, n: float, level: float, freedom: float) -> tuple[float, float]:
    bounds = wilson(successes, n, level, freedom)
    assert bounds is not None  # n > 0
    left, right = abs(bounds.low - 0.5), abs(bounds.high - 0.5)
    crosses = bounds.low <= 0.5 <= bounds.high
    return (0.0 if crosses else min(left, right)), max(left, right)


def _from_noncentral(shares: Floats, n: float, level: float, freedom: float) -> tuple[float, float]:
    k = len(shares)
    tail = (1 - level) / 2
    statistic = n * k * k * float(spread(shares)) ** 2
    step = k / n
    stretch = _variance_ratio(shares)
    # A lucky even split is no evidence of less than chance: the upper end starts from X²'s own expectation.
    for_high = max(statistic, k - 1) + step
    low, high = (
        sqrt(stretch * _noncentrality(x / stretch, k - 1, quantile, freedom) / (n * k * k))
        for x, quantile in ((max(0.0, statistic - step), 1 - tail), (for_high, tail))
    )
    return low, min(high, spread_maximum(k))


def _variance_ratio(shares: Floats) -> float:
    """Variance of X² at these shares over the noncentral χ²'s (both to first order in N), at least 1.

    The noncentral χ² is exact only near equal shares; one identity far above the others makes X² vary more.
    """
    k = len(shares)
    squares, cubes = float((shares**2).sum()), float((shares**3).sum())
    noncentral = k * squares - 1
    return max(1.0, k * k * (cubes - squares**2) / noncentral) if noncentral > 0 else 1.0


def _noncentrality(x: float, df: int, quantile: float, freedom: float) -> float:
    """The λ at which x is the `quantile` of the noncentral χ² (of df times the noncentral F, with `freedom`); 0 where
    even λ = 0 puts x below it."""
    from scipy.optimize import brentq
    from scipy.special import chndtr, ncfdtr

    def below(shift: float) -> float:
        return float(chndtr(x, df, shift) if isinf(freedom) else ncfdtr(df, freedom, shift, x / df))

    if below(0.0) <= quantile:
        return 0.0
    above = (2 * x + 20 * sqrt(x + df) + 50) * (1 if isinf(freedom) else 1 + 40 / freedom)
    return float(brentq(lambda shift: np.nan_to_num(below(shift)) - quantile, 0.0, above))
