"""Coverage and false positives of the news study's word and sentence level; see tests/simulations/news_words.py."""

from collections.abc import Callable

import numpy as np
import pytest
from seeded_part import seeded_part
from simulations import news_words
from simulations.rows import Row, standard_error

Rows = Callable[[int, tuple[int, ...]], list[Row]]


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


@pytest.mark.parametrize(
    ("rows", "trials", "sizes"),
    seeded_part(
        [
            (news_words.word_rows, 60, (10, 60)),
            (news_words.gap_rows, 80, (10, 60)),
            (news_words.twice_rows, 40, (12,)),
        ],
        1,
        seed=5,
    ),
)
def test_coverage_and_false_positives_in_short(rows: Rows, trials: int, sizes: tuple[int, ...]) -> None:
    # Of dozens of rows one lies two standard errors off by chance.
    check(rows(trials, sizes), trials, errors=3)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    ("rows", "trials", "sizes"),
    [
        (news_words.word_rows, 2000, (10, 60, 300)),
        (news_words.gap_rows, 2000, (10, 60, 300)),
        (news_words.twice_rows, 1000, (12, 60)),
    ],
)
def test_coverage_and_false_positives(rows: Rows, trials: int, sizes: tuple[int, ...]) -> None:
    check(rows(trials, sizes), trials, errors=2)


@pytest.mark.soak
def test_taking_models_on_one_headline_for_independent_covers_less() -> None:
    found = news_words.word_rows(120, (60,))
    shared = {row.method: row.coverage for row in found if "three models" in row.design}
    default, published = shared["difference, default"], shared["difference, as_published"]
    assert default is not None
    assert published is not None
    assert published < default - 0.03
    assert np.isfinite(default)
