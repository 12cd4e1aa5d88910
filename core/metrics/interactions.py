"""Factors beside each other: two crossed ones with their interaction, and raters and texts as random effects.

Crossed: texts fall into the cells of a table, one row per level of the first factor, one column per level of the second
(gender × race). A contrast weighs the cells' means or log odds; its error is the sum over what was sampled together.

Random: logit P(chosen) = α + u_rater + v_comparison, u ~ N(0, σ²_u), v ~ N(0, σ²_v). The share is that of another rater
and another comparison, E[expit(α + u + v)], and not expit(α): raters who differ pull shares towards ½, so that without
any preference among three identities α lies below logit ⅓.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import exp, sqrt
from typing import Literal

import numpy as np

from biasprint.core.metrics.means import t_of, t_quantile, two_sided_t
from biasprint.core.metrics.odds import FEWEST_CLUSTERS, FEWEST_EXPECTED, HALDANE, OddsRatio
from biasprint.core.metrics.proportions import two_proportions
from biasprint.core.metrics.result import (
    LEVEL,
    NO_BOUNDS,
    NOT_ASKED,
    Bounds,
    Difference,
    Floats,
    Ints,
    MaybeBounds,
    Numbers,
    constant,
    estimates_alone,
    finite,
    same_length,
    untested,
)

# ---- which cells are weighed against which


@dataclass(frozen=True)
class CrossedContrast:
    """`weights`: one per cell, row by row. `of`: the factor whose effect it is, or both.

    `rows`, `columns`: the two levels that are compared; both pairs for an interaction, else the other pair is empty.
    """

    of: Literal["rows", "columns", "interaction"]
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    weights: tuple[float, ...]


def crossed_contrasts(rows: int, columns: int) -> tuple[CrossedContrast, ...]:
    """Return every main effect, then every interaction, of two factors with so many levels.

    Main effect of levels a and b of the rows: Σ_j (m_aj − m_bj) / columns, every column counting alike, however many
    texts it has. Interaction of a, b and c, d: (m_ac − m_bc) − (m_ad − m_bd). ValueError for a factor with one level.
    """
    if min(rows, columns) < 2:
        raise ValueError("a factor needs two levels")
    contrasts = []
    for a, b in _pairs(rows):
        contrasts.append(_contrast("rows", (a, b), (), np.outer(_step(rows, a, b), np.full(columns, 1 / columns))))
    for c, d in _pairs(columns):
        contrasts.append(_contrast("columns", (), (c, d), np.outer(np.full(rows, 1 / rows), _step(columns, c, d))))
    for a, b in _pairs(rows):
        for c, d in _pairs(columns):
            weights = np.outer(_step(rows, a, b), _step(columns, c, d))
            contrasts.append(_contrast("interaction", (a, b), (c, d), weights))
    return tuple(contrasts)


def _pairs(levels: int) -> list[tuple[int, int]]:
    return [(i, j) for i in range(levels) for j in range(i + 1, levels)]


def _step(levels: int, up: int, down: int) -> Floats:
    step = np.zeros(levels)
    step[up], step[down] = 1.0, -1.0
    return step


def _contrast(
    of: Literal["rows", "columns", "interaction"], rows: tuple[int, ...], columns: tuple[int, ...], weights: Floats
) -> CrossedContrast:
    return CrossedContrast(of, rows, columns, tuple(float(weight) for weight in weights.ravel()))


# ---- means, and shares as means of 0 and 1

TEST = "t of a contrast of cells"


def crossed_means(values: Floats, cell: Ints, clusters: Ints, weights: Sequence[float]) -> Difference:
    """Σ_k w_k x̄_k: a main effect or an interaction of means, or, for values of 0 and 1, of shares.

    `values`, `cell` (from 0), `clusters` (what was sampled together): shapes (n,); `weights`: one per cell. Cells that
    share clusters are one sample: var = Σ_s G_s/(G_s−1) Σ_{g∈s} u_g², u_g = Σ_k w_k Σ_{i∈g,k} (x_i − x̄_k) / n_k, over
    the samples s with G_s clusters; t with Satterthwaite's degrees of freedom. Where every cluster has one text of
    each cell this is the paired t-test of the clusters' contrasts; where none is shared, Welch's test. Effect: over
    the SD within cells. No p where a sample has fewer than two clusters or nothing varies; clusters with the same
    contrast, other than 0, are tested by exact sign flips; shares of unclustered texts that are all 0 or 1 in every
    cell by the bounds of Wilson's intervals, those of two cells by Boschloo's exact test (`two_proportions`).
    ValueError for NaN or unequal lengths.
    Source: the cluster-robust variance (Liang & Zeger 1986); degrees of freedom of Welch 1947; Zou & Donner 2008.
    """
    same_length(values, cell)
    same_length(values, clusters)
    given, weighing = finite(values), finite(weights, "weights")
    sizes = np.bincount(cell, minlength=len(weighing))
    used = tuple(int(size) for size in sizes[weighing != 0])
    if min(used, default=0) == 0:
        return untested(None, "a cell has no texts", TEST, "d", sum(used), used)
    within = weighing[cell] != 0
    x, cells, groups = given[within], cell[within], np.unique(clusters[within], return_inverse=True)[1]
    means = np.bincount(cells, x, minlength=len(weighing)) / np.maximum(sizes, 1)
    parts = weighing[cells] / sizes[cells]
    size = float(np.abs(x).max()) * float(np.abs(weighing).sum())
    if _balanced(cells, groups, used):
        contrasts = np.asarray(np.bincount(groups, parts * x) * float(groups.max() + 1), dtype=np.float64)
        return t_of(contrasts, used, f"{TEST}, matched", "d_z", "two-sided", magnitude=size)
    value, residuals = float(weighing @ means), x - means[cells]
    if estimates_alone():
        return untested(value, NOT_ASKED, TEST, "d", sum(used), used)
    error2, freedom, fewest = _variance(parts * residuals, cells, groups)
    trouble = "a cell's texts were all sampled together: nothing to compare them with" if fewest < 2 else ""
    if not trouble and constant(np.append(np.bincount(groups, parts * residuals), 0.0), size):
        trouble = "no variation between the units"
    if trouble:
        apart = fewest > 1 and len(groups) == int(groups.max()) + 1 and bool(np.isin(x, (0, 1)).all())
        return _of_shares(weighing, means, sizes) if apart else untested(value, trouble, TEST, "d", sum(used), used)
    statistic, test = value / sqrt(error2), f"{TEST}, df {freedom:.4g}"
    half = t_quantile((1 + LEVEL) / 2, freedom) * sqrt(error2)
    interval = MaybeBounds(Bounds(value - half, value + half, f"t, df {freedom:.4g}"))
    spare = max(1, len(x) - len(used))
    effect = value / sqrt(float(residuals @ residuals) / spare) if residuals.any() else None
    p = two_sided_t(statistic, freedom)
    return Difference(value, "", interval, p, statistic, test, "d", effect, sum(used), used)


MOST_ERRORS = 1e3
SHARES_TEST = "contrast of shares, by the bounds of Wilson's intervals"


def _of_shares(weights: Floats, shares: Floats, sizes: Ints) -> Difference:
    """Σ w p between V − √Σ (w p − l)² and V + √Σ (u − w p)², l and u the bounds of w p by Wilson; p where 0 is a bound.

    Where it is at no level, p is that of the log odds with ½ in every cell. It has a width also where every cell's
    share is 0 or 1. A plain difference of two cells is tested exactly: by these bounds 2 against 2 would have p = 0.03.
    """
    from scipy.optimize import brentq
    from scipy.stats import norm

    used = weights != 0
    w, p, n = weights[used], shares[used], sizes[used]
    if sorted(w) == [-1.0, 1.0]:
        larger, smaller = (int(place) for place in np.argsort(-w))
        return two_proportions(
            round(p[larger] * n[larger]), int(n[larger]), round(p[smaller] * n[smaller]), int(n[smaller]), exact=True
        )
    value = float(w @ p)

    def bounds(z: float) -> tuple[float, float]:
        centre = (p + z**2 / (2 * n)) / (1 + z**2 / n)
        half = z * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
        ends = np.sort(np.array([w * (centre - half), w * (centre + half)]), axis=0)
        low, high = np.sqrt(((w * p - ends) ** 2).sum(axis=1))
        return value - float(low), value + float(high)

    low, high = bounds(float(norm.ppf((1 + LEVEL) / 2)))
    interval = MaybeBounds(Bounds(low, high, "Zou and Donner's of Wilson's"))
    z, nearest = 0.0, int(value < 0)
    if value * bounds(MOST_ERRORS)[nearest] < 0:
        z = float(brentq(lambda at: bounds(at)[nearest], 1e-9, MOST_ERRORS))
    elif value:
        some, others = n * p + HALDANE, n * (1 - p) + HALDANE
        z = abs(float(w @ np.log(some / others))) / sqrt(float(w**2 @ (1 / some + 1 / others)))
    counts = tuple(int(size) for size in n)
    p_value = float(2 * norm.sf(z))
    return Difference(value, "", interval, p_value, z, SHARES_TEST, "difference of shares", value, sum(counts), counts)


def crossed_odds(
    counts: Numbers,
    totals: Numbers,
    cell: Ints,
    clusters: Ints,
    weights: Sequence[float],
    *,
    added: float = HALDANE,
) -> OddsRatio:
    """exp Σ_k w_k ln[(a_k + ½) / (n_k − a_k + ½)]: a mean odds ratio, or a ratio of odds ratios for an interaction.

    `counts` out of `totals` of each text, `cell`, `clusters`: shapes (n,). Shares are counts of 1 or 0 out of 1. The
    error is that of the linearised log odds, by clusters as in `crossed_means`, and at least the log-normal one where
    a cell has none or nothing else; interval by t. `added` to every cell: ½ (Haldane). Undefined where a cell has no
    texts, expects fewer than 5, or a text has more counted than its total. No interval with fewer than 8 clusters.
    ValueError for NaN or unequal lengths.
    Source: logistic regression with both factors and their product, all cells its own; Gart 1966 for the ½.
    """
    for column in (totals, cell, clusters):
        same_length(counts, column)
    some, whole, weighing = finite(counts, "counts"), finite(totals, "totals"), finite(weights, "weights")
    within = weighing[cell] != 0
    a, n, cells = some[within], whole[within], cell[within]
    inside, total = (np.bincount(cells, each, minlength=len(weighing)) for each in (a, n))
    used = weighing != 0
    if trouble := _uncounted(inside[used], total[used], bool((a > n).any())):
        return OddsRatio(None, trouble, MaybeBounds(None, "no estimate"))
    outside = total - inside
    log_odds = np.log(inside[used] + added) - np.log(outside[used] + added)
    value = float(weighing[used] @ log_odds)
    if estimates_alone():
        return OddsRatio(exp(value), "", NO_BOUNDS)
    per_cell = np.zeros(len(weighing))
    per_cell[used] = 1 / (inside[used] + added) + 1 / (outside[used] + added)
    share = np.divide(inside, total, out=np.zeros(len(weighing)), where=total > 0)
    parts = weighing[cells] * per_cell[cells] * (a - share[cells] * n)
    error2, freedom, fewest = _variance(parts, cells, np.unique(clusters[within], return_inverse=True)[1])
    if fewest < FEWEST_CLUSTERS:
        reason = f"fewer than {FEWEST_CLUSTERS} texts or matched blocks in a cell"
        return OddsRatio(exp(value), "", MaybeBounds(None, reason))
    method = f"t of log odds, df {freedom:.4g}"
    if min(inside[used].min(), outside[used].min()) == 0:
        error2, method = max(error2, float(weighing**2 @ per_cell)), f"{method}, at least log-normal with ½"
    if error2 == 0:
        return OddsRatio(exp(value), "", MaybeBounds(None, "no variation between the units"))
    half = t_quantile((1 + LEVEL) / 2, freedom) * sqrt(error2)
    p = two_sided_t(value / sqrt(error2), freedom)
    return OddsRatio(exp(value), "", MaybeBounds(Bounds(exp(value - half), exp(value + half), method)), p)


def _uncounted(inside: Floats, total: Floats, overfull: bool) -> str:
    """Return why these cells have no odds ratio; empty where they have one."""
    if len(total) == 0 or total.min() == 0:
        return "a cell has no words" if len(total) and total.sum() else "a cell has no texts"
    if overfull:
        return "more matches than words"
    expected = float(inside.sum() * total.min() / total.sum())
    return f"expected count {expected:.1f} is below {FEWEST_EXPECTED:.0f}" if expected < FEWEST_EXPECTED else ""


def _balanced(cells: Ints, groups: Ints, used: tuple[int, ...]) -> bool:
    """Has every cluster equally many texts of every cell, so that each has its own contrast?"""
    number = int(groups.max()) + 1
    numbers = np.unique(cells, return_inverse=True)[1]
    table = np.bincount(groups * len(used) + numbers, minlength=number * len(used))
    return bool(np.ptp(table) == 0)


def _variance(parts: Floats, cells: Ints, groups: Ints) -> tuple[float, float, int]:
    """Σ_s G_s/(G_s − 1) Σ u_g², its degrees of freedom, and the fewest clusters of a sample.

    `parts`: what each text adds to the contrast's error, shape (n,); `groups` from 0. A sample is all that is
    connected by clusters with texts of several cells.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    number = int(groups.max()) + 1
    nodes = number + int(cells.max()) + 1
    links = coo_array((np.ones(len(cells)), (groups, number + cells)), shape=(nodes, nodes))
    sample = connected_components(links, directed=False)[1][:number]
    between = np.bincount(groups, parts, minlength=number)
    sizes, errors = [], []
    for each in np.unique(sample):
        own = between[sample == each]
        sizes.append(len(own))
        errors.append(len(own) / max(1, len(own) - 1) * float(own @ own))
    error2 = sum(errors)
    if min(sizes) < 2 or error2 == 0:
        return error2, 1.0, min(sizes)
    spread = sum(error**2 / (size - 1) for error, size in zip(errors, sizes, strict=True))
    return error2, error2**2 / spread, min(sizes)


# ---- A share of choices by a logistic mixed model: raters and texts are both drawn from more of their kind

FEWEST_RATERS = 2
LARGEST_DEVIATION = 10.0  # on the logit scale: the choices are separated by rater or comparison
STEPS, CLOSE, STILL = 100, 1e-9, 1e-7
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(60)

ONE_RATER = "one rater: a mixed model needs two or more, to tell how far raters differ"
ONE_COMPARISON = "one comparison: a mixed model needs two or more"
ALIKE = "all choices are alike, so that the mixed model has no largest likelihood"
NOT_CONVERGED = "the mixed model does not converge: each rater, or each comparison, decides nearly every choice"


@dataclass(frozen=True)
class MixedShare:
    """`value`: the share, with interval and p against chance; None with a `reason` where there is no estimate.

    `intercept`: α, with its standard error `error`. `of_raters`, `of_comparisons`: σ_u and σ_v, the latter None where
    no comparison was judged by two raters, so that it cannot be estimated.
    """

    value: float | None
    reason: str = ""
    interval: Bounds | None = None
    p: float | None = None
    intercept: float = 0.0
    error: float = 0.0
    of_raters: float = 0.0
    of_comparisons: float | None = None

    @property
    def other(self) -> "MixedShare":
        """The share of what was not chosen."""
        if self.value is None or self.interval is None:
            return self
        bounds = replace(self.interval, low=1 - self.interval.high, high=1 - self.interval.low)
        return replace(self, value=1 - self.value, interval=bounds, intercept=-self.intercept)


def mixed_share(chosen: Floats, rater: Ints, comparison: Ints, chance: float) -> MixedShare:
    """Return the share by the largest Laplace likelihood of α, σ_u and σ_v, tested against `chance`.

    `chosen`: 1 where the identity was chosen, 0 where another, between them for the mean of several orders; `rater`,
    `comparison`: numbers; all of shape (n,). α has the standard error of the penalised information at the estimated
    deviations, and Student's t with raters − 1 degrees of freedom. The interval of α is mapped on the share.
    ValueError for NaN, values beyond 0 and 1, unequal lengths.
    Source: Breslow & Clayton 1993 (Laplace for crossed effects); Bates et al. 2015, section 3 (as lme4's glmer has it).
    """
    same_length(chosen, rater)
    same_length(chosen, comparison)
    values = finite(chosen)
    if len(values) and not 0 <= values.min() <= values.max() <= 1:
        raise ValueError("values must lie between 0 and 1")
    raters, of_rater = np.unique(rater, return_inverse=True)
    comparisons, of_comparison = np.unique(comparison, return_inverse=True)
    if len(raters) < FEWEST_RATERS:
        return MixedShare(None, ONE_RATER)
    if len(comparisons) < 2:
        return MixedShare(None, ONE_COMPARISON)
    if values.min() == values.max():
        return MixedShare(None, ALIKE)
    crossed = len(values) > len(comparisons)
    model = _Model(values, of_rater, of_comparison if crossed else None)
    fitted = model.fitted()
    if fitted is None:
        return MixedShare(None, NOT_CONVERGED)
    alpha, error, of_raters, of_comparisons = fitted
    spread = float(np.hypot(of_raters, of_comparisons))
    freedom = len(raters) - 1
    half = t_quantile((1 + LEVEL) / 2, freedom) * error
    method = f"crossed random effects (Laplace), t with {freedom} df"
    return MixedShare(
        value=_share(alpha, spread),
        interval=Bounds(_share(alpha - half, spread), _share(alpha + half, spread), method),
        p=two_sided_t(abs(alpha - _intercept(chance, spread)) / error, freedom),
        intercept=alpha,
        error=error,
        of_raters=of_raters,
        of_comparisons=of_comparisons if crossed else None,
    )


def _share(alpha: float, spread: float) -> float:
    """E[expit(α + σZ)] by Gauss–Hermite quadrature."""
    return float(WEIGHTS @ _expit(alpha + spread * NODES) / WEIGHTS.sum())


def _intercept(share: float, spread: float) -> float:
    """Return the α at which the share is this one, by halving."""
    low, high = -60.0, 60.0
    while high - low > CLOSE:
        middle = (low + high) / 2
        low, high = (middle, high) if _share(middle, spread) < share else (low, middle)
    return (low + high) / 2


def _expit(x: Floats) -> Floats:
    return np.asarray(0.5 * (1 + np.tanh(x / 2)))


def _sums(group: Ints, values: Floats, groups: int) -> Floats:
    return np.asarray(np.bincount(group, values, groups), dtype=np.float64)


class _Model:
    """The Laplace likelihood of α and the deviations. Of two groupings the one with more groups is eliminated first."""

    def __init__(self, values: Floats, rater: Ints, comparison: Ints | None) -> None:
        self._values = values
        self._crossed = comparison is not None
        self._rater, self._comparison = rater, np.zeros_like(rater) if comparison is None else comparison
        self._raters, self._comparisons = int(rater.max()) + 1, int(self._comparison.max()) + 1
        self._cell = self._rater * self._comparisons + self._comparison
        self._effects = (np.zeros(self._raters), np.zeros(self._comparisons))

    def fitted(self) -> tuple[float, float, float, float] | None:
        """Return α, its standard error, σ_u and σ_v; None where the likelihood has no maximum."""
        from scipy.optimize import minimize

        mean = float(self._values.mean())
        start = [np.log(mean / (1 - mean)), 0.5, *([0.5] if self._crossed else [])]
        # A deviation and its negative are the same: the search may pass through 0, where its slope is 0.
        bounds = [(-30.0, 30.0), *[(-LARGEST_DEVIATION, LARGEST_DEVIATION)] * (len(start) - 1)]
        best = minimize(self._less, start, method="L-BFGS-B", bounds=bounds, options={"ftol": 1e-10})
        alpha, deviations = float(best.x[0]), [abs(float(value)) for value in best.x[1:]]
        of_raters, of_comparisons = (*deviations, 0.0)[:2]
        error = self._error(alpha, of_raters, of_comparisons)
        if max(deviations) > 0.99 * LARGEST_DEVIATION or not np.isfinite(best.fun) or not np.isfinite(error):
            return None
        return alpha, error, of_raters, of_comparisons

    def _less(self, parameters: Floats) -> float:
        """Minus the Laplace log-likelihood: the joint one at the mode of the effects, less ½ ln of their curvature."""
        alpha, of_raters, of_comparisons = (*map(float, parameters), 0.0)[:3]
        u, v = self._effects
        joint = self._joint(alpha, of_raters, of_comparisons, u, v)
        for _ in range(STEPS):
            eta = alpha + of_raters * u[self._rater] + of_comparisons * v[self._comparison]
            residual = self._values - _expit(eta)
            ends = (
                of_raters * _sums(self._rater, residual, self._raters) - u,
                of_comparisons * _sums(self._comparison, residual, self._comparisons) - v,
            )
            step_u, step_v = self._curvature(eta, of_raters, of_comparisons).solve(*ends)
            size = 1.0
            while True:
                new = u + size * step_u, v + size * step_v
                better = self._joint(alpha, of_raters, of_comparisons, *new)
                if better >= joint - CLOSE or size < 1e-4:
                    break
                size /= 2
            (u, v), joint = new, better
            # Newton's next error is the square of this step: the search takes slopes from differences of the value.
            if max(np.abs(step_u).max(), np.abs(step_v).max()) < STILL:
                break
        self._effects = u, v
        eta = alpha + of_raters * u[self._rater] + of_comparisons * v[self._comparison]
        return self._curvature(eta, of_raters, of_comparisons).log_determinant / 2 - joint

    def _joint(self, alpha: float, of_raters: float, of_comparisons: float, u: Floats, v: Floats) -> float:
        eta = alpha + of_raters * u[self._rater] + of_comparisons * v[self._comparison]
        return float(self._values @ eta - np.logaddexp(0, eta).sum() - (u @ u + v @ v) / 2)

    def _curvature(self, eta: Floats, of_raters: float, of_comparisons: float) -> "_Curvature":
        weight = _expit(eta) * _expit(-eta)
        table = _sums(self._cell, weight, self._raters * self._comparisons)
        return _Curvature(table.reshape(self._raters, self._comparisons), of_raters, of_comparisons)

    def _error(self, alpha: float, of_raters: float, of_comparisons: float) -> float:
        """Return the standard error of α with the effects estimated beside it."""
        self._less(np.array([alpha, of_raters, of_comparisons]))
        u, v = self._effects
        eta = alpha + of_raters * u[self._rater] + of_comparisons * v[self._comparison]
        weight = _expit(eta) * _expit(-eta)
        beside = (
            of_raters * _sums(self._rater, weight, self._raters),
            of_comparisons * _sums(self._comparison, weight, self._comparisons),
        )
        solved = self._curvature(eta, of_raters, of_comparisons).solve(*beside)
        information = float(weight.sum() - beside[0] @ solved[0] - beside[1] @ solved[1])
        return information**-0.5 if information > 0 else float("nan")


class _Curvature:
    """I + Λ Zᵀ W Z Λ: a diagonal for raters, one for comparisons, and between them the table of weights."""

    def __init__(self, weights: Floats, of_raters: float, of_comparisons: float) -> None:
        self._of_raters = 1 + of_raters**2 * weights.sum(axis=1)
        self._of_comparisons = 1 + of_comparisons**2 * weights.sum(axis=0)
        self._between = of_raters * of_comparisons * weights
        self._turned = len(self._of_raters) > len(self._of_comparisons)
        few, many, between = self._of_raters, self._of_comparisons, self._between
        if self._turned:
            few, many, between = many, few, between.T
        self._many, self._between = many, between
        self._few = np.diag(few) - (between / many) @ between.T

    @property
    def log_determinant(self) -> float:
        return float(np.log(self._many).sum() + np.linalg.slogdet(self._few)[1])

    def solve(self, of_raters: Floats, of_comparisons: Floats) -> tuple[Floats, Floats]:
        few, many = (of_comparisons, of_raters) if self._turned else (of_raters, of_comparisons)
        first = np.linalg.solve(self._few, few - self._between @ (many / self._many))
        second = (many - self._between.T @ first) / self._many
        return (second, first) if self._turned else (first, second)
