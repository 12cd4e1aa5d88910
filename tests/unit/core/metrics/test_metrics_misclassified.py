"""Shares corrected for a classifier's errors: closed forms of their own, a bootstrap, and how often they hold."""

from math import isclose, sqrt

import numpy as np
import pytest

from biasprint.core.metrics.misclassified import (
    NO_BETTER,
    NO_N,
    NO_PLAIN,
    KnownError,
    true_difference,
    true_share,
)
from biasprint.core.metrics.proportions import two_proportions, wilson
from biasprint.core.metrics.result import Bounds

FORMALITY = KnownError(44, 61, 48, 61)
Z = 1.959964


def lang_reiczigel(x: int, n: int, error: KnownError) -> tuple[float, float]:
    """The interval of Lang and Reiczigel 2014, section 2, written from the paper's formulas."""
    shares, sizes = [], []
    for right, of in ((error.found, error.present), (error.rejected, error.absent)):
        shares.append((right + 1) / (of + 2))
        sizes.append(of + 2)
    (se, sp), (n_se, n_sp) = shares, sizes
    n_p = n + Z**2
    p = (x + Z**2 / 2) / n_p
    j = se + sp - 1
    true = (p + sp - 1) / j
    shift = 2 * Z**2 * (true * se * (1 - se) / n_se - (1 - true) * sp * (1 - sp) / n_sp)
    spread = p * (1 - p) / n_p + true**2 * se * (1 - se) / n_se + (1 - true) ** 2 * sp * (1 - sp) / n_sp
    half = Z * sqrt(spread) / abs(j)
    return max(0.0, true + shift - half), min(1.0, true + shift + half)


@pytest.mark.parametrize(("x", "n"), [(120, 200), (40, 100), (450, 900)])
@pytest.mark.parametrize("error", [FORMALITY, KnownError(22, 25, 37, 40), KnownError(127, 145, 349, 363)])
def test_corrected_share_has_the_interval_of_lang_and_reiczigel(x: int, n: int, error: KnownError) -> None:
    corrected = true_share(x / n, wilson(x, n), error)
    assert corrected.value is not None
    assert corrected.interval.bounds is not None
    assert isclose(corrected.value, (x / n - (1 - error.specificity)) / (error.sensitivity + error.specificity - 1))
    low, high = lang_reiczigel(x, n, error)
    assert corrected.interval.bounds.low == pytest.approx(low, abs=0.03)
    assert corrected.interval.bounds.high == pytest.approx(high, abs=0.03)


def test_without_errors_the_plain_interval_comes_back() -> None:
    perfect = KnownError(10**9, 10**9, 10**9, 10**9)
    share = true_share(0.3, Bounds(0.2, 0.42, "Wilson"), perfect).interval.bounds
    difference = true_difference(-0.1, Bounds(-0.25, 0.06, "t"), perfect).interval.bounds
    assert share is not None
    assert (share.low, share.high) == pytest.approx((0.2, 0.42), abs=1e-6)
    assert difference is not None
    assert (difference.low, difference.high) == pytest.approx((-0.25, 0.06), abs=1e-6)


@pytest.mark.parametrize(("first", "second"), [(0.62, 0.5), (0.5, 0.62), (0.55, 0.53)])
def test_corrected_difference_is_near_a_parametric_bootstrap(first: float, second: float) -> None:
    rng, n, error = np.random.default_rng(3), 800, KnownError(130, 150, 140, 160)
    plain = two_proportions(int(first * n), n, int(second * n), n).interval.bounds
    corrected = true_difference(first - second, plain, error).interval.bounds
    assert corrected is not None
    drawn = (rng.binomial(n, first, 40_000) - rng.binomial(n, second, 40_000)) / n
    youden = rng.beta(130.5, 20.5, 40_000) + rng.beta(140.5, 20.5, 40_000) - 1
    low, high = np.quantile(drawn / youden, [0.025, 0.975])
    assert corrected.low == pytest.approx(low, abs=0.01)
    assert corrected.high == pytest.approx(high, abs=0.01)


@pytest.mark.parametrize("true", [0.1, 0.5, 0.8])
def test_intervals_of_a_share_hold_95_of_100_true_shares(true: float) -> None:
    rng, n, replications = np.random.default_rng(11), 150, 600
    se, sp, labelled = 0.72, 0.79, 61
    seen = rng.binomial(n, true * se + (1 - true) * (1 - sp), replications)
    found, rejected = rng.binomial(labelled, se, replications), rng.binomial(labelled, sp, replications)
    held = known = plain_held = 0
    for x, right, refused in zip(seen.tolist(), found.tolist(), rejected.tolist(), strict=True):
        plain = wilson(x, n)
        bounds = true_share(x / n, plain, KnownError(right, labelled, refused, labelled)).interval.bounds
        if bounds is not None and plain is not None:
            known += 1
            held += bounds.low <= true <= bounds.high
            plain_held += plain.low <= true <= plain.high
    assert known > 0.95 * replications
    assert 0.93 <= held / known <= 0.99
    assert true == 0.5 or plain_held / known < 0.7  # the number as the scorer counts it is another one


@pytest.mark.parametrize(("first", "second"), [(0.6, 0.4), (0.5, 0.5), (0.2, 0.55)])
def test_intervals_of_a_difference_hold_95_of_100_true_differences(first: float, second: float) -> None:
    rng, n, replications = np.random.default_rng(5), 120, 600
    se, sp, labelled = 0.72, 0.79, 61
    seen = [rng.binomial(n, share * se + (1 - share) * (1 - sp), replications) for share in (first, second)]
    right = [rng.binomial(labelled, share, replications) for share in (se, sp)]
    held = known = wrong = 0
    for x, y, found, rejected in zip(*(column.tolist() for column in (*seen, *right)), strict=True):
        plain = two_proportions(x, n, y, n).interval.bounds
        bounds = true_difference((x - y) / n, plain, KnownError(found, labelled, rejected, labelled)).interval.bounds
        if bounds is not None and plain is not None:
            known += 1
            held += bounds.low <= first - second <= bounds.high
            wrong += (plain.low <= 0 <= plain.high) != (bounds.low <= 0 <= bounds.high)
    assert known > 0.95 * replications
    assert 0.93 <= held / known <= 0.98
    assert wrong == 0  # the same errors on both sides cannot make a difference out of none


def test_turning_the_groups_round_turns_the_interval_round() -> None:
    one = true_difference(0.1, Bounds(-0.02, 0.21, "t"), FORMALITY).interval.bounds
    other = true_difference(-0.1, Bounds(-0.21, 0.02, "t"), FORMALITY).interval.bounds
    assert one is not None
    assert other is not None
    assert (one.low, one.high) == pytest.approx((-other.high, -other.low))


def test_undefined_with_the_reason() -> None:
    plain = Bounds(0.1, 0.2, "t")
    for corrected in (true_share, true_difference):
        assert corrected(0.15, plain, KnownError(6, 10, 6, 10)).reason == NO_BETTER
        assert corrected(0.15, plain, KnownError(2, 10, 3, 10)).reason == NO_BETTER
        assert corrected(0.15, plain, KnownError(0, 0, 5, 5)).reason == NO_N
        assert corrected(0.15, None, FORMALITY).reason == NO_PLAIN
        assert corrected(0.15, plain, KnownError(6, 10, 6, 10)).value is None
    with pytest.raises(ValueError, match="right answers"):
        KnownError(7, 6, 1, 1)


def test_share_stays_within_0_and_1_where_the_scorer_finds_less_than_its_own_errors() -> None:
    corrected = true_share(0.05, wilson(5, 100), FORMALITY)
    assert corrected.value == 0.0
    assert corrected.interval.bounds is not None
    assert 0.0 == corrected.interval.bounds.low <= corrected.interval.bounds.high <= 1.0
