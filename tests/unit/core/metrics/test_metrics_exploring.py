"""The statistics of exploring, against hand calculations, scipy and simulation."""

from math import atanh, log, sqrt, tanh

import numpy as np
import pytest
from scipy.stats import spearmanr

from biasprint.core.metrics.associations import distribution_band, spearman_rho
from biasprint.core.metrics.odds import telling_log_odds


def test_telling_log_odds_by_hand() -> None:
    # Two words: 30 and 10 of 40 words here, 20 and 60 of 80 there. Prior of 12 words: 50/120 and 70/120 of it, 5 and 7.
    # δ₁ = ln[35 / (40 + 12 − 35)] − ln[25 / (80 + 12 − 25)] = ln(35/17) − ln(25/67); z₁ = δ₁ / √(1/35 + 1/25)
    delta, z = telling_log_odds(np.array([30.0, 10.0]), np.array([20.0, 60.0]), prior_words=12)
    expected = log(35 / 17) - log(25 / 67)
    assert delta[0] == pytest.approx(expected)
    assert z[0] == pytest.approx(expected / sqrt(1 / 35 + 1 / 25))
    assert delta[1] == pytest.approx(log(17 / 35) - log(67 / 25))


def test_a_rare_word_tells_less_than_a_frequent_one_of_the_same_ratio() -> None:
    first, second = np.array([3.0, 300.0, 700.0]), np.array([1.0, 100.0, 900.0])
    _, z = telling_log_odds(first, second)
    assert 0 < z[0] < z[1]


def test_words_drawn_from_the_same_texts_seldom_stand_out() -> None:
    chance = np.random.default_rng(1)
    share = chance.dirichlet(np.full(200, 0.5))
    beyond = []
    for _ in range(200):
        _, z = telling_log_odds(chance.multinomial(5_000, share) * 1.0, chance.multinomial(8_000, share) * 1.0)
        beyond.append((np.abs(z) > 1.96).mean())
    assert np.mean(beyond) <= 0.05


@pytest.mark.parametrize("ties", [False, True])
def test_spearman_is_scipys_and_its_interval_is_bonett_and_wrights(ties: bool) -> None:
    chance = np.random.default_rng(2)
    x = chance.normal(size=50)
    y = 0.5 * x + chance.normal(size=50)
    if ties:
        x, y = np.round(x), np.round(y)
    found = spearman_rho(x, y)
    other = spearmanr(x, y)
    assert (found.value, found.p) == (pytest.approx(other.statistic), pytest.approx(other.pvalue))
    assert found.value is not None
    assert found.interval.bounds is not None
    half = 1.959964 * sqrt((1 + found.value**2 / 2) / 47)
    assert found.interval.bounds.low == pytest.approx(tanh(atanh(found.value) - half), rel=1e-5)
    assert found.interval.bounds.high == pytest.approx(tanh(atanh(found.value) + half), rel=1e-5)


def test_the_interval_of_rho_holds_the_true_one_19_times_in_20() -> None:
    chance, true = np.random.default_rng(3), 6 / np.pi * np.arcsin(0.6 / 2)  # of a normal pair with r = .6
    held = []
    for _ in range(600):
        x, y = chance.multivariate_normal([0, 0], [[1, 0.6], [0.6, 1]], size=60).T
        bounds = spearman_rho(x, y).interval.bounds
        assert bounds is not None
        held.append(bounds.low <= true <= bounds.high)
    assert np.mean(held) >= 0.93


def test_the_band_holds_the_whole_distribution_19_times_in_20() -> None:
    chance, n = np.random.default_rng(4), 80
    band, steps = distribution_band(n), np.arange(n + 1) / n
    draws = np.sort(chance.uniform(size=(2_000, n)), axis=1)  # whose distribution function is x itself
    farthest = np.maximum(steps[1:] - draws, draws - steps[:-1]).max(axis=1)
    assert band == pytest.approx(sqrt(log(40) / 160))
    assert np.mean(farthest <= band) >= 0.95 - 3 * sqrt(0.95 * 0.05 / len(draws))
