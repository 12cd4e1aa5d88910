"""A share of choices by a logistic mixed model: raters and texts are both drawn from more of their kind.

logit P(chosen) = α + u_rater + v_comparison, u ~ N(0, σ²_u), v ~ N(0, σ²_v). The share is that of another
rater and another comparison, E[expit(α + u + v)], and not expit(α): raters who differ pull shares towards ½, so that
without any preference among three identities α lies below logit ⅓.
"""

from dataclasses import dataclass, replace

import numpy as np

from biasprint.core.metrics.means import t_quantile, two_sided_t
from biasprint.core.metrics.result import LEVEL, Bounds, Floats, Ints, finite, same_length

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
