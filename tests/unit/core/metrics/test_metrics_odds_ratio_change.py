"""How an instruction changes an odds ratio."""

import numpy as np
import pytest

from biasprint.core.metrics.odds import odds_ratio_changes

N = 40


def _letters(rng: np.random.Generator, rates: tuple[float, float, float, float], n: int = N) -> tuple[np.ndarray, ...]:
    """Counts of one category without and with the instruction, group first: shape (2n, 1) each, 300 words a letter."""
    first = np.repeat([True, False], n)
    plain = np.concatenate([rng.binomial(300, rates[0], n), rng.binomial(300, rates[1], n)])[:, None]
    treated = np.concatenate([rng.binomial(300, rates[2], n), rng.binomial(300, rates[3], n)])[:, None]
    tokens = np.full(2 * n, 300)
    return plain, tokens, treated, tokens, first, np.tile(np.arange(n), 2)


def test_the_change_is_the_ratio_of_the_two_odds_ratios_by_hand() -> None:
    # Two letters of each group, 10 words each, in 8 blocks so that there is an interval.
    first = np.array([True] * 8 + [False] * 8)
    plain, treated = np.array([[4]] * 8 + [[2]] * 8), np.array([[3]] * 8 + [[3]] * 8)
    tokens = np.full(16, 10)
    (change,) = odds_ratio_changes(plain, tokens, treated, tokens, first, np.tile(np.arange(8), 2))
    # Sums: 32 of 80 and 16 of 80 without; 24 of 80 each with. Haldane's ½ in every cell.
    without = (32.5 / 48.5) / (16.5 / 64.5)
    assert change.value == pytest.approx(1 / without)


def test_a_removed_bias_is_found_and_an_idle_instruction_is_not() -> None:
    rng = np.random.default_rng(1)
    (removed,) = odds_ratio_changes(*_letters(rng, (0.06, 0.03, 0.045, 0.045)))
    assert removed.p is not None
    assert removed.p < 0.01
    assert removed.interval.bounds is not None
    assert removed.interval.bounds.high < 1


def test_false_positives_and_coverage_hold() -> None:
    rng = np.random.default_rng(2)
    runs, hits, covered = 200, 0, 0
    for _ in range(runs):
        (change,) = odds_ratio_changes(*_letters(rng, (0.06, 0.04, 0.06, 0.04), 15))
        assert change.p is not None
        assert change.interval.bounds is not None
        hits += change.p <= 0.05
        covered += change.interval.bounds.low <= 1 <= change.interval.bounds.high
    assert hits <= 0.05 * runs + 3 * np.sqrt(0.05 * 0.95 * runs)
    assert covered >= 0.93 * runs - 3 * np.sqrt(0.07 * 0.93 * runs)


def test_too_few_words_and_too_few_blocks_say_so() -> None:
    rng = np.random.default_rng(3)
    plain, tokens, treated, _, first, cluster = _letters(rng, (0.001, 0.001, 0.001, 0.001), 3)
    (change,) = odds_ratio_changes(plain, tokens, treated, tokens, first, cluster)
    assert change.value is None
    assert "expected count" in change.reason
    (few,) = odds_ratio_changes(plain + 40, tokens, treated + 40, tokens, first, cluster)
    assert few.interval.bounds is None
    assert "fewer than 5" in few.interval.reason
    (nothing,) = odds_ratio_changes(plain, tokens * 0, treated, tokens, first, cluster)
    assert nothing.reason == "a group has no words"
