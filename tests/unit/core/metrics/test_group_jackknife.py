"""The delete-a-group jackknife against the t test, a bootstrap and its own coverage."""

import numpy as np
import pytest
from scipy.stats import ttest_1samp, ttest_rel

from biasprint.core.metrics.clusters import group_jackknife


def without_each(values: np.ndarray, groups: np.ndarray) -> list[float]:
    return [float(values[groups != group].mean()) for group in range(groups.max() + 1)]


def test_of_means_it_is_the_paired_t_test() -> None:
    rng = np.random.default_rng(1)
    first, second = rng.normal(0.3, 1, 25), rng.normal(0, 1, 25)
    left_out = [float(np.delete(first, place).mean() - np.delete(second, place).mean()) for place in range(len(first))]
    found = group_jackknife(float(first.mean() - second.mean()), left_out, [1] * 25, "prompts")
    known = ttest_rel(first, second)
    interval = known.confidence_interval(0.95)
    assert found.p == pytest.approx(known.pvalue, rel=1e-9)
    assert found.statistic == pytest.approx(known.statistic, rel=1e-9)
    assert found.interval.bounds is not None
    assert (found.interval.bounds.low, found.interval.bounds.high) == pytest.approx((interval.low, interval.high))


def test_of_equal_groups_it_is_the_t_test_of_their_means() -> None:
    values = np.random.default_rng(2).normal(0.2, 1, 60)
    groups = np.arange(60) % 20
    found = group_jackknife(float(values.mean()), without_each(values, groups), [3] * 20, "prompts")
    means = [values[groups == group].mean() for group in range(20)]
    assert found.p == pytest.approx(ttest_1samp(means, 0).pvalue, rel=1e-9)


def test_of_a_log_odds_ratio_it_is_close_to_a_bootstrap_of_the_prompts() -> None:
    """Two groups' counts of a word among others, 200 prompts of unequal size; standard errors within a fifth."""
    rng = np.random.default_rng(3)
    totals = rng.integers(50, 400, (200, 2))
    rates = np.clip(rng.normal([0.02, 0.01], 0.004, (200, 2)), 0.001, None)
    hits = rng.binomial(totals, rates)

    def log_ratio(kept: np.ndarray) -> float:
        (a, c), (all_a, all_c) = hits[kept].sum(axis=0), totals[kept].sum(axis=0)
        return float(np.log(a / (all_a - a)) - np.log(c / (all_c - c)))

    everything = np.arange(200)
    groups = everything % 40
    left_out = [log_ratio(everything[groups != group]) for group in range(40)]
    found = group_jackknife(log_ratio(everything), left_out, [5] * 40, "prompts")
    draws = [log_ratio(rng.integers(0, 200, 200)) for _ in range(2000)]
    bounds = found.interval.bounds
    assert bounds is not None
    error = (bounds.high - bounds.low) / 2 / 2.0227  # t with 39 df
    assert error == pytest.approx(float(np.std(draws)), rel=0.2)


def test_groups_of_unequal_size_cover_as_they_say() -> None:
    """1,000 draws of 23 units in 10 groups of 2 or 3: 95 % intervals hold the mean in 93 to 97 % of them."""
    rng = np.random.default_rng(4)
    groups = np.arange(23) % 10
    sizes = np.bincount(groups).tolist()
    inside = 0
    for values in rng.normal(1.0, 1.0, (1000, 23)):
        bounds = group_jackknife(float(values.mean()), without_each(values, groups), sizes, "prompts").interval.bounds
        assert bounds is not None
        inside += bounds.low <= 1.0 <= bounds.high
    assert 930 <= inside <= 970


def test_groups_that_all_differ_alike_are_tested_by_sign_flips_and_one_group_is_not() -> None:
    found = group_jackknife(1.0, [1.0] * 8, [1] * 8, "prompts")
    assert found.p == pytest.approx(2 / 2**8)
    assert found.interval.bounds is None
    assert group_jackknife(0.0, [0.0] * 8, [1] * 8, "prompts").p is None
    alone = group_jackknife(1.0, [1.0], [3], "prompts")
    assert (alone.p, alone.reason) == (None, "fewer than 2 groups of prompts")
