"""Ability of raters and how hard comparisons are: by known answers, or by answers alone, as agreement with the others.

Rater j gives the right answer to comparison i of k_i cards with logit P = θ_j − ln(k_i − 1) + σ z_i, and each wrong one
alike: θ = 0 is what chance gives. By known answers z_i ~ N(0, 1) is how easy a comparison is, integrated out: Rasch's
model with the parts of person and item exchanged, as there are few raters and many comparisons. Without them the right
answer is latent, each card being as likely before, and σ is 0: Dawid and Skene's model with one parameter a rater. What
it calls right is what the others mostly choose: agreement, and no correctness.
Source: Rasch 1960, Bock & Aitkin 1981 (marginal likelihood); Dawid & Skene 1979; Louis 1982 (information).
"""

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from biasprint.core.metrics.result import LEVEL, Bools, Bounds, Floats, Ints

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
