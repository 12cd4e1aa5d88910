"""What the findings about judging are worth, by simulation; the long form is a soak test."""

from functools import partial

import pytest
from simulations.judging import EVEN, LEANING, OTHER, difference_trial, position_trial, repeat_trial, rows
from simulations.rows import Row, simulated, standard_error

COVERAGE, ALARMS, ERRORS = 0.93, 0.05, 3


def too_bad(found: list[Row], trials: int) -> list[Row]:
    """Rows whose coverage is below 93 % or whose false alarms are above 5 %, beyond chance."""
    least = COVERAGE - ERRORS * standard_error(COVERAGE, trials)
    most = ALARMS + ERRORS * standard_error(ALARMS, trials)
    return [
        row
        for row in found
        if (row.coverage is not None and row.coverage < least)
        or (row.false_positives is not None and row.false_positives > most)
    ]


@pytest.mark.parametrize("people", [1, 3])
@pytest.mark.parametrize(("of_people", "of_model"), [(EVEN, EVEN), (LEANING, LEANING), (LEANING, OTHER)])
def test_people_less_a_model_in_short(of_people: tuple[float, ...], of_model: tuple[float, ...], people: int) -> None:
    trial = partial(difference_trial, of_people, of_model, people)
    found = simulated("people and a model", 20, trial, 300)
    assert found[0].coverage is not None
    assert (found[0].false_positives is None) == (of_people != of_model)
    assert too_bad(found, 300) == []


@pytest.mark.parametrize("raters", [1, 3])
def test_texts_of_unequal_quality_are_no_liking_for_a_place_in_short(raters: int) -> None:
    assert too_bad(simulated("position", 20, partial(position_trial, 0.0, raters), 200), 200) == []


@pytest.mark.parametrize("raters", [1, 3])
def test_repeats_are_covered_in_short(raters: int) -> None:
    assert too_bad(simulated("repeats", 10, partial(repeat_trial, 0.4, raters), 300), 300) == []


@pytest.mark.soak
def test_the_whole_table() -> None:
    assert too_bad(rows(), 2000) == []
