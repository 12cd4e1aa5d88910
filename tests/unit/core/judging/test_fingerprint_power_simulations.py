"""Fingerprints, simulated through the study's own functions: false alarms, and preferences found; long in the soak."""

from pathlib import Path
from runpy import run_path

import numpy as np
import pytest
from seeded_part import seeded_part
from simulations.fingerprints import (
    EVEN,
    IDENTITIES,
    NOTHING,
    PLANTED,
    SOMETHING,
    Fingerprint,
    adjusted,
    choices,
    claims,
    p_of_split,
    table,
)
from simulations.rows import ALARM, Found, standard_error

from biasprint.core.judging.planner import plan_power
from biasprint.core.metrics.power import exact_power
from biasprint.core.metrics.result import holm
from biasprint.core.studies.creativity.judgments import measure_judgments

FINGERPRINTS, SEVERAL, LONG, SOAK = 400, 100, 1000, 10_000
ERRORS = 3
ONE_RATER = [one for one in (*NOTHING, *SOMETHING) if one.raters == 1]
# Several raters: what the planner says is on the safe side, by at most this (docs/tables/statistics-simulations.md).
SAFE, RASH = 0.08, 0.03


def name_of(one: Fingerprint) -> str:
    return f"{one.comparisons}: {one.name}"


@pytest.mark.parametrize("one", [one for one in NOTHING if one.raters == 1], ids=name_of)
def test_without_a_preference_evidence_is_claimed_in_five_of_a_hundred_at_most(one: Fingerprint) -> None:
    anywhere, _ = claims(one, FINGERPRINTS)
    assert anywhere <= ALARM + ERRORS * standard_error(ALARM, FINGERPRINTS)


@pytest.mark.parametrize(
    "one", seeded_part([one for one in NOTHING if one.raters > 1 and not one.split], 1), ids=name_of
)
def test_raters_of_the_same_comparisons_without_a_preference_in_short(one: Fingerprint) -> None:
    assert claims(one, SEVERAL)[0] <= ALARM + ERRORS * standard_error(ALARM, SEVERAL)


def test_a_planted_preference_is_found_in_four_of_five_and_more() -> None:
    assert claims(Fingerprint(60, shares=PLANTED), FINGERPRINTS)[1] >= 0.8
    assert claims(Fingerprint(60, axes=3, shares=PLANTED), FINGERPRINTS)[1] >= 0.8
    assert claims(Fingerprint(60, raters=3, shares=PLANTED), SEVERAL)[1] >= 0.8


@pytest.mark.parametrize("one", [one for one in SOMETHING if one.raters == 1], ids=name_of)
def test_the_chance_that_the_planner_states_is_what_happens(one: Fingerprint) -> None:
    stated = plan_power(one.design, one.shares).power
    # A share without a choice leaves a number of choices that varies; the planner takes its mean.
    beside = 0.02 if one.without_choice else 0.0
    assert claims(one, FINGERPRINTS)[1] == pytest.approx(
        stated, abs=beside + ERRORS * standard_error(stated, FINGERPRINTS)
    )


def test_the_chance_for_several_raters_is_on_the_safe_side_in_short() -> None:
    one = Fingerprint(20, raters=3, shares=PLANTED)
    stated, found = plan_power(one.design, one.shares).power, claims(one, SEVERAL)[1]
    error = ERRORS * standard_error(stated, SEVERAL)
    assert stated - RASH - error <= found <= stated + SAFE + error


@pytest.mark.parametrize("comparisons", [20, 60])
def test_false_alarms_are_the_exact_ones(comparisons: int) -> None:
    exact = exact_power(comparisons, EVEN)
    assert exact is not None
    assert claims(Fingerprint(comparisons), LONG)[0] == pytest.approx(exact, abs=ERRORS * standard_error(exact, LONG))


def test_asking_once_for_each_split_gives_what_whole_fingerprints_give() -> None:
    """The simulation's shortcut, against the study measured on every judgment of whole fingerprints."""
    rng = np.random.default_rng(1)
    for shares in (EVEN, PLANTED, PLANTED, PLANTED):
        by_axis = [choices(Fingerprint(20), each, rng) for each in (shares, EVEN, EVEN)]
        splits = [tuple(sorted(np.bincount(of_axis.ravel(), minlength=3).tolist())) for of_axis in by_axis]
        assert adjusted(by_axis, 3) == pytest.approx(holm([p_of_split(split) for split in splits]))


def test_raters_choices_correlate_as_planned() -> None:
    """Pairs of choices in a comparison are the same Σp² + ρ(1 − Σp²) of the time."""
    drawn = choices(Fingerprint(20_000, raters=3, shares=PLANTED, agreement=0.2), PLANTED, np.random.default_rng(0))
    alike = sum(share**2 for share in PLANTED)
    assert np.mean(drawn[:, 0] == drawn[:, 1]) == pytest.approx(alike + 0.2 * (1 - alike), abs=0.01)
    assert [np.mean(drawn == place) for place in range(3)] == pytest.approx(PLANTED, abs=0.01)


def test_the_family_is_the_axes_of_the_fingerprint() -> None:
    by_axis = [choices(Fingerprint(20), PLANTED, np.random.default_rng(2)) for _ in range(3)]
    axes = {f"axis {axis}": IDENTITIES[:3] for axis in range(3)}
    result = measure_judgments(table(by_axis, 3), axes=axes, resamples=10)
    families = {one.adjust.family for one in result.findings if one.id == "creativity.abs" and one.adjust}
    assert families == {"creativity.abs, 3 axes"}


def test_the_page_has_what_was_found_beside_what_was_stated() -> None:
    page = run_path(str(Path(__file__).parents[4] / "docs" / "make_statistics.py"))
    lines = page["found_table"]([Found("choices", 1200, 0.4801, 0.4739)]).splitlines()
    assert lines[-2:] == ["|---|--:|--:|--:|", "| choices | 1,200 | 48.0% | 47.4% |"]


@pytest.mark.soak
@pytest.mark.parametrize("one", NOTHING, ids=name_of)
def test_evidence_is_claimed_in_five_of_a_hundred_at_most(one: Fingerprint) -> None:
    trials = SOAK if one.raters == 1 else LONG
    assert claims(one, trials)[0] <= ALARM + ERRORS * standard_error(ALARM, trials)


@pytest.mark.soak
@pytest.mark.parametrize("one", SOMETHING, ids=name_of)
def test_preferences_are_found_as_often_as_stated(one: Fingerprint) -> None:
    trials = SOAK if one.raters == 1 else LONG
    stated, found = plan_power(one.design, one.shares).power, claims(one, trials)[1]
    error = ERRORS * standard_error(stated, trials)
    rash, safe = (RASH, SAFE) if one.raters > 1 else (0.02, 0.02) if one.without_choice else (0.0, 0.0)
    assert stated - rash - error <= found <= stated + safe + error
