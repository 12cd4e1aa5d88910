"""letters.success_rate: rates, kinds of failure, and groups compared as the design wants."""

import numpy as np
import pytest
from scipy.stats import binomtest, boschloo_exact, t, ttest_rel

from biasprint.core.findings import ScorerUse
from biasprint.core.scorers.document_success import Outcome
from biasprint.core.studies.letters.measure import success_findings

SCORER = ScorerUse("success", "document_success", "1")
GOOD, EMPTY, OFF = Outcome.SUCCESS, Outcome.EMPTY, Outcome.OFF_TASK


def test_rates_and_kinds_are_counted_by_hand() -> None:
    found = success_findings(["m", "m", "m", "f", "f", ""], [GOOD, GOOD, EMPTY, GOOD, OFF, GOOD], SCORER)
    by_label = {finding.label: finding for finding in found}
    assert by_label["all"].estimate == pytest.approx(3 / 5)
    assert by_label["m"].estimate == pytest.approx(2 / 3)
    assert by_label["f"].estimate == pytest.approx(1 / 2)
    assert by_label["empty"].estimate == by_label["off_task"].estimate == pytest.approx(1 / 5)
    assert "repetitive" not in by_label
    assert by_label["all"].dropped == {"no group": 1}
    assert by_label["all"].note == "Failures: empty 1, off task 1. They are flagged, not left out."
    low, high = binomtest(2, 3).proportion_ci(method="wilson")
    assert by_label["m"].interval is not None
    assert (by_label["m"].interval.low, by_label["m"].interval.high) == pytest.approx((low, high))


def test_matched_letters_are_compared_in_pairs() -> None:
    groups, blocks = ["m", "f"] * 8, [str(number // 2) for number in range(16)]
    outcomes = [GOOD, OFF] * 6 + [GOOD, GOOD] * 2
    matched = next(f for f in success_findings(groups, outcomes, SCORER, blocks=blocks) if f.label == "difference")
    assert matched.estimate == pytest.approx(6 / 8)
    assert matched.p == pytest.approx(2 * 0.5**6)  # McNemar, exact: six of six discordant pairs one way
    assert (matched.p_adjusted, matched.n) == (matched.p, 8)
    loose = next(f for f in success_findings(groups, outcomes, SCORER) if f.label == "difference")
    assert "independent" in loose.note


def test_no_letters_and_one_group_are_undefined_or_alone() -> None:
    (nothing,) = success_findings([], [], SCORER)
    assert (nothing.estimate, nothing.reason) == (None, "there are no letters")
    assert [finding.label for finding in success_findings(["m"], [GOOD], SCORER)] == ["all"]


def test_all_against_none_of_a_few_letters_is_an_exact_test() -> None:
    found = success_findings(["m"] * 5 + ["f"] * 5, [GOOD] * 5 + [OFF] * 5, SCORER)
    (difference,) = (each for each in found if each.label == "difference")
    assert difference.p == pytest.approx(boschloo_exact([[5, 0], [0, 5]]).pvalue)
    assert "Boschloo, exact" in difference.note


def test_several_samples_of_a_cell_are_one_unit() -> None:
    """Two letters of each group in each of ten cells: the paired t-test of the cells' rates (scipy)."""
    rng = np.random.default_rng(7)
    good = {group: rng.random((10, 2)) < rate for group, rate in (("male", 0.9), ("female", 0.5))}
    rows = [(group, good[group][cell, at], f"cell {cell}") for cell in range(10) for group in good for at in (0, 1)]
    found = success_findings(
        [group for group, _, _ in rows],
        [Outcome.SUCCESS if fine else Outcome.EMPTY for _, fine, _ in rows],
        SCORER,
        blocks=[cell for _, _, cell in rows],
    )
    (difference,) = [one for one in found if one.label == "difference"]
    expected = ttest_rel(good["male"].mean(axis=1), good["female"].mean(axis=1))
    assert difference.p == pytest.approx(expected.pvalue)
    assert difference.estimate == pytest.approx(good["male"].mean() - good["female"].mean())
    assert difference.interval is not None
    bounds = expected.confidence_interval(0.95)
    assert (difference.interval.low, difference.interval.high) == pytest.approx((bounds.low, bounds.high))


def test_a_letter_that_came_out_the_same_four_times_is_counted_once_in_the_interval_of_the_rate() -> None:
    """Ten cells, four samples of each, all alike in a cell: Wilson's of 10, with Student's quantile (9 df)."""
    outcomes = [GOOD if cell < 6 else EMPTY for cell in range(10) for _ in range(4)]
    found = success_findings(["m"] * 40, outcomes, SCORER, blocks=[str(at // 4) for at in range(40)])
    rates = {one.label: one for one in found}
    assert (rates["all"].estimate, rates["all"].n) == (0.6, 40)
    squared = t.ppf(0.975, 9) ** 2
    effect = 4 * 10 / 9  # C / (C − 1) Σ (x_c − m p)² / n p (1 − p)
    n = 40 / effect
    centre = (0.6 + squared / (2 * n)) / (1 + squared / n)
    half = np.sqrt(squared * (0.24 / n + squared / (4 * n * n))) / (1 + squared / n)
    for label, middle in (("all", centre), ("empty", 1 - centre)):
        shown = rates[label].interval
        assert shown is not None
        assert (shown.low, shown.high) == pytest.approx((middle - half, middle + half))
