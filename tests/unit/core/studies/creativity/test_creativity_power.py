"""Power of RBS: against the noncentral F, and against studies simulated at the detectable spread."""

import numpy as np
import pytest
from scipy import stats

from biasprint.core.metrics.power import blocks_needed, detectable_representative


def layout(blocks: int, k: int, sd: float, seed: int = 0) -> np.ndarray:
    """Distances with a prompt's own level; the residual variance within blocks is near `sd` squared."""
    rng = np.random.default_rng(seed)
    return 0.3 + rng.normal(0, 0.1, (blocks, 1)) + rng.normal(0, sd, (blocks, k))


@pytest.mark.parametrize(("blocks", "k"), [(6, 2), (12, 3), (50, 3), (360, 8)])
def test_at_the_detectable_spread_the_f_test_has_power_080(blocks: int, k: int) -> None:
    distances = layout(blocks, k, 0.05)
    found = detectable_representative(distances)
    assert found is not None
    residual = distances - distances.mean(axis=1, keepdims=True) - distances.mean(axis=0) + distances.mean()
    variance = (residual**2).sum() / ((blocks - 1) * (k - 1))
    df, error = k - 1, (k - 1) * (blocks - 1)
    power = stats.ncf.sf(stats.f.isf(0.05, df, error), df, error, blocks * k * found**2 / variance)
    assert power == pytest.approx(0.8, abs=1e-6)


def test_studies_with_that_spread_are_found_four_times_in_five() -> None:
    blocks, sd = 30, 0.05
    spread = detectable_representative(layout(5000, 3, sd), blocks)
    assert spread is not None
    effect = np.array([-1, 0, 1]) * spread / np.sqrt(2 / 3)
    rng = np.random.default_rng(1)
    found = 0
    for _ in range(1000):
        sample = effect + rng.normal(0, 0.1, (blocks, 1)) + rng.normal(0, sd, (blocks, 3))
        means = sample.mean(axis=0)
        residual = sample - sample.mean(axis=1, keepdims=True) - means + means.mean()
        f = blocks * ((means - means.mean()) ** 2).sum() / 2 / ((residual**2).sum() / (2 * (blocks - 1)))
        found += stats.f.sf(f, 2, 2 * (blocks - 1)) <= 0.05
    assert found / 1000 == pytest.approx(0.8, abs=2 * np.sqrt(0.16 / 1000))


def test_the_blocks_needed_are_the_fewest_that_detect_the_spread() -> None:
    distances = layout(40, 3, 0.08)
    needed = blocks_needed(distances, 0.02)
    assert needed is not None
    assert (detectable_representative(distances, needed) or 1) <= 0.02
    assert (detectable_representative(distances, needed - 1) or 0) > 0.02


def test_more_blocks_detect_less_and_noise_costs() -> None:
    distances = layout(40, 3, 0.08)
    smaller = [detectable_representative(distances, blocks) for blocks in (6, 30, 360)]
    assert smaller == sorted(smaller, reverse=True)
    assert (blocks_needed(layout(40, 3, 0.16), 0.02) or 0) > (blocks_needed(distances, 0.02) or 0)


def test_undefined_power_is_none() -> None:
    assert detectable_representative(np.full((10, 3), 0.3)) is None
    assert detectable_representative(layout(1, 3, 0.1)) is None
    assert detectable_representative(layout(10, 1, 0.1)) is None
    assert blocks_needed(layout(10, 3, 0.1), 0) is None
    assert blocks_needed(np.full((10, 3), 0.3), 0.02) is None
