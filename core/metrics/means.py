"""Means: intervals, tests of one mean and of differences of means, and of equivalence."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, inf, isinf, sqrt

import numpy as np

from biasprint.core.metrics.resampling import worth
from biasprint.core.metrics.result import (
    LEVEL,
    NO_BOUNDS,
    NOT_ASKED,
    Alternative,
    Bounds,
    Difference,
    Floats,
    Ints,
    MaybeBounds,
    TestResult,
    constant,
    estimates_alone,
    finite,
    same_length,
    separated,
    untested,
)
from biasprint.core.metrics.sums import exact_mean

# ---- Student's t


def t_quantile(probability: float, freedom: float) -> float:
    """The value that t with `freedom` degrees of freedom stays below with this probability; normal for infinitely
    many."""
    from scipy.special import ndtri, stdtrit

    return float(ndtri(probability) if isinf(freedom) else stdtrit(freedom, probability))


def two_sided_t(statistic: float, freedom: float) -> float:
    """The probability of |t| at least as large as |`statistic`|."""
    from scipy.special import ndtr, stdtr

    below = -abs(statistic)
    return float(2 * (ndtr(below) if isinf(freedom) else stdtr(freedom, below)))


def mean_interval(values: Floats, level: float = LEVEL) -> MaybeBounds:
    """x̄ ± t₍n−1₎ s/√n. `values`: independent units, shape (n,). Fewer than two have none. ValueError for NaN."""
    finite(values)
    if estimates_alone():
        return NO_BOUNDS
    if len(values) < 2:
        return MaybeBounds(None, "a mean of fewer than two units has no interval")
    half = float(t_quantile((1 + level) / 2, len(values) - 1) * values.std(ddof=1) / np.sqrt(len(values)))
    mean = exact_mean(values)
    return MaybeBounds(Bounds(mean - half, mean + half, f"t, df {len(values) - 1}", level))


def levels_drawn_interval(mean: float, error: float, levels: Floats, level: float = LEVEL) -> MaybeBounds:
    """x̄ ± t₍ν₎ √(s.e.² + s²/k): of a mean over levels of a factor, such as wordings, for the levels they stand for.

    `error`: the standard error of `mean` for these levels; `levels`: the value at each, shape (k,), and s² their
    variance. ν after Satterthwaite: (s.e.² + s²/k)² / ((s²/k)² / (k − 1)), s.e. as if known. The values' own errors are
    in s² too, so that the interval is rather too wide than too narrow. Fewer than three levels have none. ValueError
    for NaN.
    """
    finite(levels)
    if len(levels) < 3:
        return MaybeBounds(None, "fewer than three levels do not show how others would differ")
    between = float(levels.var(ddof=1)) / len(levels)
    variance = error**2 + between
    freedom = variance**2 / (between**2 / (len(levels) - 1)) if between else inf
    half = t_quantile((1 + level) / 2, freedom) * sqrt(variance)
    return MaybeBounds(Bounds(mean - half, mean + half, f"t, df {freedom:.1f}, over {len(levels)} levels", level))


def bounded_mean_interval(values: Floats, clusters: Ints, level: float = LEVEL) -> MaybeBounds:
    """Wilson's interval with the number of trials m = x̄(1 − x̄) / s.e.² that a proportion of this error would have.

    (x̄ + t²/2m ± t √(x̄(1 − x̄)/m + t²/4m²)) / (1 + t²/m), t with C − 1 df over the C clusters; s.e. as `clustered_mean`.
    Values near 0 with a long tail, as Wasserstein distances are, are left out by x̄ ± t s.e. from below too seldom and
    from above too often: see docs/tables/statistics-simulations.md. `values` in [0, 1], `clusters`: shapes (n,).
    ValueError for others.
    """
    same_length(values, clusters)
    units = finite(values)
    if estimates_alone():
        return NO_BOUNDS
    if len(units) and not 0 <= units.min() <= units.max() <= 1:
        raise ValueError("values must lie between 0 and 1")
    numbers = np.unique(clusters, return_inverse=True)[1]
    count, n = int(numbers.max(initial=-1)) + 1, len(units)
    if count < 2:
        return MaybeBounds(None, "fewer than two units that were sampled apart")
    mean = float(units.mean())
    error2 = count / (count - 1) * float((np.bincount(numbers, units - mean) ** 2).sum()) / n**2
    if constant(units) or error2 == 0:
        return MaybeBounds(None, "no variation between the units")
    quantile = t_quantile((1 + level) / 2, count - 1)
    per_trial = quantile**2 * error2 / (mean * (1 - mean))
    centre = (mean + per_trial / 2) / (1 + per_trial)
    half = quantile * sqrt(error2 + per_trial * error2 / (4 * mean * (1 - mean))) / (1 + per_trial)
    return MaybeBounds(
        Bounds(max(0.0, centre - half), min(1.0, centre + half), f"Wilson by effective n, df {count - 1}", level)
    )


def one_sample_mean(values: Floats, against: float = 0.0, *, alternative: Alternative = "two-sided") -> Difference:
    """x̄ − `against`, Student's one-sample t with n − 1 df, effect d = (x̄ − against) / s (ddof 1).

    `values`: independent units, shape (n,). Values that are all equal are tested by exact sign flips. No p where n < 2
    or all are equal to `against`. ValueError for NaN.
    """
    units = finite(values) - finite(against)
    return t_of(units, (len(units),), "one-sample t", "d", alternative, magnitude=abs(against))


def worth_mean(values: Floats, sizes: Floats, *groupings: Ints) -> Difference:
    """Σ w x / Σ w against 0: t with the variance and degrees of freedom of `core.metrics.resampling`, w of `sizes`.

    For values that belong together in one way or in two that cross. Shapes (n,). Values that are all equal are tested
    by exact sign flips of the clusters of which there are fewest; no p where they are all 0. ValueError for NaN.
    """
    weights, n = finite(sizes), len(finite(values))
    if n == 0:
        return untested(None, "no units", "t over people", "d", 0, (0,))
    mean = float(weights @ values / weights.sum())
    if estimates_alone():
        return untested(mean, NOT_ASKED, "t over people", "d", n, (n,))
    residuals = (weights * (values - mean))[:, None]
    alone = float((residuals**2).sum())
    if constant(values) or alone == 0:
        alike = untested(mean, "no variation between the units", "t over people", "d", n, (n,))
        fewest = min((len(np.unique(grouping)) for grouping in groupings), default=n)
        apart = fewest > 1 and not constant(np.append(values, 0.0))
        return separated(alike, "sign flips of people or comparisons, exact", 0.5**fewest) if apart else alike
    known = worth(residuals, weights, alone, *groupings)
    error, freedom = sqrt(known.effect * alone) / float(weights.sum()), min(known.freedom, n - 1.0)
    half, statistic = t_quantile((1 + LEVEL) / 2, freedom) * error, mean / error
    interval = MaybeBounds(Bounds(mean - half, mean + half, f"t, {known.words}", LEVEL))
    p = two_sided_t(abs(statistic), freedom)
    effect = mean / float(np.sqrt(weights @ (values - mean) ** 2 / weights.sum()))
    return Difference(mean, "", interval, p, statistic, "t over people", "d", effect, n, (n,))


def t_of(
    differences: Floats,
    n_by_group: tuple[int, ...],
    test: str,
    effect_name: str,
    alternative: Alternative,
    *,
    magnitude: float = 0.0,
) -> Difference:
    """The t-test of a mean of 0; `differences` finite, shape (n,), of numbers as large as `magnitude`.

    Where all differ alike, t is undefined and the exact sign-flip test has p = 2 / 2ⁿ (one-sided 1 / 2ⁿ).
    """
    from scipy.stats import ttest_1samp

    n = len(differences)
    if n == 0:
        return untested(None, "no units", test, effect_name, 0, n_by_group)
    value = exact_mean(differences)
    if estimates_alone():
        return untested(value, NOT_ASKED, test, effect_name, n, n_by_group)
    if n == 1:
        return untested(value, "one unit has no spread to test against", test, effect_name, n, n_by_group)
    if constant(differences, magnitude):
        alike = untested(value, "no variation between the units", test, effect_name, n, n_by_group)
        nothing = constant(np.append(differences, 0.0), magnitude)
        return alike if nothing else separated(alike, "sign flips, exact", 0.5**n, alternative)
    outcome = ttest_1samp(differences, 0.0, alternative=alternative)
    effect = value / float(differences.std(ddof=1))
    interval = mean_interval(differences)
    return Difference(
        value, "", interval, float(outcome.pvalue), float(outcome.statistic), test, effect_name, effect, n, n_by_group
    )


def paired_difference(first: Floats, second: Floats, *, alternative: Alternative = "two-sided") -> Difference:
    """Mean of first − second over pairs, paired t with n − 1 df, effect d_z = mean / SD of the differences (ddof 1).

    `first`, `second`: one value per pair, shape (n,). Pairs that all differ by the same amount are
    tested by exact sign flips. No p where n < 2 or no pair differs. ValueError for NaN or unequal lengths.
    """
    same_length(first, second)
    x, y, n = finite(first), finite(second), len(first)
    magnitude = float(np.abs([x, y]).max(initial=0.0))
    return t_of(x - y, (n, n), "paired t", "d_z", alternative, magnitude=magnitude)


def two_sample_difference(
    first: Floats, second: Floats, *, equal_variances: bool = False, alternative: Alternative = "two-sided"
) -> Difference:
    """Mean of `first` minus mean of `second`; Welch's t, or Student's pooled t where `equal_variances`.

    `first`, `second`: independent units, shapes (n,) and (m,). Effect: Cohen's d with the pooled SD (ddof 1).
    Groups of which neither varies are tested by exact permutation, one-sided p = 1 / C(n + m, n), twice that two-sided;
    not where `equal_variances`. No p where a group has fewer than two units or all units are equal. ValueError for NaN.
    """
    from scipy.stats import ttest_ind

    x, y = finite(first), finite(second)
    counts = (len(x), len(y))
    test = "Student's t, pooled" if equal_variances else "Welch's t"
    if min(counts) == 0:
        return untested(None, "a group has no units", test, "Cohen's d", sum(counts), counts)
    value = exact_mean(x) - exact_mean(y)
    if estimates_alone():
        return untested(value, NOT_ASKED, test, "Cohen's d", sum(counts), counts)
    if min(counts) == 1:
        return untested(value, "a group has only one unit", test, "Cohen's d", sum(counts), counts)
    if constant(x) and constant(y):
        alike = untested(value, "no variation within the groups", test, "Cohen's d", sum(counts), counts)
        if equal_variances or constant(np.concatenate([x, y])):
            return alike
        return separated(alike, "permutation, exact", 1 / comb(sum(counts), counts[0]), alternative)
    moved = _without_the_constant(x, y)
    both_ways = ttest_ind(*moved, equal_var=equal_variances)
    low, high = both_ways.confidence_interval(LEVEL)
    outcome = ttest_ind(*moved, equal_var=equal_variances, alternative=alternative)
    return Difference(
        value=value,
        reason="",
        interval=MaybeBounds(Bounds(float(low), float(high), f"{test}, df {float(both_ways.df):.4g}")),
        p=float(outcome.pvalue),
        statistic=float(outcome.statistic),
        test=test,
        effect_name="Cohen's d",
        effect=value / _pooled_sd(x, y),
        n=sum(counts),
        n_by_group=counts,
    )


def _without_the_constant(first: Floats, second: Floats) -> tuple[Floats, Floats]:
    """Subtract the value of a constant sample from both: the difference stays, and rounding is no variance of it.

    Of units that are all 1/3, say, scipy warns of what it takes for a loss of precision.
    """
    alike = next((sample for sample in (first, second) if constant(sample)), None)
    return (first, second) if alike is None else (first - alike[0], second - alike[0])


def _pooled_sd(first: Floats, second: Floats) -> float:
    """√(((n − 1) s₁² + (m − 1) s₂²) / (n + m − 2)); n + m > 2."""
    squares = (len(first) - 1) * float(first.var(ddof=1)) + (len(second) - 1) * float(second.var(ddof=1))
    return sqrt(squares / (len(first) + len(second) - 2))


def mean_difference(samples: Sequence[Floats]) -> TestResult:
    """Student's t (equal variances) for two samples, one-way ANOVA for three and more, as if all were independent.

    `samples`: one array of units per group. Source: Kumar et al. 2024, Table 1 (unit of the test assumed).
    ValueError for NaN.
    """
    from scipy.stats import f_oneway, ttest_ind

    for sample in samples:
        finite(sample)
    name = "t" if len(samples) == 2 else "ANOVA"
    if estimates_alone():
        return TestResult(name, None, None, NOT_ASKED)
    if len(samples) < 2 or any(len(sample) < 2 for sample in samples):
        return TestResult(name, None, None, "fewer than two groups with two units each")
    if all(constant(sample) for sample in samples):
        return TestResult(name, None, None, "no variation within the groups")
    outcome = ttest_ind(*_without_the_constant(*samples)) if len(samples) == 2 else f_oneway(*samples)
    return TestResult(name, float(outcome.statistic), float(outcome.pvalue))


def clustered_mean(values: Floats, clusters: Ints) -> Difference:
    """x̄ against 0, with clusters as the units: s.e.² = C/(C−1) Σ_c (Σ_{i∈c} (x_i − x̄))² / n², t with C − 1 df.

    Where every cluster has one unit this is Student's one-sample t. `values`, `clusters`: shapes (n,). Effect: x̄ over
    the SD of the units. Clusters whose means are all equal are tested by exact sign flips of clusters. No p where there
    are fewer than two clusters or all means are 0. ValueError for NaN.
    Source: the linearised variance of a ratio (Cochran 1977, section 9.2), a mean over clusters of unequal size.
    """
    same_length(values, clusters)
    units = finite(values)
    if estimates_alone() and len(units):
        return untested(exact_mean(units), NOT_ASKED, "t over clusters", "d", len(units), (len(units),))
    numbers = np.unique(clusters, return_inverse=True)[1]
    count, n = int(numbers.max(initial=-1)) + 1, len(units)
    if count == n:
        return one_sample_mean(units)
    test, mean = "t over clusters", exact_mean(units)
    if count < 2:
        return untested(mean, "all were sampled together: nothing to compare them with", test, "d", n, (count,))
    if constant(units):
        alike = untested(mean, "no variation between the units", test, "d", n, (count,))
        return separated(alike, "sign flips of clusters, exact", 0.5**count) if units.any() else alike
    between = np.bincount(numbers, units - mean)
    error = float(np.sqrt(count / (count - 1) * (between**2).sum())) / n
    effect, largest = mean / float(units.std(ddof=1)), float(np.abs(units).max())
    if constant(np.append(between, 0.0), largest * n):  # rounding is no variance of clusters that are all alike
        same = untested(mean, "no variation between the clusters", test, "d", n, (count,))
        nothing = constant(np.array([mean, 0.0]), largest)
        return same if nothing else separated(same, "sign flips of clusters, exact", 0.5**count)
    half = t_quantile((1 + LEVEL) / 2, count - 1) * error
    bounds = Bounds(mean - half, mean + half, f"t over {count} clusters")
    p = two_sided_t(abs(mean / error), count - 1)
    return Difference(mean, "", MaybeBounds(bounds), p, mean / error, test, "d", effect, n, (count,))


ALPHA = 0.05


@dataclass(frozen=True)
class Equivalence:
    """`p`: twice the larger of the two one-sided p values, so that it is at most 0.05 where the 95 % interval lies
    within the margin; None where undefined, and `reason` says why.
    """

    p: float | None
    equivalent: bool
    margin: float
    reason: str = ""


def equivalence(
    difference: Floats | tuple[Floats, Floats], margin: float, *, equal_variances: bool = False, alpha: float = ALPHA
) -> Equivalence:
    """Two one-sided t-tests (TOST) of −margin < mean difference < margin.

    `difference`: differences of pairs, shape (n,), or a tuple of two independent samples (Welch, or pooled where
    `equal_variances`). Both tests must be significant at half of `alpha`: the interval that is shown lies within the
    margin. Undefined where no unit varies. ValueError for NaN or a margin not above 0. Source: Schuirmann 1987.
    """
    from scipy.stats import ttest_1samp, ttest_ind

    if not margin > 0:
        raise ValueError("the margin must be positive")
    if estimates_alone():
        return Equivalence(None, False, margin, NOT_ASKED)
    samples = [finite(sample) for sample in (difference if isinstance(difference, tuple) else (difference,))]
    if min(map(len, samples)) < 2:
        return Equivalence(None, False, margin, "fewer than two units")
    if all(constant(sample) for sample in samples):
        return Equivalence(None, False, margin, "no variation between the units")
    if len(samples) == 1:
        above = ttest_1samp(samples[0], -margin, alternative="greater")
        below = ttest_1samp(samples[0], margin, alternative="less")
    else:
        x, y = samples
        above = ttest_ind(*_without_the_constant(x + margin, y), equal_var=equal_variances, alternative="greater")
        below = ttest_ind(*_without_the_constant(x - margin, y), equal_var=equal_variances, alternative="less")
    p = min(1.0, 2 * float(np.max([above.pvalue, below.pvalue])))
    return Equivalence(p, p <= alpha, margin)


def base_rate_equivalence(first: Floats, second: Floats, part: float, *, alpha: float = ALPHA) -> Equivalence:
    """Two one-sided tests of |x̄ − ȳ| < part · (x̄ + ȳ)/2: a margin in units of the base rate, itself estimated.

    x̄ − ȳ − part (x̄ + ȳ)/2 = (1 − part/2) x̄ − (1 + part/2) ȳ, so each side is Welch's t of scaled samples, and the error
    of the base rate is in it. It says that x̄/ȳ lies between (2 − part)/(2 + part) and its inverse.
    `first`, `second`: independent units of means that are not negative, shapes (n,) and (m,). `margin` is the estimated
    one. ValueError for NaN or a part outside (0, 2). Source: Hauschke, Kieser & Hothorn 1999, with Welch's variances.
    """
    from scipy.stats import ttest_ind

    if not 0 < part < 2:
        raise ValueError("the part must lie between 0 and 2")
    x, y = finite(first), finite(second)
    if min(len(x), len(y)) < 2:
        return Equivalence(None, False, 0.0, "fewer than two units")
    margin = part * float(x.mean() + y.mean()) / 2
    if estimates_alone():
        return Equivalence(None, False, margin, NOT_ASKED)
    less, more = 1 - part / 2, 1 + part / 2
    if constant(x) and constant(y):
        if margin == 0:
            return Equivalence(None, False, margin, "no base rate: all values are 0")
        return Equivalence(None, False, margin, "no variation between the units")
    above = ttest_ind(*_without_the_constant(less * x, more * y), equal_var=False, alternative="less")
    below = ttest_ind(*_without_the_constant(more * x, less * y), equal_var=False, alternative="greater")
    p = min(1.0, 2 * float(np.max([above.pvalue, below.pvalue])))
    return Equivalence(p, p <= alpha, margin)
