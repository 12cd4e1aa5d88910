"""The mixed model of choices, beside the exact likelihood by quadrature over all raters, and where there is none."""

from itertools import product

import numpy as np
import pytest
from scipy.optimize import minimize

from biasprint.core.metrics import interactions
from biasprint.core.metrics.interactions import mixed_share

NODES, WEIGHTS = np.polynomial.hermite.hermgauss(21)


def _crossed(raters: int, comparisons: int, seed: int, alpha: float, of_raters: float, of_comparisons: float):
    rng = np.random.default_rng(seed)
    rater, comparison = np.repeat(np.arange(raters), comparisons), np.tile(np.arange(comparisons), raters)
    eta = alpha + of_raters * rng.normal(size=raters)[rater] + of_comparisons * rng.normal(size=comparisons)[comparison]
    return (rng.random(len(eta)) < 1 / (1 + np.exp(-eta))).astype(float), rater, comparison


GRID = np.arange(-4.5, 4.51, 0.09)  # of the effects of raters, whose posterior is too narrow for a few nodes


def _exact_loss(parameters: np.ndarray, first: np.ndarray, second: np.ndarray) -> float:
    """Minus the log-likelihood of two raters' choices: the effects of comparisons integrated out for each pattern of
    two choices, those of the raters over a fine grid of both."""
    alpha, of_raters, of_comparisons = parameters
    v = of_comparisons * np.sqrt(2) * NODES
    yes = 1 / (1 + np.exp(-(alpha + of_raters * GRID[:, None] + v[None, :])))  # grid × nodes
    log = np.zeros((len(GRID), len(GRID)))
    for of_first, of_second in product((0, 1), repeat=2):
        times = int(((first == of_first) & (second == of_second)).sum())
        one = yes if of_first else 1 - yes
        other = yes if of_second else 1 - yes
        log += times * np.log((one * (WEIGHTS / np.sqrt(np.pi))) @ other.T)
    log -= (GRID[:, None] ** 2 + GRID[None, :] ** 2) / 2
    return -float(log.max() + np.log(np.exp(log - log.max()).sum()))


@pytest.mark.parametrize("seed", [3, 4, 5, 6])
def test_it_is_near_the_largest_exact_likelihood(seed: int) -> None:
    chosen, rater, comparison = _crossed(2, 120, seed, 0.5, 0.7, 0.8)
    exact = minimize(
        _exact_loss, [0.3, 0.5, 0.5], args=tuple(chosen.reshape(2, 120)), method="L-BFGS-B",
        bounds=[(-5, 5), (0.01, 5), (0, 5)],
    )  # fmt: skip
    found = mixed_share(chosen, rater, comparison, 0.5)
    assert found.value is not None
    assert found.of_comparisons is not None
    assert found.intercept == pytest.approx(exact.x[0], abs=0.08)
    assert found.of_raters == pytest.approx(exact.x[1], abs=0.1)
    # Laplace's is known to put the deviation of clusters of two too low, hardly the share.
    drawn = exact.x[0] + np.hypot(*exact.x[1:]) * np.sqrt(2) * NODES
    assert found.value == pytest.approx(WEIGHTS @ (1 / (1 + np.exp(-drawn))) / np.sqrt(np.pi), abs=0.015)


def test_without_any_spread_it_is_the_share_itself_with_the_error_of_a_logit() -> None:
    rater, comparison = np.repeat(np.arange(8), 10), np.arange(80)
    chosen = np.tile([1.0, 1, 1, 0, 0, 1, 0, 1, 1, 0], 8)  # every rater six of ten
    found = mixed_share(chosen, rater, comparison, 0.5)
    assert found.value == pytest.approx(0.6, abs=1e-4)
    assert found.of_raters == pytest.approx(0, abs=1e-3)
    assert found.error == pytest.approx((80 * 0.6 * 0.4) ** -0.5, rel=1e-3)
    assert found.of_comparisons is None  # each was judged once


def test_raters_who_differ_are_no_preference_of_one_of_three() -> None:
    """Two raters of six always near the one, the others near the others: the share is a third, and so is its null."""
    rater = np.repeat(np.arange(6), 30)
    comparison = np.tile(np.arange(30), 6)
    often = np.array([27, 27, 1, 1, 2, 2])
    chosen = (np.tile(np.arange(30), 6) < often[rater]).astype(float)
    rng = np.random.default_rng(0)
    chosen = np.concatenate([rng.permutation(chosen[rater == each]) for each in range(6)])
    found = mixed_share(chosen, rater, comparison, 1 / 3)
    assert found.value == pytest.approx(1 / 3, abs=0.06)
    assert found.intercept < np.log(0.5)  # far below logit ⅓, though the share is not
    assert found.p is not None
    assert found.p > 0.5


def test_p_and_interval_agree() -> None:
    for seed in range(12):
        given = _crossed(5, 20, seed, 0.4, 0.4, 0.3)
        found = mixed_share(*given, 0.5)
        assert found.interval is not None
        assert found.p is not None
        assert (found.p <= 0.05) == (not found.interval.low <= 0.5 <= found.interval.high)


def test_renaming_and_exchanging_changes_nothing() -> None:
    chosen, rater, comparison = _crossed(4, 25, 5, 0.3, 0.5, 0.5)
    first, other = mixed_share(chosen, rater, comparison, 0.4), mixed_share(1 - chosen, 9 - rater, comparison + 7, 0.6)
    assert first.value is not None
    assert other.value is not None
    assert first.p is not None
    assert other.value == pytest.approx(1 - first.value, abs=1e-4)
    assert other.p == pytest.approx(first.p, abs=1e-3)


@pytest.mark.parametrize(
    ("chosen", "rater", "comparison", "reason"),
    [
        ([], [], [], interactions.ONE_RATER),
        ([1, 0, 1], [0, 0, 0], [0, 1, 2], interactions.ONE_RATER),
        ([1, 0], [0, 1], [0, 0], interactions.ONE_COMPARISON),
        ([1, 1, 1, 1], [0, 0, 1, 1], [0, 1, 0, 1], interactions.ALIKE),
        (np.repeat([1, 0], 40), np.repeat([0, 1], 40), np.tile(np.arange(40), 2), interactions.NOT_CONVERGED),
    ],
)
def test_there_is_none_and_the_reason_is_true(chosen, rater, comparison, reason) -> None:
    found = mixed_share(np.array(chosen, float), np.array(rater, int), np.array(comparison, int), 0.5)
    assert (found.value, found.interval, found.p, found.reason) == (None, None, None, reason)
