"""Bands that may be watched: against hand calculations, against the intervals for one look, and while watching."""

import math
import random
from functools import cache

import numpy as np
import pytest
from simulations.watched import watched_chance_range

from biasprint.core.metrics.anytime import (
    BoundedMean,
    clustered_share_band,
    first_differing,
    log_odds_anytime_p,
    log_odds_band,
    normal_band,
    share_anytime_p,
    share_band,
    share_spread_band,
    spread_band,
)
from biasprint.core.metrics.proportions import wilson


@pytest.mark.parametrize(("chosen", "n"), [(0, 5), (7, 17), (33, 60), (60, 60)])
def test_band_is_wider_than_the_interval_for_one_look(chosen: int, n: int) -> None:
    band, interval = share_band(chosen, n), wilson(chosen, n)
    assert interval is not None
    assert band.low <= interval.low
    assert band.high >= interval.high
    assert band.low <= chosen / n <= band.high


def test_band_is_everything_before_the_first_choice() -> None:
    assert (share_band(0, 0).low, share_band(0, 0).high) == (0.0, 1.0)


def test_band_of_no_success_by_hand() -> None:
    # s = 0: B(1, n + 1) = 1 / (n + 1), so 1 / ((n + 1) (1 − p)ⁿ) = 20 at the upper end.
    assert share_band(0, 10).high == pytest.approx(1 - (1 / (20 * 11)) ** (1 / 10))


def test_band_holds_the_truth_at_every_look_in_at_least_95_of_100_sequences() -> None:
    """Wilson's interval looked at as often misses at some look in far more than 5 % of these sequences."""
    rng = random.Random(5)
    truth, sequences, missed, missed_by_wilson = 1 / 3, 400, 0, 0
    known_band, known_wilson = cache(share_band), cache(wilson)
    for _ in range(sequences):
        chosen, out, wilson_out = 0, False, False
        for n in range(1, 121):
            chosen += rng.random() < truth
            if n % 5 == 0:
                band, bounds = known_band(chosen, n), known_wilson(chosen, n)
                assert bounds is not None
                out = out or not band.low <= truth <= band.high
                wilson_out = wilson_out or not bounds.low <= truth <= bounds.high
        missed += out
        missed_by_wilson += wilson_out
    assert missed <= 0.05 * sequences
    assert missed_by_wilson > 0.1 * sequences


@pytest.mark.parametrize(("n", "chance"), [(1, 0.5), (9, 1 / 3), (60, 1 / 3), (61, 0.5)])
def test_watched_range_holds_just_the_shares_whose_band_holds_chance(n: int, chance: float) -> None:
    inside = [s / n for s in range(n + 1) if share_band(s, n).low <= chance <= share_band(s, n).high]
    assert watched_chance_range(n, chance) == pytest.approx((min(inside), max(inside)))


def test_a_clustered_share_is_worth_as_many_independent_trials_as_its_error_says_and_fewer_of_few_clusters() -> None:
    # p = .3 with a standard error of .0458258 = √(.3 · .7 / 100): 100 independent trials, of the 400 there are.
    many, few = (clustered_share_band(0.3, 400, math.sqrt(0.3 * 0.7 / 100), clusters) for clusters in (10**9, 11))
    alone = share_band(30, 100)
    assert (many.low, many.high) == pytest.approx((alone.low, alone.high), abs=1e-6)
    # z' / z = 1 + (12.25 + 1) / 40 = 1.33125 at 11 clusters.
    fewer = share_band(30 / 1.33125**2, 100 / 1.33125**2)
    assert (few.low, few.high) == pytest.approx((fewer.low, fewer.high))


def test_a_clustered_share_that_does_not_vary_counts_each_cluster_once() -> None:
    none = clustered_share_band(0.0, 400, None, 10**6)
    assert none.high == pytest.approx(share_band(0, 400).high, rel=1e-3)
    assert clustered_share_band(0.0, 400, None, 20).high > share_band(0, 20).high


def test_spread_of_two_shares_follows_the_band_of_one() -> None:
    band, spread = share_band(70, 100), share_spread_band(np.array([70.0, 30.0]))
    assert spread is not None
    assert (spread.low, spread.high) == pytest.approx((band.low - 0.5, band.high - 0.5))
    even = share_spread_band(np.array([10.0, 10.0, 10.0]))
    assert even is not None
    assert even.low == 0.0


def test_asymptotic_band_by_hand() -> None:
    # ρ² = (5.991465 + ln 6.991465) / 600 = 0.0132269; z = √(2 · 2.322692 / 1.322692 · (ln 2.322692 / 2 + ln 20))
    # = 3.464255, and with (41.574 + 3.464) / 396 for the estimated error 3.57799.
    rho = (-2 * math.log(0.05) + math.log(1 - 2 * math.log(0.05))) / 600
    z = math.sqrt(2 * (100 * rho + 1) / (100 * rho) * math.log(math.sqrt(100 * rho + 1) / 0.05))
    z += (z**3 + z) / (4 * 99)
    band = normal_band(0.3, 0.1, 100)
    assert (band.low, band.high) == pytest.approx((0.3 - 0.1 * z, 0.3 + 0.1 * z))
    assert z == pytest.approx(3.57799, abs=1e-5)


def test_spread_band_of_two_means_is_that_of_half_their_difference() -> None:
    covariance = np.array([[0.04, 0.01], [0.01, 0.09]])
    band = spread_band(np.array([1.0, 4.0]), covariance, 100)
    half = normal_band(1.5, math.sqrt(0.04 + 0.09 - 2 * 0.01) / 2, 100)  # spread of two means: |D₁ − D₂| / 2
    assert band is not None
    assert (band.low, band.high) == pytest.approx((half.low, half.high))


def test_empirical_bernstein_by_hand() -> None:
    # α = .05, x = 1: λ₁ = min(½, √(2 ln 40 / (¼ · 1 · ln 2))) = ½; v = 4 (1 − ½)² = 1, ψ = (ln 2 − ½) / 4.
    watched = BoundedMean()
    watched.add(1.0)
    half = (math.log(40) + (math.log(2) - 0.5) / 4) / 0.5
    assert half > 1  # one score says nothing
    assert (watched.band.low, watched.band.high) == (0.0, 1.0)
    for _ in range(199):
        watched.add(1.0)
    assert 0.9 < watched.band.low < watched.band.high == 1.0


def test_scores_between_other_limits_are_the_same_band_moved() -> None:
    scores = np.random.default_rng(3).random(60)
    one, other = BoundedMean(), BoundedMean(-1, 3)
    for score in scores:
        one.add(score)
        other.add(-1 + 4 * score)
    assert (other.band.low, other.band.high) == pytest.approx((-1 + 4 * one.band.low, -1 + 4 * one.band.high))


def test_what_is_no_number_is_refused() -> None:
    for call in (
        lambda: share_band(math.nan, 3),
        lambda: share_band(4, 3),
        lambda: normal_band(0.1, math.nan, 30),
        lambda: normal_band(0.1, 0.0, 30),
        lambda: BoundedMean().add(1.5),
        lambda: BoundedMean().add(math.nan),
    ):
        with pytest.raises(ValueError, match=r"\w"):
            call()


@pytest.mark.parametrize(
    ("more", "fewer", "first"), [(30, 0, 100), (0, 30, 100), (24, 6, 30), (25, 5, 100), (15, 15, 30), (0, 0, 30)]
)
def test_differences_that_go_one_way_are_shown_later(more: int, fewer: int, first: int) -> None:
    assert first_differing(more, fewer) == first


# ---- The p of a share, and the log odds of a model that is fitted to comparisons chosen by the answers before


@pytest.mark.parametrize(("chosen", "n", "chance"), [(9, 10, 0.5), (30, 40, 0.5), (3, 40, 1 / 3), (20, 40, 0.5)])
def test_the_p_of_a_share_is_the_level_at_which_its_band_leaves_chance_out(chosen: int, n: int, chance: float) -> None:
    # By the integral itself: the likelihood averaged over 200,000 values of p, against that at chance.
    grid = (np.arange(200_000) + 0.5) / 200_000
    averaged = np.mean(grid**chosen * (1 - grid) ** (n - chosen))
    p = share_anytime_p(chosen, n, chance)
    assert p == pytest.approx(min(1.0, chance**chosen * (1 - chance) ** (n - chosen) / averaged), rel=1e-6)
    if p < 1:
        below, above = share_band(chosen, n, 1 - 1.001 * p), share_band(chosen, n, 1 - 0.999 * p)
        assert not below.low <= chance <= below.high
        assert above.low <= chance <= above.high


@pytest.mark.parametrize("freedom", [4.0, 30.0, math.inf])
@pytest.mark.parametrize(("estimate", "error"), [(1.0, 0.2), (0.3, 0.4), (-2.0, 0.5)])
def test_the_p_of_log_odds_is_the_level_at_which_their_band_leaves_0_out(
    estimate: float, error: float, freedom: float
) -> None:
    p = log_odds_anytime_p(estimate, error, freedom)
    if p < 1:
        below, above = (log_odds_band(estimate, error, freedom, 1 - more * p) for more in (1.001, 0.999))
        assert not below.low <= 0 <= below.high
        assert above.low <= 0 <= above.high
    else:
        assert log_odds_band(estimate, error, freedom, 1e-9).low <= 0 <= log_odds_band(estimate, error, freedom).high


def test_the_p_of_log_odds_is_the_inverse_of_an_averaged_likelihood() -> None:
    # By the integral itself: N(θ̂; θ, s²) averaged over θ ~ N(0, 1) on a grid, against N(θ̂; 0, s²).
    estimate, error = 0.9, 0.25
    theta = np.linspace(-8, 8, 400_001)
    weight = np.exp(-(theta**2) / 2) / np.sqrt(2 * np.pi)
    averaged = np.sum(np.exp(-((estimate - theta) ** 2) / (2 * error**2)) * weight) * (theta[1] - theta[0])
    expected = np.exp(-(estimate**2) / (2 * error**2)) / averaged
    assert log_odds_anytime_p(estimate, error, math.inf) == pytest.approx(expected, rel=1e-6)


def test_log_odds_that_are_watched_to_the_end_are_rarely_told_from_0() -> None:
    # Exactly normal steps, 600 looks each: at most 5 % of 2,000 sequences may ever reach p ≤ .05.
    rng = np.random.default_rng(5)
    sums = np.cumsum(rng.normal(0, 2, (2_000, 600)), axis=1)
    n = np.arange(1, 601)
    estimates, errors = sums / n, 2 / np.sqrt(n)
    ever = [
        any(log_odds_anytime_p(float(e), float(s), math.inf) <= 0.05 for e, s in zip(row, errors, strict=True))
        for row in estimates[:300]
    ]
    assert np.mean(ever) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 300)
