"""How measures grow: processor time and memory at 10³ to 10⁶ items, with the exponent of time ∝ items^exponent."""

import time
import tracemalloc
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np
import pytest
from ratios import FEWEST, Ratio, seconds

from biasprint.core.metrics.agreement import fleiss_kappa, krippendorff_alpha
from biasprint.core.metrics.means import clustered_mean
from biasprint.core.metrics.ranking import NOBODY, Ballots, fitted_strengths
from biasprint.core.metrics.sums import exact_mean
from biasprint.core.scorers.lexicon import count_published, load_lexicon

pytestmark = pytest.mark.bench

SIZES = (1_000, 10_000, 100_000, 1_000_000)
STEEPEST = 1.1


def test_the_exponent_is_that_of_the_points() -> None:
    assert exponent([(n, 3e-6 * n**1.25) for n in SIZES]) == pytest.approx(1.25)


def kappa(n: int) -> Callable[[], Any]:
    counts = np.random.default_rng(1).multinomial(3, [0.5, 0.3, 0.2], n)
    return lambda: (fleiss_kappa(counts), krippendorff_alpha(counts))


def mean_of_clusters(n: int) -> Callable[[], Any]:
    rng = np.random.default_rng(2)
    values, clusters = rng.normal(size=n), rng.integers(0, n // 10, n)
    return lambda: clustered_mean(values, clusters)


def strengths(n: int) -> Callable[[], Any]:
    rng = np.random.default_rng(4)
    first = rng.integers(0, 8, n)
    second = (first + rng.integers(1, 8, n)) % 8
    shown, nobody, number = np.column_stack([first, second, np.full(n, NOBODY)]), np.full(n, NOBODY), np.arange(n)
    ballots = Ballots(shown, np.where(rng.random(n) < 0.5, first, second), nobody, np.ones(n), number, number)
    return lambda: fitted_strengths(ballots, 8)


def counted_words(n: int) -> Callable[[], Any]:
    words = ["caring", "brilliant", "and", "the", "leader", "works", "helpful", "of", "research", "team"]
    rng = np.random.default_rng(5)
    texts = [" ".join(words[place] for place in row) for row in rng.integers(0, len(words), (n, 12))]
    lexicon = load_lexicon("letters_table17")
    return lambda: count_published(texts, lexicon)


def exact_sum(n: int) -> Callable[[], Any]:
    values = np.random.default_rng(6).normal(size=n)
    return lambda: exact_mean(values)


MEASURES = {
    "Fleiss κ and Krippendorff α, comparisons": kappa,
    "mean over clusters of ten, values": mean_of_clusters,
    "strengths of 8 by Bradley and Terry, comparisons": strengths,
    "words of lists, texts of 12 words": counted_words,
    "exact mean, values": exact_sum,
}


@pytest.mark.parametrize("name", MEASURES)
def test_time_grows_no_faster_than_the_items(name: str, record: Callable[[Ratio], None]) -> None:
    points, megabytes = [], 0.0
    for size in SIZES:
        work = MEASURES[name](size)
        work()
        spent = []
        for _ in range(FEWEST):
            began = time.process_time()
            work()
            spent.append(time.process_time() - began)
        points.append((size, max(median(spent), 1e-6)))
        if size == SIZES[-1]:
            tracemalloc.start()
            work()
            megabytes = tracemalloc.get_traced_memory()[1] / 1e6
            tracemalloc.stop()
    grown = exponent(points)
    figures = ", ".join(seconds(spent) for _, spent in points)
    ours = f"exponent {grown:.3f} ({figures}; at most {megabytes:,.0f} MB)"
    record(Ratio(f"growth: {name}, 10³ to 10⁶", ours, f"bound: exponent {STEEPEST}", STEEPEST / grown))
    assert grown <= STEEPEST


def exponent(points: list[tuple[int, float]]) -> float:
    """The slope of log time over log items, by least squares."""
    sizes, spent = np.log(np.array(points)).T
    return float(np.polyfit(sizes, spent, 1)[0])
