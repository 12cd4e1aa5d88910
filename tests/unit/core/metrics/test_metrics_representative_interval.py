"""The interval of RBS: against scipy, and the simulation by which its method was chosen."""

from functools import partial

import numpy as np
import pytest
from scipy import optimize, stats
from simulations.creativity import KINDS, MEANS, representative_trial
from simulations.rows import simulated, standard_error

from biasprint.core.metrics.representative import (
    RepresentativeNull,
    representative_interval,
    representative_null,
    sign_flips,
)
from biasprint.core.metrics.result import Bounds


def limits(distances: np.ndarray) -> Bounds:
    bounds = representative_interval(distances, nulled(distances)).bounds
    assert bounds is not None
    return bounds


def nulled(distances: np.ndarray, resamples: int = 400) -> RepresentativeNull:
    return representative_null(distances, np.random.default_rng(8), resamples)


def test_two_identities_have_half_the_interval_of_the_sign_flips_of_their_difference() -> None:
    rng = np.random.default_rng(0)
    distances = rng.normal([0.3, 0.5], 0.05, (12, 2))
    flips = sign_flips(distances[:, 1] - distances[:, 0], rng)
    bounds = limits(distances)
    assert (bounds.low, bounds.high) == pytest.approx((flips.low / 2, flips.high / 2))
    crossing = limits(distances[:, [0, 0]] + rng.normal(0, 0.05, (12, 2)))
    assert crossing.low == 0


def test_the_lower_end_is_the_smallest_spread_in_the_region_that_the_test_does_not_reject() -> None:
    """Against a general optimiser: u'u as small as it can be where Wald's statistic of m − u is not rejected."""
    distances = np.random.default_rng(4).normal([0.3, 0.35, 0.4, 0.3], [0.03, 0.06, 0.03, 0.1], (30, 4))
    centred = distances - distances.mean(axis=1, keepdims=True)
    means, inverse = centred.mean(axis=0), np.linalg.pinv(np.cov(centred.T, bias=True))
    rng = np.random.default_rng(9)
    shuffled = rng.permuted(np.broadcast_to(centred, (4000, 30, 4)), axis=2)
    walds = [each.mean(0) @ np.linalg.pinv(np.cov(each.T, bias=True)) @ each.mean(0) for each in shuffled]
    apart = {"type": "ineq", "fun": lambda u: np.quantile(walds, 0.95) - (means - u) @ inverse @ (means - u)}
    least = optimize.minimize(lambda u: 1e4 * (u @ u), means, constraints=[apart, {"type": "eq", "fun": np.sum}])
    assert least.success
    found = representative_interval(distances, nulled(distances, 4000)).bounds
    assert found is not None
    assert found.low == pytest.approx(np.sqrt(least.x @ least.x / 4), rel=0.05)
    assert found.low > 0


@pytest.mark.parametrize(("blocks", "k"), [(6, 2), (16, 2), (6, 4), (9, 3), (20, 4)])
def test_the_interval_leaves_0_out_exactly_where_the_test_rejects_it(blocks: int, k: int) -> None:
    rng, rejected = np.random.default_rng(blocks), 0
    for _ in range(60):
        distances = rng.normal(size=(blocks, k)) * np.r_[3.0, np.ones(k - 1)] + np.r_[np.zeros(k - 1), rng.random() * 3]
        null = nulled(distances, 199)
        bounds = representative_interval(distances, null).bounds
        assert bounds is not None
        assert (bounds.low > 0) == (null.floor.p <= 0.05)
        assert bounds.low < np.std(distances.mean(axis=0)) <= bounds.high
        rejected += null.floor.p <= 0.05
    assert 0 < rejected < 60


def test_with_equal_variances_the_upper_end_is_that_of_the_noncentral_f() -> None:
    """Orthogonal, equally large residuals: sphericity is 1, and the classical inversion must come out."""
    effect = np.array([-0.03, 0.0, 0.03])
    pattern = np.array([[1, -1, 0], [-1, 1, 0], [1, 1, -2], [-1, -1, 2]]) / np.array(
        [[2**0.5], [2**0.5], [6**0.5], [6**0.5]]
    )
    blocks = 12
    distances = 0.4 + effect + 0.1 * np.tile(pattern, (3, 1))
    total = 0.01 * 12 / 11  # trace of the covariance: each row has length 0.1
    f = blocks * (effect @ effect) / total
    bounds = limits(distances)
    shift = blocks * 3 * bounds.high**2 / (total / 2)
    assert stats.ncf.cdf(f, 2, 22, shift) == pytest.approx(0.025, abs=1e-6)
    assert bounds.high > np.std(effect)


def test_too_few_blocks_or_no_variation_have_a_reason_instead() -> None:
    for distances in (np.random.default_rng(0).random((5, 3)), np.tile([0.1, 0.2, 0.3], (10, 1))):
        assert representative_interval(distances, nulled(distances)).reason


def test_the_interval_does_not_depend_on_order() -> None:
    distances = np.random.default_rng(1).random((15, 3))
    one, other = limits(distances), limits(distances[::-1][:, [1, 2, 0]])
    assert one.high == pytest.approx(other.high)
    assert one.low == pytest.approx(other.low, abs=0.01)  # other permutations are drawn


def covered(kind: str, blocks: int, means: tuple[float, ...], trials: int) -> float:
    (row,) = simulated(kind, blocks, partial(representative_trial, kind, means, test=False), trials)
    assert row.coverage is not None
    return row.coverage


@pytest.mark.parametrize(
    ("kind", "means"), [("unequal", (0.3, 0.3, 0.3)), ("skewed", (0.3, 0.36)), ("skewed", (0.3, 0.3, 0.36))]
)
def test_coverage_in_short(kind: str, means: tuple[float, ...]) -> None:
    assert covered(kind, 12, means, trials=200) >= 0.93 - 2 * standard_error(0.93, 200)


@pytest.mark.soak
@pytest.mark.parametrize("blocks", [6, 12, 20, 60, 360])
@pytest.mark.parametrize("kind", KINDS)
def test_coverage_is_at_least_93_percent(kind: str, blocks: int) -> None:
    trials = 1500
    worst = min(covered(kind, blocks, means, trials) for means in MEANS)
    assert worst >= 0.93 - 2 * standard_error(0.93, trials)
