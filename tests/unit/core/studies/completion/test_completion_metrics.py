"""The statistics of fill-in-the-blank replies, by hand and against scipy."""

import numpy as np
import pytest
from scipy.stats import chi2_contingency, kendalltau, ttest_ind

from biasprint.core.metrics.associations import (
    LIKELIHOODS,
    association_draws,
    conditional_likelihoods,
    delta_draws,
    delta_values,
    kendall_draws,
    likelihood_deltas,
    likelihood_draws,
    omnibus,
)
from biasprint.core.metrics.clusters import CrossedCounts, gradient, two_way_error
from biasprint.core.metrics.resampling import generator

# Given positive: 30 positive, 10 negative, 10 neutral replies; given negative: 10, 20, 10.
COUNTS = np.array([[30, 10, 10], [10, 20, 10]])
ASCENDING = [1, 2, 0]  # negative, neutral, positive


def test_likelihoods_by_hand() -> None:
    found = {one.label: one.value for one in conditional_likelihoods(COUNTS)}
    assert found == {
        "PPL": 0.6, "PNL": 0.2, "PNuL": 0.2,  # of 50
        "NPL": 0.25, "NNL": 0.5, "NNuL": 0.25,  # of 40
        "PL": pytest.approx(40 / 90), "NL": pytest.approx(30 / 90), "NuL": pytest.approx(20 / 90),
    }  # fmt: skip
    assert [one.label for one in conditional_likelihoods(COUNTS)] == list(LIKELIHOODS)


def test_the_interval_of_a_likelihood_is_wilsons() -> None:
    # 30 of 50, z = 1.96: centre (0.6 + 1.92/50) / (1 + 3.84/50) = 0.5929, half-width 0.1313.
    bounds = conditional_likelihoods(COUNTS)[0].interval.bounds
    assert bounds is not None
    assert (bounds.low, bounds.high) == (pytest.approx(0.4618, abs=1e-4), pytest.approx(0.7239, abs=1e-4))


def test_deltas_by_hand_add_up_to_nothing() -> None:
    values = [one.value for one in likelihood_deltas(COUNTS)]
    assert values == [pytest.approx(0.35), pytest.approx(-0.3), pytest.approx(-0.05)]
    assert sum(value or 0.0 for value in values) == pytest.approx(0)
    assert delta_values(COUNTS) == tuple(values)
    assert delta_values(np.array([[3, 0, 1], [0, 0, 0]])) == (None, None, None)


def test_the_omnibus_test_is_pearsons() -> None:
    # Expected 22.2, 16.7, 11.1 and 17.8, 13.3, 8.9: X² = 2.722 + 2.667 + 0.111 + 3.403 + 3.333 + 0.139 = 12.375.
    test = omnibus(COUNTS)
    assert test.statistic == pytest.approx(12.375)
    assert test.degrees == 2
    assert test.p == pytest.approx(np.exp(-12.375 / 2))  # the χ² tail with two degrees of freedom
    assert test.association == pytest.approx(np.sqrt(12.375 / 90))
    assert test.statistic == pytest.approx(chi2_contingency(COUNTS, correction=False).statistic)


def test_an_option_that_nobody_chose_takes_a_degree_of_freedom() -> None:
    assert omnibus([[5, 5, 0], [2, 8, 0]]).degrees == 1


@pytest.mark.parametrize(
    ("counts", "why"),
    [([[0, 0, 0], [3, 2, 1]], "one polarity"), ([[4, 0, 0], [3, 0, 0]], "same kind of option")],
)
def test_what_cannot_be_tested_has_no_number_and_a_reason(counts: list[list[int]], why: str) -> None:
    test = omnibus(counts)
    assert test.statistic is test.p is test.association is None
    assert why in test.reason


def test_a_polarity_without_replies_has_no_likelihoods_and_no_deltas() -> None:
    counts = np.array([[3, 2, 1], [0, 0, 0]])
    found = {one.label: one for one in conditional_likelihoods(counts)}
    assert found["PPL"].value == 0.5
    assert found["NPL"].value is None
    assert "negative" in found["NPL"].reason
    assert all(one.value is None and one.reason for one in likelihood_deltas(counts))


def test_draws_give_for_each_table_what_the_single_functions_give() -> None:
    rng = generator(4, "tables")
    tables = rng.integers(0, 30, size=(2, 3, 40)).astype(np.float64)
    tau_b, tau_c = kendall_draws(tables[::-1][:, ASCENDING])
    likelihoods, deltas, association = likelihood_draws(tables), delta_draws(tables), association_draws(tables)
    for place in range(tables.shape[2]):
        table = tables[:, :, place]
        given = np.repeat([1, 1, 1, 0, 0, 0], table.ravel().astype(int))
        chosen = np.repeat([2, 0, 1, 2, 0, 1], table.ravel().astype(int))
        assert tau_b[place] == pytest.approx(kendalltau(given, chosen, variant="b").statistic)
        assert tau_c[place] == pytest.approx(kendalltau(given, chosen, variant="c").statistic)
        assert likelihoods[:, place] == pytest.approx([one.value for one in conditional_likelihoods(table)])
        assert deltas[:, place] == pytest.approx([one.value for one in likelihood_deltas(table)])
        assert association[place] == pytest.approx(omnibus(table).association)


def test_draws_without_replies_are_not_a_number_and_never_zero() -> None:
    empty = np.zeros((2, 3, 1))
    assert np.isnan(likelihood_draws(empty)).all()
    assert np.isnan(delta_draws(empty)).all()
    assert np.isnan(association_draws(empty)).all()
    assert np.isnan(kendall_draws(empty)[0]).all()


def some_replies(n: int = 400, terms: int = 12, pairs: int = 7) -> tuple[np.ndarray, ...]:
    rng = generator(9, "replies")
    term = rng.integers(0, terms, n)
    return term, rng.integers(0, pairs, n), rng.integers(0, 3, n), term % 2 == 0


def test_counts_are_those_of_the_replies() -> None:
    term, pair, outcome, positive = some_replies()
    counts = CrossedCounts.of(term, pair, outcome, positive, 3)
    by_hand = [[int(((outcome == kind) & (positive == side)).sum()) for kind in range(3)] for side in (True, False)]
    assert counts.observed.tolist() == by_hand
    assert counts.by_term.sum() == len(term)
    assert len(counts.positive) == 12


def test_a_term_that_is_given_both_ways_counts_as_two() -> None:
    same = np.zeros(4, dtype=np.int64)
    counts = CrossedCounts.of(same, same, np.array([0, 1, 0, 1]), np.array([True, True, False, False]), 2)
    assert counts.observed.tolist() == [[1, 1], [1, 1]]
    assert len(counts.positive) == 2


def test_permutations_move_whole_terms_between_the_polarities() -> None:
    term = np.array([0, 0, 0, 1, 2, 2])
    outcome = np.array([0, 0, 0, 1, 0, 1])
    counts = CrossedCounts.of(term, np.zeros_like(term), outcome, term == 0, 2)
    first = {tuple(column) for column in counts.permuted(generator(1, "p"), 200)[0].T}
    # One of three terms is positive: its counts, whole, and nothing else.
    assert first == {(3.0, 0.0), (0.0, 1.0), (1.0, 1.0)}


def two_way_by_loops(counts: CrossedCounts, values: np.ndarray) -> float:
    """The variance of Cameron, Gelbach & Miller from its definition: three one-way sums over dictionaries."""
    of_positive = counts.positive[counts.term]

    def one_way(keys: list[object]) -> float:
        total = 0.0
        for side in {key[0] for key in keys}:  # type: ignore[index]
            sums: dict[object, float] = {}
            for key, value in zip(keys, values, strict=True):
                if key[0] == side:  # type: ignore[index]
                    sums[key] = sums.get(key, 0.0) + value
            total += len(sums) * float(np.var(list(sums.values()), ddof=1))
        return total

    places = range(len(values))
    terms = one_way([(bool(of_positive[at]), counts.term[at]) for at in places])
    pairs = one_way([(None, counts.pair[at]) for at in places])
    both = one_way([(bool(of_positive[at]), counts.term[at], counts.pair[at]) for at in places])
    return max(terms, pairs, terms + pairs - both)


def test_the_error_of_terms_and_pairs_is_that_of_its_definition() -> None:
    counts = CrossedCounts.of(*some_replies(), 3)
    for slope in gradient(delta_draws, counts.observed):
        each = counts.influences(slope)
        assert each.value.sum() == pytest.approx(0, abs=1e-9)
        assert two_way_error([each]).error == pytest.approx(np.sqrt(two_way_by_loops(counts, each.value)))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_with_one_reply_of_each_term_and_pair_the_error_is_welchs(seed: int) -> None:
    """Then a term, a pair and both crossed are the same, but for the pairs' one sum over both polarities."""
    rng = np.random.default_rng(seed)
    outcome = rng.choice(3, 60, p=[0.5, 0.3, 0.2])
    positive = np.arange(60) < 20
    counts = CrossedCounts.of(np.arange(60), np.arange(60), outcome, positive, 3)
    first, second = outcome[positive] == 0, outcome[~positive] == 0
    known = ttest_ind(first, second, equal_var=False)
    error = two_way_error([counts.influences(gradient(delta_draws, counts.observed)[0])])
    assert (first.mean() - second.mean()) / error.error == pytest.approx(known.statistic, rel=0.02)


def test_slopes_are_those_of_the_formulas() -> None:
    """∂Δ/∂n = (1[k] − share) / N for the positive terms and the negative of it for the others."""
    counts = np.array([[30.0, 50.0, 20.0], [60.0, 10.0, 10.0]])
    slope = gradient(delta_draws, counts)[0]
    shares = counts / counts.sum(axis=1, keepdims=True)
    assert slope[0] == pytest.approx((np.array([1, 0, 0]) - shares[0, 0]) / 100, rel=1e-5)
    assert slope[1] == pytest.approx(-(np.array([1, 0, 0]) - shares[1, 0]) / 80, rel=1e-5)


def test_the_same_seed_gives_the_same_draws() -> None:
    counts = CrossedCounts.of(*some_replies(), 3)
    assert (counts.permuted(generator(1, "x"), 50) == counts.permuted(generator(1, "x"), 50)).all()


def test_no_replies_are_refused() -> None:
    none = np.array([], dtype=np.int64)
    with pytest.raises(ValueError, match="no replies"):
        CrossedCounts.of(none, none, none, none == 0, 3)


@pytest.mark.parametrize("counts", [[[1, 2], [3, 4]], [[np.nan, 1, 1], [1, 1, 1]]])
def test_counts_of_another_shape_and_nan_are_refused(counts: list[list[float]]) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - two messages, both from us
        conditional_likelihoods(np.array(counts))
    with pytest.raises(ValueError):  # noqa: PT011
        omnibus(np.array(counts))
