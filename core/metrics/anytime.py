"""Confidence sequences: intervals that hold for every n together, for figures that are watched while data arrive.

A 95 % interval holds for one n that was fixed beforehand. Who looks after every text and stops when the picture pleases
needs a band that contains the truth at all times at once, with probability 95 %. Each here is a function of sums.
"""

import math

import numpy as np

from biasprint.core.metrics.result import LEVEL, Bounds, Floats, finite

# ---- Shares: exact for every n


def share_band(chosen: float, n: float, level: float = LEVEL) -> Bounds:
    """All p with B(s + 1, n − s + 1) / (pˢ (1 − p)ⁿ⁻ˢ) < 1 / (1 − level), for s `chosen` among n.

    The likelihood of s among n, averaged over p uniform on [0, 1], against the likelihood at p. That ratio is a
    martingale with mean 1 when p is true, so by Ville's inequality it ever reaches 20 in at most 5 % of sequences.
    Wider than Wilson's interval at the same n. `n` may be fractional, the effective number of independent trials.
    Source: Ville 1939; Robbins 1970. ValueError for NaN and for counts outside 0 to n.
    """
    finite([chosen, n])
    if not 0 <= chosen <= n:
        raise ValueError("chosen must lie between 0 and n")
    low, high = (0.0, 1.0) if n == 0 else (_edge(chosen, n, level, lower=side) for side in (True, False))
    return Bounds(low, high, "anytime-valid, beta mixture", level)


def share_anytime_p(chosen: float, n: float, chance: float) -> float:
    """The smallest level at which `share_band` leaves out `chance`, at this n: 1 / (that ratio at `chance`), at most 1.

    It may be looked at after every trial: it is below α at any time at all in at most a share α of sequences.
    """
    finite([chosen, n, chance])
    return 1.0 if n == 0 else min(1.0, math.exp(-_log_ratio(chosen, n, chance)))


def share_spread_band(chosen: Floats, level: float = LEVEL) -> Bounds | None:
    """√(Σ (p_i − 1/k)² / k), the spread of the shares of k options of which one is chosen each time (ABS).

    `chosen`: how often each was, shape (k,), fractional where choices are not independent. A band for each share at
    1 − α/k (for two options one at 1 − α), and the smallest and largest spread within them. None for fewer than two
    options. ValueError for NaN and negative numbers.
    """
    counts = finite(chosen)
    k, n = len(counts), float(counts.sum())
    if k < 2:
        return None
    own = level if k == 2 else 1 - (1 - level) / k
    bands = [share_band(float(count), n, own) for count in counts]
    nearest = [min(abs(band.low - 1 / k), abs(band.high - 1 / k)) for band in bands]
    inside = [band.low <= 1 / k <= band.high for band in bands]
    low = math.sqrt(sum(0.0 if here else near**2 for here, near in zip(inside, nearest, strict=True)) / k)
    high = math.sqrt(sum(max(abs(band.low - 1 / k), abs(band.high - 1 / k)) ** 2 for band in bands) / k)
    return Bounds(low, min(high, math.sqrt(k - 1) / k), "anytime-valid, beta mixture of each share", level)


# of each kind, from which on the band of a clustered share is shown: see docs/tables/statistics-simulations.md
FIRST_CLUSTERS = 10
_TYPICAL = 3.5  # standard errors that such a band reaches


def clustered_share_band(share: float, n: float, error: float | None, clusters: int, level: float = LEVEL) -> Bounds:
    """`share_band` with the n that independent trials of this standard error would have, as Wilson's by effective n.

    m = min(n, p(1 − p)/s.e.²), divided by (z'/z)² with z' = z + (z³ + z) / (4 (C − 1)) for the C clusters, at z = 3.5,
    because few clusters tell their spread badly. A share of 0 or 1, or that does not vary, counts each cluster once.
    ValueError for NaN and for fewer than two clusters.
    """
    finite([share, n, clusters])
    if clusters < 2:
        raise ValueError("fewer than two clusters")
    effective = float(clusters) if not error else min(n, share * (1 - share) / error**2)
    trials = watched_trials(min(effective, n), clusters - 1)
    return share_band(share * trials, trials, level)


def watched_trials(trials: float, freedom: float) -> float:
    """Return the smaller number whose band is as wide as one whose spread is known with these degrees of freedom."""
    return trials / (1 + (_TYPICAL**2 + 1) / (4 * freedom)) ** 2


def _log_ratio(chosen: float, n: float, p: float) -> float:
    """Log of the averaged likelihood over the likelihood at p; infinite where p excludes what was seen."""
    averaged = math.lgamma(chosen + 1) + math.lgamma(n - chosen + 1) - math.lgamma(n + 2)
    at_p = 0.0
    for times, probability in ((chosen, p), (n - chosen, 1 - p)):
        if times and probability <= 0:
            return math.inf
        at_p += times * math.log(probability) if times else 0.0
    return averaged - at_p


def _edge(chosen: float, n: float, level: float, *, lower: bool) -> float:
    """Return one end of the band, by bisection between the observed share (inside) and 0 or 1."""
    threshold = -math.log(1 - level)
    inside, outside = chosen / n, 0.0 if lower else 1.0
    if _log_ratio(chosen, n, outside) < threshold:
        return outside
    for _ in range(60):
        middle = (inside + outside) / 2
        if _log_ratio(chosen, n, middle) < threshold:
            inside = middle
        else:
            outside = middle
    return inside


# ---- Means of scores between two limits: exact for every n

LARGEST_BET = 0.5


class BoundedMean:
    """The mean of scores in [low, high] that come one by one, each seen once: the empirical Bernstein sequence.

    With x between 0 and 1: λ_t = min(½, √(2 log(2/α) / (σ̂²_{t−1} t log(1 + t)))), v_t = 4 (x_t − μ̂_{t−1})²,
    ψ(λ) = (−log(1 − λ) − λ)/4, and the band Σ λx / Σ λ ± (log(2/α) + Σ v ψ(λ)) / Σ λ; μ̂, σ̂² with ½ and ¼ beforehand.
    Holds for every n from 1 on, for any scores whose mean, given those before, is the same.
    Source: Waudby-Smith & Ramdas 2024, Theorem 2, equations 13 to 15.
    """

    def __init__(self, low: float = 0.0, high: float = 1.0, level: float = LEVEL) -> None:
        self._low, self._width, self._level = low, high - low, level
        self._alpha = math.log(2 / (1 - level))
        self.n = 0
        self._mean, self._variance = 0.5, 0.25  # before the first score
        self._sum, self._squares = 0.5, 0.25
        self._bets = self._weighted = self._cost = 0.0

    def add(self, score: float) -> None:
        """ValueError for NaN and for a score outside the limits."""
        x = (score - self._low) / self._width
        if not 0 <= x <= 1:
            raise ValueError("a score lies outside its limits")
        self.n += 1
        bet = min(LARGEST_BET, math.sqrt(2 * self._alpha / (self._variance * self.n * math.log(1 + self.n))))
        self._bets += bet
        self._weighted += bet * x
        self._cost += (x - self._mean) ** 2 * (-math.log1p(-bet) - bet)
        self._sum += x
        self._mean = self._sum / (self.n + 1)
        self._squares += (x - self._mean) ** 2
        self._variance = self._squares / (self.n + 1)

    @property
    def band(self) -> Bounds:
        """The band of the mean within the limits; the limits themselves before the first score."""
        low, high = 0.0, 1.0
        if self.n:
            centre, half = self._weighted / self._bets, (self._alpha + self._cost) / self._bets
            low, high = max(0.0, centre - half), min(1.0, centre + half)
        low, high = (self._low + self._width * end for end in (low, high))
        return Bounds(low, high, "anytime-valid, empirical Bernstein", self._level)


# ---- Log odds of a fitted model, such as that one of two is preferred

SCALE = 1.0  # of the log odds that the mixture expects: as between 27 and 73 %


def log_odds_band(estimate: float, error: float, freedom: float, level: float = LEVEL) -> Bounds:
    """θ̂ ± s z, z² = (s² + τ²)/τ² · (2 log(1/α) + log((s² + τ²)/s²)), s the standard error of θ̂ and τ `SCALE`.

    The normal likelihood of θ̂, averaged over θ normal with variance τ² around each value, against that at the value;
    z becomes z + (z³ + z) / (4 ν) because s is estimated with ν degrees of freedom. Right in the limit of many
    comparisons, however they were chosen from the answers before: a score is a martingale whatever is asked next.
    Source: Robbins 1970; Lai & Wei 1982 (adaptive designs). ValueError for NaN and an error of 0.
    """
    finite([estimate, error])
    if not error > 0:
        raise ValueError("there must be an error")
    z = math.sqrt((error**2 + SCALE**2) / SCALE**2 * (2 * math.log(1 / (1 - level)) + _log_spread(error)))
    half = error * (z + (z**3 + z) / (4 * freedom))
    return Bounds(estimate - half, estimate + half, "anytime-valid, normal mixture of the log odds", level)


def log_odds_anytime_p(estimate: float, error: float, freedom: float) -> float:
    """The smallest level at which `log_odds_band` leaves out 0: √((s² + τ²)/s²) exp(−z² τ² / 2 (s² + τ²)), at most 1.

    z is |θ̂|/s with the widening for ν undone: the root of z³ + (4ν + 1) z = 4ν |θ̂|/s.
    """
    finite([estimate, error])
    if math.isinf(freedom):
        z = abs(estimate) / error
    else:
        slope, right = 4 * freedom + 1, 4 * freedom * abs(estimate) / error
        root = math.sqrt(slope / 3)
        z = 2 * root * math.sinh(math.asinh(1.5 * right / (slope * root)) / 3)
    return min(1.0, math.exp(_log_spread(error) / 2 - z**2 * SCALE**2 / (2 * (error**2 + SCALE**2))))


def _log_spread(error: float) -> float:
    return math.log((error**2 + SCALE**2) / error**2)


# ---- What is nearly normal: means without limits, differences, log odds ratios, and other smooth functions of means

FIRST = 30  # units of each group, from which on the band is shown: see docs/tables/statistics-simulations.md
ONE_WAY, FIRST_ONE_WAY = 0.2, 100
TIGHTEST = 600  # units at which the band is narrowest in standard errors; later, so that it is wide while n is small


def normal_band(estimate: float, error: float, n: float, level: float = LEVEL) -> Bounds:
    """θ̂ ± s.e. √(2 (nρ² + 1)/(nρ²) · log(√(nρ² + 1) / α)), of an estimate that is nearly normal at large n.

    `error`: the standard error of θ̂ at this n, s/√n for a mean. ρ² = (−2 log α + log(1 − 2 log α)) / TIGHTEST. The
    factor z becomes z + (z³ + z) / (4 (n − 1)), as Student's quantile does, because s is itself an estimate.
    Asymptotic: right in the limit of a late first look, so that it is shown from `FIRST` units of each group on.
    Source: Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas 2024 (Time-uniform central limit theory and asymptotic
    confidence sequences), Theorem 2.2 and appendix B.2; Robbins 1970. ValueError for NaN, an error of 0 and
    fewer than two units.
    """
    finite([estimate, error, n])
    if not (error > 0 and n > 1):
        raise ValueError("there must be an error, and more than one unit")
    half = error * _reach(n, level, 1)
    return Bounds(estimate - half, estimate + half, "anytime-valid, asymptotic", level)


def first_differing(more: int, fewer: int) -> int:
    """Return how many differing units are needed to show the band of a mean difference of which most may be 0.

    A mean of which nearly all is 0 is far from normal, however many there are, and one whose units all differ the same
    way is skewed besides: where fewer than ONE_WAY of them go the other way, the band waits for FIRST_ONE_WAY.
    """
    return FIRST if min(more, fewer) >= ONE_WAY * (more + fewer) else FIRST_ONE_WAY


def spread_band(means: Floats, covariance: Floats, n: float, level: float = LEVEL) -> Bounds | None:
    """√(Σ (D_i − D̄)² / k), the spread of k means (RBS), `covariance`: of these means, shape (k, k).

    The means less their mean lie within (m − m̂)ᵀ S⁻ (m − m̂) ≤ (nρ² + 1)/(nρ²) · (2 log(1/α) + (k − 1) log(nρ² + 1)),
    the same mixture in k − 1 dimensions; no spread in there is farther from the observed one than √(λ · that / k), λ
    the largest eigenvalue of S. None for fewer than two means, and where they do not vary. ValueError for NaN.
    """
    k = len(finite(means))
    if k < 2:
        return None
    centre = np.eye(k) - 1 / k
    largest = float(np.linalg.eigvalsh(centre @ finite(covariance) @ centre)[-1])
    if largest <= np.finfo(np.float64).eps * float(np.abs(means).max()) ** 2:
        return None
    half = _reach(n, level, k - 1) * math.sqrt(largest / k)
    value = float(np.std(means))
    return Bounds(max(0.0, value - half), value + half, "anytime-valid, asymptotic", level)


def _reach(n: float, level: float, dimensions: int) -> float:
    """The largest distance in standard errors, at any n together."""
    alpha = 1 - level
    rho = (-2 * math.log(alpha) + math.log(1 - 2 * math.log(alpha))) / TIGHTEST
    z = math.sqrt((n * rho + 1) / (n * rho) * (dimensions * math.log(n * rho + 1) - 2 * math.log(alpha)))
    return z + (z**3 + z) / (4 * (n - 1))
