"""The difference of two arms: against Agresti and Caffo, against statsmodels' clustered errors, and by simulation."""

from functools import partial

import numpy as np
import pytest
from scipy import stats
from simulations.rows import simulated, standard_error
from simulations.sway import SWAYED, rater_trial, trial
from statsmodels.stats.proportion import confint_proportions_2indep

from biasprint.core.metrics.preference import apart_by_chance, arm_effect, difference_of_effects


def test_of_independent_answers_it_is_agresti_and_caffos_with_students_quantile() -> None:
    values, treated = np.repeat([1.0, 0.0, 1.0, 0.0], [30, 10, 18, 22]), np.repeat([True, False], 40)
    found = arm_effect(values, treated, np.arange(80))
    assert found is not None
    low, high = confint_proportions_2indep(30, 40, 18, 40, method="agresti-caffo", compare="diff")
    assert found.value == pytest.approx(0.3)
    assert found.centre == pytest.approx((low + high) / 2)
    # Theirs is x̄(1 − x̄)/m and the normal quantile; a cluster-robust one has 1/(1 − 1/n) more.
    assert found.error == pytest.approx((high - low) / 2 / 1.959964 * np.sqrt(84 / 83), rel=1e-4)


def test_answers_of_a_rater_go_together_as_in_a_regression_with_clustered_errors() -> None:
    import statsmodels.api as sm

    rng = np.random.default_rng(5)
    rater, treated = np.repeat(np.arange(9), 20), np.tile([True, False], 90)
    pushed = rng.normal(0.5, 1.0, 9)[rater] * treated
    values = (rng.random(180) < 1 / (1 + np.exp(-pushed))).astype(float)
    found = arm_effect(values, treated, rater)
    assert found is not None
    # The two answers that each arm is given are clusters of their own, as in the function.
    x, arm = np.append(values, [0, 1, 0, 1]), np.append(treated, [True, True, False, False])
    groups = np.append(rater, [9, 10, 11, 12])
    fit = sm.OLS(x, sm.add_constant(arm.astype(float))).fit(
        cov_type="cluster", cov_kwds={"groups": groups, "use_correction": False}
    )
    assert found.centre == pytest.approx(float(fit.params[1]))
    # CR2 against CR0: each cluster of 20 of 184 weighs 1 / (1 − 20/184).
    assert float(fit.bse[1]) < found.error < float(fit.bse[1]) * 1.08


def test_an_arm_in_which_all_did_the_same_is_not_taken_for_certain() -> None:
    found = arm_effect(np.repeat([1.0, 0.0], 8), np.repeat([True, False], 8), np.arange(16))
    assert found is not None
    bounds = found.difference.interval.bounds
    assert bounds is not None
    assert (found.value, bounds.high) == (1.0, 1.0)
    assert 0.4 < bounds.low < 0.8


def test_the_difference_of_two_effects_adds_their_variances() -> None:
    one = arm_effect(np.repeat([1.0, 0.0, 1.0, 0.0], 10), np.repeat([True, False], 20), np.arange(40))
    other = arm_effect(np.repeat([1.0, 0.0], 20), np.repeat([True, False], 20), np.arange(40))
    assert one is not None
    assert other is not None
    found = difference_of_effects(other, one)
    assert (found.value, found.counts) == (1.0, (40, 40))
    assert found.error == pytest.approx(np.hypot(one.error, other.error))
    assert min(one.freedom, other.freedom) <= found.freedom <= one.freedom + other.freedom


def test_values_beyond_0_and_1_are_refused() -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        arm_effect(np.array([2.0]), np.array([True]), np.array([0]))


def test_intervals_hold_and_nobody_resists_where_all_follow_alike() -> None:
    """Short forms of the simulations in docs/tables/statistics-simulations.md."""
    for row in simulated("raters who differ", 12, partial(trial, 2, 0.8, SWAYED, 1.0), 120):
        assert row.coverage is not None
        assert row.coverage >= 0.93 - 3 * standard_error(0.93, 120), row
    (row,) = simulated("all follow alike", 6, partial(rater_trial, 2, SWAYED), 60)
    assert row.false_positives is not None
    assert row.false_positives <= 0.05 + 3 * standard_error(0.05, 60)


def test_arms_that_are_wholly_apart_are_tested_by_the_draw_itself() -> None:
    treated = np.arange(12) < 6
    one = np.zeros(12, dtype=np.int64)
    assert apart_by_chance(treated, treated, one) == pytest.approx(stats.fisher_exact([[6, 0], [0, 6]]).pvalue)
    assert apart_by_chance(~treated, treated, one) == apart_by_chance(treated, treated, one)
    nearly = treated.copy()
    nearly[0] = False
    assert apart_by_chance(nearly, treated, one) is None
    assert apart_by_chance(treated, treated & False, one) is None
    # Of two raters each draw is by itself: of C(6, 3)² = 400 draws two lie as far.
    assert apart_by_chance(treated, treated, np.arange(12) % 2) == pytest.approx(2 / 400)
