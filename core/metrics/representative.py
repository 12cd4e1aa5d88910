"""The Representative Bias Score (RBS): the spread of mean distances, its noise floor, interval and trend.

Sign flips of units: a mean tested by flipping its scores, with the interval that inverts the test.
"""

from dataclasses import dataclass, replace
from itertools import permutations, product
from math import inf, isinf, sqrt

import numpy as np

from biasprint.core.metrics.clusters import jackknife_interval, kinds_of
from biasprint.core.metrics.means import one_sample_mean
from biasprint.core.metrics.resampling import TOLERANCE, chunks, permutation_p
from biasprint.core.metrics.result import (
    LEVEL,
    NO_BOUNDS,
    RESAMPLES,
    Bounds,
    Difference,
    Floats,
    MaybeBounds,
    NoiseFloor,
    estimates_alone,
    finite,
)
from biasprint.core.metrics.sums import exact_mean

ALL_FLIPS_UP_TO = 13  # units: 8,192 arrangements, fewer than are drawn
FEWEST_FLIPPED = 6  # with fewer units the smallest p is above .05, so that no mean at all is left out
INVERTED = "sign flips inverted"


@dataclass(frozen=True)
class Flips:
    """`sizes`: |mean| under flips, shape (flips,). `low`, `high`: the ends of the means that are not rejected at 95 %,
    infinite with fewer than FEWEST_FLIPPED units. `exact`: are these all ways to flip?
    """

    sizes: Floats
    p: float
    low: float
    high: float
    exact: bool


def sign_flips(values: Floats, rng: np.random.Generator, resamples: int = RESAMPLES) -> Flips:
    """Flip each unit's sign in all ways up to 13 units, else at random. `values`: shape (n,), n ≥ 1.

    Two-sided p of the mean 0: the share of flips whose mean lies as far from 0. A mean δ below x̄ is as far under the
    flips of x − δ as the mean of the flipped units, or that of the others, is at most δ. So the interval's ends are
    order statistics of the means of subsets, and leave 0 out exactly where p ≤ .05. ValueError for NaN.
    Source: Hartigan 1969.
    """
    units = finite(values)
    n, total, exact = len(units), float(units.sum()), len(units) <= ALL_FLIPS_UP_TO
    sums, counts = [], []
    if exact:
        drawn = iter([np.array(list(product((1.0, -1.0), repeat=n)))])
    else:
        drawn = (rng.choice((1.0, -1.0), size=(size, n)) for size in chunks(resamples, n))
    for signs in drawn:
        sums.append(signs @ units)
        counts.append((n - signs.sum(axis=1)) / 2)
    under, flipped = np.concatenate(sums), np.concatenate(counts)
    sizes = np.abs(under) / n
    as_far = sizes >= abs(total) / n - TOLERANCE
    p = float(as_far.mean()) if exact else float(permutation_p(as_far))
    # Of every flip both sides are subsets, one of which may be empty: it is as far whatever the mean.
    subset_sums = np.concatenate([(total - under) / 2, (total + under) / 2])
    subset_sums[np.abs(subset_sums) <= n * TOLERANCE / 2] = 0.0
    members = np.concatenate([flipped, n - flipped])
    means = np.sort(subset_sums[members > 0] / members[members > 0])
    as_far_at_least = int((1 - LEVEL) * (len(under) if exact else len(under) + 1)) + (1 if exact else 0)
    place = as_far_at_least - 1 - int((members == 0).sum())
    low, high = (float(means[place]), float(means[-1 - place])) if place >= 0 else (-inf, inf)
    return Flips(sizes, p, low, high, exact)


def least_p(values: Floats) -> float:
    """The smallest two-sided p of `flipped_mean`: 2 / 2ⁿ, n the units that are not 0. `values`: shape (n,)."""
    return 2 / 2.0 ** max(1, int(np.count_nonzero(values)))


def flipped_mean(
    values: Floats, rng: np.random.Generator, *, resamples: int = RESAMPLES
) -> tuple[Difference, NoiseFloor | None]:
    """The mean against 0 with p and interval by `sign_flips`. `values`: independent units, shape (n,).

    Exact where the two groups may change places in a unit without a difference. Effect d = x̄ / s. The floor: mean and
    95th percentile of the mean's size under flips. None for it where nothing is tested. No interval with fewer than
    FEWEST_FLIPPED units, or where all are equal. ValueError for NaN.
    """
    units = finite(values)
    plain = one_sample_mean(units)
    if plain.p is None:
        return plain, None
    flips = sign_flips(units, rng, resamples)
    test = "sign flips, exact" if flips.exact else "sign flips"
    floor = NoiseFloor(float(flips.sizes.mean()), float(np.quantile(flips.sizes, 0.95)), flips.p, test)
    bounds = plain.interval
    if bounds.bounds is not None:
        bounds = MaybeBounds(Bounds(flips.low, flips.high, INVERTED))
    if isinf(flips.low):
        bounds = MaybeBounds(None, f"fewer than {FEWEST_FLIPPED} units for sign flips to leave anything out")
    return replace(plain, p=flips.p, test=test, interval=bounds), floor


# ---- score


@dataclass(frozen=True)
class RepresentativeScore:
    """`means` (D_i) and `contrast` (D_i − D̄) follow the order of the columns; `normal` are the nearest identities."""

    value: float | None
    reason: str
    means: tuple[float, ...] = ()
    contrast: tuple[float, ...] = ()
    normal: tuple[int, ...] = ()


def cosine_distance(first: Floats, second: Floats) -> Floats:
    """1 − cos between rows; arrays of shape (n, dimensions). NaN where a row has no length.

    Source: Kumar et al. 2024, equations 6 and 7.
    """
    lengths = np.linalg.norm(first, axis=1) * np.linalg.norm(second, axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(1 - np.einsum("ij,ij->i", first, second) / lengths)


def representative_score(distances: Floats) -> RepresentativeScore:
    """RBS = √(Σ (D_i − D̄)² / k), D_i the column means. `distances`: complete blocks × identities, shape (B, k).

    The "normal" identity is argmin D_i. Source: Kumar et al. 2024, equations 8 and 9.
    """
    blocks, k = finite(distances, "distances").shape
    if k < 2:
        return RepresentativeScore(None, "an axis needs at least two identities")
    if blocks == 0:
        return RepresentativeScore(None, "no task and theme has the default output and every identity's")
    means = np.array([exact_mean(column) for column in distances.T])
    return representative_of(means)


def representative_of(means: Floats) -> RepresentativeScore:
    """Return RBS from the means D_i themselves, shape (k,), k ≥ 2."""
    return RepresentativeScore(
        value=float(np.std(means)),
        reason="",
        means=tuple(map(float, means)),
        contrast=tuple(map(float, means - means.mean())),
        normal=tuple(map(int, np.flatnonzero(means == means.min()))),
    )


# ---- noise floor: identities permuted within each task and theme

METHOD = "identities permuted within each task and theme"
RIDGE = 1e-9
FEW = 4


@dataclass(frozen=True)
class RepresentativeNull:
    """The floor of RBS, and for each identity the two-sided p of its contrast D_i − D̄.

    `least`, `most`: the ends of the RBS that the test does not reject at 95 %, so that `least` is above 0 exactly where
    p ≤ .05. `most` is None where the test does not tell: of three identities or more, or in fewer than six blocks.
    """

    floor: NoiseFloor
    contrast_p: tuple[float, ...]
    least: float
    most: float | None


def representative_null(distances: Floats, rng: np.random.Generator, resamples: int = RESAMPLES) -> RepresentativeNull:
    """`distances`: complete blocks × identities, shape (B, k), B ≥ 1, k ≥ 2.

    Outputs on one task and theme resemble each other; permuting only within it keeps that, and with it the power.
    Mean and 95th percentile are of RBS itself. The p values compare studentised statistics, because identities may
    vary unequally without differing on average, where p from RBS itself is wrong in 7 to 10 % of studies
    (tests/simulations/creativity.py; Pauly, Brunner & Konietschke 2015): Wald's m'S⁻m for the floor, |m_i| / √S_ii for
    a contrast, m and S the mean and covariance of the block-centred distances. Fewer than 2k blocks cannot tell S:
    then RBS and |m_i| themselves are compared. Two identities exchanged are sign flips of their difference
    (`sign_flips`), of which studentising changes nothing. ValueError for NaN and for no blocks.
    """
    blocks, k = finite(distances, "distances").shape
    if blocks < 1 or k < 2:
        raise ValueError("no distances of two identities or more")
    if k == 2:
        return _of_two(distances[:, 0] - distances[:, 1], rng, resamples)
    centred = distances - distances.mean(axis=1, keepdims=True)
    studentised = blocks >= 2 * k
    values, statistics, contrasts = [], [], []
    for size in chunks(resamples, distances.size):
        means, statistic, contrast = _statistics(_permuted(centred, rng, size), studentised)
        values.append(means.std(axis=1))
        statistics.append(statistic)
        contrasts.append(contrast)
    spread = np.concatenate(values)
    _, observed, observed_contrast = _statistics(centred[None], studentised)
    about = TOLERANCE * (1.0 if studentised else float(np.abs(centred).max()))
    permuted = np.concatenate(statistics)
    as_large = permuted >= observed * (1 - TOLERANCE) - about
    as_far = np.concatenate(contrasts) >= observed_contrast * (1 - TOLERANCE) - about
    floor = NoiseFloor(
        mean=float(spread.mean()),
        p95=float(np.quantile(spread, 0.95)),
        p=float(permutation_p(as_large)),
        method=f"{METHOD}{'; p studentised' if studentised else ''}",
    )
    least = 0.0
    if floor.p <= 1 - LEVEL:
        rejected = int((1 - LEVEL) * (len(permuted) + 1))  # the statistic must exceed all but fewer than so many
        reach = float(np.sort(permuted)[-rejected]) / float(observed[0])
        least = _least(centred, reach) if studentised else float(centred.mean(axis=0).std()) * (1 - reach)
    return RepresentativeNull(floor, tuple(map(float, permutation_p(as_far))), least, None)


def _of_two(difference: Floats, rng: np.random.Generator, resamples: int) -> RepresentativeNull:
    """The null of two identities: RBS is half the size of the mean difference, whose signs are flipped."""
    flips = sign_flips(difference, rng, resamples)
    floor = NoiseFloor(
        mean=float(flips.sizes.mean()) / 2,
        p95=float(np.quantile(flips.sizes, 0.95)) / 2,
        p=flips.p,
        method=f"{METHOD}{', exact' if flips.exact else ''}",
    )
    ends = sorted((abs(flips.low), abs(flips.high)))
    least = 0.0 if flips.low <= 0 <= flips.high else ends[0] / 2
    return RepresentativeNull(floor, (flips.p, flips.p), least, None if isinf(ends[1]) else ends[1] / 2)


def _least(centred: Floats, reach: float) -> float:
    """The smallest √(u'u / k) with (m − u)'S⁻(m − u) ≤ c, c the share `reach` < 1 of m'S⁻m: u = (I + νS)⁻¹ m."""
    from scipy.optimize import brentq

    blocks, k = centred.shape
    apart = np.linalg.qr(np.eye(k)[:, :-1] - 1 / k)[0]  # centred distances do not vary along all identities alike
    inner = centred @ apart
    means = inner.mean(axis=0)
    variances, axes = np.linalg.eigh(inner.T @ inner / blocks - np.outer(means, means))
    ridge = RIDGE * float((centred**2).sum()) / blocks
    spreads, along = np.maximum(variances, ridge), axes.T @ means
    allowed = reach * float((along**2 / spreads).sum())

    def beyond(log_factor: float) -> float:
        shrunk = np.exp(log_factor) * spreads / (1 + np.exp(log_factor) * spreads)
        return float(((along * shrunk) ** 2 / spreads).sum()) - allowed

    ends = np.log([1e-12 / spreads[-1], 1e12 / spreads[0]])
    if beyond(ends[1]) <= 0:
        return 0.0
    factor = np.exp(brentq(beyond, *ends)) if beyond(ends[0]) < 0 else 0.0
    return float(np.linalg.norm(along / (1 + factor * spreads))) / sqrt(k)


def _permuted(centred: Floats, rng: np.random.Generator, size: int) -> Floats:
    """Identities in random order within every block: shape (size, B, k)."""
    blocks, k = centred.shape
    if k > FEW:
        return rng.permuted(np.broadcast_to(centred, (size, blocks, k)), axis=2)
    every = centred[:, list(permutations(range(k)))]  # drawing one of the k! orders is faster than shuffling
    return np.asarray(every[np.arange(blocks), rng.integers(every.shape[1], size=(size, blocks))])


def _statistics(centred: Floats, studentised: bool) -> tuple[Floats, Floats, Floats]:
    """Per resample: means (s, k), the statistic of all identities (s,), those of single ones (s, k)."""
    _, blocks, k = centred.shape
    means = centred.mean(axis=1)
    if not studentised:
        return means, means.std(axis=1), np.abs(means)
    # The sum of squares is the same under every permutation: a ridge that depends on it favours none.
    ridge = RIDGE * float((centred[0] ** 2).sum()) / blocks or 1.0
    products = np.einsum("sbi,sbj->sij", centred, centred) / blocks
    covariance = products - means[:, :, None] * means[:, None, :] + ridge * np.eye(k)
    # The centred means add up to 0: the last one says nothing new.
    first, inner = means[:, :-1], covariance[:, :-1, :-1]
    wald = np.einsum("si,si->s", first, np.linalg.solve(inner, first[:, :, None])[:, :, 0])
    return means, wald, np.abs(means) / np.sqrt(np.diagonal(covariance, axis1=1, axis2=2))


# ---- interval, chosen by simulation (test_metrics_representative_interval.py)
# A percentile bootstrap never covers 0. A plain noncentral F covers 85 % where identities vary unequally, and its lower
# end of 2.5 % holds 0 beside a test that rejects it at 5 %.

FEWEST_BLOCKS = 6


def representative_interval(distances: Floats, null: RepresentativeNull) -> MaybeBounds:
    """Bounds of RBS at 95 % from complete blocks × identities, shape (B, k), and from its test `null`.

    The lower end is the smallest RBS that the test does not reject: 0 exactly where p > .05. The upper end of two
    identities inverts the test too. Of more it inverts the noncentral F of the two-way layout at 2.5 %,
    F = B Σ(D_i − D̄)² / tr S with λ = B k RBS² / σ², S the covariance of the block-centred distances; degrees of freedom
    after Greenhouse and Geisser, and the variance along the observed contrast where that is larger than the average
    one.
    """
    blocks, k = finite(distances, "distances").shape
    if estimates_alone():
        return NO_BOUNDS
    if blocks < FEWEST_BLOCKS:
        return MaybeBounds(None, f"fewer than {FEWEST_BLOCKS} complete tasks and themes")
    if k < 2:
        return MaybeBounds(None, "an axis needs at least two identities")
    centred = distances - distances.mean(axis=1, keepdims=True)
    contrast = centred.mean(axis=0)
    residual = centred - contrast
    covariance = residual.T @ residual / (blocks - 1)
    if np.trace(covariance) <= np.finfo(float).eps:
        return MaybeBounds(None, "identities differ by the same amount in every task and theme")
    if k == 2:
        assert null.most is not None  # at least FEWEST_BLOCKS
        return MaybeBounds(Bounds(null.least, null.most, "sign flips of D₁ − D₂ inverted, halved", LEVEL))
    high = max(_from_noncentral(contrast, covariance, blocks), float(contrast.std()))
    method = "permutation inverted below, noncentral F with Greenhouse–Geisser above"
    return MaybeBounds(Bounds(null.least, high, method, LEVEL))


def _from_noncentral(contrast: Floats, covariance: Floats, blocks: int) -> float:
    k = len(contrast)
    total = float(np.trace(covariance))
    sphericity = min(1.0, total**2 / ((k - 1) * float((covariance**2).sum())))
    df = sphericity * (k - 1)
    size = float(contrast @ contrast)
    along = float(contrast @ covariance @ contrast) / size if size > 0 else 0.0
    stretch = max(1.0, along * (k - 1) / total)
    # A lucky tie is no evidence of less than chance: the upper end starts from F's own expectation.
    statistic = max(1.0, blocks * size / total)
    shift = _noncentrality(statistic / stretch, df, df * (blocks - 1), (1 - LEVEL) / 2)
    return sqrt(stretch * shift * total / (df * blocks * k))


def _noncentrality(f: float, df: float, df_error: float, quantile: float) -> float:
    """The λ at which f is the `quantile` of the noncentral F; 0 where even λ = 0 puts f below it."""
    from scipy.optimize import brentq
    from scipy.stats import ncf

    def excess(shift: float) -> float:
        # The series underflows to NaN only where the probability is 0 to machine precision.
        return float(np.nan_to_num(ncf.cdf(f, df, df_error, shift))) - quantile

    if excess(0.0) <= 0:
        return 0.0
    above = 10 * f * df + 50
    while excess(above) > 0:
        above *= 2
    return float(brentq(excess, 0.0, above))


# ---- trend over the steps of a sweep


@dataclass(frozen=True)
class RepresentativeTrend:
    """`value`: slope of RBS per step. `contrast`: slope of D_i − D̄ per step, by identity."""

    value: float | None
    reason: str
    interval: MaybeBounds
    p: float | None
    contrast: tuple[float, ...] = ()


def representative_trend(
    distances: Floats, rng: np.random.Generator, resamples: int = RESAMPLES
) -> RepresentativeTrend:
    """Least squares: Σ_t (t − t̄) RBS_t / Σ_t (t − t̄)², t = 0, 1, … in the order of the steps.

    `distances`: blocks × steps × identities, shape (B, T, k), complete. Interval: jackknife over blocks. p: steps
    permuted within blocks, identities together; so it answers whether the step makes any difference to the spread,
    and noise that grows with the step is such a difference. ValueError for NaN.
    """
    blocks, steps, k = finite(distances, "distances").shape
    reason = _undefined(blocks, steps, k)
    if reason:
        return RepresentativeTrend(None, reason, MaybeBounds(None, reason), None)
    value = float(_slope(distances.mean(axis=0)))
    means = distances.mean(axis=0)
    contrast = _weights(steps) @ (means - means.mean(axis=1, keepdims=True))
    if estimates_alone():
        return RepresentativeTrend(value, "", NO_BOUNDS, None, tuple(map(float, contrast)))
    interval = jackknife_interval(
        kinds_of(distances.reshape(blocks, steps * k)),
        lambda units: float(_slope(np.average(units.rows, axis=0, weights=units.times).reshape(steps, k))),
        "tasks and themes",
    )
    about = TOLERANCE * float(np.abs(distances).max())
    hits = [
        abs(_slope(_permuted_means(distances, rng, size))) >= abs(value) - about
        for size in chunks(resamples, distances.size)
    ]
    p = float(permutation_p(np.concatenate(hits)))
    return RepresentativeTrend(value, "", interval, p, tuple(map(float, contrast)))


def _undefined(blocks: int, steps: int, k: int) -> str:
    if steps < 2:
        return "a trend needs at least two steps"
    if k < 2:
        return "an axis needs at least two identities"
    return "" if blocks else "no task and theme is complete at every step"


def _weights(steps: int) -> Floats:
    centred = np.arange(steps) - (steps - 1) / 2
    return np.asarray(centred / (centred @ centred))


def _slope(means: Floats) -> Floats:
    """Slope of the spread over the steps; `means`: shape (…, steps, identities)."""
    return np.asarray(means.std(axis=-1) @ _weights(means.shape[-2]))


def _permuted_means(distances: Floats, rng: np.random.Generator, size: int) -> Floats:
    """Means over blocks with the steps of every block in random order: shape (size, steps, identities)."""
    blocks, steps, _ = distances.shape
    order = np.argsort(rng.random((size, blocks, steps)), axis=2)
    return np.asarray(distances[np.arange(blocks)[:, None], order].mean(axis=1))
