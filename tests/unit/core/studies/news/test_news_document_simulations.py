"""Coverage and false positives at the document level, by simulation; see tests/simulations/news_document.py."""

import pytest
from simulations import news_document
from simulations.rows import Row, standard_error


def broken(rows: list[Row], trials: int, errors: float = 3.0) -> list[Row]:
    """Default methods that do not hold what they promise, but for so many standard errors of the simulation."""
    coverage, alarms = 0.93 - errors * standard_error(0.93, trials), 0.05 + errors * standard_error(0.05, trials)
    return [
        row
        for row in rows
        if "as_published" not in row.method
        and (
            (row.coverage is not None and row.coverage < coverage)
            or (row.false_positives is not None and row.false_positives > alarms)
        )
    ]


@pytest.mark.soak
def test_intervals_hold_the_truth_over_few_pairs() -> None:
    assert not broken(news_document.interval_rows(40, (12,)), 40)


def test_no_topic_is_given_to_a_group_by_chance() -> None:
    rows = news_document.association_rows(25, (12,))
    assert not broken(rows, 25)
    assert [row.false_positives for row in rows if "as_published" in row.method] >= [0.8]


def test_learning_topic_sets_makes_no_difference_out_of_nothing() -> None:
    assert not broken(news_document.learnt_rows(25, (12,)), 25)


def test_the_floor_is_what_articles_without_bias_give() -> None:
    assert not broken(news_document.floor_rows(40, (12,)), 40)


@pytest.mark.soak
@pytest.mark.timeout(7200)
def test_coverage_and_false_positives_at_small_usual_and_large_n() -> None:
    for part in (news_document.interval_rows, news_document.learnt_rows, news_document.association_rows):
        assert not broken(part(1000), 1000)
    assert not broken(news_document.floor_rows(1000), 1000)
