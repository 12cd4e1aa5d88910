"""Coverage and false positives of the letters study on simulated letters; the long runs are soak tests."""

from collections.abc import Callable

import pytest
from seeded_part import seeded_part
from simulations import letters
from simulations.rows import Row, standard_error

Rows = Callable[[int, tuple[int, ...]], list[Row]]
PARTS = [letters.style_rows, letters.word_rows, letters.weat_rows, letters.hallucination_rows]
LONG = 1000


def check(rows: list[Row], trials: int, errors: float) -> None:
    """Every default method covers 93 % and cries wolf in 5 %, up to so many standard errors of the simulation."""
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


@pytest.mark.parametrize(("rows", "trials"), seeded_part(list(zip(PARTS, (30, 8, 6, 30), strict=True)), 2))
def test_in_short(rows: Rows, trials: int) -> None:
    # Of dozens of rows one lies two standard errors off by chance.
    check(rows(trials, (letters.SMALL,)), trials, errors=3)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("rows", PARTS)
def test_at_length(rows: Rows) -> None:
    check(rows(LONG, (letters.SMALL, letters.USUAL, letters.LARGE)), LONG, errors=2)


@pytest.mark.soak
def test_the_simulation_sees_what_a_test_ignores() -> None:
    """Letters of one biography taken as independent make too narrow an interval."""
    rows = letters.style_rows(60, (20,))
    clustered = {row.method: row.coverage for row in rows if "not matched" in row.design}
    assert clustered["as_published"] is not None
    assert clustered["default"] is not None
    assert clustered["as_published"] < 0.9 < clustered["default"]
