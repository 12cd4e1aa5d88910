"""Planted recommendations: how far raters follow them, whose sway differs by τ on the logit.

n counts raters. Each judges the same 40 comparisons, half of them beside a recommendation, as the program draws them;
raters' leanings differ by σ = 1 on the logit, texts by 0.5. The truth is of raters and texts like these. Every row is
of 1,000 trials at least (± 1.6 points of 93 %, ± 1.4 points of 5 %). “Resists”: an alarm is any rater who is told apart
from the others where all follow alike.
"""

from functools import cache, partial

import numpy as np
from simulations.rows import ALARM, Found, Outcome, Row, alarm, covers, simulated

from biasprint.core.metrics.preference import ArmEffect, arm_effect, difference_of_effects
from biasprint.core.metrics.result import holm

TRIALS = 1000
COMPARISONS = 40
PEOPLE, TEXTS = 1.0, 0.5  # how much raters, and texts, differ on the logit
RATERS = (6, 12, 30)
NO_SWAY, SWAYED = 0.0, 1.0  # how far a recommendation moves its text, on the logit
Drawn = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
NOBODY = -1


def chances_of(utilities: np.ndarray) -> np.ndarray:
    odds = np.exp(utilities)
    return np.asarray(odds / odds.sum(axis=-1, keepdims=True))


def studied(k: int, bias: float, effects: np.ndarray, rng: np.random.Generator) -> Drawn:
    """Rater, comparison, identity recommended (NOBODY: none) and chosen of each answer; `bias`: how many of the
    recommendations name the first identity. `effects`: of each rater."""
    raters = len(effects)
    leaning = rng.normal(0, PEOPLE / np.sqrt(2), (raters, k))
    text = rng.normal(0, TEXTS / np.sqrt(2), (COMPARISONS, k))
    half = COMPARISONS // 2
    first = round(bias * half)
    others = np.resize(np.arange(1, k), half - first)
    deal = np.concatenate([np.zeros(first, dtype=int), others, np.full(COMPARISONS - half, NOBODY)])
    advised = np.concatenate([rng.permutation(deal) for _ in range(raters)])
    rater, unit = np.repeat(np.arange(raters), COMPARISONS), np.tile(np.arange(COMPARISONS), raters)
    pushed = (advised[:, None] == np.arange(k)) * effects[rater][:, None]
    edges = chances_of(leaning[rater] + text[unit] + pushed).cumsum(axis=1)
    chosen = np.minimum((rng.random((len(unit), 1)) > edges).sum(axis=1), k - 1)
    return rater, unit, advised, chosen


def followed(k: int, advised: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """As the study takes them: 1 where it was followed; alone, the share of the recommendations of what was chosen."""
    named = np.bincount(advised[advised != NOBODY], minlength=k) / (advised != NOBODY).sum()
    return np.where(advised == NOBODY, named[chosen], (advised == chosen).astype(float))


@cache
def truth_of(k: int, effect: float, tau: float) -> float:
    """By a sample so large that it stands for all; identities are alike, and so is the truth of each."""
    rng = np.random.default_rng(0)
    utilities = rng.normal(0, np.sqrt(PEOPLE**2 + TEXTS**2) / np.sqrt(2), (400_000, k))
    utilities[:, 0] += effect + tau * rng.normal(size=len(utilities))
    return float(chances_of(utilities)[:, 0].mean() - 1 / k) if effect or tau else 0.0


def trial(k: int, bias: float, effect: float, tau: float, rng: np.random.Generator, raters: int) -> dict[str, Outcome]:
    rater, unit, advised, chosen = studied(k, bias, effect + tau * rng.normal(size=raters), rng)
    truth, shown = truth_of(k, effect, tau), advised != NOBODY
    tested = 1.0 if truth else 0.0
    whole = arm_effect(followed(k, advised, chosen), shown, rater, unit)
    own = np.isin(advised, (NOBODY, 0))
    first = arm_effect((chosen[own] == 0).astype(float), shown[own], rater[own], unit[own])
    assert whole is not None
    assert first is not None
    return {
        name: Outcome(covers(found.difference.interval, truth), alarm(found.difference.p, tested))
        for name, found in (("sway of all", whole), ("sway of one identity", first))
    }


def effect_of(k: int, drawn: Drawn, rows: np.ndarray) -> ArmEffect:
    rater, unit, advised, chosen = (column[rows] for column in drawn)
    groupings = (rater, unit) if len(np.unique(rater)) > 1 else (unit,)
    found = arm_effect(followed(k, advised, chosen), advised != NOBODY, *groupings)
    assert found is not None
    return found


def told_apart(k: int, drawn: Drawn) -> list[bool]:
    """Of each rater whether the program says that they follow less than the others, or more."""
    p = [
        difference_of_effects(effect_of(k, drawn, drawn[0] != one), effect_of(k, drawn, drawn[0] == one)).difference.p
        for one in range(int(drawn[0].max()) + 1)
    ]
    return [found is not None and found <= ALARM for found in holm(p)]


def rater_trial(k: int, effect: float, rng: np.random.Generator, raters: int) -> dict[str, Outcome]:
    """All follow alike: is anybody said to resist, and does the interval of one rater hold?"""
    drawn = studied(k, 1 / k, np.full(raters, effect), rng)
    any_alarm = any(told_apart(k, drawn))
    return {"resists: any of the raters": Outcome(alarm=any_alarm)}


def found_trial(resisting: float, rng: np.random.Generator, raters: int) -> tuple[bool, bool]:
    """Whether the one rater who does not follow is told apart from the others, who follow 2 on the logit; and whether
    one of those is."""
    effects = np.full(raters, 2.0)
    effects[0] = resisting
    told = told_apart(2, studied(2, 0.5, effects, rng))
    return told[0], any(told[1:])


def found_rows(trials: int = TRIALS) -> list[Found]:
    """One rater resists, or does the opposite, beside 5 or 11 others whom a recommendation moves by 2 on the logit."""
    found = []
    for name, resisting in (("one rater of all does not follow", 0.0), ("one rater of all does the opposite", -2.0)):
        for raters in (6, 12):
            rng = np.random.default_rng([raters, int(10 * abs(resisting))])
            hits = [found_trial(resisting, rng, raters) for _ in range(max(trials, TRIALS))]
            told, others = (float(np.mean(side)) for side in zip(*hits, strict=True))
            found.append(Found(f"{name} (last column: any other is told apart)", raters, told, others))
    return found


def rows(trials: int = TRIALS) -> list[Row]:
    """The whole table, of TRIALS at least."""
    many = max(trials, TRIALS)
    designs = [
        (k, bias, effect, tau)
        for k, bias in ((2, 0.5), (2, 0.8), (3, 1 / 3))
        for effect, tau in ((NO_SWAY, 0.0), (SWAYED, 0.0), (SWAYED, 1.0))
    ]
    made = [
        row
        for k, bias, effect, tau in designs
        for raters in RATERS
        for row in simulated(
            f"{k} identities, {bias:.0%} of the recommendations for one, sway {effect:g}, τ {tau:g}", raters,
            partial(trial, k, bias, effect, tau), many,
        )
    ]  # fmt: skip
    return made + [
        row
        for effect in (NO_SWAY, SWAYED)
        for raters in (6, 12)
        for row in simulated(
            f"2 identities, all follow alike, sway {effect:g}", raters, partial(rater_trial, 2, effect), many
        )
    ]
