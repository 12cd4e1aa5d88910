"""Differences of means and proportions: coverage of the intervals and false alarms of the tests.

`rows(trials)` gives the table for docs/tables/statistics-simulations.md.
"""

from collections.abc import Callable, Mapping
from functools import partial
from math import sqrt
from statistics import NormalDist

import numpy as np
from simulations.rows import Outcome, Row, alarm, covers, simulated

from biasprint.core.metrics.means import equivalence, paired_difference, two_sample_difference
from biasprint.core.metrics.proportions import paired_proportions, two_proportions
from biasprint.core.metrics.result import Difference

SMALL, USUAL, LARGE = 8, 60, 600

Pairs = Callable[[np.random.Generator, int], tuple[np.ndarray, np.ndarray]]


def normal_pairs(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Two texts of one prompt: a shared effect three times as large as their own."""
    shared = rng.normal(0, 3, n)
    return shared + rng.normal(0, 1, n), shared + rng.normal(0, 1, n)


def heavy_pairs(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    shared = rng.normal(0, 3, n)
    return shared + rng.standard_t(3, n), shared + rng.standard_t(3, n)


def share_pairs(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Shares of a group's words in two articles on one headline: few words, many zeros and ones."""
    leaning = rng.beta(1.2, 1.8, n)
    words = rng.integers(3, 25, (2, n))
    first, second = rng.binomial(words, leaning) / words
    return first, second


PAIRS: Mapping[str, Pairs] = {
    "pairs, normal": normal_pairs,
    "pairs, heavy tails": heavy_pairs,
    "pairs of shares of few words": share_pairs,
}


def outcome(result: Difference, truth: float = 0.0) -> Outcome:
    return Outcome(covers(result.interval, truth), alarm(result.p, truth))


def paired_trial(draw: Pairs, rng: np.random.Generator, n: int) -> dict[str, Outcome]:
    first, second = draw(rng, n)
    return {
        "paired t": outcome(paired_difference(first, second)),
        "Student's t as_published (pairs ignored)": outcome(two_sample_difference(first, second, equal_variances=True)),
    }


def two_sample_trial(ratio: float, spread: float, rng: np.random.Generator, n: int) -> dict[str, Outcome]:
    """The second group has `ratio` times as many units and `spread` times the standard deviation."""
    first, second = rng.normal(0, 1, n), rng.normal(0, spread, max(2, int(n * ratio)))
    return {
        "Welch's t": outcome(two_sample_difference(first, second)),
        "Student's t as_published": outcome(two_sample_difference(first, second, equal_variances=True)),
    }


def equivalence_trial(rng: np.random.Generator, n: int) -> dict[str, Outcome]:
    """The true difference is the margin itself: claiming equivalence is the false alarm."""
    first, second = rng.normal(0.5, 1, n), rng.normal(0, 1, n)
    return {
        "equivalence, paired": Outcome(alarm=equivalence(first - second, 0.5).equivalent),
        "equivalence, Welch": Outcome(alarm=equivalence((first, second), 0.5).equivalent),
    }


def paired_proportions_trial(chances: tuple[float, float], rng: np.random.Generator, n: int) -> dict[str, Outcome]:
    """Is a headline refused, asked in two ways? Headlines differ in how readily they are."""
    leaning = rng.normal(0, 1, n)
    # A headline's leaning and a text's own chance add up to a normal variable of variance 2.
    cuts = [sqrt(2) * NormalDist().inv_cdf(1 - chance) for chance in chances]
    first, second = (leaning + rng.normal(0, 1, n) > cut for cut in cuts)
    truth = chances[0] - chances[1]
    unpaired = two_proportions(int(first.sum()), n, int(second.sum()), n)
    return {
        "McNemar, Tango": outcome(paired_proportions(first, second), truth),
        "pooled z as_published (pairs ignored)": outcome(unpaired, truth),
    }


def two_proportions_trial(chances: tuple[float, float], rng: np.random.Generator, n: int) -> dict[str, Outcome]:
    first, second = rng.binomial(n, chances)
    counts = (int(first), n, int(second), n)
    truth = chances[0] - chances[1]
    return {
        "exact or z, Miettinen–Nurminen": outcome(two_proportions(*counts, exact=None), truth),
        "pooled z as_published": outcome(two_proportions(*counts), truth),
    }


def paired_rows(trials: int, sizes: tuple[int, ...] = (SMALL, USUAL, LARGE)) -> list[Row]:
    return [
        row
        for n in sizes
        for design, draw in PAIRS.items()
        for row in simulated(design, n, partial(paired_trial, draw), trials)
    ]


def two_sample_rows(trials: int, sizes: tuple[int, ...] = (SMALL, USUAL, LARGE)) -> list[Row]:
    return [
        row
        for n in sizes
        for ratio, spread in ((1.0, 1.0), (3.0, 0.4), (1.0, 3.0))
        for row in simulated(
            f"two groups, n × {ratio:.0f}, SD × {spread}", n, partial(two_sample_trial, ratio, spread), trials
        )
    ]


def equivalence_rows(trials: int, sizes: tuple[int, ...] = (SMALL, USUAL, LARGE)) -> list[Row]:
    return [row for n in sizes for row in simulated("difference at the margin", n, equivalence_trial, trials)]


def proportion_rows(trials: int, sizes: tuple[int, ...] = (SMALL, USUAL, LARGE)) -> list[Row]:
    chances = ((0.5, 0.5), (0.1, 0.1), (0.4, 0.2), (0.9, 0.7))
    kinds = {"pairs": paired_proportions_trial, "two groups": two_proportions_trial}
    return [
        row
        for n in sizes
        for name, trial in kinds.items()
        for pair in chances
        for row in simulated(f"proportions {pair[0]} and {pair[1]}, {name}", n, partial(trial, pair), trials)
    ]


def rows(trials: int = 2000) -> list[Row]:
    """The whole table."""
    return [*paired_rows(trials), *two_sample_rows(trials), *equivalence_rows(trials), *proportion_rows(trials)]
