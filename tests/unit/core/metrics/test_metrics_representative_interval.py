"""The interval of RBS: against scipy, and the simulation by which its method was chosen."""

from functools import partial

import numpy as np
import pytest
from scipy import stats
from simulations.creativity import KINDS, MEANS, representative_trial
from simulations.rows import simulated, standard_error

from biasprint.core.metrics.representative import representative_interval
from biasprint.core.metrics.result import Bounds


def limits(distances: np.ndarray) -> Bounds:
    bounds = representative_interval(distances).bounds
    assert bounds is not None
    return bounds


def test_two_identities_have_the_paired_t_interval_halved() -> None:
    rng = np.random.default_rng(0)
    distances = rng.normal([0.3, 0.5], 0.05, (20, 2))
    expected = stats.ttest_rel(distances[:, 1], distances[:, 0]).confidence_interval(0.95)
    bounds = limits(distances)
    assert (bounds.low, bounds.high) == pytest.approx((expected.low / 2, expected.high / 2))
    crossing = limits(distances[:, [0, 0]] + rng.normal(0, 0.05, (20, 2)))
    assert crossing.low == 0


def test_with_equal_variances_the_ends_are_those_of_the_noncentral_f() -> None:
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
    for end, probability in ((bounds.low, 0.975), (bounds.high, 0.025)):
        shift = blocks * 3 * end**2 / (total / 2)
        if end > 0:
            assert stats.ncf.cdf(f, 2, 22, shift) == pytest.approx(probability, abs=1e-6)
    assert bounds.high > np.std(effect)


def test_too_few_blocks_or_no_variation_have_a_reason_instead() -> None:
    assert representative_interval(np.random.default_rng(0).random((5, 3))).reason
    assert representative_interval(np.tile([0.1, 0.2, 0.3], (10, 1))).reason


def test_the_interval_does_not_depend_on_order() -> None:
    distances = np.random.default_rng(1).random((15, 3))
    one, other = limits(distances), limits(distances[::-1][:, [1, 2, 0]])
    assert (one.low, one.high) == pytest.approx((other.low, other.high))


def covered(kind: str, blocks: int, means: tuple[float, ...], trials: int) -> float:
    (row,) = simulated(kind, blocks, partial(representative_trial, kind, means, test=False), trials)
    assert row.coverage is not None
    return row.coverage


@pytest.mark.parametrize("kind", ["unequal", "skewed"])
@pytest.mark.parametrize("means", [(0.3, 0.3, 0.3), (0.3, 0.3, 0.36), (0.3, 0.36)])
def test_coverage_in_short(kind: str, means: tuple[float, ...]) -> None:
    assert covered(kind, 12, means, trials=200) >= 0.93 - 2 * standard_error(0.93, 200)


@pytest.mark.soak
@pytest.mark.parametrize("blocks", [6, 12, 20, 60, 360])
@pytest.mark.parametrize("kind", KINDS)
def test_coverage_is_at_least_93_percent(kind: str, blocks: int) -> None:
    trials = 1500
    worst = min(covered(kind, blocks, means, trials) for means in MEANS)
    assert worst >= 0.93 - 2 * standard_error(0.93, trials)
