"""Chance and the band of a share that is looked at again and again, against scipy and by simulation."""

import random

import pytest
from scipy.stats import binom

from core.metrics.proportions import wilson
from desktop.charts.chance import anytime_band, anytime_chance_range, chance_range, effective_choices


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


@pytest.mark.parametrize(("chosen", "n"), [(0, 5), (7, 17), (33, 60), (60, 60)])
def test_band_is_wider_than_the_interval_for_one_look(chosen: int, n: int):
    low, high = anytime_band(chosen, n)
    bounds = wilson(chosen, n)
    assert bounds is not None
    assert low <= bounds.low
    assert high >= bounds.high
    assert low <= chosen / n <= high


def test_band_is_everything_before_the_first_choice():
    assert anytime_band(0, 0) == (0.0, 1.0)


def test_band_holds_the_truth_at_every_look_in_at_least_95_of_100_sequences():
    """Wilson's interval looked at as often misses at some look in far more than 5 % of these sequences."""
    rng = random.Random(5)
    truth, sequences, missed, missed_by_wilson = 1 / 3, 400, 0, 0
    for _ in range(sequences):
        chosen, out, wilson_out = 0, False, False
        for n in range(1, 121):
            chosen += rng.random() < truth
            if n % 5 == 0:
                low, high = anytime_band(chosen, n)
                out = out or not low <= truth <= high
                bounds = wilson(chosen, n)
                assert bounds is not None
                wilson_out = wilson_out or not bounds.low <= truth <= bounds.high
        missed += out
        missed_by_wilson += wilson_out
    assert missed <= 0.05 * sequences
    assert missed_by_wilson > 0.1 * sequences


@pytest.mark.parametrize(("n", "chance"), [(1, 0.5), (9, 1 / 3), (60, 1 / 3), (61, 0.5)])
def test_anytime_range_holds_just_the_shares_whose_band_holds_chance(n: int, chance: float):
    inside = [s / n for s in range(n + 1) if anytime_band(s, n)[0] <= chance <= anytime_band(s, n)[1]]
    assert anytime_chance_range(n, chance) == pytest.approx((min(inside), max(inside)))
