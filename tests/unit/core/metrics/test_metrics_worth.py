"""What choices of several people are worth: against statsmodels, against matrices written out, and by simulation."""

from functools import partial

import numpy as np
import pytest
from simulations.persons import LEANINGS, SAME, UNEQUAL, abs_trial, share_trial
from simulations.rows import simulated, standard_error

from biasprint.core.metrics.affinity import affinity_interval, worth_floor
from biasprint.core.metrics.proportions import clustered_proportion, wilson, worth_share
from biasprint.core.metrics.resampling import Worth, worth_of_choices


def people(sizes: list[int], seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """One choice or its absence for each answer, and the person who gave it."""
    rng = np.random.default_rng(seed)
    person = np.repeat(np.arange(len(sizes)), sizes)
    return (rng.random(len(person)) < rng.beta(2, 2, len(sizes))[person]).astype(np.int64), person


def both(chosen: np.ndarray) -> np.ndarray:
    return np.column_stack([chosen, 1 - chosen])


def test_people_with_equally_many_choices_have_the_clustered_variance_of_statsmodels() -> None:
    import statsmodels.api as sm

    chosen, person = people([12] * 9)
    fit = sm.OLS(chosen, np.ones(len(chosen))).fit(cov_type="cluster", cov_kwds={"groups": person})
    n, p = len(chosen), chosen.mean()
    worth = worth_of_choices(both(chosen), person)
    assert worth.effect * p * (1 - p) / n == pytest.approx(float(fit.bse[0]) ** 2)
    assert worth.freedom == pytest.approx(8)


def test_people_who_cross_with_comparisons_have_the_two_way_variance_of_statsmodels() -> None:
    import statsmodels.api as sm
    from statsmodels.stats.sandwich_covariance import cov_cluster_2groups

    rng, person, unit = np.random.default_rng(11), np.repeat(np.arange(8), 10), np.tile(np.arange(10), 8)
    chosen = (rng.random(80) < (rng.beta(2, 2, 8)[person] + rng.beta(2, 2, 10)[unit]) / 2).astype(np.int64)
    fit = sm.OLS(chosen, np.ones(len(chosen))).fit()
    _, of_person, of_unit = cov_cluster_2groups(fit, person, unit)
    n, p = len(chosen), chosen.mean()
    # statsmodels takes the variance of single choices with n − 1; those of a mean are p(1 − p)/n.
    variance = float(of_person[0, 0] + of_unit[0, 0]) - p * (1 - p) / n
    assert variance > max(of_person[0, 0], of_unit[0, 0])
    assert worth_of_choices(both(chosen), person, unit).effect == pytest.approx(variance * n / (p * (1 - p)))


def test_people_with_unequal_choices_have_bell_and_mccaffreys_variance_and_degrees_of_freedom() -> None:
    """Their matrices written out, for a mean: CR2 residuals (I − H)^(−½) e, and df = tr(P)² / tr(P²)."""
    chosen, person = people([3, 40, 7, 15, 22, 5, 9], seed=2)
    n, p = len(chosen), chosen.mean()
    hat, total, vectors = np.full((n, n), 1 / n), 0.0, []
    for one in range(7):
        own = person == one
        values, axes = np.linalg.eigh(np.eye(own.sum()) - hat[np.ix_(own, own)])
        root = axes @ np.diag(values**-0.5) @ axes.T
        total += float(np.ones(own.sum()) @ root @ (chosen[own] - p)) ** 2
        vectors.append((np.eye(n) - hat)[own].T @ root @ np.ones(own.sum()))
    projected = np.array(vectors) @ np.array(vectors).T
    worth = worth_of_choices(both(chosen), person)
    assert worth.effect == pytest.approx(total / (n * p * (1 - p)))
    assert worth.freedom == pytest.approx(np.trace(projected) ** 2 / (projected**2).sum())


def test_the_interval_leaves_chance_out_exactly_where_p_is_below_5_percent() -> None:
    for chosen in range(25, 61):
        found = worth_share(chosen, 60, 0.5, Worth(1.8, 7.0))
        assert (found.p < 0.05) == (not found.interval.low <= 0.5 <= found.interval.high)


def test_abs_of_several_people_and_its_floor_say_the_same_of_chance() -> None:
    for first in range(30, 61, 2):
        chosen, worth = np.array([first, 60 - first]), Worth(1.8, 7.0)
        floor = worth_floor(chosen / 60, 60, worth)
        assert floor.p == pytest.approx(worth_share(first, 60, 0.5, worth).p)
        assert (floor.p <= 0.05) == (abs(first / 60 - 0.5) >= floor.p95 - 1e-12)


def test_f_is_chi_squared_where_the_people_are_many() -> None:
    chosen = np.array([50, 30, 20])
    few, many = (affinity_interval(chosen, 1.5, freedom=freedom).bounds for freedom in (4.0, 1e7))
    known = affinity_interval(chosen, 1.5).bounds
    assert known is not None
    assert few is not None
    assert many is not None
    assert (many.low, many.high) == pytest.approx((known.low, known.high), abs=1e-4)
    assert few.low <= known.low < known.high < few.high


def test_nothing_that_goes_together_is_plain_wilson() -> None:
    alone = clustered_proportion(np.array([True, False, True]), np.arange(3), np.arange(3))
    assert alone.interval == wilson(2, 3)


def test_people_who_all_chose_the_same_count_once_each() -> None:
    worth = worth_of_choices(both(np.ones(60, dtype=np.int64)), np.repeat(np.arange(6), 10), np.tile(np.arange(10), 6))
    assert 60 / worth.effect == 6


@pytest.mark.parametrize("asked", [SAME, UNEQUAL])
@pytest.mark.parametrize("people", [6, 12])
def test_people_who_differ_are_covered_in_short(asked: str, people: int) -> None:
    """And one takes comparisons for the only unit at a price: that is what was wrong."""
    leaning = LEANINGS["no common preference"][:2]
    found = {row.method: row for row in simulated("x", people, partial(share_trial, leaning, 1.0, asked), 200)}
    right = found["share, people and comparisons"]
    assert (right.coverage or 0) >= 0.93 - 3 * standard_error(0.93, 200)
    assert (right.false_positives or 0) <= 0.05 + 3 * standard_error(0.05, 200)
    assert (found["share, comparisons alone (shown, not used)"].coverage or 0) < 0.88


def test_abs_of_people_who_differ_is_covered_in_short() -> None:
    leaning = LEANINGS["one preferred"]
    found = {row.method: row for row in simulated("x", 6, partial(abs_trial, leaning, 1.0, UNEQUAL), 100)}
    assert (found["ABS, people and comparisons"].coverage or 0) >= 0.93 - 3 * standard_error(0.93, 100)
