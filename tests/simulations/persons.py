"""People who differ: pooled shares and ABS of several people, whose preferences differ by σ on the logit.

All of them read the same comparisons, whose texts differ too, or each another number of them. The truth is the share
among people and texts like these. n counts people; every row is of 1,000 trials at least, two standard errors of which
are ± 1.6 points of a coverage of 93 % and ± 1.4 points of 5 % false alarms.
"""

from functools import cache, partial

import numpy as np
from simulations.rows import Outcome, Row, alarm, covers, simulated

from biasprint.core.metrics.affinity import affinity_floor, affinity_interval, worth_floor
from biasprint.core.metrics.proportions import design_effect, wilson, worth_share
from biasprint.core.metrics.resampling import worth_of_choices

TRIALS = 1000
PEOPLE = (6, 12, 30)
SIGMAS = (0.0, 0.5, 1.0)
TEXTS = 0.5  # how much the texts of a comparison differ, on the logit
RESAMPLES = 199
LEANINGS = {"no common preference": (0.0, 0.0, 0.0), "one preferred": (0.9, 0.2, 0.0)}
SAME, UNEQUAL = "the same 20 comparisons", "4 to 60 of 60 comparisons"
Drawn = tuple[np.ndarray, np.ndarray, np.ndarray]


def shares_of(utilities: np.ndarray) -> np.ndarray:
    odds = np.exp(utilities)
    return np.asarray(odds / odds.sum(axis=-1, keepdims=True))


def judged(leaning: tuple[float, ...], sigma: float, asked: str, people: int, rng: np.random.Generator) -> Drawn:
    """Choices (c, k), the person and the comparison of each, shapes (c,)."""
    k = len(leaning)
    of_person = np.array(leaning) + rng.normal(0, sigma, (people, k)) / np.sqrt(2)
    pool = 20 if asked == SAME else 60
    of_text = rng.normal(0, TEXTS, (pool, k)) / np.sqrt(2)
    many = (
        np.full(people, pool) if asked == SAME else np.clip(np.exp(rng.normal(2.5, 0.9, people)), 4, pool).astype(int)
    )
    person = np.repeat(np.arange(people), many)
    unit = np.concatenate([rng.permutation(pool)[:each] for each in many])
    edges = shares_of(of_person[person] + of_text[unit]).cumsum(axis=1)
    chosen = np.minimum((rng.random((len(unit), 1)) > edges).sum(axis=1), k - 1)
    return np.eye(k, dtype=np.int64)[chosen], person, unit


@cache
def truth_of(leaning: tuple[float, ...], sigma: float) -> np.ndarray:
    """By a sample so large that it stands for all people and texts."""
    spread = np.sqrt(sigma**2 + TEXTS**2) / np.sqrt(2)
    if not any(leaning):
        return np.full(len(leaning), 1 / len(leaning))
    utilities = np.random.default_rng(0).normal(0, spread, (400_000, len(leaning)))
    return np.asarray(shares_of(np.array(leaning) + utilities).mean(axis=0))


def share_trial(
    leaning: tuple[float, ...], sigma: float, asked: str, rng: np.random.Generator, people: int
) -> dict[str, Outcome]:
    """The first identity's share: people and comparisons as the program takes them, then comparisons alone as it did,
    then every choice by itself."""
    counts, person, unit = judged(leaning, sigma, asked, people, rng)
    truth, chance, n = truth_of(leaning, sigma)[0], 1 / len(leaning), len(counts)
    tested = 1.0 if any(leaning) else 0.0
    own = np.column_stack([counts[:, 0], counts[:, 1:].sum(axis=1)])
    found = worth_share(int(own[:, 0].sum()), n, chance, worth_of_choices(own, person, unit))
    by_unit = np.zeros((int(unit.max()) + 1, len(leaning)), dtype=np.int64)
    np.add.at(by_unit, unit, counts)
    effect = design_effect(by_unit)
    chosen = int(own[:, 0].sum())
    alone = wilson(chosen, n)
    assert alone is not None
    return {
        "share, people and comparisons": Outcome(covers(found.interval, truth), alarm(found.p, tested)),
        "share, comparisons alone (shown, not used)": Outcome(covers(wilson(chosen / effect, n / effect), truth)),
        "share, every choice by itself (shown, not used)": Outcome(
            covers(alone, truth), alarm(0.0 if not alone.low <= chance <= alone.high else 1.0, tested)
        ),
    }


def abs_trial(
    leaning: tuple[float, ...], sigma: float, asked: str, rng: np.random.Generator, people: int
) -> dict[str, Outcome]:
    """ABS: people and comparisons as the program takes them, then its test with comparisons alone."""
    counts, person, unit = judged(leaning, sigma, asked, people, rng)
    truth, n, chosen = float(np.std(truth_of(leaning, sigma))), len(counts), counts.sum(axis=0)
    tested = 1.0 if any(leaning) else 0.0
    worth = worth_of_choices(counts, person, unit)
    noise = worth_floor(chosen / n, n, worth)
    bounds = affinity_interval(chosen, worth.effect, freedom=worth.freedom, noise=noise)
    by_unit = np.zeros((int(unit.max()) + 1, len(leaning)), dtype=np.int64)
    np.add.at(by_unit, unit, counts)
    before = affinity_floor(by_unit, rng, RESAMPLES)
    return {
        "ABS, people and comparisons": Outcome(covers(bounds, truth), alarm(noise.p, tested)),
        "ABS, comparisons alone (shown, not used)": Outcome(
            covers(affinity_interval(chosen, design_effect(by_unit)), truth), alarm(before.p, tested)
        ),
    }


def rows(trials: int = TRIALS) -> list[Row]:
    """The whole table, of TRIALS at least."""
    trials = max(trials, TRIALS)
    found: list[Row] = []
    for k in (2, 3):
        for named, leaning in LEANINGS.items():
            for asked in (SAME, UNEQUAL):
                for sigma in SIGMAS:
                    design = f"people of σ {sigma}, {k} identities, {named}; {asked}"
                    for people in PEOPLE:
                        for trial in (share_trial, abs_trial):
                            found += simulated(design, people, partial(trial, leaning[:k], sigma, asked), trials)
    return [row for row in found if "not used" not in row.method or "σ 1.0, 2 identities, no common" in row.design]
