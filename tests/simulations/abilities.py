"""Abilities of raters: coverage, correlation with the truth, and how often one who guesses is told from chance."""

from collections.abc import Callable

import numpy as np
from simulations.rows import Row

from biasprint.core.metrics.agreement import Abilities, by_known_answers, by_the_others

TRIALS = 300
MEAN, DIFFER = 1.0, 0.7  # of abilities, on the logit
KNOWN = ((6, 10, 2), (6, 30, 2), (12, 30, 2), (6, 30, 3))  # raters, known answers, cards
LATENT = ((3, 40, 2, 0.0), (6, 40, 2, 0.0), (12, 40, 2, 0.0), (6, 40, 3, 0.0), (6, 40, 2, 0.7))
Drawn = tuple[np.ndarray, Abilities]


def known(raters: int, items: int, cards: int, rng: np.random.Generator) -> Drawn:
    """Known answers that differ in how easy they are, σ = 1. The first rater guesses."""
    theta = np.append(0.0, rng.normal(MEAN, DIFFER, raters - 1))
    answers, right = given(theta[:, None] + rng.normal(size=items), cards, rng)
    return theta, by_known_answers(answers, right, np.full(items, cards))


def latent(raters: int, items: int, cards: int, differ: float, rng: np.random.Generator) -> Drawn:
    """Nobody is told the right answer. `differ`: σ of the logarithm of how clear comparisons are; the truth is then the
    logit of the mean share. The first rater guesses."""
    theta = np.append(0.0, rng.normal(MEAN, DIFFER, raters - 1))
    answers, _ = given(theta[:, None] * clear(items, differ, rng), cards, rng)
    many = theta[:, None] * clear(20_000, differ, np.random.default_rng(0))
    share = (1 / (1 + (cards - 1) * np.exp(-many))).mean(axis=1)
    return np.log(share * (cards - 1) / (1 - share)), by_the_others(answers, np.full(items, cards))


def clear(items: int, differ: float, rng: np.random.Generator) -> np.ndarray:
    return np.exp(differ * rng.normal(size=items) - differ**2 / 2)


def given(logit: np.ndarray, cards: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    right = rng.integers(0, cards, logit.shape[1])
    hit = rng.random(logit.shape) < 1 / (1 + (cards - 1) * np.exp(-logit))
    return np.where(hit, right, (right + rng.integers(1, cards, logit.shape)) % cards), right


def rows(trials: int = TRIALS) -> list[Row]:
    found = []
    for raters, items, cards in KNOWN:
        rng = np.random.default_rng([1, raters, items, cards])
        design = f"{raters} raters, {items} known answers of {cards} cards"
        found.append(counted(design, known, (raters, items, cards), rng, trials))
    for raters, items, cards, differ in LATENT:
        rng = np.random.default_rng([2, raters, items, cards, int(10 * differ)])
        unlike = ", unlike in how clear they are" if differ else ""
        design = f"{raters} raters, nobody knows the answer, {cards} cards{unlike}"
        found.append(counted(design, latent, (raters, items, cards, differ), rng, trials))
    return found


def counted(
    design: str, draw: Callable[..., Drawn], how: tuple[float, ...], rng: np.random.Generator, trials: int
) -> Row:
    held, alarms, pairs = [], [], []
    for _ in range(min(trials, TRIALS)):
        theta, abilities = draw(*how, rng)
        for place, (true, one) in enumerate(zip(theta, abilities.raters, strict=True)):
            if one.interval is None or one.value is None:
                continue  # all right, or all wrong
            held.append(one.interval.low <= true <= one.interval.high)
            pairs.append((true, one.value))
            if place == 0:
                alarms.append(not one.interval.low <= 0 <= one.interval.high)
    correlation = np.corrcoef(np.array(pairs).T)[0, 1]
    method = f"ability, correlates {correlation:.2f} with the truth"
    return Row(design, int(how[1]), method, float(np.mean(held)), float(np.mean(alarms)))
