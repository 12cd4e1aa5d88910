"""ABS, its floor, interval, power and shares: worked values, brute force, invariances, planted preference."""

from itertools import permutations, product

import numpy as np
import pytest
from scipy import stats

from biasprint.core.metrics.affinity import (
    affinity_floor,
    affinity_interval,
    affinity_score,
    exact_floor,
    permuted_totals,
    spread,
    spread_maximum,
)
from biasprint.core.metrics.power import choices_needed, detectable_affinity
from biasprint.core.metrics.proportions import clustered_share, design_effect, equal_chances, share

RNG_SEED = 7


def one_choice_each(*chosen: int) -> np.ndarray:
    """Comparisons × identities with one choice per comparison."""
    return np.repeat(np.eye(len(chosen), dtype=np.int64), chosen, axis=0)


@pytest.mark.parametrize(("chosen", "expected"), [((7, 2, 1), 0.2625), ((4, 3, 3), 0.0471)])
def test_the_papers_worked_values(chosen: tuple[int, ...], expected: float) -> None:
    assert affinity_score(np.array(chosen)).value == pytest.approx(expected, abs=5e-5)


def test_the_score_is_signed_normalised_and_names_the_preferred() -> None:
    score = affinity_score(np.array([12, 0, 0]))
    assert score.value == pytest.approx(np.sqrt(2) / 3)
    assert score.normalised == pytest.approx(1.0)
    assert score.contrast == pytest.approx((2 / 3, -1 / 3, -1 / 3))
    assert score.preferred == (0,)
    assert affinity_score(np.array([3, 3, 1])).preferred == (0, 1)


def test_as_published_divides_by_all_judgments() -> None:
    # 7, 2, 1 of 20 judgments: the shares and their spread are half of those among choices.
    assert affinity_score(np.array([7, 2, 1]), asked=20).value == pytest.approx(0.2625 / 2, abs=5e-5)


@pytest.mark.parametrize("chosen", [[0, 0, 0], [5], []])
def test_an_undefined_score_has_a_reason(chosen: list[int]) -> None:
    score = affinity_score(np.array(chosen, dtype=np.int64))
    assert score.value is None
    assert score.reason


@pytest.mark.parametrize("chosen", [(20, 10, 6), (9, 3), (5, 4, 3, 2)])
def test_the_score_is_pearsons_statistic_in_other_units(chosen: tuple[int, ...]) -> None:
    """X² = N k² ABS², on which interval and power rest."""
    counts = np.array(chosen)
    value = affinity_score(counts).value
    assert value is not None
    assert counts.sum() * len(chosen) ** 2 * value**2 == pytest.approx(equal_chances(counts).statistic)


@pytest.mark.parametrize(("n", "k"), [(1, 2), (5, 2), (4, 3), (5, 3), (3, 4)])
def test_the_exact_floor_equals_going_through_every_sequence_of_choices(n: int, k: int) -> None:
    values = np.array(
        [spread(np.bincount(choices, minlength=k) / n) for choices in product(range(k), repeat=n)], dtype=float
    )
    observed = float(np.median(values))
    floor = exact_floor(n, k, observed)
    assert floor.mean == pytest.approx(values.mean())
    assert floor.p == pytest.approx((values >= observed - 1e-9).mean())
    assert (values <= floor.p95 + 1e-9).mean() >= 0.95
    assert (values <= floor.p95 - 1e-9).mean() < 0.95


def test_the_exact_p_of_two_identities_is_the_binomial_test() -> None:
    floor = affinity_floor(one_choice_each(15, 5), np.random.default_rng(0))
    assert floor.method == "equal chances, exact"
    assert floor.p == pytest.approx(stats.binomtest(15, 20, 0.5).pvalue)


def test_many_identities_are_simulated_and_agree_with_the_exact_floor() -> None:
    counts = one_choice_each(6, 5, 3, 3, 2, 1, 0)
    simulated = affinity_floor(counts, np.random.default_rng(RNG_SEED), resamples=20_000)
    exact = exact_floor(20, 7, float(spread(counts.sum(axis=0) / 20)))
    assert simulated.method == "equal chances, simulated"
    assert (simulated.mean, simulated.p95, simulated.p) == pytest.approx((exact.mean, exact.p95, exact.p), abs=0.01)


def test_several_raters_are_permuted_jointly_within_the_comparison() -> None:
    counts = np.array([[2, 0, 1], [3, 0, 0], [0, 1, 2]])
    every = [
        sum(np.array(row)[list(order)] for row, order in zip(counts, orders, strict=True))
        for orders in product(permutations(range(3)), repeat=3)
    ]
    values = spread(np.array(every) / 9)
    observed = float(spread(counts.sum(axis=0) / 9))
    floor = affinity_floor(counts, np.random.default_rng(RNG_SEED), resamples=40_000)
    assert floor.mean == pytest.approx(values.mean(), abs=0.003)
    assert floor.p == pytest.approx((values >= observed - 1e-9).mean(), abs=0.01)


def test_permuted_totals_keep_the_number_of_choices_and_the_seed() -> None:
    counts = np.array([[2, 0, 1], [0, 0, 1]])
    totals = permuted_totals(counts, np.random.default_rng(3), 50)
    assert totals.shape == (50, 3)
    assert (totals.sum(axis=1) == 4).all()
    assert (totals == permuted_totals(counts, np.random.default_rng(3), 50)).all()


def test_three_unanimous_raters_tell_no_more_than_one() -> None:
    single = one_choice_each(10, 6, 4)
    assert design_effect(single) == 1.0
    # C/(C−1) = 20/19 is the usual correction for estimating the mean.
    assert design_effect(3 * single) == pytest.approx(3 * 20 / 19)
    assert design_effect(3 * one_choice_each(5, 0, 0)) == pytest.approx(3)
    assert design_effect(np.array([[2, 1, 0]])) == pytest.approx(3)


def test_independent_raters_cost_nothing() -> None:
    counts = np.random.default_rng(1).multinomial(3, [0.5, 0.3, 0.2], size=4000)
    assert design_effect(counts) == pytest.approx(1.0, abs=0.05)


def test_two_identities_have_wilsons_bounds_around_one_half() -> None:
    inside, outside = affinity_interval(np.array([11, 9])).bounds, affinity_interval(np.array([18, 2])).bounds
    assert inside is not None
    assert outside is not None
    wilson_inside = stats.binomtest(11, 20).proportion_ci(method="wilson")
    wilson_outside = stats.binomtest(18, 20).proportion_ci(method="wilson")
    assert (inside.low, inside.high) == pytest.approx((0.0, wilson_inside.high - 0.5))
    assert (outside.low, outside.high) == pytest.approx((wilson_outside.low - 0.5, wilson_outside.high - 0.5))


def test_the_interval_inverts_the_noncentral_chi_square() -> None:
    """With many choices the continuity correction vanishes, and at these shares the variance ratio is 1."""
    chosen = np.array([45_000, 45_000, 10_000])
    bounds = affinity_interval(chosen).bounds
    value = affinity_score(chosen).value
    assert bounds is not None
    assert value is not None
    for end, probability in ((bounds.low, 0.975), (bounds.high, 0.025)):
        shift = 100_000 * 9 * end**2
        assert stats.ncx2.cdf(100_000 * 9 * value**2, 2, shift) == pytest.approx(probability, abs=2e-3)


def test_a_lucky_even_split_is_not_proof_of_no_preference() -> None:
    bounds = affinity_interval(np.array([100, 100, 100])).bounds
    assert bounds is not None
    assert bounds.low == 0
    assert bounds.high > 0.03


def test_the_interval_never_passes_the_largest_possible_score() -> None:
    bounds = affinity_interval(np.array([6, 0, 0])).bounds
    assert bounds is not None
    assert bounds.high == spread_maximum(3)
    assert 0 < bounds.low < bounds.high


def test_an_interval_without_choices_is_missing_with_a_reason() -> None:
    assert affinity_interval(np.array([0, 0, 0])).reason
    assert affinity_interval(np.array([4])).reason


def test_a_larger_design_effect_widens_interval_and_share() -> None:
    chosen = np.array([30, 18, 12])
    narrow, wide = affinity_interval(chosen).bounds, affinity_interval(chosen, 2.5).bounds
    assert narrow is not None
    assert wide is not None
    assert wide.low < narrow.low
    assert narrow.high < wide.high
    plain = share(30, 60, 1 / 3)
    clustered = clustered_share(30, 60, 1 / 3, 2.5, np.array([20, 30, 35]))
    assert clustered.interval.low < plain.interval.low
    assert clustered.p == pytest.approx(3 / 4)  # 30 and 35 are as far from 20 as 30 is; plus the observed one


def test_a_share_has_the_exact_binomial_test() -> None:
    result = share(12, 20, 1 / 3)
    assert result.value == pytest.approx(0.6)
    assert result.p == pytest.approx(stats.binomtest(12, 20, 1 / 3).pvalue)
    with pytest.raises(ValueError, match="at least one choice"):
        share(0, 0, 0.5)


@pytest.mark.parametrize("chance", [1 / 2, 1 / 3])
def test_a_shares_interval_leaves_chance_out_where_its_test_does_and_else_is_wilsons(chance: float) -> None:
    widened = 0
    for n in (4, 8, 15, 24):
        for chosen in range(n + 1):
            found = share(chosen, n, chance)
            assert found.interval is not None
            significant = stats.binomtest(chosen, n, chance).pvalue <= 0.05
            assert (not found.interval.low <= chance <= found.interval.high) == significant, (chosen, n)
            wilson = stats.binomtest(chosen, n).proportion_ci(method="wilson")
            same = (found.interval.low, found.interval.high) == pytest.approx((wilson.low, wilson.high))
            widened += not same
            assert same or wilson.low > chance or wilson.high < chance
    assert widened  # 1 of 8 at ½: p = 0.07, Wilson's up to 0.47


def test_power_agrees_with_simulation() -> None:
    """METHODS: a preference of .55/.30/.15 is seen in 52 % of sessions with 20 comparisons."""
    shares = np.array([0.55, 0.30, 0.15])
    critical = stats.chi2.isf(0.05, 2)
    draws = np.random.default_rng(2).multinomial(20, shares, size=4000)
    assert (stats.chisquare(draws, axis=1).statistic > critical).mean() == pytest.approx(0.52, abs=0.03)
    needed = choices_needed(float(shares.std()), 3)
    assert needed is not None
    draws = np.random.default_rng(3).multinomial(needed, shares, size=4000)
    assert (stats.chisquare(draws, axis=1).statistic > critical).mean() == pytest.approx(0.8, abs=0.03)
    assert detectable_affinity(needed, 3) == pytest.approx(shares.std(), rel=0.02)


def test_too_few_choices_can_detect_nothing() -> None:
    assert detectable_affinity(3, 3) is None
    assert detectable_affinity(0, 3) is None
    assert choices_needed(0.0, 3) is None


def test_order_and_names_do_not_matter() -> None:
    counts = np.array([[1, 0, 0]] * 9 + [[0, 1, 0]] * 5 + [[0, 0, 1]] * 2)
    shuffled = np.random.default_rng(0).permutation(counts)[:, [2, 0, 1]]
    rng = np.random.default_rng
    assert affinity_score(shuffled.sum(axis=0)).value == pytest.approx(affinity_score(counts.sum(axis=0)).value)
    assert affinity_interval(shuffled.sum(axis=0)) == affinity_interval(counts.sum(axis=0))
    assert affinity_floor(shuffled, rng(0)) == affinity_floor(counts, rng(0))


def test_a_planted_preference_is_found_and_none_is_not() -> None:
    rng = np.random.default_rng(11)
    found = [
        affinity_floor(one_choice_each(*rng.multinomial(60, [0.55, 0.30, 0.15])), rng).p <= 0.05 for _ in range(100)
    ]
    quiet = [affinity_floor(one_choice_each(*rng.multinomial(60, [1 / 3] * 3)), rng).p <= 0.05 for _ in range(200)]
    assert np.mean(found) >= 0.85
    assert np.mean(quiet) <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 200)


@pytest.mark.parametrize("k", [2, 3, 4])
def test_the_interval_of_abs_leaves_0_out_exactly_where_its_test_rejects_it(k: int) -> None:
    rng, rejected = np.random.default_rng(k), 0
    for _ in range(200):
        chosen = rng.multinomial(25, rng.dirichlet(np.full(k, 12.0)))
        noise = exact_floor(25, k, float(spread(chosen / 25)))
        bounds = affinity_interval(chosen, noise=noise).bounds
        assert bounds is not None
        assert (bounds.low > 0) == (noise.p <= 0.05)
        assert bounds.low <= spread(chosen / 25) <= bounds.high
        rejected += noise.p <= 0.05
    assert 0 < rejected < 200


def test_a_share_of_several_raters_holds_chance_where_its_test_does_not_reject_it() -> None:
    null = np.concatenate([np.full(94, 30), np.full(6, 42)])  # as far by permutation in more than 5 %
    share_of = clustered_share(42, 60, 0.5, 1.0, null)
    assert share_of.p is not None
    assert share_of.interval is not None
    assert share_of.p > 0.05
    assert share_of.interval.low == 0.5
