"""Proportions: intervals and tests of one, of two that are independent or paired, and of all shares of a whole."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import acos, copysign, cos, inf, isfinite, isinf, pi, sqrt
from statistics import NormalDist

import numpy as np

from biasprint.core.metrics.anytime import share_anytime_p, share_band, watched_trials
from biasprint.core.metrics.means import ALPHA, Equivalence, t_quantile, two_sided_t
from biasprint.core.metrics.resampling import TOLERANCE, Worth, permutation_p, worth_of_choices
from biasprint.core.metrics.result import (
    LEVEL,
    NO_BOUNDS,
    NOT_ASKED,
    Bools,
    Bounds,
    Difference,
    Ints,
    MaybeBounds,
    TestResult,
    estimates_alone,
    finite,
    same_length,
    truths,
    untested,
)


def wilson(successes: float, n: float, level: float = LEVEL, freedom: float = inf) -> Bounds | None:
    """(p + z²/2n ± z √(p(1−p)/n + z²/4n²)) / (1 + z²/n), within [0, 1].

    `n` may be fractional: the effective number of independent trials behind a proportion. None where n is 0.
    `freedom`: where that number is itself an estimate, z is Student's quantile with so many degrees of freedom.
    Source: Wilson 1927, without continuity correction.
    """
    if n <= 0:
        return None
    if not 0 <= successes <= n:
        raise ValueError("successes must lie between 0 and n")
    # Not by statsmodels: the window's process counts a judge's flips by this, and statsmodels must stay out of it.
    z = NormalDist().inv_cdf((1 + level) / 2) if isinf(freedom) else t_quantile((1 + level) / 2, freedom)
    p = successes / n
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    # At 0 and n the bound is exactly 0 or 1; rounding must not push it outside.
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    high = 1.0 if successes == n else min(1.0, centre + half)
    return Bounds(low, high, "Wilson", level)


def design_effect(counts: Ints) -> float:
    """Variance of the shares with comparisons as the unit, over their variance were every choice independent.

    δ = C/(C−1) · Σ_c |x_c − m_c p̂|² / (N (1 − Σ p̂²)); x_c: choices in comparison c, m_c their number, N all choices.
    `counts`: shape (C, k). 1 where every comparison has one choice; never below 1. N/δ is the effective number.
    Source: the ratio of traces of the cluster and multinomial covariance (Rao & Scott 1981).
    """
    counts = counts[counts.sum(axis=1) > 0]
    sizes = counts.sum(axis=1)
    if (sizes == 1).all():
        return 1.0
    comparisons, n = len(counts), int(sizes.sum())
    shares = counts.sum(axis=0) / n
    independent = n * (1 - float(shares @ shares))
    if comparisons == 1 or independent <= 0:
        # Nothing to estimate agreement from: a comparison counts once, however many rated it.
        return n / comparisons
    between = float(((counts - sizes[:, None] * shares) ** 2).sum())
    return max(1.0, comparisons / (comparisons - 1) * between / independent)


@dataclass(frozen=True)
class Proportion:
    """`value` and `interval` are None where n is 0."""

    value: float | None
    interval: Bounds | None
    successes: int
    n: int


def clustered_proportion(successes: Bools, *clusters: Ints) -> Proportion:
    """Successes over n; Wilson's interval with n divided by the design effect and Student's quantile where some belong
    together, in one way or in two that cross (`biasprint.core.metrics.resampling`).

    `successes`, each of `clusters`: shapes (n,). ValueError for unequal lengths.
    """
    for grouping in clusters:
        same_length(successes, grouping)
    yes = truths(successes)
    n, count = len(yes), int(yes.sum())
    if n == 0:
        return Proportion(None, None, 0, 0)
    if estimates_alone():
        return Proportion(count / n, None, count, n)
    worth = worth_of_choices(np.column_stack([yes, ~yes]).astype(np.int64), *clusters)
    return Proportion(count / n, worth_interval(count, n, worth), count, n)


def worth_interval(successes: float, n: float, worth: Worth) -> Bounds | None:
    """Wilson's interval of n choices that are worth fewer; None where n is 0."""
    bounds = wilson(successes / worth.effect, n / worth.effect, freedom=worth.freedom)
    if bounds is None or not worth.words:
        return bounds
    return Bounds(bounds.low, bounds.high, f"Wilson, n {worth.words}", bounds.level)


# ---- the share of choices that fell on one identity, against chance


@dataclass(frozen=True)
class Share:
    """A share. `interval` and `p` are None where only the estimate is requested."""

    value: float
    interval: Bounds | None
    p: float | None
    test: str


def share(chosen: int, n: int, chance: float) -> Share:
    """p = chosen / n of n independent choices: Wilson's interval, the exact two-sided binomial test against `chance`.

    With few choices Wilson's interval leaves out a chance that the exact test does not: then it is widened up to it, so
    that the two never contradict each other. The other way round does not happen below 80 choices. `n` must be
    positive: without choices there is no share.
    """
    from scipy.stats import binomtest

    bounds = wilson(chosen, n)
    if bounds is None:
        raise ValueError("a share needs at least one choice")
    if estimates_alone():
        return Share(chosen / n, None, None, NOT_ASKED)
    p = float(binomtest(chosen, n, chance).pvalue)
    return Share(chosen / n, _widened(bounds, chance, p, "the exact test"), p, "exact binomial")


def _widened(bounds: Bounds, null: float, p: float | None, test: str) -> Bounds:
    """Return the bounds, which reach the null value where a test does not reject it: the stricter decides."""
    if p is None or p <= 1 - bounds.level or bounds.low <= null <= bounds.high:
        return bounds
    method = f"{bounds.method}, widened to what {test} leaves"
    return replace(bounds, low=min(bounds.low, null), high=max(bounds.high, null), method=method)


def clustered_share(chosen: int, n: int, chance: float, design_effect: float, null: Ints) -> Share:
    """Return a share judged by several raters: Wilson with n divided by the design effect, and p from `null`.

    Where p does not reject chance, the interval is widened up to it, as that of `share` is.
    `null`: how often this identity is chosen under joint permutation within comparisons, shape (resamples,).
    """
    bounds = wilson(chosen / design_effect, n / design_effect)
    if bounds is None:
        raise ValueError("a share needs at least one choice")
    if estimates_alone():
        return Share(chosen / n, None, None, NOT_ASKED)
    finite([chance, design_effect], "chance and design effect")
    as_far = abs(null / n - chance) >= abs(chosen / n - chance) - TOLERANCE
    method = f"Wilson, choices divided by the design effect {design_effect:.2f}"
    p = float(permutation_p(as_far))
    interval = _widened(Bounds(bounds.low, bounds.high, method, bounds.level), chance, p, "the permutation")
    return Share(chosen / n, interval, p, "permutation within comparisons")


def worth_share(chosen: float, n: float, chance: float, worth: Worth) -> Share:
    """Return a share of several people: Wilson's interval of what their choices are worth, and the test it inverts.

    t = (p − c) / √(c (1 − c) δ / n), two-sided with the degrees of freedom of δ: p < 0.05 where the interval leaves
    chance out.
    """
    bounds = worth_interval(chosen, n, worth)
    if bounds is None:
        raise ValueError("a share needs at least one choice")
    if estimates_alone():
        return Share(chosen / n, None, None, NOT_ASKED)
    statistic = abs(chosen / n - chance) / sqrt(chance * (1 - chance) * worth.effect / n)
    return Share(chosen / n, bounds, two_sided_t(statistic, worth.freedom), "t over people")


def watched_share(chosen: float, n: float, chance: float, worth: Worth) -> Share:
    """Return a share that may be looked at after every round: the band and the p of as many independent choices as
    these are worth. Without effect and of one cluster each it is exact (`biasprint.core.metrics.anytime.share_band`).
    """
    trials, value = watched_choices(n, worth), chosen / n
    band = share_band(value * trials, trials)
    counted = "" if trials == n else f" of {trials:.1f} independent choices"
    bounds = replace(band, method=f"{band.method}{counted}")
    return Share(value, bounds, share_anytime_p(value * trials, trials, chance), "anytime-valid, beta mixture")


def watched_choices(n: float, worth: Worth) -> float:
    """Return how many independent choices these are worth where one looks after every round."""
    return watched_trials(n / worth.effect, worth.freedom) if isfinite(worth.freedom) else n / worth.effect


def equal_chances(counts: Ints) -> TestResult:
    """X² = Σ (o − N/k)² / (N/k), k − 1 degrees of freedom. `counts`: independent choices per group, shape (k,)."""
    from scipy.stats import chisquare

    finite(counts, "counts")
    name = "χ² goodness of fit"
    if len(counts) < 2:
        return TestResult(name, None, None, "fewer than two groups")
    if counts.sum() == 0:
        return TestResult(name, None, None, "nothing was chosen")
    outcome = chisquare(counts)
    return TestResult(name, float(outcome.statistic), float(outcome.pvalue))


# ---- two independent proportions

# Below either the z-test raises up to 7.7 % false alarms (test_metrics_simulations.py).
FEWEST_FOR_Z = 200
FEWEST_EXPECTED = 5.0


def two_proportions(
    successes_first: int, n_first: int, successes_second: int, n_second: int, *, exact: bool | None = False
) -> Difference:
    """p₁ − p₂, the score interval of `miettinen_nurminen`, effect Cohen's h = 2 asin √p₁ − 2 asin √p₂.

    `exact`: False, the pooled z-test as papers run it; True, Boschloo's test up to FEWEST_FOR_Z units in all and
    Fisher's above; None, for decisions: exact where there are few units or expected counts. The interval covers at
    least 93 % where both chances lie between 5 and 95 % and no group has fewer than 8, else 91 %. Beside another test
    than the papers' it reaches 0 where that test does not reject. No p where all units of both groups agree. ValueError
    where successes exceed n.
    """
    counts = (n_first, n_second)
    if not (0 <= successes_first <= n_first and 0 <= successes_second <= n_second):
        raise ValueError("successes must lie between 0 and n")
    if min(counts) == 0:
        return untested(None, "a group has no units", "two proportions", "Cohen's h", sum(counts), counts)
    first, second = successes_first / n_first, successes_second / n_second
    if estimates_alone():
        return untested(first - second, NOT_ASKED, "two proportions", "Cohen's h", sum(counts), counts)
    from statsmodels.stats.proportion import proportion_effectsize

    tested = 0 < successes_first + successes_second < n_first + n_second
    test, statistic, p = _tested(successes_first, n_first, successes_second, n_second, exact) if tested else NO_TEST
    score = miettinen_nurminen(successes_first, n_first, successes_second, n_second)
    bounds = score_bounds(first - second, score, "Miettinen–Nurminen")
    return Difference(
        value=first - second,
        reason="" if tested else "all units of both groups agree",
        interval=MaybeBounds(bounds if exact is False else _widened(bounds, 0.0, p, "the test")),
        p=p,
        statistic=statistic,
        test=test,
        effect_name="Cohen's h",
        effect=float(proportion_effectsize(first, second)),
        n=sum(counts),
        n_by_group=counts,
    )


NO_TEST: tuple[str, float | None, float | None] = ("two proportions", None, None)


def _tested(x: int, n: int, y: int, m: int, exact: bool | None) -> tuple[str, float | None, float | None]:
    from scipy.stats import boschloo_exact, fisher_exact
    from statsmodels.stats.proportion import proportions_ztest

    expected = min(x + y, n + m - x - y) * min(n, m) / (n + m)
    if exact is None:
        exact = n + m < FEWEST_FOR_Z or expected < FEWEST_EXPECTED
    if not exact:
        z, p = proportions_ztest([x, y], [n, m])
        return "pooled z", float(z), float(p)
    if n + m <= FEWEST_FOR_Z:
        return "Boschloo, exact", None, min(1.0, float(boschloo_exact([[x, y], [n - x, m - y]]).pvalue))
    return "Fisher, exact", None, float(fisher_exact([[x, n - x], [y, m - y]]).pvalue)


FEWEST_FOR_CHI_SQUARED = 25


def paired_proportions(first: Bools, second: Bools) -> Difference:
    """Share of `first` minus share of `second` over pairs; McNemar, exact below 25 discordant pairs, else χ² with
    continuity correction. p is 1 where no pair is discordant: the exact test then has one outcome.

    Interval: the score interval of `tango`; exact where all pairs are alike (`agreeing_pairs`); it reaches 0 where
    McNemar's test does not reject. Effect: Cohen's g, the share of discordant pairs that favour the first, minus ½.
    Shapes (n,). ValueError for unequal lengths.
    """
    same_length(first, second)
    x, y, n = truths(first), truths(second), len(first)
    if n == 0:
        return untested(None, "no pairs", "McNemar", "Cohen's g", 0, (0, 0))
    only_first, only_second = int((x & ~y).sum()), int((y & ~x).sum())
    if estimates_alone():
        return untested((only_first - only_second) / n, NOT_ASKED, "McNemar", "Cohen's g", n, (n, n))
    from statsmodels.stats.contingency_tables import mcnemar

    discordant = only_first + only_second
    exact = discordant < FEWEST_FOR_CHI_SQUARED
    table = [[int((x & y).sum()), only_first], [only_second, int((~x & ~y).sum())]]
    outcome = mcnemar(table, exact=exact, correction=True) if discordant else None
    p = min(1.0, float(outcome.pvalue)) if outcome else 1.0
    return Difference(
        value=(only_first - only_second) / n,
        reason="",
        interval=MaybeBounds(_widened(_of_pairs(only_first, only_second, n), 0.0, p, "the test")),
        p=p,
        statistic=float(outcome.statistic) if outcome else 0.0,
        test="McNemar, exact" if exact else "McNemar, χ² with continuity correction",
        effect_name="Cohen's g",
        effect=only_first / discordant - 0.5 if discordant else None,
        n=n,
        n_by_group=(n, n),
    )


def _of_pairs(only_first: int, only_second: int, n: int) -> Bounds:
    value = (only_first - only_second) / n
    if only_first + only_second == 0 or abs(value) == 1:
        alike = agreeing_pairs(untested(value, "", "McNemar", "Cohen's g", n, (n, n))).bounds
        assert alike is not None
        return alike
    return score_bounds(value, tango(only_first, only_second, n), "Tango, paired proportions")


# ---- score bounds of a difference of shares, and equivalence by the same scores

Score = Callable[[float], float]  # of a difference: how many standard errors the observed one lies above it


def miettinen_nurminen(x: int, n: int, y: int, m: int) -> Score:
    """z(δ) = (p̂₁ − p̂₂ − δ) / √V, V = (p̃₁(1−p̃₁)/n + p̃₂(1−p̃₂)/m) · N/(N−1), p̃ the likeliest shares with p̃₁ − p̃₂ = δ.

    p̃₁ is the root of a cubic in closed form. Source: Miettinen & Nurminen 1985; Farrington & Manning 1990.
    """
    first, second, share = x / n, y / m, m / n

    def score(delta: float) -> float:
        a = 1 + share
        b = -(1 + share + first + share * second + delta * (share + 2))
        c = delta**2 + delta * (2 * first + share + 1) + first + share * second
        d = -first * delta * (1 + delta)
        v = (b / (3 * a)) ** 3 - b * c / (6 * a**2) + d / (2 * a)
        u = copysign(sqrt(max(0.0, (b / (3 * a)) ** 2 - c / (3 * a))), v)
        angle = (pi + acos(min(1.0, max(-1.0, v / u**3 if u else 0.0)))) / 3
        one = min(1.0, max(0.0, 2 * u * cos(angle) - b / (3 * a)))
        other = min(1.0, max(0.0, one - delta))
        variance = (one * (1 - one) / n + other * (1 - other) / m) * (n + m) / (n + m - 1)
        return _standardised(first - second - delta, variance)

    return score


def tango(only_first: int, only_second: int, n: int) -> Score:
    """z(δ) = (b − c − nδ) / √(n (2q̃ + δ(1 − δ))) of n pairs, of which b have it in the first alone, c in the second.

    q̃, the likeliest chance of the second alone, is (√(B² − 8nC) − B) / 4n, B = −b − c + (2n − b + c) δ,
    C = −c δ (1 − δ). Source: Tango 1998.
    """
    b, c = only_first, only_second

    def score(delta: float) -> float:
        linear, constant = -b - c + (2 * n - b + c) * delta, -c * delta * (1 - delta)
        alone = (sqrt(max(0.0, linear**2 - 8 * n * constant)) - linear) / (4 * n)
        return _standardised((b - c) / n - delta, (2 * alone + delta * (1 - delta)) / n)

    return score


def _standardised(difference: float, variance: float) -> float:
    if abs(difference) < ROUNDING:
        return 0.0
    return difference / sqrt(variance) if variance > ROUNDING**2 else copysign(inf, difference)


ROUNDING = 1e-9


def score_bounds(value: float, score: Score, method: str, level: float = LEVEL) -> Bounds:
    """The differences δ with |z(δ)| below the normal quantile of the level, around the observed one."""
    reach = NormalDist().inv_cdf((1 + level) / 2)

    def outside(difference: float) -> bool:
        return abs(score(difference)) >= reach

    return Bounds(edge(outside, -1.0, value), edge(outside, 1.0, value), method, level)


def edge(outside: Callable[[float], bool], end: float, inside: float) -> float:
    """The end of an interval between `end`, the farthest value that there is, and one inside it."""
    if not outside(end):
        return end
    for _ in range(HALVINGS):
        middle = (end + inside) / 2
        end, inside = (middle, inside) if outside(middle) else (end, middle)
    return inside


def scores_within(score: Score, margin: float) -> Equivalence:
    """Twice the larger p of the two one-sided score tests of −margin < δ < margin: at most 0.05 where the 95 % score
    interval lies within the margin. ValueError for a margin that is not positive.
    """
    if not margin > 0:
        raise ValueError("the margin must be positive")
    if estimates_alone():
        return Equivalence(None, False, margin, NOT_ASKED)
    normal = NormalDist()
    p = min(1.0, 2 * max(normal.cdf(-score(-margin)), normal.cdf(score(margin))))
    return Equivalence(p, p <= ALPHA, margin)


def paired_within(only_first: int, only_second: int, n: int, margin: float) -> Equivalence:
    """Equivalence of shares over pairs, by `tango`; where no pair differs exactly: (1 − margin)ⁿ, the chance of that if
    so many did, as `agreeing_pairs` has it.
    """
    if only_first + only_second or estimates_alone():
        return scores_within(tango(only_first, only_second, n), margin)
    p = (1 - min(1.0, margin)) ** n
    return Equivalence(p, p <= ALPHA, margin)


def agreeing_pairs(difference: Difference) -> MaybeBounds:
    """The exact interval of a difference of shares over pairs that are all alike: all or none differ, in one direction.

    All n differ: ψ, the chance that a pair which differs favours the first, is within Clopper and Pearson's bounds, and
    the difference is 2ψ − 1; 0 is within it where McNemar's exact p = 2 / 2ⁿ is above 0.05. None differs: at most
    1 − 0.05^(1/n) of pairs do, one-sided, and the difference is no farther from 0. Other differences: as they are.
    """
    value, n = difference.value, difference.n_by_group[0] if difference.n_by_group else 0
    if value is None or n == 0 or abs(value) not in (0.0, 1.0):
        return difference.interval
    if value == 0:
        most = 1 - (1 - LEVEL) ** (1 / n)
        return MaybeBounds(Bounds(-most, most, "exact, no pair differs", LEVEL))
    least = 2 * ((1 - LEVEL) / 2) ** (1 / n) - 1
    low, high = (least, 1.0) if value > 0 else (-1.0, -least)
    return MaybeBounds(Bounds(low, high, "exact, all pairs differ", LEVEL))


# ---- the ratio of two independent proportions


@dataclass(frozen=True)
class RateRatio:
    """p₁ / p₂; None where it is undefined, and `reason` says why."""

    value: float | None
    reason: str
    interval: MaybeBounds
    n_by_group: tuple[float, float]


def ratio_to_highest_level(groups: int) -> float:
    """The level of each interval of a rate over the highest of so many rates, which was chosen for being so.

    1 − 0.05 / m with the m = k (k − 1) / 2 pairs that might have been compared (Bonferroni): where all rates are the
    same, at most 5 % of studies have an interval that leaves out 1.
    """
    return 1 - (1 - LEVEL) / max(1, groups * (groups - 1) // 2)


def rate_ratio(
    successes_first: float,
    n_first: float,
    successes_second: float,
    n_second: float,
    *,
    corrected: bool = True,
    level: float = LEVEL,
) -> RateRatio:
    """θ = p₁ / p₂ with the score interval of Miettinen and Nurminen (1985); Koopman's (1984) where not `corrected`.

    The interval holds every θ with (p̂₁ − θ p̂₂)² ≤ z² V, V = (p̃₁(1−p̃₁)/n₁ + θ² p̃₂(1−p̃₂)/n₂) · N/(N−1), where p̃ are
    the likeliest proportions with the ratio θ; Koopman's V is without N/(N−1). Undefined where p̂₂ is 0. n may be an
    effective number and fractional. ValueError where successes exceed n.
    """
    counts = (n_first, n_second)
    if not (0 <= successes_first <= n_first and 0 <= successes_second <= n_second):
        raise ValueError("successes must lie between 0 and n")
    why = "a group has no units" if min(counts) == 0 else "the second rate is 0" if successes_second == 0 else ""
    if why:
        return RateRatio(None, why, MaybeBounds(None, why), counts)
    value = successes_first / n_first / (successes_second / n_second)
    if estimates_alone():
        return RateRatio(value, "", NO_BOUNDS, counts)
    z = NormalDist().inv_cdf((1 + level) / 2)
    widened = sum(counts) / (sum(counts) - 1) if corrected else 1.0

    def outside(ratio: float) -> bool:
        variance = widened * _restricted_variance(ratio, successes_first, n_first, successes_second, n_second)
        return (successes_first / n_first - ratio * successes_second / n_second) ** 2 > z * z * variance

    low = 0.0 if successes_first == 0 else _edge_by_factors(outside, value, 0.5)
    high = _edge_by_factors(outside, value or 1 / (n_first * n_second), 2.0)
    name = "Miettinen–Nurminen score" if corrected else "Koopman score"
    return RateRatio(value, "", MaybeBounds(Bounds(low, high, name, level)), counts)


def _restricted_variance(ratio: float, x: float, n: float, y: float, m: float) -> float:
    """The variance of p̂₁ − θ p̂₂ at the likeliest proportions with p₁ = θ p₂."""
    # The smaller root of N θ p² − (θ (n + y) + x + m) p + x + y = 0, written without a difference of equals.
    linear = ratio * (n + y) + x + m
    second = 2 * (x + y) / (linear + sqrt(max(0.0, linear**2 - 4 * (n + m) * ratio * (x + y))))
    first = ratio * second
    return max(0.0, first * (1 - first)) / n + ratio**2 * max(0.0, second * (1 - second)) / m


def _edge_by_factors(outside: Callable[[float], bool], inside: float, step: float) -> float:
    """Return the end of the interval, from a ratio inside it that is multiplied by `step` until it is outside."""
    beyond = inside * step
    while not outside(beyond):
        inside, beyond = beyond, beyond * step
    for _ in range(HALVINGS):
        middle = sqrt(inside * beyond)
        inside, beyond = (inside, middle) if outside(middle) else (middle, beyond)
    return sqrt(inside * beyond)


HALVINGS = 60  # of a factor of two: to the last digit
