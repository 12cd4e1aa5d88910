"""Choices among texts that differ in style and place: what is left of a preference where both are alike.

A conditional logit, one stratum for each choice: text i is chosen with a probability proportional to exp(α_i + β log
words_i + γ_place(i)). At equal length and place the shares are exp(α_i) / Σ exp(α_j). Of two cards the covariate of an
amount of style is (a − b) / (a + b), as in the style control of public arenas. Of k cards card i has k/2 · a_i / Σ a,
so that two of them differ by (a − b) / (a + b) where the third has the mean of both.

Where choices are separated (an identity always or never chosen, or the longer text always) the likelihood has no
maximum: then the estimates are Firth's, and p is of sign flips of the scores, which need the null hypothesis alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import comb, prod, sqrt

import numpy as np

from biasprint.core.metrics.means import t_quantile, two_sided_t
from biasprint.core.metrics.odds import OddsRatio
from biasprint.core.metrics.resampling import TOLERANCE, Worth, generator, permutation_p, worth
from biasprint.core.metrics.result import (
    LEVEL,
    Bools,
    Bounds,
    Difference,
    Floats,
    Ints,
    MaybeBounds,
    finite,
    same_length,
    truths,
)

MARKDOWN = ("headings", "lists", "bold")
LENGTH, SECOND, THIRD = "length", "second card", "third card"
TWICE = 1 / 3  # (a − b) / (a + b) of a text twice as long as the other
VARIES = 1e-9
NEVER_DIFFERS = "it never differs between the texts"
TOGETHER = "it goes together with who wrote the text, or with another style"


@dataclass(frozen=True)
class CardStyle:
    """`columns`: shape (n, cards, s), in the places of the cards; 0 where there is no card. `names`: of the s of them.

    A coefficient is the log odds of a text that is twice as long, of the only one with such markdown, or of that place
    instead of the first.
    """

    names: tuple[str, ...]
    columns: Floats

    def __post_init__(self) -> None:
        finite(self.columns, "styles")

    def only(self, names: Sequence[str]) -> "CardStyle":
        """These alone, in their own order."""
        kept = [place for place, name in enumerate(self.names) if name in names]
        return CardStyle(tuple(self.names[place] for place in kept), self.columns[:, :, kept])


def card_style(amounts: Mapping[str, Floats], shown: Bools) -> CardStyle:
    """The covariates of these amounts, each of shape (n, cards), and of the place. `shown`: is there such a card?

    ValueError for an amount below 0 or NaN.
    """
    names, columns = [], []
    for name, amount in amounts.items():
        amount = np.where(shown, finite(amount, name), 0.0)
        if amount.min(initial=0) < 0:
            raise ValueError(f"{name} below 0")
        names.append(name)
        columns.append(_relative(amount, shown) / (TWICE if name == LENGTH else 1.0))
    for place, name in enumerate((SECOND, THIRD), start=1):
        if shown.shape[1] > place and shown[:, place].any():
            names.append(name)
            at_place = np.zeros(shown.shape)
            at_place[:, place] = shown[:, place]
            columns.append(at_place)
    return CardStyle(tuple(names), np.stack(columns, axis=2) if columns else np.zeros((*shown.shape, 0)))


def _relative(amount: Floats, shown: Bools) -> Floats:
    """k/2 · a_i / Σ a of k cards; ½ for each where none has any of it."""
    cards, total = shown.sum(axis=1, keepdims=True), amount.sum(axis=1, keepdims=True)
    even = np.where(shown, 0.5, 0.0)
    return np.asarray(np.where(total > 0, cards / 2 * amount / np.where(total > 0, total, 1.0), even))


@dataclass(frozen=True)
class TellableStyle:
    """`style`: what differs, and can be told apart from who wrote the text; `left_out`: the others, with the reason."""

    style: CardStyle
    left_out: Mapping[str, str]


def tellable(style: CardStyle, wrote: Floats, shown: Bools) -> TellableStyle:
    """Leave out what never differs between the cards, and, last first, what goes together with the rest.

    `wrote`: 1 for who wrote each card, shape (n, cards, k).
    """
    left_out: dict[str, str] = {}
    spread = np.abs(_apart(style.columns, shown)).max(axis=(0, 1), initial=0)
    kept = [name for name, most in zip(style.names, spread, strict=True) if most > VARIES]
    left_out |= dict.fromkeys((name for name in style.names if name not in kept), NEVER_DIFFERS)
    for name in reversed(tuple(kept)):
        rest = [other for other in kept if other != name]
        if _rank(style.only(kept), wrote, shown) == _rank(style.only(rest), wrote, shown):
            kept = rest
            left_out[name] = TOGETHER
    return TellableStyle(style.only(kept), left_out)


def _rank(style: CardStyle, wrote: Floats, shown: Bools) -> int:
    apart = _apart(np.concatenate([wrote, style.columns], axis=2), shown).reshape(-1, wrote.shape[2] + len(style.names))
    scale = np.sqrt((apart**2).sum(axis=0))
    return int(np.linalg.matrix_rank(apart / np.where(scale > 0, scale, 1.0), tol=1e-6))


def _apart(columns: Floats, shown: Bools) -> Floats:
    """The columns less their mean over the cards of the comparison."""
    there = shown[:, :, None]
    mean = np.where(there, columns, 0.0).sum(axis=1, keepdims=True) / shown.sum(axis=1)[:, None, None]
    return np.where(there, columns - mean, 0.0)


def typical_difference(style: CardStyle, shown: Bools) -> Floats:
    """Root of the mean squared difference of two cards of a comparison, shape (s,)."""
    squares = (_apart(style.columns, shown) ** 2).sum(axis=1)
    return np.asarray(np.sqrt((2 * squares / (shown.sum(axis=1) - 1)[:, None]).mean(axis=0)))


# ---- Shares at equal length and place

# ---- Difference of two randomised arms

TEST = "t over people"


@dataclass(frozen=True)
class ArmEffect:
    """`value`: mean of the treated less that of the others. Interval and test are of `centre`, which is drawn a little
    towards 0, with its standard error and degrees of freedom. `counts`: treated, others. `widest`: how far it can go.
    """

    value: float
    centre: float
    error: float
    freedom: float
    counts: tuple[int, int]
    widest: float = 1.0

    @property
    def difference(self) -> Difference:
        """The difference with its interval, tested against 0."""
        half = t_quantile((1 + LEVEL) / 2, self.freedom) * self.error
        low, high = max(-self.widest, self.centre - half), min(self.widest, self.centre + half)
        bounds = MaybeBounds(Bounds(low, high, f"Agresti–Caffo, clustered, t with {self.freedom:.1f} df"))
        statistic = self.centre / self.error
        p = two_sided_t(abs(statistic), self.freedom)
        n = sum(self.counts)
        return Difference(self.value, "", bounds, p, statistic, TEST, "difference", self.value, n, self.counts)


def arm_effect(values: Floats, treated: Bools, *groupings: Ints) -> ArmEffect | None:
    """Mean of the treated less mean of the others, with a variance of clusters that may cross; None for an empty arm.

    `values` in [0, 1], `treated`, each of `groupings` (numbers of the rater, of the comparison), one at least: shapes
    (n,). For the variance each arm is given a 0 and a 1 that belong to nothing (Agresti & Caffo 2000), so that an arm
    in which all did the same is not taken for certain. It is that of the influences, ± (x − x̄) / m in an arm of m,
    summed within clusters (`core.metrics.resampling`): raters have both arms, so that how much they differ in general
    cancels, and how much they differ in the effect stays. ValueError for NaN, values beyond 0 and 1, unequal lengths.
    """
    same_length(values, treated)
    units, first = finite(values), truths(treated)
    if len(units) and not 0 <= units.min() <= units.max() <= 1:
        raise ValueError("values must lie between 0 and 1")
    counts = (int(first.sum()), int((~first).sum()))
    if min(counts) == 0:
        return None
    x = np.concatenate([units, [0.0, 1.0, 0.0, 1.0]])
    arm = np.concatenate([first, [True, True, False, False]])
    alone = [np.concatenate([each, each.max() + np.arange(1, 5)]) for each in groupings]
    upper, lower = float(x[arm].mean()), float(x[~arm].mean())
    influence = np.where(arm, (x - upper) / arm.sum(), (lower - x) / (~arm).sum())
    independent = float((influence**2).sum())
    known = worth(influence[:, None], np.ones(len(x)), independent, *alone, single=True)
    value = float(units[first].mean() - units[~first].mean())
    return ArmEffect(value, upper - lower, sqrt(independent * known.effect), known.freedom, counts)


def apart_by_chance(followed: Bools, treated: Bools, rater: Ints) -> float | None:
    """p of arms that are wholly apart, all of the treated and none of the others or the reverse; None where not so.

    Two-sided, 2 Π 1 / C(n, m) over raters, each with n answers, m of them treated: which these are was drawn for each
    rater, and no other draw is as far (Fisher's randomisation test).
    """
    if not (treated.any() and (~treated).any()) or not (
        np.array_equal(followed, treated) or np.array_equal(followed, ~treated)
    ):
        return None
    numbers = np.unique(rater, return_inverse=True)[1]
    answers, drawn = np.bincount(numbers), np.bincount(numbers, treated)
    return min(1.0, 2 * prod(1 / comb(int(n), int(m)) for n, m in zip(answers, drawn, strict=True)))


def difference_of_effects(first: ArmEffect, second: ArmEffect) -> ArmEffect:
    """Return one effect less another, of other raters: variances add, degrees of freedom by Satterthwaite."""
    error = sqrt(first.error**2 + second.error**2)
    freedom = error**4 / (first.error**4 / first.freedom + second.error**4 / second.freedom)
    counts = (sum(first.counts), sum(second.counts))
    return ArmEffect(first.value - second.value, first.centre - second.centre, error, freedom, counts, 2.0)


LARGEST = 20.0  # a coefficient beyond: the choices are separated, and its estimate has no end
STEPS, CLOSE = 60, 1e-9
SEPARATED = "the choices are separated: length, place or identity decides every one of them"
NO_LENGTH_LEFT = "identity or place decides every choice: nothing is left that could tell what length does"
NOTHING_LEFT = "length or place decides every choice: nothing is left that could tell identities apart"


@dataclass(frozen=True)
class Placed:
    """Choices with the length and place of every identity's text.

    `log_words`, `place`: shape (n, k), by identity; `chosen`: the place in that order of the identity chosen, shape
    (n,). `groupings`: how choices belong together, each of shape (n,): of the comparison, and of the person. `markup`:
    what else is held equal, by identity.
    """

    log_words: Floats
    place: Ints
    chosen: Ints
    groupings: tuple[Ints, ...]
    markup: CardStyle | None = None

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
    much the odds of a text grow when it is twice as long, with `interval` and `p`; None where lengths do not differ, or
    for the reason `undoubled`.
    `separated`: the choices are; then `flipped` are the p of the shares, `all_flipped` that of all of them at once, and
    `doubled` has no interval. `markup`: what each of its columns does to the odds; it counts with the place.
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
    undoubled: str = ""
    separated: bool = False
    flipped: tuple[float, ...] = ()
    all_flipped: float | None = None
    markup: tuple[OddsRatio, ...] = ()


def adjusted_shares(given: Placed) -> AdjustedShares:
    """The shares at equal length and place.

    Their variance is that of the influence of each choice, J H⁻¹ u (u its score, H the information, J the derivative of
    the shares), summed within clusters (`biasprint.core.metrics.resampling`) and widened by C / (C − parameters) for
    C comparisons.
    Source: McFadden 1974 (the model); Bell & McCaffrey 2002 (the variance).
    """
    n, k = given.place.shape
    if n == 0:
        return AdjustedShares(None, "no comparison with a choice")
    raw = np.bincount(given.chosen, minlength=k) / n
    identity, place = _identities(n, k), _places(given.place)
    if given.markup is not None:
        place = np.concatenate([place, given.markup.columns], axis=2)
    length = [given.log_words[:, :, None]] if given.lengths_differ else []
    full = _fitted(np.concatenate([identity, place, *length], axis=2), given.chosen)
    without = _fitted(np.concatenate([identity, place], axis=2), given.chosen)
    if SEPARATED in (full, without):
        return _separated(given, identity, place, length, raw)
    if isinstance(full, str) or isinstance(without, str):
        return AdjustedShares(None, full if isinstance(full, str) else str(without), raw)
    shares = full.shares(k)
    # By the chain rule: d share_i / d α_j = share_i (1[i = j] − share_j), the first α being 0.
    slopes = np.zeros((k, full.influence.shape[1]))
    slopes[:, : k - 1] = (np.diag(shares) - np.outer(shares, shares))[:, 1:]
    # Lengths and places are of comparisons: so many clusters estimate the coefficients, however many chose in each.
    clusters, many = _most_clusters(given), full.influence.shape[1]
    if clusters <= many:
        return AdjustedShares(None, _too_few(clusters), raw)
    scale = n * float(np.sqrt(clusters / (clusters - many)))
    residuals = scale * full.influence @ slopes.T
    ones = np.ones(n)
    own = [
        worth(residuals[:, [i]], ones, n * shares[i] * (1 - shares[i]), *given.groupings, single=True) for i in range(k)
    ]
    adjusted = AdjustedShares(
        shares=shares,
        raw=raw,
        placed=without.shares(k),
        worth=worth(residuals, ones, n * (1 - float(shares @ shares)), *given.groupings, single=True),
        worths=tuple(own),
        markup=_markup_effects(full, scale, given),
    )
    return _with_length(adjusted, full, scale, given) if given.lengths_differ else adjusted


@dataclass(frozen=True)
class _Fit:
    """`influence`: of each choice on each coefficient, H⁻¹ u, shape (n, f)."""

    coefficients: Floats
    influence: Floats

    def shares(self, k: int) -> Floats:
        return _shares_of(self.coefficients, k)


def _fitted(features: Floats, chosen: Ints) -> _Fit | str:
    """The coefficients of largest likelihood by Newton's steps, or why there are none. `features`: shape (n, k, f).

    statsmodels' ConditionalLogit gives the same (the tests compare) in some fifty times the time, has no variance by
    clusters, and does not say that choices are separated.
    """
    n, _, many = features.shape
    if many == 0:
        return _Fit(np.zeros(0), np.zeros((n, 0)))
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
            return SEPARATED
        step = np.linalg.solve(information, scores.sum(axis=0))
        if np.abs(step).max() < CLOSE:
            return _Fit(coefficients, np.linalg.solve(information, scores.T).T)
        coefficients = coefficients + step * min(1.0, 3 / np.abs(step).max())
    return SEPARATED


def _most_clusters(given: Placed) -> int:
    return max(len(np.unique(grouping)) for grouping in given.groupings)


def _too_few(clusters: int) -> str:
    return f"{clusters} comparisons are too few to tell identity, place and length apart"


# ---- separated choices


def _separated(given: Placed, identity: Floats, place: Floats, length: list[Floats], raw: Floats) -> AdjustedShares:
    """Firth's estimates, and p by flipping signs of the scores under each null hypothesis.

    Each share is worth one choice for each cluster, as where choices are all the same (`worth_of_choices`).
    """
    n, k = given.place.shape
    whole = np.concatenate([identity, place, *length], axis=2)
    if _most_clusters(given) <= FEWEST_A_PARAMETER * whole.shape[2]:
        return AdjustedShares(None, _too_few(_most_clusters(given)), raw)
    numbered = [np.unique(grouping, return_inverse=True)[1] for grouping in given.groupings]
    fewest = min(numbered, key=lambda clusters_of: int(clusters_of.max()))
    coefficients = firth(whole, given.chosen)
    shares = AdjustedShares(None, NOTHING_LEFT, raw, separated=True)
    if length:
        of_length = flipped_scores(*_of_the_chosen(place, length[0], given.chosen, raw), fewest)
        if of_length is None:
            shares = replace(shares, undoubled=NO_LENGTH_LEFT)
        else:
            shares = replace(shares, doubled=float(2.0 ** coefficients[-1]), p=of_length[0])
    # All k identities are tested: a score of the first is what is left by the others.
    every = np.broadcast_to(np.eye(k), (n, k, k))
    tested = flipped_scores(every, np.concatenate([place, *length], axis=2), given.chosen, fewest)
    if tested is None:
        return shares
    clusters = int(fewest.max()) + 1
    alike = Worth(max(1.0, n / clusters), clusters - 1.0, clusters)
    return replace(
        shares,
        reason="",
        shares=_shares_of(coefficients, k),
        placed=_shares_of(firth(np.concatenate([identity, place], axis=2), given.chosen), k),
        worth=alike,
        worths=(alike,) * k,
        flipped=tuple(tested[:-1]),
        all_flipped=tested[-1],
    )


def _of_the_chosen(place: Floats, length: Floats, chosen: Ints, raw: Floats) -> tuple[Floats, Floats, Ints]:
    """Length, identity with place, and the choices, among the identities that were ever chosen: the others' texts
    carry no information on length, whatever it is."""
    nonzero = np.flatnonzero(raw > 0)
    rest = np.concatenate([_identities(len(chosen), len(nonzero)), place[:, nonzero]], axis=2)
    return length[:, nonzero], rest, np.searchsorted(nonzero, chosen)


# With fewer comparisons for each parameter little is left of a score once length and place are fitted to it.
FEWEST_A_PARAMETER = 2


def firth(features: Floats, chosen: Ints) -> Floats:
    """The coefficients that maximise ln L + ½ ln |H|: finite where those of the likelihood are not.

    Of two identities without anything else it is a half added to both counts. Source: Firth 1993; Heinze & Schemper
    2002 (as the answer to separation).
    """
    from scipy.optimize import minimize

    rows = np.arange(len(chosen))

    def less(coefficients: Floats) -> float:
        chance = _chance(features, coefficients)
        apart = features - np.einsum("nk,nkf->nf", chance, features)[:, None, :]
        information = np.einsum("nk,nkf,nkg->fg", chance, apart, apart)
        return -float(np.log(chance[rows, chosen]).sum() + np.linalg.slogdet(information)[1] / 2)

    return np.asarray(minimize(less, np.zeros(features.shape[2]), method="BFGS").x)


def _chance(features: Floats, coefficients: Floats) -> Floats:
    """The chance of each text to be chosen, (n, k)."""
    utility = features @ coefficients
    odds = np.exp(utility - utility.max(axis=1, keepdims=True))
    return np.asarray(odds / odds.sum(axis=1, keepdims=True))


def flipped_scores(tested: Floats, rest: Floats, chosen: Ints, cluster: Ints) -> list[float] | None:
    """p of each of `tested` (n, k, t) at given `rest` (n, k, r), and last that of all of them; two-sided.

    The scores of `tested` under the null hypothesis, less what the scores of `rest` explain of them, are summed in each
    cluster, and the clusters' signs flipped: all 2ⁿ ways up to FLIPS of them, else as many drawn. Flipped sums vary
    less than the sum itself, because the coefficients of `rest` were fitted to it: each is divided by
    √(1 − h'H⁻¹h / V), H the information on `rest`, V the variance of the sum, h the flipped sum of what each cluster
    would add to the information on both. None where `rest` alone decides every choice.
    Source: Hemerik, Goeman & Finos 2020; De Santis, Goeman, Hemerik & Finos 2022 (the division).
    """
    fit = _fitted(rest, chosen)
    if isinstance(fit, str):
        return None
    rows, many, clusters = np.arange(len(chosen)), tested.shape[2], int(cluster.max()) + 1
    both = np.concatenate([tested, rest], axis=2)
    chance = _chance(both, np.concatenate([np.zeros(many), fit.coefficients]))
    apart = both - np.einsum("nk,nkf->nf", chance, both)[:, None, :]
    parts = np.zeros((clusters, both.shape[2], both.shape[2]))
    np.add.at(parts, cluster, np.einsum("nk,nkf,nkg->nfg", chance, apart, apart))
    information = parts.sum(axis=0)
    explained = np.linalg.solve(information[many:, many:], information[many:, :many])
    scores = apart[rows, chosen]
    sums = np.zeros((clusters, many))
    np.add.at(sums, cluster, scores[:, :many] - scores[:, many:] @ explained)
    variance = np.diagonal(information[:many, :many] - information[:many, many:] @ explained)
    moved = parts[:, many:, :many] - parts[:, many:, many:] @ explained  # G', shape (clusters, r, t)
    signs, exact = _signs(clusters)
    flipped = np.einsum("fc,crt->frt", signs, moved)
    lost = np.einsum("frt,rs,fst->ft", flipped, np.linalg.inv(information[many:, many:]), flipped) / variance
    values = np.abs(signs @ sums) / np.sqrt(np.clip(1 - lost, LEAST_LEFT, 1))
    values = np.column_stack([values, (values**2).sum(axis=1)])
    observed = np.abs(sums.sum(axis=0))
    limits = np.append(observed, (observed**2).sum())
    as_far = values >= limits * (1 - TOLERANCE) - TOLERANCE
    p = as_far.mean(axis=0) if exact else permutation_p(as_far)
    return [float(each) for each in p]


LEAST_LEFT = 1e-6  # of the variance of a flipped sum
FLIPS = 10_000


def _signs(clusters: int) -> tuple[Floats, bool]:
    """Signs of so many clusters, shape (ways, clusters), and whether these are all ways."""
    if 2**clusters <= FLIPS:
        ways = (np.arange(2**clusters)[:, None] >> np.arange(clusters)) & 1
        return np.where(ways, 1.0, -1.0), True
    drawn = generator(0, "flipped scores").random((FLIPS, clusters)) < 0.5
    return np.where(drawn, 1.0, -1.0), False


def _shares_of(coefficients: Floats, k: int) -> Floats:
    odds = np.exp(np.append(0.0, coefficients[: k - 1]))
    return np.asarray(odds / odds.sum())


# ---- the parts of the model


def _identities(n: int, k: int) -> Floats:
    """Return one column for each identity but the first: shape (n, k, k − 1)."""
    return np.broadcast_to(np.eye(k)[:, 1:], (n, k, k - 1))


def _places(place: Ints) -> Floats:
    """Return one column for each place but the first."""
    return np.stack([place == other for other in range(1, place.shape[1])], axis=2).astype(np.float64)


def _with_length(shares: AdjustedShares, fit: _Fit, scale: float, given: Placed) -> AdjustedShares:
    """Add the odds ratio of a text twice as long, its interval and p."""
    doubled = _effect(fit, -1, scale, given, 2.0)
    return replace(shares, doubled=doubled.value, interval=doubled.interval.bounds, p=doubled.p)


def _markup_effects(fit: _Fit, scale: float, given: Placed) -> tuple[OddsRatio, ...]:
    if given.markup is None:
        return ()
    last = fit.influence.shape[1] - given.lengths_differ
    return tuple(_effect(fit, at, scale, given, np.e) for at in range(last - len(given.markup.names), last))


def _effect(fit: _Fit, column: int, scale: float, given: Placed, base: float) -> OddsRatio:
    """The odds ratio of a coefficient, `base` to its power, with its interval and p."""
    n = len(given.chosen)
    residuals = scale * fit.influence[:, [column]]
    alone = float((residuals**2).sum())
    known = worth(residuals, np.ones(n), alone, *given.groupings, single=True)
    error, slope = float(np.sqrt(alone * known.effect)) / n, float(fit.coefficients[column])
    half = t_quantile((1 + LEVEL) / 2, known.freedom) * error
    p = two_sided_t(abs(slope) / error, known.freedom)
    bounds = Bounds(base ** (slope - half), base ** (slope + half), f"t of the logarithm, df {known.freedom:.1f}")
    return OddsRatio(base**slope, "", MaybeBounds(bounds), p)
