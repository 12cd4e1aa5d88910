"""From columns of texts to what is drawn."""

import numpy as np
import pytest

from biasprint.desktop.panels.explore.arrays import (
    OTHERS,
    Grouping,
    distribution_functions,
    grouping,
    histograms,
    inside,
    mean_table,
    preference_table,
    residual_table,
)
from biasprint.desktop.read.explore import FieldCodes, Judged, draw


def coded(*values: str, names: tuple[str, ...]) -> FieldCodes:
    return FieldCodes("field", names, np.array([names.index(value) if value else -1 for value in values]))


ALL = Grouping(np.zeros(5, dtype=np.int16), ("all",), (5,))
SQUARE = np.array([[0, 0], [4, 0], [4, 4], [0, 4]], dtype=float)


def test_of_ten_thousand_groups_the_most_frequent_are_shown_and_the_rest_are_others():
    many = FieldCodes("identity", tuple(f"identity {n}" for n in range(10_000)), np.repeat(np.arange(10_000), 2))
    groups = grouping(many, 20_000)
    assert len(groups.names) == 7
    assert groups.told == "the 7 most frequent of 10,000 groups, the rest as others"
    assert (groups.codes == OTHERS).sum() == 19_986
    assert groups.members()[-1] == (OTHERS, "others")


def test_texts_without_a_value_are_a_group_of_their_own():
    groups = grouping(coded("a", "", "a", names=("a",)), 3)
    assert groups.members() == [(0, "a"), (OTHERS, "without one")]
    assert groups.told == "1 group"


def test_a_distribution_function_counts_the_texts_at_or_below_and_leaves_out_what_is_no_number():
    (curve,) = distribution_functions(np.array([3.0, 1.0, np.nan, 2.0, 2.0]), ALL)
    assert curve.n == 4
    assert dict(zip(curve.x, curve.y, strict=True)) == {1.0: 0.25, 2.0: 0.75, 3.0: 1.0}
    assert (curve.low >= 0).all()
    assert (curve.high <= 1).all()


def test_distribution_functions_rise_from_nothing_and_end_where_all_do():
    """One text alone is a step, not a point that nobody sees."""
    values = np.array([1.0, 2.0, 4.0])
    one, two = distribution_functions(values, Grouping(np.array([0, 1, 1]), ("one", "two"), (1, 2)))
    assert list(zip(one.x, one.y, strict=True)) == [(1, 0), (1, 0), (1, 1), (4, 1)]
    assert list(zip(two.x, two.y, strict=True)) == [(1, 0), (2, 0), (2, 0.5), (4, 1), (4, 1)]


def test_a_long_distribution_function_is_thinned_but_keeps_both_ends():
    values = np.arange(100_000, dtype=float)
    (curve,) = distribution_functions(values, Grouping(np.zeros(100_000), ("all",), (100_000,)))
    assert len(curve.x) <= 2_000
    assert (curve.x[0], curve.x[-1], curve.y[-1]) == (0.0, 99_999.0, 1.0)


def test_the_bars_of_a_histogram_add_up_to_every_text_of_a_group():
    values = np.concatenate([np.linspace(0, 1, 50), np.full(5, np.nan), np.linspace(2, 3, 45)])
    groups = Grouping(np.repeat([0, 1], 50), ("a", "b"), (50, 50))
    first, second = histograms(values, groups)
    assert first.y[:-1].sum() == pytest.approx(1)
    assert second.y[:-1].sum() == pytest.approx(1)
    assert (first.x == second.x).all()
    assert (first.n, second.n) == (50, 45)


@pytest.mark.parametrize("values", [[np.nan] * 5, [np.nan, np.inf, np.nan, -np.inf, np.nan]])
def test_without_a_number_there_is_no_curve(values: list[float]):
    assert distribution_functions(np.array(values), ALL) == []
    assert histograms(np.array(values), ALL) == []


def test_one_value_alone_is_drawn():
    assert histograms(np.full(5, 2.0), ALL)[0].y[0] == pytest.approx(1)
    assert distribution_functions(np.full(5, 2.0), ALL)[0].y.tolist() == [0.0, 0.0, 1.0, 1.0]


def test_a_line_encloses_what_lies_within_and_its_dents_do_not():
    x, y = np.array([2.0, 5.0, 2.0, np.nan]), np.array([2.0, 2.0, 3.8, 1.0])
    assert inside(SQUARE, x, y).tolist() == [True, False, True, False]
    dented = np.array([[0, 0], [4, 0], [4, 4], [2, 3], [0, 4]], dtype=float)
    assert inside(dented, x, y).tolist() == [True, False, False, False]


def test_a_cell_is_the_mean_of_its_texts_and_an_empty_one_is_no_number():
    rows, columns = coded("p", "p", "q", "p", names=("p", "q")), coded("a", "a", "a", "b", names=("a", "b"))
    table = mean_table(np.array([1.0, 3.0, 7.0, np.nan]), rows, columns)
    assert table.values[0, 0] == 2.0
    assert table.counts.tolist() == [[2, 0], [1, 0]]
    assert np.isnan(table.values[:, 1]).all()


def test_the_interval_of_a_cell_is_the_normal_one_from_ten_texts_on():
    values = np.arange(12, dtype=float)
    one = coded(*["p"] * 12, names=("p",))
    table = mean_table(values, one, one)
    half = 1.959964 * values.std(ddof=1) / np.sqrt(12)
    assert table.low is not None
    assert table.low[0, 0] == pytest.approx(values.mean() - half, rel=1e-6)
    few = mean_table(values[:9], *[FieldCodes("", ("p",), np.zeros(9, dtype=int))] * 2)
    assert few.low is not None
    assert np.isnan(few.low[0, 0])


def test_residuals_by_hand_and_none_with_one_group_alone():
    # 30 and 10 of group a, 20 and 40 of b: E of the first is 40 · 50 / 100 = 20; (30 − 20) / √(20 · .6 · .5) = 4.0825
    rows = FieldCodes("", ("p", "q"), np.repeat([0, 1, 0, 1], [30, 20, 10, 40]))
    columns = FieldCodes("", ("a", "b"), np.repeat([0, 0, 1, 1], [30, 20, 10, 40]))
    assert residual_table(columns, rows).values[0, 0] == pytest.approx(10 / np.sqrt(20 * 0.6 * 0.5))
    alone = FieldCodes("", ("a",), np.zeros(100, dtype=int))
    assert np.isnan(residual_table(alone, rows).values).all()


def test_choices_are_relative_to_chance_and_those_within_one_group_say_nothing():
    a, b, c = ("output", 1), ("output", 2), ("output", 3)
    group = {a: "x", b: "y", c: "x"}
    judged = [Judged("R1", (a, b), 0), Judged("R1", (b, a), 1), Judged("R1", (a, c), 0), Judged("R1", (a, b, c), 1)]
    table = preference_table(judged, group)
    # x: chosen in 2 of 3; by chance ½ + ½ + ⅔. y: in 1 of 3; ½ + ½ + ⅓.
    assert (table.rows, table.columns) == (("R1",), ("x", "y"))
    assert table.values[0] == pytest.approx([2 / (5 / 3), 1 / (4 / 3)])
    assert table.counts.tolist() == [[3, 3]]
    assert table.low is not None
    assert table.high is not None
    assert (table.low < table.values).all()
    assert (table.values < table.high).all()


def test_nobody_judged_is_an_empty_table():
    assert preference_table([], {}).values.size == 0


def test_what_is_drawn_at_random_is_always_the_same():
    first, second = draw(np.arange(1_000), 10), draw(np.arange(1_000), 10)
    assert len(first) == 10
    assert (first == second).all()
    assert draw(np.arange(5), 10).tolist() == [0, 1, 2, 3, 4]
