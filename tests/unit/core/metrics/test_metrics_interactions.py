"""Crossed factors against statsmodels: OLS and a binomial GLM with main effects and their product."""

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.stats import boschloo_exact, norm, t, ttest_1samp, ttest_ind

from biasprint.core.metrics.interactions import crossed_contrasts, crossed_means, crossed_odds

INTERACTION = (1.0, -1.0, -1.0, 1.0)
ROWS = (0.5, 0.5, -0.5, -0.5)


def _design(cell: np.ndarray) -> np.ndarray:
    """Intercept, first factor (±½), second factor (±½) and product: effects as contrasts of a 2 × 2 table."""
    first, second = 0.5 - cell // 2, 0.5 - cell % 2
    return np.column_stack([np.ones(len(cell)), first, second, first * second])


def test_matched_blocks_give_the_paired_t_test_of_their_contrasts() -> None:
    blocks = np.random.default_rng(1).normal(size=(12, 4))
    cell, block = np.tile(np.arange(4), 12), np.repeat(np.arange(12), 4)
    found = crossed_means(blocks.ravel(), cell, block, INTERACTION)
    known = ttest_1samp(blocks @ INTERACTION, 0.0)
    assert (found.value, found.p) == pytest.approx((np.mean(blocks @ INTERACTION), known.pvalue))
    bounds = known.confidence_interval(0.95)
    assert (found.interval.bounds.low, found.interval.bounds.high) == pytest.approx((bounds.low, bounds.high))


def test_two_cells_of_separate_texts_give_welchs_test() -> None:
    rng = np.random.default_rng(2)
    one, other = rng.normal(size=9), rng.normal(1, 3, size=14)
    found = crossed_means(np.append(one, other), np.repeat([0, 1], [9, 14]), np.arange(23), (1.0, -1.0))
    known = ttest_ind(one, other, equal_var=False)
    assert (found.value, found.statistic, found.p) == pytest.approx(
        (one.mean() - other.mean(), known.statistic, known.pvalue)
    )


@pytest.mark.parametrize(("weights", "place"), [(ROWS, 1), ((0.5, -0.5, 0.5, -0.5), 2), (INTERACTION, 3)])
def test_effects_and_errors_are_those_of_least_squares_with_the_product(weights: tuple[float, ...], place: int) -> None:
    rng = np.random.default_rng(3)
    cell = rng.integers(0, 4, 90)
    values = rng.normal(size=90) + (cell == 0)
    found = crossed_means(values, cell, np.arange(90), weights)
    fit = sm.OLS(values, _design(cell)).fit(cov_type="HC2")
    assert found.value == pytest.approx(fit.params[place])
    assert abs(found.value / found.statistic) == pytest.approx(fit.bse[place])


def test_clusters_over_cells_give_the_cluster_robust_error() -> None:
    rng = np.random.default_rng(4)
    cell, block = rng.integers(0, 4, 120), rng.integers(0, 30, 120)
    values = rng.normal(size=120) + rng.normal(size=30)[block]
    found = crossed_means(values, cell, block, INTERACTION)
    fit = sm.OLS(values, _design(cell)).fit(cov_type="cluster", cov_kwds={"groups": block, "use_correction": False})
    assert found.value == pytest.approx(fit.params[3])
    assert abs(found.value / found.statistic) == pytest.approx(fit.bse[3] * np.sqrt(30 / 29))


@pytest.mark.parametrize(("weights", "place"), [(ROWS, 1), (INTERACTION, 3)])
def test_odds_are_those_of_logistic_regression_with_the_product(weights: tuple[float, ...], place: int) -> None:
    rng = np.random.default_rng(5)
    cell, block = np.tile(np.arange(4), 40), np.repeat(np.arange(40), 4)
    totals = rng.integers(150, 250, 160)
    counts = rng.binomial(totals, np.array([0.12, 0.05, 0.06, 0.05])[cell])
    found = crossed_odds(counts, totals, cell, block, weights, added=0.0)
    fit = sm.GLM(np.column_stack([counts, totals - counts]), _design(cell), family=sm.families.Binomial()).fit(
        cov_type="cluster", cov_kwds={"groups": block, "use_correction": False}
    )
    bounds = found.interval.bounds
    assert np.log(found.value) == pytest.approx(fit.params[place])
    error = (np.log(bounds.high) - np.log(bounds.low)) / 2 / t.ppf(0.975, 39)
    assert error == pytest.approx(fit.bse[place] * np.sqrt(40 / 39))


@pytest.mark.filterwarnings("ignore")  # a saturated model leaves no residuals
def test_shares_have_the_odds_of_a_log_linear_model() -> None:
    """The interaction of a log-linear model of the 2 × 2 × 2 table is the logarithm of the ratio of odds ratios."""
    table = {(0, 1): 30, (0, 0): 20, (1, 1): 18, (1, 0): 32, (2, 1): 25, (2, 0): 25, (3, 1): 12, (3, 0): 38}
    cell = np.repeat([key[0] for key in table], list(table.values()))
    yes = np.repeat([key[1] for key in table], list(table.values()))
    found = crossed_odds(yes, np.ones(len(yes)), cell, np.arange(len(yes)), INTERACTION, added=0.0)
    cells, outcome = np.array([key[0] for key in table]), np.array([key[1] for key in table])
    own = _design(cells)
    loglinear = np.column_stack([own, own * outcome[:, None]])
    fit = sm.GLM(list(table.values()), loglinear, family=sm.families.Poisson()).fit()
    assert np.log(found.value) == pytest.approx(fit.params[7], abs=1e-6)


def test_contrasts_of_a_three_by_two_table() -> None:
    contrasts = crossed_contrasts(3, 2)
    assert [contrast.of for contrast in contrasts] == ["rows"] * 3 + ["columns"] + ["interaction"] * 3
    assert contrasts[0].weights == (0.5, 0.5, -0.5, -0.5, 0, 0)
    assert contrasts[4].weights == (1, -1, -1, 1, 0, 0)
    with pytest.raises(ValueError, match="two levels"):
        crossed_contrasts(1, 2)


def test_blocks_that_all_show_the_same_interaction_are_tested_by_sign_flips() -> None:
    cell, block = np.tile(np.arange(4), 8), np.repeat(np.arange(8), 4)
    found = crossed_means(np.tile([1.0, 0, 0, 0], 8), cell, block, INTERACTION)
    assert (found.value, found.p) == (1.0, 2 * 0.5**8)


def test_a_cell_without_texts_is_said() -> None:
    found = crossed_means(np.arange(6.0), np.array([0, 0, 1, 1, 2, 2]), np.arange(6), INTERACTION)
    assert (found.value, found.reason) == (None, "a cell has no texts")


@pytest.mark.parametrize("n", [2, 3, 12])
def test_two_perfectly_separated_cells_are_tested_exactly(n: int) -> None:
    """Boschloo's p (scipy), and an interval that never contradicts it."""
    values, cell = np.repeat([1.0, 0.0], n), np.repeat([0, 1], n)
    found = crossed_means(values, cell, np.arange(2 * n), (1.0, -1.0))
    assert (found.value, found.reason) == (1.0, "")
    assert found.p == pytest.approx(boschloo_exact([[n, 0], [0, n]]).pvalue)
    assert (found.interval.bounds.low > 0) == (found.p <= 0.05)
    turned = crossed_means(values, cell, np.arange(2 * n), (-1.0, 1.0))
    assert (turned.value, turned.p) == (-1.0, pytest.approx(found.p))


def test_perfectly_separated_shares_of_four_cells_are_tested() -> None:
    """Nothing varies within a cell, so that t is undefined; the bounds of Wilson's intervals are not."""
    both = crossed_means(np.repeat([1.0, 0, 0, 0], 12), np.repeat(np.arange(4), 12), np.arange(48), INTERACTION)
    assert both.value == 1.0
    assert 0 < both.interval.bounds.low < 1
    assert both.p < 0.01
    # Four cells of 1, 1, 0, 0: log odds ±ln 25, each with variance 1/12.5 + 1/0.5, so that z = 2 ln 25 / √2.08.
    main = crossed_means(np.repeat([1.0, 1, 0, 0], 12), np.repeat(np.arange(4), 12), np.arange(48), ROWS)
    assert main.p == pytest.approx(2 * norm.sf(2 * np.log(25) / np.sqrt(2.08)))
    alone = crossed_means(np.array([1.0, 0, 0, 0]), np.arange(4), np.arange(4), INTERACTION)
    assert (alone.value, alone.p) == (1.0, None)  # one text in each cell


def test_shares_that_are_all_the_same_are_no_difference_with_an_interval() -> None:
    found = crossed_means(np.ones(40), np.repeat(np.arange(4), 10), np.arange(40), INTERACTION)
    assert (found.value, found.p) == (0.0, 1.0)
    assert found.interval.bounds.low < 0 < found.interval.bounds.high
