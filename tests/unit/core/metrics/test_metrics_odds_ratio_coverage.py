"""Coverage and false positives of the clustered odds ratio, by simulation; long runs are soak tests."""

import numpy as np
import pytest

from biasprint.core.metrics.clusters import Clusters
from biasprint.core.metrics.odds import clustered_odds_ratios

LOGIT = -3.9


def truth(shift: float, spread: float) -> float:
    """The population odds ratio of summed words: rates averaged over cells, by quadrature."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    rates = [float(weights @ (1 / (1 + np.exp(-(LOGIT + side * shift / 2 + spread * nodes))))) for side in (1, -1)]
    one, other = np.array(rates) / weights.sum()
    return float(one / (1 - one) / (other / (1 - other)))


def trial(rng: np.random.Generator, pairs: int, shift: float, matched: bool) -> tuple[bool, bool]:
    """Was the truth covered, was p at most .05?"""
    cell, own = (0.6, 0.2) if matched else (0.0, 0.6)
    logits = LOGIT + rng.normal(0, cell, (pairs, 1)) + rng.normal(0, own, (pairs, 2)) + np.array([shift, -shift]) / 2
    tokens = rng.poisson(280, (pairs, 2))
    counts = rng.binomial(tokens, 1 / (1 + np.exp(-logits)))
    blocks = [str(place // 2) if matched else "" for place in range(2 * pairs)]
    clusters = Clusters.of(np.tile([True, False], pairs), blocks)
    result = clustered_odds_ratios(counts.reshape(-1, 1), tokens.ravel(), clusters)[0]
    bounds = result.interval.bounds
    assert bounds is not None
    assert result.p is not None
    return bounds.low <= truth(shift, np.hypot(cell, own)) <= bounds.high, result.p <= 0.05


def rates(pairs: int, shift: float, matched: bool, trials: int) -> tuple[float, float]:
    rng = np.random.default_rng([pairs, int(matched), int(10 * shift)])
    results = [trial(rng, pairs, shift, matched) for _ in range(trials)]
    covered, alarms = np.mean(results, axis=0)
    return float(covered), float(alarms)


@pytest.mark.parametrize("matched", [True, False])
def test_coverage_and_false_positives_in_short(matched: bool) -> None:
    covered, alarms = rates(20, 0.0, matched, trials=400)
    assert covered >= 0.93 - 2 * np.sqrt(0.93 * 0.07 / 400)
    assert alarms <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 400)


def test_a_planted_bias_is_found() -> None:
    assert rates(60, 0.4, matched=True, trials=40)[1] >= 0.8


@pytest.mark.soak
@pytest.mark.parametrize("pairs", [5, 8, 12, 20, 60])
@pytest.mark.parametrize("shift", [0.0, 0.3])
@pytest.mark.parametrize("matched", [True, False])
def test_coverage_is_at_least_93_percent(pairs: int, shift: float, matched: bool) -> None:
    trials = 1000
    covered, alarms = rates(pairs, shift, matched, trials)
    assert covered >= 0.93 - 2 * np.sqrt(0.93 * 0.07 / trials)
    if shift == 0:
        assert alarms <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / trials)
