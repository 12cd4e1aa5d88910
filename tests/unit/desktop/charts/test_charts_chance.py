"""What chance makes of shares, against scipy."""

import pytest
from scipy.stats import binom

from biasprint.core.metrics.proportions import wilson
from biasprint.desktop.charts.live import chance_range, effective_choices


@pytest.mark.parametrize(("n", "chance"), [(1, 0.5), (20, 1 / 3), (60, 1 / 3), (60, 0.5), (5_000, 1 / 3)])
def test_chance_range_is_the_binomial_one(n: int, chance: float):
    expected = (binom.ppf(0.025, n, chance) / n, binom.ppf(0.975, n, chance) / n)
    assert chance_range(n, chance) == pytest.approx(expected)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.55, 1.0])
@pytest.mark.parametrize("n", [4.0, 17.0, 60.0, 231.4])
def test_effective_choices_undo_wilson(share: float, n: float):
    bounds = wilson(share * n, n)
    assert bounds is not None
    assert effective_choices(share, bounds.low, bounds.high) == pytest.approx(n, rel=1e-6)
