"""Choices among texts that differ in length and place: what is left of a preference where both are alike.

A conditional logit, one stratum for each choice: text i is chosen with a probability proportional to
exp(α_i + β log words_i + γ_place(i)). At equal length and place the shares are exp(α_i) / Σ exp(α_j).
"""

from dataclasses import dataclass, replace

import numpy as np

from core.metrics.result import LEVEL, Bounds, Floats, Ints, finite, same_length
from core.metrics.worth import Worth, worth

LARGEST = 20.0  # a coefficient beyond: the choices are separated, and its estimate has no end
STEPS, CLOSE = 60, 1e-9


@dataclass(frozen=True)
class Placed:
    """Choices with the length and place of every identity's text.

    `log_words`, `place`: shape (n, k), by identity; `chosen`: the place in that order of the identity chosen, shape
    (n,). `groupings`: how choices belong together, each of shape (n,): of the comparison, and of the person.
    """

    log_words: Floats
    place: Ints
    chosen: Ints
    groupings: tuple[Ints, ...]

    def __post_init__(self) -> None:
        finite(self.log_words, "lengths")
        same_length(self.log_words, self.chosen)
        same_length(self.place, self.chosen)

    @property
    def lengths_differ(self) -> bool:
        return bool(len(self.chosen) and np.ptp(self.log_words, axis=1).max() > CLOSE)


@dataclass(frozen=True)
class AdjustedShares:
    """`shares`: at equal length and place, by identity, k of them; None with a `reason` where there is no estimate.

    `raw`: as they were chosen; `placed`: at equal place alone, so that raw − placed is what the place explains, and
    placed − shares what length does. `worths`: of each share against the others, and `worth` of all. `doubled`: by how
    much the odds of a text grow when it is twice as long, with `interval` and `p`; None where lengths do not differ.
    """

    shares: Floats | None
    reason: str = ""
    raw: Floats | None = None
    placed: Floats | None = None
    worth: Worth | None = None
    worths: tuple[Worth, ...] = ()
    doubled: float | None = None
    interval: Bounds | None = None
    p: float | None = None


def adjusted_shares(given: Placed) -> AdjustedShares:
    """The shares at equal length and place.

    Their variance is that of the influence of each choice, J H⁻¹ u (u its score, H the information, J the derivative of
    the shares), summed within clusters (`core.metrics.worth`) and widened by C / (C − parameters) for
    C comparisons.
    Source: McFadden 1974 (the model); Bell & McCaffrey 2002 (the variance).
    """
    n, k = given.place.shape
    if n == 0:
        return AdjustedShares(None, "no comparison with a choice")
    raw = np.bincount(given.chosen, minlength=k) / n
    if (raw == 0).any():
        return AdjustedShares(None, "an identity was never chosen: its adjusted share has no estimate", raw)
    identity, place = _identities(n, k), _places(given.place)
    whole = [identity, place, *([given.log_words[:, :, None]] if given.lengths_differ else [])]
    full = _fitted(np.concatenate(whole, axis=2), given.chosen)
    without = _fitted(np.concatenate([identity, place], axis=2), given.chosen)
    if isinstance(full, str) or isinstance(without, str):
        return AdjustedShares(None, full if isinstance(full, str) else str(without), raw)
    shares = full.shares(k)
    # By the chain rule: d share_i / d α_j = share_i (1[i = j] − share_j), the first α being 0.
    slopes = np.zeros((k, full.influence.shape[1]))
    slopes[:, : k - 1] = (np.diag(shares) - np.outer(shares, shares))[:, 1:]
    # Lengths and places are of comparisons: so many clusters estimate the coefficients, however many chose in each.
    clusters, many = max(len(np.unique(grouping)) for grouping in given.groupings), full.influence.shape[1]
    if clusters <= many:
        return AdjustedShares(None, f"{clusters} comparisons are too few to tell identity, place and length apart", raw)
    scale = n * float(np.sqrt(clusters / (clusters - many)))
    residuals = scale * full.influence @ slopes.T
    ones = np.ones(n)
    own = [
        worth(residuals[:, [i]], ones, n * shares[i] * (1 - shares[i]), *given.groupings, single=True) for i in range(k)
    ]
    found = AdjustedShares(
        shares=shares,
        raw=raw,
        placed=without.shares(k),
        worth=worth(residuals, ones, n * (1 - float(shares @ shares)), *given.groupings, single=True),
        worths=tuple(own),
    )
    return _with_length(found, full, scale, given) if given.lengths_differ else found


@dataclass(frozen=True)
class _Fit:
    """`influence`: of each choice on each coefficient, H⁻¹ u, shape (n, f)."""

    coefficients: Floats
    influence: Floats

    def shares(self, k: int) -> Floats:
        odds = np.exp(np.append(0.0, self.coefficients[: k - 1]))
        return np.asarray(odds / odds.sum())


def _fitted(features: Floats, chosen: Ints) -> _Fit | str:
    """The coefficients of largest likelihood by Newton's steps, or why there are none. `features`: shape (n, k, f).

    statsmodels' ConditionalLogit gives the same (the tests compare) in some fifty times the time, has no variance by
    clusters, and does not say that choices are separated.
    """
    n, _, many = features.shape
    if n <= many:
        return f"{n} choices are too few to tell identity, place and length apart"
    rows = np.arange(n)
    centred = features - features.mean(axis=1, keepdims=True)
    if np.linalg.matrix_rank(centred.reshape(-1, many), tol=1e-6 * np.sqrt(n)) < many:
        return "identity, place and length cannot be told apart: they go together in every comparison"
    coefficients = np.zeros(many)
    for _ in range(STEPS):
        utility = features @ coefficients
        odds = np.exp(utility - utility.max(axis=1, keepdims=True))
        chance = odds / odds.sum(axis=1, keepdims=True)
        expected = np.einsum("nk,nkf->nf", chance, features)
        scores = features[rows, chosen] - expected
        apart = features - expected[:, None, :]
        information = np.einsum("nk,nkf,nkg->fg", chance, apart, apart)
        if np.linalg.cond(information) > 1e12 or np.abs(coefficients).max() > LARGEST:
            return "the choices are separated: length, place or identity decides every one of them"
        step = np.linalg.solve(information, scores.sum(axis=0))
        if np.abs(step).max() < CLOSE:
            return _Fit(coefficients, np.linalg.solve(information, scores.T).T)
        coefficients = coefficients + step * min(1.0, 3 / np.abs(step).max())
    return "the choices are separated: length, place or identity decides every one of them"


def _identities(n: int, k: int) -> Floats:
    """One column for each identity but the first: shape (n, k, k − 1)."""
    return np.broadcast_to(np.eye(k)[:, 1:], (n, k, k - 1))


def _places(place: Ints) -> Floats:
    """One column for each place but the first."""
    return np.stack([place == other for other in range(1, place.shape[1])], axis=2).astype(np.float64)


def _with_length(found: AdjustedShares, fit: _Fit, scale: float, given: Placed) -> AdjustedShares:
    """With the odds ratio of a text twice as long, its interval and p."""
    from scipy.stats import t

    n = len(given.chosen)
    residuals = scale * fit.influence[:, [-1]]
    alone = float((residuals**2).sum())
    known = worth(residuals, np.ones(n), alone, *given.groupings, single=True)
    error, slope = float(np.sqrt(alone * known.effect)) / n, float(fit.coefficients[-1])
    half = float(t.ppf((1 + LEVEL) / 2, known.freedom)) * error
    low, high = 2.0 ** (slope - half), 2.0 ** (slope + half)
    p = float(2 * t.sf(abs(slope) / error, known.freedom))
    bounds = Bounds(low, high, f"t of the logarithm, df {known.freedom:.1f}")
    return replace(found, doubled=2.0**slope, interval=bounds, p=p)
