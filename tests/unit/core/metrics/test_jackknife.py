"""The jackknife, beside formulas that are known exactly, and how equal units are put together for it."""

from collections import Counter

import numpy as np
import pytest

from biasprint.core.metrics.clusters import Kinds, jackknife, jackknife_interval, kinds_of


def repeated(units: Kinds) -> np.ndarray:
    return np.repeat(units.rows, units.times, axis=0)


@pytest.mark.parametrize(
    "rows",
    [
        np.random.default_rng(1).multinomial(3, [0.5, 0.3, 0.2], 200),
        np.random.default_rng(2).integers(-1, 4, (100, 5)),
        np.random.default_rng(3).integers(-(2**40), 2**40, (30, 3)),  # as one number they would be too large
        np.random.default_rng(4).normal(size=(20, 2)).round(),
        np.zeros((0, 3), dtype=np.int64),
        np.zeros((7, 1), dtype=np.int64),
    ],
    ids=["counts", "with -1", "large", "floats", "none", "alike"],
)
def test_kinds_are_the_rows_that_differ_with_how_often_each_stands(rows: np.ndarray) -> None:
    kinds = kinds_of(rows)
    assert kinds.n == len(rows)
    found = {tuple(row): many for row, many in zip(kinds.rows.tolist(), kinds.times.tolist(), strict=True)}
    assert found == Counter(map(tuple, rows.tolist()))
    assert kinds.rows.tolist() == sorted(kinds.rows.tolist())
    assert kinds.rows.dtype == rows.dtype


def test_one_unit_is_left_out() -> None:
    kinds = kinds_of(np.array([[2, 0], [1, 1], [2, 0]]))
    assert repeated(kinds.without_one(0)).tolist() == [[2, 0], [2, 0]]
    assert repeated(kinds.without_one(1)).tolist() == [[1, 1], [2, 0]]
    assert repeated(kinds).tolist() == [[1, 1], [2, 0], [2, 0]]


def test_equal_units_are_left_out_as_if_each_stood_alone() -> None:
    """The same by the definition: every unit left out by itself."""
    rows = np.random.default_rng(5).multinomial(4, [0.6, 0.3, 0.1], 60)

    def spread(units: Kinds) -> float:
        return float(repeated(units)[:, 0].std())

    found = jackknife(kinds_of(rows), spread)
    values = np.array([np.delete(rows, place, axis=0)[:, 0].std() for place in range(60)])
    assert found is not None
    assert found.units == 60
    assert found.centre == pytest.approx(60 * rows[:, 0].std() - 59 * values.mean())
    assert found.error == pytest.approx(np.sqrt(59 / 60 * ((values - values.mean()) ** 2).sum()))


def test_the_jackknife_of_a_mean_is_the_mean_and_its_standard_error() -> None:
    values = np.random.default_rng(0).normal(size=(25, 1))
    found = jackknife(kinds_of(values), lambda units: float(repeated(units).mean()))
    assert found is not None
    assert found.centre == pytest.approx(values.mean())
    assert found.error == pytest.approx(values.std(ddof=1) / 5)


def test_the_jackknife_takes_off_the_bias_of_the_population_variance() -> None:
    """Known exactly (Efron 1982): jackknifing Σ(x − x̄)²/n gives Σ(x − x̄)²/(n − 1)."""
    values = np.random.default_rng(1).normal(size=(12, 1))
    found = jackknife(kinds_of(values), lambda units: float(repeated(units).var()))
    assert found is not None
    assert found.centre == pytest.approx(values.var(ddof=1))


def test_a_statistic_that_needs_every_unit_has_no_interval() -> None:
    units = kinds_of(np.arange(12)[:, None])
    found = jackknife_interval(units, lambda kept: 1.0 if kept.n == 12 else None, "letters")
    assert found.reason == "undefined once one of the letters is left out"
