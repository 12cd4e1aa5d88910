"""The course of a live figure: its ends, its step, and how little it takes however long one watches."""

import math

import numpy as np
import pytest

from biasprint.core.runs.live import MOST_POINTS, Course


@pytest.mark.parametrize("each", [1, 7, 250])
def test_a_curve_of_very_many_points_keeps_its_ends_and_equal_steps(each: int) -> None:
    course = Course()
    for n in range(1, 100_000, each):
        course.add(n, float(n), None, None)
    trace = course.trace
    assert len(trace.n) <= MOST_POINTS
    assert (trace.n[0], trace.n[-1]) == (1, range(1, 100_000, each)[-1])
    assert (trace.value == trace.n).all()
    steps = np.diff(trace.n[1:-1])
    assert steps.max() <= steps.min() + 2 * each
    assert np.isnan(trace.low).all()


def test_of_few_points_all_are_kept() -> None:
    course = Course()
    for n in range(1, MOST_POINTS + 1):
        course.add(n, 0.5, 0.1, 0.9)
    assert course.trace.n.tolist() == list(range(1, MOST_POINTS + 1))


def test_a_curve_goes_back_where_judgments_were_taken_back() -> None:
    course = Course()
    for n in (1, 2, 3):
        course.add(n, 0.5, 0.1, 0.9)
    course.add(2, 0.4, 0.1, 0.9)
    assert course.trace.n.tolist() == [1, 2]
    assert course.trace.value.tolist() == [0.5, 0.4]


def test_what_is_no_number_is_no_point_and_a_band_without_ends_is_none() -> None:
    course = Course()
    course.add(1, math.nan, 0.1, 0.9)
    course.add(2, 0.5, 0.1, math.inf)
    trace = course.trace
    assert trace.n.tolist() == [2]
    assert np.isnan([trace.low[0], trace.high[0]]).all()
    assert course.trace is trace
    course.add(2, 0.5, 0.1, math.inf)
    assert course.trace is trace
