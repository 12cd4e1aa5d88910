"""Coverage and false positives of intervals and tests, by simulation and, for two proportions, exactly.

The long runs are soak tests; see tests/simulations for the designs.
"""

import sys
from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import binom
from simulations import clusters, differences
from simulations.rows import Row, standard_error

from biasprint.core.metrics.proportions import two_proportions

Rows = Callable[[int, tuple[int, ...]], list[Row]]


def check(rows: list[Row], trials: int, errors: float) -> None:
    """Every default method covers 93 % and cries wolf in 5 %, up to so many standard errors of the simulation.

    The `as_published` methods are only shown.
    """
    coverage, alarms = 0.93 - errors * standard_error(0.93, trials), 0.05 + errors * standard_error(0.05, trials)
    wrong = [
        row
        for row in rows
        if "as_published" not in row.method
        and (
            (row.coverage is not None and row.coverage < coverage)
            or (row.false_positives is not None and row.false_positives > alarms)
        )
    ]
    assert not wrong


def alarms(rows: list[Row], method: str) -> list[float]:
    return [row.false_positives for row in rows if row.method.startswith(method) and row.false_positives is not None]


@pytest.mark.parametrize(
    ("rows", "trials", "sizes"),
    [
        (differences.paired_rows, 60, (8,)),
        (differences.two_sample_rows, 60, (8,)),
        (differences.equivalence_rows, 60, (60,)),
        (differences.proportion_rows, 25, (8,)),
        (clusters.topic_rows, 40, (30,)),
    ],
)
def test_coverage_and_false_positives_in_short(rows: Rows, trials: int, sizes: tuple[int, ...]) -> None:
    # Of dozens of rows one lies two standard errors off by chance.
    check(rows(trials, sizes), trials, errors=3)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    ("rows", "trials"),
    [
        (differences.paired_rows, 2000),
        (differences.two_sample_rows, 2000),
        (differences.equivalence_rows, 2000),
        (differences.proportion_rows, 2000),
        (clusters.topic_rows, 600),
    ],
)
@pytest.mark.parametrize("size", ["SMALL", "USUAL", "LARGE"])
def test_coverage_and_false_positives(rows: Rows, trials: int, size: str) -> None:
    n = getattr(sys.modules[rows.__module__], size)
    check(rows(trials, (n,)), trials, errors=2)


def test_treating_items_as_independent_cries_wolf() -> None:
    # The simulations can see what they are for: terms, articles and unequal spreads that a test ignores.
    polarity = [row for row in clusters.polarity_rows(40, (15,)) if "SD 1" in row.design]
    assert min(alarms(polarity, "pooled z as_published")) > 0.1
    assert min(alarms(clusters.topic_rows(60, (30,)), "χ² as_published")) > 0.1
    assert max(alarms(differences.two_sample_rows(60, (60,)), "Student's t as_published")) > 0.1


SIZES = [(6, 9), pytest.param(8, 8, marks=pytest.mark.soak), pytest.param(8, 15, marks=pytest.mark.soak)]
CHANCES = np.linspace(0.05, 0.95, 19)


def weights(n: int, p: float) -> np.ndarray:
    return binom.pmf(np.arange(n + 1), n, p)


@pytest.mark.parametrize(("n", "m"), SIZES)
def test_two_proportions_hold_exactly(n: int, m: int) -> None:
    every = [[two_proportions(x, n, y, m, exact=None) for y in range(m + 1)] for x in range(n + 1)]
    low = np.array([[one.interval.bounds.low for one in line] for line in every])
    high = np.array([[one.interval.bounds.high for one in line] for line in every])
    found = np.array([[one.p is not None and one.p <= 0.05 for one in line] for line in every])
    for p in CHANCES:
        assert weights(n, p) @ found @ weights(m, p) <= 0.05 + 1e-9
        for q in CHANCES:
            covered = (low - 1e-9 <= p - q) & (p - q <= high + 1e-9)
            assert weights(n, p) @ covered @ weights(m, q) >= 0.93
