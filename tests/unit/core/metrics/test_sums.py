"""Sums that grow one by one: the digits of all values at once, in whatever order, and errors as by other formulas."""

import math

import numpy as np
import pytest

from biasprint.core.metrics.means import clustered_mean, mean_interval
from biasprint.core.metrics.sums import ClusterSums, ExactSum, Moments, cluster_means, exact_mean

HARD = np.random.default_rng(4).standard_cauchy(400) * 10.0 ** np.random.default_rng(5).integers(-12, 12, 400)


def test_an_exact_sum_is_that_of_fsum_in_any_order_and_forgets_what_is_removed() -> None:
    total = ExactSum()
    for value in np.random.default_rng(6).permutation(HARD):
        total.add(value)
    assert total.value == math.fsum(HARD)
    for value in HARD[100:]:
        total.remove(value)
    assert total.value == math.fsum(HARD[:100])


@pytest.mark.parametrize(
    "values", [[5e-324, 1.0], [1.0, 5e-324, -1.0], [1e308, -1e308, 2.0**-1074], [1e16, 1.0, -1e16], [0.1] * 10, [-0.3]]
)
def test_an_exact_sum_holds_the_smallest_and_the_largest_floats_at_once(values: list[float]) -> None:
    total = ExactSum()
    for value in values:
        total.add(value)
    assert total.value == math.fsum(values)
    for value in values:
        total.remove(value)
    assert total.value == 0.0


def test_moments_have_the_digits_of_the_measures_mean() -> None:
    moments = Moments()
    for value in HARD:
        moments.add(value)
    assert moments.mean == exact_mean(HARD)
    assert moments.error == pytest.approx(HARD.std(ddof=1) / math.sqrt(len(HARD)))


def test_nothing_that_varies_has_no_error() -> None:
    moments = Moments()
    assert (moments.mean, moments.error) == (None, None)
    for _ in range(40):
        moments.add(0.1)
    assert (moments.mean, moments.error) == (0.1, None)


def test_cluster_means_are_in_the_order_of_their_numbers() -> None:
    assert cluster_means(np.array([1.0, 4.0, 3.0]), np.array([2, 0, 2])).tolist() == [4.0, 2.0]


def test_the_error_of_a_ratio_is_that_of_the_clustered_mean() -> None:
    rng = np.random.default_rng(8)
    values, clusters = rng.normal(size=60), rng.integers(0, 15, 60)
    sums = ClusterSums(2)
    for value, cluster in zip(values, clusters, strict=True):
        sums.put(int(cluster), "a", sums.row(int(cluster), "a") + np.array([value, 1.0]))
    total, n = sums.totals("a")
    result = clustered_mean(values, clusters)
    assert total / n == result.value
    assert result.statistic is not None
    error = sums.error({"a": np.array([1 / n, -total / n**2])})
    assert error == pytest.approx(result.value / result.statistic)


def test_matched_groups_are_compared_within_their_clusters() -> None:
    rng = np.random.default_rng(9)
    shared = rng.normal(0, 3, 40)
    one, other = shared + rng.normal(size=40), shared + rng.normal(size=40)
    sums = ClusterSums(2)
    for place in range(40):
        sums.put(place, "one", np.array([one[place], 1.0]))
        sums.put(place, "other", np.array([other[place], 1.0]))
    slope = np.array([1 / 40, 0.0])
    first, second = (slope - [0, sums.totals(name)[0] / 1600] for name in ("one", "other"))
    error = sums.error({"one": first, "other": -second})
    bounds = mean_interval(one - other).bounds
    assert bounds is not None
    assert (sums.clusters("one", "other"), sums.both("one", "other")) == (40, 40)
    assert error == pytest.approx((one - other).std(ddof=1) / math.sqrt(40))


def test_a_cluster_that_changes_leaves_no_trace_of_what_it_was() -> None:
    rows = np.random.default_rng(10).random((12, 3))
    plain, changed = ClusterSums(3), ClusterSums(3)
    for place, row in enumerate(rows):
        changed.put(place, "a", row * 7 + 1)
        changed.put(place, "b", row)
    for place, row in enumerate(rows):
        plain.put(place, "a", row)
        changed.put(place, "a", row)
        changed.put(place, "b", None)
    assert changed.totals("a").tolist() == plain.totals("a").tolist()
    assert changed.clusters("a", "b") == 12
    one, other = changed.covariance("a"), plain.covariance("a")
    assert one is not None
    assert other is not None
    assert one == pytest.approx(other)
    assert one == pytest.approx(np.cov(rows.T) / 12)


@pytest.mark.parametrize("bad", [np.array([1.0, math.nan, 0.0]), np.array([1.0, 2.0])])
def test_what_is_no_row_is_refused(bad: np.ndarray) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        ClusterSums(3).put("x", "a", bad)


def test_not_a_number_is_refused() -> None:
    with pytest.raises(ValueError, match="finite"):
        ExactSum().add(math.nan)
