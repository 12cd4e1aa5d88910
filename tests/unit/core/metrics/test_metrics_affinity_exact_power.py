"""The exact power of the ABS test: by hand, against the floor it belongs to, scipy, and simulation."""

from itertools import product
from math import comb, factorial, prod
from time import thread_time

import numpy as np
import pytest
from scipy.stats import binomtest, chi2, multinomial, ncx2

from biasprint.core.metrics.affinity import exact_floor, spread
from biasprint.core.metrics.power import exact_power, splits, top_shares
from biasprint.core.metrics.result import holm

PLANTED = (0.55, 0.30, 0.15)


def by_floor(n: int, shares: tuple[float, ...], alpha: float) -> float:
    """Every split by itself: its p from `exact_floor`, its chance from scipy."""
    k = len(shares)
    ways = [way for way in product(range(n + 1), repeat=k) if sum(way) == n]
    rejected = [way for way in ways if exact_floor(n, k, float(spread(np.array(way) / n))).p <= alpha]
    return float(sum(multinomial.pmf(way, n, shares) for way in rejected))


@pytest.mark.parametrize(
    ("n", "shares"), [(7, PLANTED), (12, PLANTED), (9, (0.8, 0.2)), (5, (0.7, 0.1, 0.1, 0.1)), (8, (1.0, 0.0, 0.0))]
)
def test_it_is_the_chance_of_the_splits_that_the_floor_calls_unlikely(n: int, shares: tuple[float, ...]) -> None:
    for alpha in (0.05, 0.05 / 3):
        assert exact_power(n, shares, alpha=alpha) == pytest.approx(by_floor(n, shares, alpha), abs=1e-12)


def test_by_hand_five_of_five_and_six_of_six() -> None:
    """Of 5 choices between two, 5 : 0 has p = 2/32 and is too likely; of 6, 6 : 0 has p = 2/64."""
    assert exact_power(5, (0.9, 0.1)) == 0
    assert exact_power(6, (0.9, 0.1)) == pytest.approx(0.9**6 + 0.1**6)


def test_two_identities_are_the_binomial_test() -> None:
    rejected = [count for count in range(41) if binomtest(count, 40, 0.5).pvalue <= 0.05]
    expected = sum(comb(40, count) * 0.7**count * 0.3 ** (40 - count) for count in rejected)
    assert exact_power(40, (0.7, 0.3)) == pytest.approx(expected)


def test_what_the_paper_sized_sessions_can_show() -> None:
    """The asymptotic χ² test would find 52 % and 30 %, but on 20 choices it cries wolf in 5.6 %; the floor is exact."""
    found = [exact_power(n, PLANTED, axes) for n, axes in ((20, 1), (20, 3), (60, 3), (60, 1))]
    assert found == pytest.approx([0.474, 0.322, 0.888, 0.947], abs=5e-4)
    ways = splits(20, 3)
    statistic = ((ways - 20 / 3) ** 2).sum(axis=1) / (20 / 3)
    beyond = statistic >= chi2.isf(0.05, 2)
    assert multinomial.pmf(ways[beyond], 20, PLANTED).sum() == pytest.approx(0.520, abs=5e-4)
    assert multinomial.pmf(ways[beyond], 20, [1 / 3] * 3).sum() == pytest.approx(0.0556, abs=5e-5)


@pytest.mark.parametrize(("n", "k", "axes"), [(10, 2, 1), (20, 3, 1), (20, 3, 3), (60, 3, 3), (12, 4, 5)])
def test_without_a_preference_it_is_a_rate_of_false_alarms(n: int, k: int, axes: int) -> None:
    rate = exact_power(n, (1 / k,) * k, axes)
    assert rate is not None
    assert rate <= 0.05 / axes + 0.05 / 20


@pytest.mark.parametrize("axes", [2, 3, 5])
def test_several_axes_are_holms_rule_on_drawn_p_values(axes: int) -> None:
    """Drawn sessions, each axis's p from the floor, adjusted by `holm`."""
    rng, n, trials = np.random.default_rng(axes), 15, 4000
    p_of: dict[tuple[int, ...], float] = {}

    def p(shares: tuple[float, ...]) -> float:
        drawn = tuple(sorted(rng.multinomial(n, shares).tolist()))
        if drawn not in p_of:
            p_of[drawn] = exact_floor(n, 3, float(spread(np.array(drawn) / n))).p
        return p_of[drawn]

    even = (1 / 3, 1 / 3, 1 / 3)
    seen = [holm([p(PLANTED), *[p(even) for _ in range(axes - 1)]])[0] or 0 for _ in range(trials)]
    expected = exact_power(n, PLANTED, axes)
    assert expected is not None
    error = np.sqrt(expected * (1 - expected) / trials)
    assert np.mean(np.array(seen) <= 0.05) == pytest.approx(expected, abs=3 * error)


def test_many_choices_come_near_the_noncentral_chi_squared_also_where_it_is_simulated() -> None:
    shares = (0.40, 0.32, 0.28)
    for n in (400, 900):
        shift = n * 3 * sum((share - 1 / 3) ** 2 for share in shares)
        assert exact_power(n, shares) == pytest.approx(ncx2.sf(chi2.isf(0.05, 2), 2, shift), abs=0.015)


def test_a_test_that_overrates_the_variance_sees_less() -> None:
    found = [exact_power(30, PLANTED, stretch=stretch) or 0 for stretch in (1.0, 1.1, 1.3, 2.0)]
    assert found == sorted(found, reverse=True)
    assert found[-1] < found[0] / 2
    # By hand: 6 : 0 of six has a squared spread of 1/4; 5 : 1 of 4/36, and half of 1/4 is beyond that, so p stays 2/64.
    assert exact_power(6, (0.9, 0.1), stretch=2.0) == pytest.approx(0.9**6 + 0.1**6)
    # A third of it is not: then 5 : 1 counts too, p = 14/64.
    assert exact_power(6, (0.9, 0.1), stretch=3.0) == 0


def test_splits_are_all_of_them_once() -> None:
    ways = splits(6, 4)
    assert len(ways) == len({*map(tuple, ways.tolist())}) == comb(9, 3)
    assert (ways.sum(axis=1) == 6).all()
    arrangements = [factorial(6) // prod(map(factorial, way)) for way in ways.tolist()]
    assert sum(arrangements) == 4**6


def test_sixty_choices_among_three_take_no_time() -> None:
    exact_power(60, PLANTED)
    start = thread_time()  # not by the clock: other programs share this machine
    exact_power(60, PLANTED, axes=3)
    assert thread_time() - start < 0.05


def test_what_is_no_preference_is_refused() -> None:
    assert exact_power(0, PLANTED) is None
    assert exact_power(10, (1.0,)) is None
    for shares in ((0.5, 0.6), (1.2, -0.2), (float("nan"), 0.5)):
        with pytest.raises(ValueError, match="shares"):
            exact_power(10, shares)
    with pytest.raises(ValueError, match="stretch"):
        exact_power(10, PLANTED, stretch=0.5)


def test_one_share_leaves_the_rest_to_the_others() -> None:
    assert top_shares(0.4, 4) == pytest.approx((0.4, 0.2, 0.2, 0.2))
