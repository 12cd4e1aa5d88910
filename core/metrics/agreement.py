"""Agreement of raters, and their ability: raw, Fleiss’ κ, Krippendorff’s α, AC1, Cohen’s κ, and Rasch's model.

Ability: rater j gives the right answer to comparison i of k_i cards with logit P = θ_j − ln(k_i − 1) + σ z_i, and each
wrong one alike: θ = 0 is what chance gives. By known answers z_i ~ N(0, 1) is how easy a comparison is, integrated out:
Rasch's model with the parts of person and item exchanged, as there are few raters and many comparisons. Without them
the right answer is latent, each card being as likely before, and σ is 0: Dawid and Skene's model with one parameter a
rater. What it calls right is what the others mostly choose: agreement, and no correctness.

Source: Rasch 1960, Bock & Aitkin 1981 (marginal likelihood); Dawid & Skene 1979; Louis 1982 (information).
"""

from dataclasses import dataclass, replace
from itertools import combinations
from statistics import NormalDist
from typing import Literal

import numpy as np

from biasprint.core.metrics.clusters import Kinds, Statistic, jackknife_interval, kinds_of
from biasprint.core.metrics.proportions import wilson
from biasprint.core.metrics.result import LEVEL, Bools, Bounds, Floats, Ints, MaybeBounds, finite

# ---- what all measures share

UNIT = "comparisons"
# One identity with more of the choices than this leaves κ to the few comparisons where another was chosen.
LOPSIDED = 0.7
FEWEST_OTHERS = 30


@dataclass(frozen=True)
class Agreement:
    """`n`: comparisons it rests on. The interval resamples comparisons: it holds for the raters present, no others."""

    value: float | None
    reason: str
    interval: MaybeBounds
    n: int


def undefined(reason: str, n: int = 0) -> Agreement:
    return Agreement(None, reason, MaybeBounds(None, reason), n)


def judged(counts: Ints, least: int = 2) -> Kinds:
    """The comparisons with at least so many judgments. `counts`: per comparison and category, shape (C, k).

    ValueError for NaN and for counts below 0.
    """
    kinds = kinds_of(counts)
    if (kinds.rows < 0).any():
        raise ValueError("counts must not be negative")
    return at_least(kinds, least)


def at_least(counts: Kinds, judgments: int) -> Kinds:
    return counts.kept(counts.rows.sum(axis=1) >= judgments)


def agreement_of(units: Kinds, statistic: Statistic, n: int, *, least: float = -1.0) -> Agreement:
    """Return the statistic of all units, each a comparison, with its jackknife interval."""
    value = statistic(units)
    if value is None:
        return undefined("every choice fell on the same identity: nothing to agree or disagree on", n)
    return Agreement(value, "", jackknife_interval(units, statistic, UNIT, least=least, most=1.0), n)


def too_lopsided(chosen: Ints, comparisons: int) -> str:
    """Return why a chance-corrected measure has no interval that can be trusted; empty where it has one.

    `chosen`: judgments per category, shape (k,). Where one category has more than LOPSIDED of the judgments, at least
    FEWEST_OTHERS comparisons' worth of the others are needed (tests/simulations/creativity.py: 63 to 90 % coverage).
    """
    share = float(chosen.max() / chosen.sum())
    if share <= LOPSIDED or comparisons * (1 - share) >= FEWEST_OTHERS:
        return ""
    return f"{share:.0%} of the choices fell on one identity, and {comparisons} comparisons are too few for that"


def unless_lopsided(agreement: Agreement, chosen: Ints) -> Agreement:
    """Return the agreement, without its interval where that could not be trusted."""
    reason = too_lopsided(chosen, agreement.n) if agreement.interval.bounds else ""
    return Agreement(agreement.value, agreement.reason, MaybeBounds(None, reason), agreement.n) if reason else agreement


def observed_agreement(counts: Kinds) -> float:
    """Mean over comparisons of Σ_k c_k (c_k − 1) / (m (m − 1)), m the judgments; each comparison has two or more."""
    rows, times = counts
    judgments = rows.sum(axis=1)
    return float(np.average((rows * (rows - 1)).sum(axis=1) / (judgments * (judgments - 1)), weights=times))


def chosen(counts: Kinds) -> Ints:
    """Judgments per category, shape (k,)."""
    return np.asarray(counts.times @ counts.rows)


def raw_agreement(counts: Ints) -> Agreement:
    """The chance that two raters of one comparison, drawn at random, agree; not corrected for chance.

    `counts`: judgments per comparison and category, shape (C, k). Comparisons with one judgment are left out.
    """
    pairs = judged(counts)
    if not pairs.n:
        return undefined("no comparison was judged by two raters")
    agreement = agreement_of(pairs, observed_agreement, pairs.n, least=0.0)
    if (
        agreement.value in (0.0, 1.0) and agreement.interval.bounds is None
    ):  # nothing varies: each comparison is one trial
        return replace(agreement, interval=MaybeBounds(wilson(agreement.value * pairs.n, pairs.n)))
    return agreement


# ---- Fleiss' κ: every comparison judged equally often


def equally_judged(counts: Ints) -> Kinds:
    """The comparisons with the most common number of judgments, two or more: κ needs one number for all.

    Of several equally common numbers the largest is taken.
    """
    pairs = judged(counts)
    if not pairs.n:
        return pairs
    judgments = pairs.rows.sum(axis=1)
    comparisons = np.bincount(judgments, weights=pairs.times)
    return pairs.kept(judgments == np.flatnonzero(comparisons == comparisons.max())[-1])


def fleiss_kappa(counts: Ints) -> Agreement:
    """κ = (P̄ − P̄ₑ) / (1 − P̄ₑ), P̄ₑ = Σ p_k² over the shares of all judgments.

    `counts`: judgments per comparison and category, shape (C, k); see `equally_judged` for what is left out.
    Source: Fleiss 1971.
    """
    units = equally_judged(counts)
    if not units.n:
        return undefined("no comparison was judged by two raters")
    return unless_lopsided(agreement_of(units, _fleiss, units.n), chosen(units))


def _fleiss(units: Kinds) -> float | None:
    totals = chosen(units)
    if (totals > 0).sum() < 2:
        return None
    chance = float(((totals / totals.sum()) ** 2).sum())
    return (observed_agreement(units) - chance) / (1 - chance)


Measurement = Literal["nominal", "ordinal", "interval"]


def krippendorff_alpha(counts: Ints, measurement: Measurement = "nominal") -> Agreement:
    """α = 1 − D_o / D_e = 1 − (n − 1) Σ o_ck δ²_ck / Σ n_c n_k δ²_ck, over pairs of categories c, k.

    `counts`: judgments per comparison and category, shape (C, k), ordinal and interval categories in their order, those
    of an interval scale a unit apart; comparisons with one judgment do not count. Coincidences o_ck = Σ_u u_c (u_k −
    [c = k]) / (m_u − 1), u_c the judgments of comparison u, m_u their number; n_c = Σ_k o_ck, n = Σ n_c. δ²: 1 unless
    c = k (nominal); (n_c / 2 + the n between c and k + n_k / 2)² (ordinal); (c − k)² (interval).
    Source: Krippendorff 2011, “Computing Krippendorff's Alpha-Reliability”, sections C and D.
    """
    pairs = judged(counts)
    if not pairs.n:
        return undefined("no comparison was judged by two raters")
    agreement = agreement_of(pairs, lambda units: _alpha(units, measurement), pairs.n)
    return unless_lopsided(agreement, chosen(pairs))


def _alpha(pairs: Kinds, measurement: Measurement) -> float | None:
    totals = chosen(pairs).astype(np.float64)
    if (totals > 0).sum() < 2:
        return None
    each = pairs.rows * (pairs.times / (pairs.rows.sum(axis=1) - 1))[:, None]
    coincidences = each.T @ pairs.rows - np.diag(each.sum(axis=0))
    if measurement == "nominal":
        squared = 1 - np.eye(len(totals))
    else:
        # On the ordinal scale a category lies at the mean rank of its judgments.
        places = np.cumsum(totals) - totals / 2 if measurement == "ordinal" else np.arange(len(totals))
        squared = np.subtract.outer(places, places) ** 2
    expected = totals @ squared @ totals
    return float(1 - (totals.sum() - 1) * (coincidences * squared).sum() / expected)


def gwet_ac1(counts: Ints) -> Agreement:
    """AC1 = (p_a − p_e) / (1 − p_e), p_e = Σ π_k (1 − π_k) / (k − 1), π_k the mean share of category k.

    `counts`: judgments per comparison and category, shape (C, k), k the categories that could be chosen. p_a rests on
    comparisons with two judgments and more, π on all that were judged. Source: Gwet 2008, equations 8 and 9; with
    gaps as in Gwet 2014, chapter 2.
    """
    every = judged(counts, 1)
    pairs = at_least(every, 2).n
    if counts.shape[1] < 2:
        return undefined("an axis needs at least two identities")
    if pairs == 0:
        return undefined("no comparison was judged by two raters")
    return agreement_of(every, _ac1, pairs)


def _ac1(every: Kinds) -> float | None:
    pairs = at_least(every, 2)
    if not pairs.n:
        return None
    shares = np.average(every.rows / every.rows.sum(axis=1, keepdims=True), axis=0, weights=every.times)
    chance = float((shares * (1 - shares)).sum()) / (every.rows.shape[1] - 1)
    return float((observed_agreement(pairs) - chance) / (1 - chance))


# ---- Cohen's κ: two raters, and the mean over pairs of several

MISSING = -1


def cohen_kappa(ratings: Ints, categories: int) -> Agreement:
    """κ = (p_o − p_e) / (1 − p_e), p_e from each rater's own shares.

    `ratings`: category numbers, shape (C, 2), MISSING where a rater did not judge; only what both judged counts.
    Source: Cohen 1960, computed by statsmodels.
    """
    both = ratings[(ratings != MISSING).all(axis=1)]
    if len(both) == 0:
        return undefined("the two raters judged no comparison in common")
    agreement = agreement_of(kinds_of(both), lambda units: _cohen(units, categories), len(both))
    return unless_lopsided(agreement, np.bincount(both.ravel(), minlength=categories))


def mean_cohen_kappa(ratings: Ints, categories: int) -> Agreement:
    """The mean κ of all pairs of raters for whom it is defined (Light 1971), each with the weight of the comparisons
    that the two share: where all judged all it is the plain mean. `ratings`: shape (C, raters).

    Comparisons are left out as wholes, with all their judgments, so the interval knows that pairs share raters.
    """
    usable = ratings[(ratings != MISSING).sum(axis=1) >= 2]
    if len(usable) == 0:
        return undefined("no comparison was judged by two raters")
    agreement = agreement_of(kinds_of(usable), lambda units: _mean_cohen(units, categories), len(usable))
    return unless_lopsided(agreement, np.bincount(usable[usable != MISSING], minlength=categories))


def _mean_cohen(ratings: Kinds, categories: int) -> float | None:
    pairs = (Kinds(ratings.rows[:, pair], ratings.times) for pair in combinations(range(ratings.rows.shape[1]), 2))
    shared = [pair.kept((pair.rows != MISSING).all(axis=1)) for pair in pairs]
    kappas = [(kappa, both.n) for both in shared if (kappa := _cohen(both, categories)) is not None]
    if not kappas:
        return None
    return sum(kappa * n for kappa, n in kappas) / sum(n for _, n in kappas)


def _cohen(both: Kinds, categories: int) -> float | None:
    from statsmodels.stats.inter_rater import cohens_kappa

    rows, times = both
    # Both raters always chose the same one: chance alone explains all, and κ is 0/0.
    if len(rows) == 0 or (rows == rows[0, 0]).all():
        return None
    cells = rows[:, 0] * categories + rows[:, 1]
    table = np.bincount(cells, weights=times, minlength=categories**2).reshape(categories, categories)
    return float(cohens_kappa(table, return_results=False))


def random_consistency(choices: int, others: tuple[int, ...], cards: int) -> float | None:
    """Σ p_o² / (1 for outcomes that are no choice, `cards` for choices), p_o = how often this outcome was given.

    `choices`: judgments with a choice; `others`: judgments of each other outcome (tie, none). Two judgments that are
    drawn with these shares, a choice being any card alike, are the same this often. 1/`cards` where all are choices.
    None without judgments. ValueError for counts below 0 and for fewer than two cards.
    """
    counts = (choices, *others)
    if min(finite(counts, "counts")) < 0 or cards < 2:
        raise ValueError("counts must not be negative, and there are at least two cards")
    total = sum(counts)
    if total == 0:
        return None
    return (choices / total) ** 2 / cards + sum((other / total) ** 2 for other in others)


# ---- Ability of raters: by known answers, or by answers alone, as agreement with the others

NOT_ASKED = -1
FEWEST_KNOWN = 5  # known answers of a rater
FEWEST_SHARED, FEWEST_RATERS = 20, 3  # comparisons with so many choices, for agreement
POINTS = 31  # of the quadrature
LARGEST_SPREAD = 4.0
STEPS, CLOSE = 3_000, 1e-7
IMAGINARY = 1.0  # comparisons that each rater agrees in by half: who always agrees has an estimate
HARD = 0.5  # the share of the choices that the most chosen card has at most, where nobody agrees


@dataclass(frozen=True)
class Ability:
    """`value`: θ, log odds above chance; None with a `reason`. `n`: answers that it rests on. `right`: the chance of
    the right answer among `cards` cards, the usual number, on a comparison that is as hard as the average.
    """

    value: float | None
    n: int
    interval: Bounds | None = None
    reason: str = ""
    cards: int = 2

    @property
    def right(self) -> float | None:
        return None if self.value is None else self.at(self.value)

    def at(self, value: float) -> float:
        """The chance of the right answer at an ability."""
        return float(1 / (1 + (self.cards - 1) * np.exp(-value)))


@dataclass(frozen=True)
class Easiness:
    """`value`: z σ of a comparison, 0 being the average one and less harder, with its 95 % posterior; `n` answers, of
    which `right` were."""

    value: float
    low: float
    high: float
    n: int
    right: int


@dataclass(frozen=True)
class Abilities:
    """`raters` and `items` in the order given; items only by known answers. `spread`: σ."""

    raters: tuple[Ability, ...]
    items: tuple[Easiness | None, ...] = ()
    spread: float = 0.0


def by_known_answers(answers: Ints, right: Ints, cards: Ints) -> Abilities:
    """Ability by known answers. `answers`: (raters, items), NOT_ASKED where one was not; `right`, `cards`: (items,).

    Intervals are Wald's, of the observed information. None for who has fewer than FEWEST_KNOWN answers, or all right,
    or all wrong: the likelihood has no maximum there.
    """
    asked = answers != NOT_ASKED
    hit = asked & (answers == right)
    n, hits = asked.sum(axis=1), hit.sum(axis=1)
    usual = _usual(cards)
    reasons = [
        f"{many} known answers are fewer than {FEWEST_KNOWN}" if many < FEWEST_KNOWN
        else f"all {many} known answers are right, so that nothing bounds it" if good == many
        else f"none of {many} known answers is right, so that nothing bounds it" if not good
        else ""
        for many, good in zip(n.tolist(), hits.tolist(), strict=True)
    ]  # fmt: skip
    used = np.array([not reason for reason in reasons], dtype=bool)
    items = asked[used].any(axis=0)
    if not used.any():
        return Abilities(tuple(Ability(None, int(n[j]), reason=reasons[j], cards=usual) for j in range(len(n))))
    model = _Model.known(asked[used][:, items], hit[used][:, items], cards[items])
    fit = model.fitted()
    error = fit.errors
    found = iter(zip(fit.theta, error, strict=True))
    raters = tuple(
        Ability(None, int(n[j]), reason=reasons[j], cards=usual) if reasons[j]
        else _ability(*next(found), int(n[j]), usual, "Wald, observed information")
        for j in range(len(n))
    )  # fmt: skip
    easy = iter(_easiness(model, fit, asked[used][:, items], hit[used][:, items]))
    return Abilities(raters, tuple(next(easy) if item else None for item in items), fit.spread)


def by_the_others(answers: Ints, cards: Ints, imaginary: float = IMAGINARY) -> Abilities:
    """Agreement of each rater with what the others mostly choose. `answers`: (raters, items), NOT_ASKED where there is
    no choice; `cards`: (items,).

    Of two raters the likelihood knows only both abilities together: comparisons with fewer than FEWEST_RATERS choices
    are left out, and whoever has fewer than FEWEST_SHARED others has no estimate. Intervals are Wald's with the larger
    of the observed information's and the sandwich's variance over comparisons: those may differ in how hard they are.
    """
    asked = answers != NOT_ASKED
    shared = asked.sum(axis=0) >= FEWEST_RATERS
    asked, given, cards = asked[:, shared], answers[:, shared], cards[shared]
    n, usual = asked.sum(axis=1), _usual(cards)
    used = n > 0
    if not used.any():
        few = f"in no comparison did {FEWEST_RATERS} raters choose"
        return Abilities(tuple(Ability(None, 0, reason=few) for _ in n))
    fit = _Model.latent(asked[used], given[used], cards, imaginary).fitted()
    found = iter(zip(fit.theta, np.maximum(fit.errors, fit.sandwich), strict=True))
    raters = []
    for many in n.tolist():
        value, error = next(found) if many else (0.0, 0.0)
        few = f"{many} comparisons with {FEWEST_RATERS} choices or more are fewer than {FEWEST_SHARED}"
        raters.append(
            Ability(None, many, reason=few, cards=usual) if many < FEWEST_SHARED
            else _ability(value, error, many, usual, "Wald, sandwich over comparisons")
        )  # fmt: skip
    return Abilities(tuple(raters))


def nobody_agrees(answers: Ints) -> Ints:
    """The items, by number, whose most chosen card has at most HARD of the choices, of FEWEST_RATERS or more."""
    hard = []
    for item, given in enumerate(answers.T):
        chosen = given[given != NOT_ASKED]
        if len(chosen) >= FEWEST_RATERS and np.unique(chosen, return_counts=True)[1].max() <= HARD * len(chosen):
            hard.append(item)
    return np.array(hard, dtype=np.int64)


def _usual(cards: Ints) -> int:
    return int(np.bincount(cards).argmax()) if len(cards) else 2


def _ability(value: float, error: float, n: int, cards: int, method: str) -> Ability:
    if not np.isfinite(error):
        return Ability(float(value), n, reason="interval: the answers do not bound it", cards=cards)
    half = NormalDist().inv_cdf((1 + LEVEL) / 2) * float(error)
    return Ability(float(value), n, Bounds(float(value) - half, float(value) + half, method), cards=cards)


# ---- The fit: latent states of each comparison, by EM


@dataclass(frozen=True)
class _Fit:
    """`theta`: (raters,); `errors` by Louis' information, `sandwich` over comparisons; `posterior`: (items, states)."""

    theta: Floats
    spread: float
    errors: Floats
    sandwich: Floats
    posterior: Floats


@dataclass(frozen=True)
class _Model:
    """One line for each answer, by item: `rater`, `item` (n,), `hit` (n, states): is it the right answer in the state.
    `begins`: (items,), the first line of each. `log_prior`: (items, states), −∞ where there is no such state; `z`:
    (states,); `offset`: ln(k − 1) of each line. `drawn`: items are, with a spread of z.
    """

    rater: Ints
    item: Ints
    hit: Floats
    begins: Ints
    log_prior: Floats
    z: Floats
    offset: Floats
    drawn: bool
    imaginary: float

    @classmethod
    def known(cls, asked: Bools, hit: Bools, cards: Ints) -> "_Model":
        z, weights = np.polynomial.hermite_e.hermegauss(POINTS)
        prior = np.tile(np.log(weights / weights.sum()), (asked.shape[1], 1))
        item, rater = np.nonzero(asked.T)
        of_states = np.repeat(hit[rater, item, None].astype(np.float64), POINTS, axis=1)
        begins = np.searchsorted(item, np.arange(asked.shape[1]))
        return cls(rater, item, of_states, begins, prior, z, np.log(cards[item] - 1.0), True, 0.0)

    @classmethod
    def latent(cls, asked: Bools, given: Ints, cards: Ints, imaginary: float) -> "_Model":
        states = np.arange(int(cards.max()))
        prior = np.where(states < cards[:, None], -np.log(cards)[:, None], -np.inf)
        item, rater = np.nonzero(asked.T)
        hit = (given[rater, item, None] == states).astype(np.float64)
        begins = np.searchsorted(item, np.arange(asked.shape[1]))
        return cls(
            rater, item, hit, begins, prior, np.zeros(len(states)), np.log(cards[item] - 1.0), False, imaginary
        )  # fmt: skip

    def fitted(self) -> _Fit:
        theta, spread = np.full(int(self.rater.max()) + 1, 0.5), 1.0 if self.drawn else 0.0
        for _ in range(STEPS):
            moved, wider = self._maximised(self._posterior(theta, spread), theta, spread)
            change = max(float(np.abs(moved - theta).max()), abs(wider - spread))
            theta, spread = moved, wider
            if change < CLOSE:
                break
        posterior = self._posterior(theta, spread)
        return _Fit(theta, spread, *self._errors(posterior, theta, spread), posterior)

    def _chance(self, theta: Floats, spread: float) -> Floats:
        logit = (theta[self.rater] - self.offset)[:, None] + spread * self.z
        return np.asarray(1 / (1 + np.exp(-np.clip(logit, -35, 35))))

    def _posterior(self, theta: Floats, spread: float) -> Floats:
        chance = self._chance(theta, spread)
        log = np.where(self.hit > 0, np.log(chance), np.log1p(-chance) - self.offset[:, None])
        total = self.log_prior + np.add.reduceat(log, self.begins, axis=0)
        likely = np.exp(total - total.max(axis=1, keepdims=True))
        return np.asarray(likely / likely.sum(axis=1, keepdims=True))

    def _maximised(self, posterior: Floats, theta: Floats, spread: float) -> tuple[Floats, float]:
        """One step of Newton for each rater, then for the spread."""
        chance, weight, many = self._chance(theta, spread), posterior[self.item], len(theta)
        prior = 1 / (1 + np.exp(-theta))
        slopes = np.bincount(self.rater, (weight * (self.hit - chance)).sum(axis=1), many)
        curves = np.bincount(self.rater, (weight * chance * (1 - chance)).sum(axis=1), many)
        score: Floats = slopes + self.imaginary * (0.5 - prior)
        information: Floats = curves + self.imaginary * prior * (1 - prior)
        theta = theta + np.clip(score / np.maximum(information, 1e-12), -1, 1)
        if not self.drawn:
            return theta, 0.0
        chance = self._chance(theta, spread)
        slope = float((weight * (self.hit - chance) * self.z).sum())
        curve = float((weight * chance * (1 - chance) * self.z**2).sum())
        return theta, float(np.clip(spread + np.clip(slope / max(curve, 1e-12), -0.5, 0.5), 0.0, LARGEST_SPREAD))

    def _errors(self, posterior: Floats, theta: Floats, spread: float) -> tuple[Floats, Floats]:
        """Standard errors of θ: of the information E[complete information] − Var[complete score]; and the sandwich."""
        many, items = len(theta), len(self.begins)
        chance = self._chance(theta, spread)
        weight = chance * (1 - chance) * posterior[self.item]
        free = self.drawn and 0 < spread < LARGEST_SPREAD
        known, meat = np.zeros((many + free, many + free)), np.zeros((many + free, many + free))
        prior = 1 / (1 + np.exp(-theta))
        known[np.arange(many), np.arange(many)] = self.imaginary * prior * (1 - prior) + np.bincount(
            self.rater, weight.sum(axis=1), many
        )
        if free:
            known[:many, many] = known[many, :many] = np.bincount(self.rater, weight @ self.z, many)
            known[many, many] = (weight @ self.z**2).sum()
        for item, lines in enumerate(np.split(np.arange(len(self.rater)), self.begins[1:])):
            apart = self.hit[lines] - chance[lines]  # the complete score, by rater and state
            place = self.rater[lines]
            if free:
                apart, place = np.vstack([apart, apart.sum(axis=0) * self.z]), np.append(place, many)
            mean = apart @ posterior[item]
            centred = apart - mean[:, None]
            known[np.ix_(place, place)] -= (centred * posterior[item]) @ centred.T
            meat[np.ix_(place, place)] += np.outer(mean, mean)
        values, vectors = np.linalg.eigh(known)
        if values.min() <= 1e-9 * max(values.max(), 1e-300):
            nothing = np.full(many, np.inf)
            return nothing, nothing
        inverse = (vectors / values) @ vectors.T
        robust = inverse @ (meat * items / max(1, items - 1)) @ inverse
        return np.sqrt(np.diagonal(inverse)[:many]), np.sqrt(np.diagonal(robust)[:many])


def _easiness(model: _Model, fit: _Fit, asked: Bools, hit: Bools) -> list[Easiness]:
    mean = fit.posterior @ model.z
    below, above = (1 - LEVEL) / 2, (1 + LEVEL) / 2
    share = np.cumsum(fit.posterior, axis=1)
    low, high = (model.z[(share >= level).argmax(axis=1)] for level in (below, above))
    counts = zip(asked.sum(axis=0).tolist(), hit.sum(axis=0).tolist(), strict=True)
    return [
        Easiness(float(fit.spread * mean[at]), float(fit.spread * low[at]), float(fit.spread * high[at]), n, right)
        for at, (n, right) in enumerate(counts)
    ]
