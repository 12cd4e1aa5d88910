"""Simulated comparisons of texts, given to the rankings of the program."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from simulations.independent.tally import Answer, Setting, answer

from biasprint.core.metrics.ranking import NOBODY, Ballots, RankedPair, ranking

Ints = NDArray[np.int64]
RESAMPLES = 200
EVEN = 0.5
APART = (2.5, 0.0, -2.5)
ALL_ALIKE = (0.0, 0.0, 0.0, 0.0)


def first_pair(shown: Ints, best: Ints, rater: Ints, identities: int, by_rater: bool) -> RankedPair:
    """Rank by comparisons each of which has texts of its own; return the pair of the first two identities."""
    n = len(best)
    nobody = np.full(n, NOBODY)
    ballots = Ballots(shown, best, nobody, np.ones(n), rater, np.arange(n))
    return ranking(ballots, identities, by_rater=by_rater, resamples=RESAMPLES).pairs[0]


def two_cards(chance: float, n: int) -> Callable[..., Answer]:
    """One person chooses between two identities, the first with this chance."""

    def study(rng: np.random.Generator) -> Answer:
        best = np.where(rng.random(n) < chance, 0, 1)
        pair = first_pair(np.tile([0, 1], (n, 1)), best, np.zeros(n, dtype=int), 2, False)
        return answer(pair.p, pair.interval, chance, EVEN)

    return study


def among_four(strengths: tuple[float, float, float, float], each: int) -> Callable[..., Answer]:
    """One person compares all six pairs of four identities, so many times each."""
    pi = np.exp(strengths)
    shown = np.repeat([[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]], each, axis=0)

    def study(rng: np.random.Generator) -> Answer:
        wins = rng.random(len(shown)) < pi[shown[:, 0]] / pi[shown].sum(axis=1)
        best = np.where(wins, shown[:, 0], shown[:, 1])
        pair = first_pair(shown, best, np.zeros(len(shown), dtype=int), 4, False)
        return answer(pair.p, pair.interval, float(pi[0] / (pi[0] + pi[1])), EVEN)

    return study


def three_cards(n: int) -> Callable[..., Answer]:
    """One person chooses the best of three, without a preference."""

    def study(rng: np.random.Generator) -> Answer:
        pair = first_pair(np.tile([0, 1, 2], (n, 1)), rng.integers(0, 3, n), np.zeros(n, dtype=int), 3, False)
        return answer(pair.p, pair.interval, EVEN, EVEN)

    return study


def best_and_worst(strengths: tuple[float, float, float], n: int, place: int) -> Callable[..., Answer]:
    """One person names the best and the worst of three; the answer is about the pair of the first and `place`."""
    pi = np.exp(strengths)

    def study(rng: np.random.Generator) -> Answer:
        ballots = orders(rng, pi, n)
        pair = next(each for each in ranked(ballots) if (each.first, each.second) == (0, place))
        return answer(pair.p, pair.interval, float(pi[0] / (pi[0] + pi[place])), EVEN)

    return study


def orders(rng: np.random.Generator, pi: NDArray[np.float64], n: int) -> Ballots:
    """Draw orders by Plackett and Luce: the one with the shortest exponential time is the best."""
    order = np.argsort(rng.exponential(1.0, (n, len(pi))) / pi, axis=1)
    shown = np.tile(np.arange(len(pi)), (n, 1))
    return Ballots(shown, order[:, 0], order[:, -1], np.ones(n), np.zeros(n, dtype=int), np.arange(n))


def ranked(ballots: Ballots) -> tuple[RankedPair, ...]:
    return ranking(ballots, 3, by_rater=False, resamples=RESAMPLES).pairs


def people_who_differ(people: int, each: int) -> Callable[..., Answer]:
    """People with preferences of their own, which even out, choose between two identities."""
    rater = np.repeat(np.arange(people), each)

    def study(rng: np.random.Generator) -> Answer:
        chance = 1 / (1 + np.exp(-rng.normal(0.0, 1.0, people)))[rater]
        best = np.where(rng.random(rater.size) < chance, 0, 1)
        pair = first_pair(np.tile([0, 1], (rater.size, 1)), best, rater, 2, True)
        return answer(pair.p, pair.interval, EVEN, EVEN)

    return study


THE_ISSUE = (
    Setting("ranking, the first wins 95 of 100, 8 comparisons", two_cards(0.95, 8), 1000, discrete=True),
    Setting("ranking of two without a preference, 8 comparisons", two_cards(0.5, 8), 1000, discrete=True),
)
FURTHER = (
    Setting("ranking of two without a preference, 40 comparisons", two_cards(0.5, 40), 500, discrete=True),
    Setting("ranking of four, one far ahead, 6 of each pair", among_four((2.5, 0.0, 0.0, 0.0), 6), 400, discrete=True),
    Setting("ranking of four without a preference, 8 of each pair", among_four(ALL_ALIKE, 8), 400, discrete=True),
    Setting("ranking of four without a preference, 30 of each pair", among_four(ALL_ALIKE, 30), 400),
    Setting("best of three cards without a preference, 45 times", three_cards(45), 400),
    Setting("best and worst of three far apart, 12 times, first two", best_and_worst(APART, 12, 1), 400, discrete=True),
    Setting("best and worst of three far apart, 12 times, extremes", best_and_worst(APART, 12, 2), 400, discrete=True),
    Setting("ranking by 12 people who differ, 10 each", people_who_differ(12, 10), 400),
)
SETTINGS = THE_ISSUE + FURTHER
