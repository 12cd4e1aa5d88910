"""What the creativity study's intervals and tests are worth, by simulation; the long form is a soak test."""

from functools import partial

import pytest
from simulations.creativity import (
    KINDS,
    LEANINGS,
    SHARES,
    affinity_trial,
    agreement_trial,
    agreement_truth,
    representative_trial,
    trend_trial,
)
from simulations.rows import Row, simulated, standard_error

COVERAGE, ALARMS = 0.93, 0.05
# Some hundred rates are looked at: one of them lies two standard errors off by chance, but hardly three.
ERRORS = 3


def too_bad(rows: list[Row], trials: int) -> list[Row]:
    """The default rows whose coverage is below 93 % or whose false positives are above 5 %, beyond chance."""
    return [
        row
        for row in rows
        if "as_published" not in row.method
        and (
            (row.coverage is not None and row.coverage < COVERAGE - ERRORS * standard_error(COVERAGE, trials))
            or (
                row.false_positives is not None
                and row.false_positives > ALARMS + ERRORS * standard_error(ALARMS, trials)
            )
        )
    ]


@pytest.mark.parametrize("design", LEANINGS)
def test_agreement_of_three_raters_is_covered_in_short(design: str) -> None:
    rows = simulated(design, 12, partial(agreement_trial, design, agreement_truth(design)), 60)
    assert len(rows) == 5
    assert sum(row.coverage is not None for row in rows) >= 4
    assert too_bad(rows, 60) == []


@pytest.mark.parametrize("kind", ["unequal", "one"])
def test_identities_that_vary_unequally_raise_no_alarm_in_short(kind: str) -> None:
    rows = simulated(kind, 12, partial(representative_trial, kind, (0.3, 0.3, 0.3)), 100)
    assert too_bad(rows, 100) == []


def test_the_trend_over_temperatures_in_short() -> None:
    rows = [row for slope in (0.0, 0.01) for row in simulated("sweep", 20, partial(trend_trial, slope), 40)]
    assert too_bad(rows, 40) == []
    assert {row.false_positives is None for row in rows} == {True, False}


SOAK = 1000


@pytest.mark.soak
@pytest.mark.parametrize("n", [10, 12, 20, 50, 360])
@pytest.mark.parametrize("design", LEANINGS)
def test_agreement_is_covered(design: str, n: int) -> None:
    rows = simulated(design, n, partial(agreement_trial, design, agreement_truth(design)), SOAK)
    assert too_bad(rows, SOAK) == []


@pytest.mark.soak
@pytest.mark.parametrize("n", [12, 50, 360])
@pytest.mark.parametrize("raters", [1, 3])
@pytest.mark.parametrize("shares", SHARES)
def test_shares_of_choices_are_covered(shares: tuple[float, ...], raters: int, n: int) -> None:
    assert too_bad(simulated("choices", n, partial(affinity_trial, shares, raters), SOAK), SOAK) == []


@pytest.mark.soak
@pytest.mark.parametrize("n", [6, 12, 50, 360])
@pytest.mark.parametrize("means", [(0.3, 0.3, 0.3), (0.3, 0.3)])
@pytest.mark.parametrize("kind", KINDS)
def test_distances_without_a_difference_raise_no_alarm(kind: str, means: tuple[float, ...], n: int) -> None:
    assert too_bad(simulated(kind, n, partial(representative_trial, kind, means), SOAK), SOAK) == []


@pytest.mark.soak
@pytest.mark.parametrize("n", [12, 50])
@pytest.mark.parametrize("slope", [0.0, 0.01])
def test_trends_are_covered(slope: float, n: int) -> None:
    assert too_bad(simulated("sweep", n, partial(trend_trial, slope), SOAK), SOAK) == []
