"""Simulations by someone who had not read the code of the statistics: docs/tables/independent-simulations.md."""

import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import beta, binomtest
from simulations.independent import rankings, scores, shares, words
from simulations.independent.tally import Setting, Tally, counted

ROOT = Path(__file__).parents[4]
PAGE = ROOT / "docs" / "tables" / "independent-simulations.md"
SUMMARY = ROOT / "docs" / "explanation" / "simulations.md"
MARGINS = (0.05, 0.1, 0.2, 0.3, 0.5, 0.8)
FEW = 40  # studies of each setting in an ordinary run
SETTINGS = (*scores.SETTINGS, *words.SETTINGS, *shares.SETTINGS, *rankings.SETTINGS)


def name(setting: Setting) -> str:
    return setting.name


def row_of(setting: Setting) -> re.Match[str]:
    pattern = rf"^\| {re.escape(setting.name)}(?: \*)? \| ([\d,]+) \| ([\d.]+|–)[^|]*\| ([\d.]+|–)[^|]*\| ([\d.]+) \|$"
    row = re.search(pattern, PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert row, f"{setting.name} is not in {PAGE.name}"
    return row


def kind_of(setting: Setting) -> str:
    named = {
        "“alike”": "“alike” at the margin",
        "spread": "spreads",
        "odds|rare words|has the words": "odds ratios and rare words",
        "ratio": "ratios of rates",
        "^shares": "shares",
        "^ranking|^best": "rankings",
    }
    return next((kind for words, kind in named.items() if re.search(words, setting.name)), "differences of scores")


def test_the_summary_has_the_ranges_of_the_table() -> None:
    for kind in {kind_of(setting) for setting in SETTINGS}:
        rows = [row_of(setting) for setting in SETTINGS if kind_of(setting) == kind]
        alarms, coverage = ([float(row[at]) for row in rows if row[at] != "–"] for at in (2, 3))
        ranges = f"{min(alarms)}–{max(alarms)} | {min(coverage)}–{max(coverage)}"
        assert f"| {kind} | {len(rows)} | {ranges} |" in SUMMARY.read_text(encoding="utf-8")


@cache
def all_studies(setting: Setting) -> Tally:
    return counted(setting)


@pytest.mark.soak
@pytest.mark.parametrize("setting", SETTINGS, ids=name)
def test_false_alarms_are_five_percent_and_intervals_hold_in_ninety_five(setting: Setting) -> None:
    assert all_studies(setting).complaints(setting.discrete) == []


@pytest.mark.soak
@pytest.mark.parametrize("setting", SETTINGS, ids=name)
def test_p_and_interval_seldom_answer_differently(setting: Setting) -> None:
    assert not all_studies(setting).often_apart()


@pytest.mark.soak
@pytest.mark.parametrize("setting", SETTINGS, ids=name)
def test_the_page_repeats_what_was_counted(setting: Setting) -> None:
    tally, row = all_studies(setting), row_of(setting)
    for count, figure in ((tally.alarms, row[2]), (tally.coverage, row[3])):
        assert figure == "–" if count is None else float(figure) == pytest.approx(100 * count.share, abs=1)
    assert float(row[4]) == pytest.approx(100 * tally.contradictions / tally.studies, abs=1)


@pytest.mark.parametrize("setting", SETTINGS, ids=name)
def test_a_few_studies_of_each_setting_are_answered(setting: Setting) -> None:
    """With a rate of 5 % more than 10 false alarms of 40 come once in 200,000 times."""
    tally = counted(setting, FEW)
    assert tally.alarms or tally.coverage
    assert tally.alarms is None or tally.alarms.hits <= 10
    assert tally.coverage is None or tally.coverage.n - tally.coverage.hits <= 10
    assert int(row_of(setting)[1].replace(",", "")) == setting.studies


@pytest.mark.parametrize(("n", "people"), [(5, 1), (8, 1), (12, 1), (8, 6), (8, 8), (12, 6)])
def test_a_side_that_always_won_is_given_no_more_than_the_exact_interval_and_p(n: int, people: int) -> None:
    """Clopper and Pearson: from (α/2)^(1/n), .631 for 8 of 8; the exact p is 2 / 2ⁿ, .0078."""
    shown, rater = np.tile([0, 1], (n, 1)), np.arange(n) % people
    pair = rankings.first_pair(shown, np.zeros(n, dtype=np.int64), rater, 2, people > 1)
    assert pair.p is not None
    assert pair.p >= binomtest(n, n).pvalue * (1 - 1e-9)
    assert pair.interval is None or pair.interval.low <= beta.ppf(0.025, n, 1) + 1e-9
    assert pair.interval is None or pair.interval.high >= 1 - 1e-9


@pytest.mark.parametrize("margin", MARGINS)
def test_pairs_are_called_alike_only_where_the_shown_interval_is_within_the_margin(margin: float) -> None:
    for n in (2, 6, 15, 40):
        for first in range(n + 1):
            for second in range(n + 1 - first):
                rest = n - first - second
                bounds = shares.pairs_of_shares(rest, first, second, 0).interval.bounds
                if shares.alike_by_pairs(first, second, n, margin).equivalent:
                    assert not shares.leaves(bounds, margin), (n, first, second, bounds)


SMALL = [(2, 3), (6, 6), (8, 5)]
LARGER = [pytest.param(sizes, marks=pytest.mark.soak) for sizes in ((15, 15), (5, 40))]


@pytest.mark.parametrize("sizes", [*SMALL, *LARGER])
def test_groups_are_called_alike_only_where_the_shown_interval_is_within_the_margin(sizes: tuple[int, int]) -> None:
    n, m = sizes
    for x in range(n + 1):
        for y in range(m + 1):
            bounds = shares.independent_shares(x, n, y, m).interval.bounds
            for margin in MARGINS:
                if shares.alike_by_groups(x, n, y, m, margin).equivalent:
                    assert not shares.leaves(bounds, margin), (x, y, margin, bounds)


def test_a_ranking_does_not_depend_on_the_names_of_what_is_ranked() -> None:
    """The second and third identity exchange their numbers."""
    for seed in range(5):
        ballots = rankings.orders(np.random.default_rng(seed), np.exp(rankings.APART), 12)
        swap = np.array([0, 2, 1])
        renamed = replace(ballots, shown=swap[ballots.shown], best=swap[ballots.best], worst=swap[ballots.worst])
        plain, after = rankings.ranked(ballots), rankings.ranked(renamed)
        for pair, other in ((plain[0], after[1]), (plain[1], after[0])):
            assert (pair.chance, pair.p) == pytest.approx((other.chance, other.p), rel=1e-4)
            assert pair.interval
            assert other.interval
            assert (pair.interval.low, pair.interval.high) == pytest.approx(
                (other.interval.low, other.interval.high), rel=1e-4
            )


def test_six_pairs_that_all_agree_are_not_called_alike_within_a_tenth() -> None:
    assert not shares.alike_by_pairs(0, 0, 6, 0.1).equivalent
    assert not shares.alike_by_groups(15, 15, 15, 15, 0.1).equivalent


def test_a_setting_that_is_wrong_is_complained_about() -> None:
    """Five percent is not seen where the interval is that of another truth."""
    shifted = replace(scores.SETTINGS[0], study=scores.independent(scores.normal(1.0, 2.0), 12, scores.NARROW, 12))
    assert [complaint.split()[0] for complaint in counted(shifted, 100).complaints(False)] == ["false", "coverage"]
