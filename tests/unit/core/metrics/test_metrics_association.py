"""Kendall's τ, χ² with residuals, and Benjamini–Hochberg: against scipy, statsmodels and hand calculation."""

from math import sqrt

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import Table
from statsmodels.stats.multitest import multipletests

from biasprint.core.metrics.associations import kendall_tau, standard_error
from biasprint.core.metrics.result import benjamini_hochberg
from biasprint.core.metrics.topics import chi_squared, residual_p, standardised_residuals

# Given polarity (positive, neutral, negative) × chosen polarity.
TABLE = np.array([[30, 12, 6], [10, 22, 9], [5, 14, 28]])


def items(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    rows, columns = np.indices(table.shape)
    return rows.ravel().repeat(table.ravel()), columns.ravel().repeat(table.ravel())


@pytest.mark.parametrize("variant", ["b", "c"])
@pytest.mark.parametrize("table", [TABLE, TABLE[:2], np.array([[3, 1], [0, 4]])])
def test_kendall_agrees_with_scipy(table: np.ndarray, variant: str) -> None:
    expected = stats.kendalltau(*items(table), variant=variant, method="asymptotic")
    for result in (kendall_tau(table, variant=variant), kendall_tau(*items(table), variant=variant)):
        assert (result.value, result.p) == pytest.approx((expected.statistic, expected.pvalue))
        assert result.n == table.sum()


def test_tau_c_by_hand() -> None:
    # [[2, 1], [0, 3]]: concordant 2·3 = 6, discordant 0; m = 2: 2·2·6 / (36·1).
    assert kendall_tau(np.array([[2, 1], [0, 3]]), variant="c").value == pytest.approx(24 / 36)


@pytest.mark.parametrize("variant", ["b", "c"])
def test_kendalls_standard_error_is_the_delta_methods(variant: str) -> None:
    # Numeric delta method: var = (Σ p g² − (Σ p g)²) / n, g the gradient of τ in the cell probabilities.
    shares = TABLE / TABLE.sum()

    def tau(probabilities: np.ndarray) -> float:
        up = sum(probabilities[i, j] * probabilities[i + 1 :, j + 1 :].sum() for i in range(3) for j in range(3))
        down = sum(probabilities[i, j] * probabilities[i + 1 :, :j].sum() for i in range(3) for j in range(3))
        total = probabilities.sum()
        if variant == "c":
            return float(2 * 3 * (up - down) / (total**2 * 2))
        untied = [total**2 - (probabilities.sum(axis=axis) ** 2).sum() for axis in (0, 1)]
        return float(2 * (up - down) / sqrt(untied[0] * untied[1]))

    step = 1e-6
    gradient = np.zeros((3, 3))
    for cell in np.ndindex(3, 3):
        bump = np.zeros((3, 3))
        bump[cell] = step
        gradient[cell] = (tau(shares + bump) - tau(shares - bump)) / (2 * step)
    variance = ((shares * gradient**2).sum() - (shares * gradient).sum() ** 2) / TABLE.sum()
    assert standard_error(TABLE, variant) == pytest.approx(sqrt(variance), rel=1e-4)


def test_kendalls_interval_is_the_estimate_and_its_error() -> None:
    result = kendall_tau(TABLE)
    assert result.interval.bounds is not None
    half = stats.norm.ppf(0.975) * standard_error(TABLE, "b")
    assert result.interval.bounds.high - result.interval.bounds.low == pytest.approx(2 * half)


@pytest.mark.parametrize("table", [np.zeros((3, 3), int), np.array([[4, 5, 6]]), np.array([[4, 0], [5, 0]])])
def test_kendall_of_something_constant_is_undefined(table: np.ndarray) -> None:
    result = kendall_tau(table)
    assert (result.value, result.p, result.interval.bounds) == (None, None, None)
    assert result.reason


@pytest.mark.parametrize("variant", ["b", "c"])
def test_two_items_agree_wholly_and_show_nothing(variant) -> None:
    result = kendall_tau(np.array([0, 1]), np.array([0, 1]), variant=variant)
    assert (result.value, result.p) == (1.0, 1.0)  # of the two orders that there are, both are as extreme


def test_empty_categories_do_not_change_tau_c() -> None:
    wider = np.pad(TABLE, ((0, 1), (1, 0)))
    assert kendall_tau(wider, variant="c").value == pytest.approx(kendall_tau(TABLE, variant="c").value)


def test_kendall_of_perfect_order_has_no_standard_error() -> None:
    result = kendall_tau(np.array([1, 2, 3]), np.array([1, 2, 3]))
    assert result.value == pytest.approx(1)
    assert result.interval.bounds is None
    assert result.interval.reason


def test_kendall_of_many_distinct_values_stays_small() -> None:
    values = np.random.default_rng(1).normal(size=(2, 3000))
    result = kendall_tau(*values)
    assert result.value == pytest.approx(stats.kendalltau(*values).statistic)
    assert "too many categories" in result.interval.reason


def test_a_table_of_something_else_is_refused() -> None:
    for wrong in (np.array([[1.5, 2], [3, 4]]), np.array([[-1, 2], [3, 4]]), np.array([1, 2])):
        with pytest.raises(ValueError, match="counts"):
            kendall_tau(wrong)
    with pytest.raises(ValueError, match="counts"):
        chi_squared(np.array([[-1, 2], [3, 4]]))


def test_chi_squared_and_residuals_agree_with_scipy_and_statsmodels() -> None:
    result = chi_squared(TABLE)
    expected = stats.chi2_contingency(TABLE, correction=False)
    assert (result.statistic, result.p) == pytest.approx((expected.statistic, expected.pvalue))
    assert standardised_residuals(TABLE) == pytest.approx(Table(TABLE).standardized_resids)


def test_residuals_of_two_by_two_by_hand() -> None:
    # [[10, 20], [30, 40]]: E₁₁ = 30·40/100 = 12, SR₁₁ = −2 / √(12·.7·.6) = −2/√5.04; all four have one size.
    residuals = standardised_residuals(np.array([[10, 20], [30, 40]]))
    assert residuals == pytest.approx(np.array([[-1, 1], [1, -1]]) * 2 / sqrt(5.04))


@pytest.mark.parametrize("table", [np.array([[1, 2]]), np.array([[1, 0], [2, 0]]), np.array([[0, 0], [2, 1]])])
def test_a_table_with_an_empty_margin_is_undefined(table: np.ndarray) -> None:
    assert chi_squared(table).p is None
    assert chi_squared(table).reason
    with pytest.raises(ValueError, match=chi_squared(table).reason):
        standardised_residuals(table)


def test_a_residuals_p_counts_permuted_tables_that_reach_it() -> None:
    table = np.array([[8, 2], [2, 8]])
    # Nine tables: in two the first cell is 8 or more, in all but one it is 2 or more.
    firsts = [8, 9, 5, 5, 5, 4, 6, 3, 1]
    permuted = np.array([[[a, 10 - a], [10 - a, a]] for a in firsts])
    expected = (1 + np.array([[2, 8], [8, 2]])) / 10
    # 10 − a ≥ 2 holds unless a = 9; a ≥ 2 unless a = 1, so each off-diagonal cell is reached in 8 as well.
    assert residual_p(table, [permuted[:4], permuted[4:]]) == pytest.approx(expected)


def test_permuting_articles_agrees_with_the_chi_squared_where_sentences_are_articles() -> None:
    rng = np.random.default_rng(6)
    topics, groups = items(TABLE)

    def table_of(labels: np.ndarray) -> np.ndarray:
        return np.array([[((topics == i) & (labels == j)).sum() for j in range(3)] for i in range(3)])

    permuted = [np.array([table_of(rng.permutation(groups)) for _ in range(2000)])]
    p = residual_p(TABLE, permuted)
    independent = stats.norm.sf(standardised_residuals(TABLE))
    assert p == pytest.approx(independent, abs=0.05)


@pytest.mark.parametrize("p_values", [[0.01, 0.04, 0.03, 0.005], [0.5], [1.0, 0.2, 0.2], [0.001] + [0.3] * 8])
def test_benjamini_hochberg_agrees_with_statsmodels(p_values: list[float]) -> None:
    assert benjamini_hochberg(p_values) == pytest.approx(multipletests(p_values, method="fdr_bh")[1])


def test_benjamini_hochberg_neither_counts_nor_changes_what_was_not_tested() -> None:
    # m = 2: 2·.01/1 = .02 and 2·.04/2 = .04.
    assert benjamini_hochberg([0.01, None, 0.04]) == [pytest.approx(0.02), None, pytest.approx(0.04)]
    assert benjamini_hochberg([None]) == [None]
    with pytest.raises(ValueError, match="finite"):
        benjamini_hochberg([0.1, float("nan")])
