"""Simulated counts of a lexicon's words in letters, given to the odds ratios of the program."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from simulations.independent.tally import Answer, Setting, answer

from biasprint.core.metrics.clusters import Clusters
from biasprint.core.metrics.odds import clustered_odds_ratios

Ints = NDArray[np.int64]
ALIKE = 1.0
RARE = (400.0, 400.0)  # letters that use a rare word use it more than once


def letters(
    rng: np.random.Generator, n: int, rate: float, concentration: float, length: int = 250
) -> tuple[Ints, Ints]:
    """Return words of the lexicon and all words of each letter. Letters differ in their own rates (beta), the more the
    smaller the concentration, and in length."""
    words = rng.integers(length // 2, length * 3 // 2, n)
    return rng.binomial(words, rng.beta(rate * concentration, (1 - rate) * concentration, n)), words


def odds(counts: Ints, words: Ints, of_first: NDArray[np.bool_], blocks: list[str], truth: float = ALIKE) -> Answer:
    ratio = clustered_odds_ratios(counts[:, None], words, Clusters.of(of_first, blocks))[0]
    return answer(ratio.p, ratio.interval.bounds, truth, ALIKE)


def unmatched(
    n: int, m: int, concentrations: tuple[float, float], rate: float = 0.015, truth: float = ALIKE, length: int = 250
) -> Callable[..., Answer]:
    """Letters of two groups that have nothing to do with each other; `truth` is their odds ratio."""
    odds_of_first = truth * rate / (1 - rate)

    def study(rng: np.random.Generator) -> Answer:
        first = letters(rng, n, odds_of_first / (1 + odds_of_first), concentrations[0], length)
        second = letters(rng, m, rate, concentrations[1], length)
        counts, words = np.concatenate([first[0], second[0]]), np.concatenate([first[1], second[1]])
        return odds(counts, words, np.arange(n + m) < n, [""] * (n + m), truth)

    return study


def matched(cells: int, concentrations: tuple[float, float], each: tuple[int, int] = (1, 1)) -> Callable[..., Answer]:
    """Cells with letters of both groups about the same occupation, which has a rate of its own."""

    def study(rng: np.random.Generator) -> Answer:
        counts, words, of_first, blocks = [], [], [], []
        for cell in range(cells):
            rate = 0.015 * np.exp(rng.normal(0.0, 0.6))
            for side in (0, 1):
                some, all_words = letters(rng, each[side], rate, concentrations[side])
                counts.append(some)
                words.append(all_words)
                of_first += [side == 0] * each[side]
                blocks += [f"cell {cell}"] * each[side]
        return odds(np.concatenate(counts), np.concatenate(words), np.array(of_first), blocks)

    return study


def extra_wide(rng: np.random.Generator) -> Answer:
    """One letter in five of the first group has ten times as many of the words; the groups' means are the same."""
    n = m = 25
    rates = np.where(rng.random(n) < 0.2, 0.05, 0.005)
    words = rng.integers(150, 350, n + m)
    chance = np.concatenate([rates, np.full(m, 0.2 * 0.05 + 0.8 * 0.005)])
    return odds(rng.binomial(words, chance), words, np.arange(n + m) < n, [""] * (n + m))


THE_ISSUE = (
    Setting("odds ratio, 12 and 60 letters, unequal dispersion", unmatched(12, 60, (60.0, 1000.0)), 1000),
    Setting("odds ratio, 20 and 20 letters, unequal dispersion", unmatched(20, 20, (60.0, 1000.0)), 1000),
)
FURTHER = (
    Setting("odds ratio, 12 and 60 letters, the larger group varies", unmatched(12, 60, (1000.0, 60.0)), 1000),
    Setting("odds ratio 1.5, 15 and 45 letters", unmatched(15, 45, (80.0, 400.0), truth=1.5), 1000),
    Setting(
        "rare words: 9 in 30 letters of each group", unmatched(30, 30, RARE, 0.0015, length=200), 1000, discrete=True
    ),
    Setting("rare words: 8 in 10 letters, 40 in 50", unmatched(10, 50, RARE, 0.004, length=200), 1000, discrete=True),
    Setting("odds ratio, 25 cells with a letter of both", matched(25, (60.0, 1000.0)), 1000),
    Setting("odds ratio, 12 cells with 1 and 3 letters", matched(12, (60.0, 300.0), (1, 3)), 1000),
    Setting("a fifth of one group's letters has the words, 25 and 25", extra_wide, 1000),
)
SETTINGS = THE_ISSUE + FURTHER
