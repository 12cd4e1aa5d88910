"""The statistics of fill-in-the-blank replies, by hand and against scipy."""

import numpy as np
import pytest
from scipy.stats import chi2_contingency, kendalltau, rankdata, ttest_ind

from biasprint.core.metrics.clusters import CrossedCounts
from biasprint.core.metrics.likelihood import (
    LIKELIHOODS,
    TermSums,
    association_draws,
    conditional_likelihoods,
    delta_draws,
    delta_values,
    likelihood_deltas,
    likelihood_draws,
    omnibus,
    products_of,
    ridits,
    studentised,
)
from biasprint.core.metrics.ranks import kendall_draws
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


def test_resamples_count_whole_replies_and_are_right_on_average() -> None:
    term, pair, outcome, positive = some_replies()
    counts = CrossedCounts.of(term, pair, outcome, positive, 3)
    sums = counts.resampled(generator(1, "x"), 500)
    # Every resample keeps whole numbers, and on average the observed counts.
    assert (sums == np.rint(sums)).all()
    assert sums.mean(axis=2) == pytest.approx(counts.observed, rel=0.1)
    # With one term of each polarity and one pair there is nothing to draw.
    flat = CrossedCounts.of(positive.astype(int), np.zeros_like(pair), outcome, positive, 3)
    assert (flat.resampled(generator(1, "x"), 5) == flat.observed[:, :, None]).all()


def test_resampling_varies_as_the_pigeonhole_bootstrap_should() -> None:
    """One reply for each of 30 × 30 terms and pairs, all else equal: variance of a count is 3 p n (Owen 2007)."""
    term, pair = (side.ravel() for side in np.indices((30, 30)))
    outcome = np.zeros(900, dtype=np.int64)
    counts = CrossedCounts.of(term, pair, outcome, term < 15, 1)
    sums = counts.resampled(generator(2, "x"), 4000)
    # Term weights of 15 terms always sum to 15, so a side's count is 15 × Σ pair weights = 450 without any spread.
    assert sums.std(axis=2) == pytest.approx(0, abs=1e-3)
    rng = generator(3, "x")
    flipped = CrossedCounts.of(term, pair, rng.integers(0, 2, 900), term < 15, 2)
    spread = flipped.resampled(generator(2, "x"), 4000)[0, 0].var()
    # Independent replies: each weight has variance (1 + 14/15)(1 + 29/30) − 1 ≈ 2.8, so Var ≈ 2.8 × p (1 − p) n.
    assert spread == pytest.approx(2.8 * 0.25 * 450, rel=0.35)


def test_permutations_move_whole_terms_between_the_polarities() -> None:
    term = np.array([0, 0, 0, 1, 2, 2])
    outcome = np.array([0, 0, 0, 1, 0, 1])
    counts = CrossedCounts.of(term, np.zeros_like(term), outcome, term == 0, 2)
    first = {tuple(column) for column in counts.permuted(generator(1, "p"), 200)[0].T}
    # One of three terms is positive: its counts, whole, and nothing else.
    assert first == {(3.0, 0.0), (0.0, 1.0), (1.0, 1.0)}


def test_sums_of_other_columns_are_permuted_with_the_counts() -> None:
    term, pair, outcome, positive = some_replies()
    counts = CrossedCounts.of(term, pair, outcome, positive, 3)
    permuted, beside = counts.permuted_beside(counts.by_term**2, generator(1, "p"), 50)
    assert (permuted == counts.permuted(generator(1, "p"), 50)).all()
    same, twice = counts.permuted_beside(2 * counts.by_term, generator(1, "p"), 50)
    assert (twice == 2 * same).all()
    assert (beside.sum(axis=0) == (counts.by_term**2).sum(axis=0)[:, None]).all()


def of_terms(counts: np.ndarray, positive: np.ndarray) -> TermSums:
    """The sums of terms, a row each with how often each option was chosen."""
    sides = (positive, ~positive)
    products = products_of(counts)
    return TermSums(
        np.stack([counts[side].sum(axis=0) for side in sides])[:, :, None],
        np.stack([products[side].sum(axis=0) for side in sides])[:, :, None],
        (int(positive.sum()), int((~positive).sum())),
    )


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_with_one_reply_of_each_term_the_studentised_differences_are_welchs_t(seed: int) -> None:
    rng = np.random.default_rng(seed)
    chosen = rng.choice(3, 24, p=[0.5, 0.3, 0.2])
    positive = np.arange(24) < 7
    counts = np.eye(3)[chosen]
    sums = of_terms(counts, positive)
    for option in range(3):
        known = ttest_ind(counts[positive, option], counts[~positive, option], equal_var=False).statistic
        assert studentised([sums], np.eye(3)[option][None])[0, 0] == pytest.approx(known)
    # τ: the ranks of what was chosen, negative below neutral below positive.
    ranks = rankdata(np.array([2, 0, 1])[chosen])
    known = ttest_ind(ranks[positive], ranks[~positive], equal_var=False).statistic
    table = np.stack([counts[positive].sum(axis=0), counts[~positive].sum(axis=0)])
    assert studentised([sums], ridits(table, [1, 2, 0])[None])[0, 0] == pytest.approx(known)


def test_the_error_of_terms_with_several_replies_is_that_of_a_ratio_over_clusters() -> None:
    """Two strata of terms: Σ m/(m − 1) Σ (e − ē)² / n², e = x − μ n, by a loop over terms."""
    rng = np.random.default_rng(5)
    strata = [(rng.integers(0, 6, (9, 3)).astype(float), np.arange(9) < 4) for _ in range(2)]
    means, variances = [], []
    for side in (True, False):
        terms = [counts[positive == side] for counts, positive in strata]
        n = sum(counts.sum() for counts in terms)
        mean = sum(counts[:, 0].sum() for counts in terms) / n
        variance = 0.0
        for counts in terms:
            left = [row[0] - mean * row.sum() for row in counts]
            variance += len(left) * np.var(left, ddof=1)
        means.append(mean)
        variances.append(variance / n**2)
    known = (means[0] - means[1]) / np.sqrt(sum(variances))
    sums = [of_terms(counts, positive) for counts, positive in strata]
    assert studentised(sums, np.eye(3)[:1])[0, 0] == pytest.approx(known)


def test_a_difference_without_an_error_is_infinite_and_none_is_none() -> None:
    positive = np.array([True, True, False, False])
    apart = np.array([[4.0, 0, 0], [4, 0, 0], [0, 4, 0], [0, 4, 0]])
    first, second, third = studentised([of_terms(apart, positive)], np.eye(3))[:, 0]
    assert (first, second, third) == (np.inf, -np.inf, 0)
    (nobody,) = studentised([of_terms(np.where(positive[:, None], apart, 0), positive)], np.eye(3)[:1])[:, 0]
    assert np.isnan(nobody)


def test_the_same_seed_gives_the_same_draws() -> None:
    counts = CrossedCounts.of(*some_replies(), 3)
    assert (counts.resampled(generator(1, "x"), 50) == counts.resampled(generator(1, "x"), 50)).all()
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
