"""`letters.crossed.*`: two axes at once, against a logistic regression with the product of both."""

from dataclasses import replace

import numpy as np
import pytest
import statsmodels.api as sm

from biasprint.core.findings import ScorerUse, scorer_error
from biasprint.core.prompts import load_axis
from biasprint.core.scorers.lexicon import LexiconCounts
from biasprint.core.studies.kit.crossed import Crossing, crossing_of
from biasprint.core.studies.letters.lexicon import LettersTable, letters_table
from biasprint.core.studies.letters.measure import crossed_categories, crossed_style
from biasprint.core.studies.letters.style import StyleScores

GROUPS = ("white-male", "black-male", "white-female", "black-female")
BLOCKS = 40


def planted() -> LettersTable:
    """Letters of 40 cells; agentic words are rarer for Black women only, so that neither main effect says it all."""
    rng = np.random.default_rng(8)
    groups = GROUPS * BLOCKS
    table = letters_table(["x"] * len(groups), groups, blocks=[str(place // 4) for place in range(len(groups))])
    counts = table.counted.counts
    tokens = rng.integers(180, 260, len(groups))
    rates = np.array([{"black-female": 0.03}.get(group, 0.08) for group in groups])
    matches = rng.binomial(tokens[:, None], rates[:, None], (len(groups), counts.categories.shape[1]))
    counted = replace(table.counted, counts=LexiconCounts(tokens, matches, counts.entries))
    crossing = crossing_of(groups, [load_axis("letters_gender_race").definition()])
    return replace(table, counted=counted, crossing=crossing)


def test_main_effects_and_interaction_are_those_of_the_regression() -> None:
    table = planted()
    findings = {(one.id, one.label, one.dims["axis"]): one for one in crossed_categories(table)}
    category = table.counted.lexicon.categories[0].name
    black = np.array(["black" in group for group in table.groups]) - 0.5
    female = np.array(["female" in group for group in table.groups]) - 0.5
    matches, tokens = table.counted.counts.categories[:, 0], table.counted.counts.tokens
    design = np.column_stack([np.ones(len(black)), -female, -black, female * black])
    fit = sm.GLM(np.column_stack([matches, tokens - matches]), design, family=sm.families.Binomial()).fit()
    race = findings["letters.crossed.lexicon.main_effect", category, "race"]
    both = findings["letters.crossed.lexicon.interaction", category, "letters_gender_race"]
    assert (race.groups, both.groups) == (
        ("white", "black"),
        ("white-male", "black-male", "white-female", "black-female"),
    )
    assert np.log(race.estimate) == pytest.approx(fit.params[2], rel=0.01)  # ½ in each cell
    assert np.log(both.estimate) == pytest.approx(fit.params[3], rel=0.01)
    assert both.interval.high < 1
    assert both.p_adjusted < 0.001
    assert (both.unit, both.n) == ("ratio of odds ratios", 160)


def test_every_p_is_adjusted_within_its_family_and_four_groups_are_named() -> None:
    found = crossed_categories(planted())
    interactions = [one for one in found if one.id.endswith(".interaction")]
    assert len(found) == 3 * len(interactions)
    assert {one.adjust.family for one in interactions} == {
        f"letters.crossed.lexicon.interaction, {len(interactions)} tests"
    }
    assert interactions[0].title.endswith("words: male against female, how far it differs between white and black")


def test_groups_of_no_crossed_axis_have_no_such_findings() -> None:
    crossed = [load_axis("letters_gender_race").definition()]
    assert crossing_of({"male", "female"}, crossed) is None
    assert crossing_of({"white-male", "white-female"}, crossed) is None  # one race: nothing is crossed
    assert crossed_categories(replace(planted(), crossing=None)) == []


def test_an_identity_without_letters_is_said() -> None:
    table = planted()
    crossing = table.crossing
    assert isinstance(crossing, Crossing)
    kept = np.array([group != "black-female" for group in table.groups])
    found = crossed_categories(table.only(kept, "left out"))
    assert {one.reason for one in found if one.id.endswith("interaction")} == {"no texts of black-female"}


def test_samples_of_one_cell_are_one_unit() -> None:
    """Letters written twice for the same prompts tell no more of how cells differ than their mean does."""
    table = planted()
    twice = replace(
        table,
        groups=table.groups * 2,
        blocks=table.blocks * 2,
        counted=replace(
            table.counted,
            counts=LexiconCounts(
                *(np.concatenate([part, part]) for part in (
                    table.counted.counts.tokens, table.counted.counts.categories, table.counted.counts.entries,
                ))
            ),
        ),
        published=None,
    )  # fmt: skip
    once, again = (crossed_categories(one) for one in (table, twice))
    for one, other in zip(once, again, strict=True):
        assert one.interval is not None
        assert other.interval is not None
        # ½ added to twice the counts moves the estimate a little; the interval gets no narrower
        width = np.log(one.interval.high) - np.log(one.interval.low)
        assert np.log(other.interval.high) - np.log(other.interval.low) == pytest.approx(width, rel=0.02)


def test_crossed_shares_have_the_interval_with_the_error_of_their_scorer() -> None:
    table = planted()
    shares = np.random.default_rng(4).uniform(0.3, 0.7, len(table.groups))
    found = crossed_style(
        table, "formality", StyleScores(shares, ScorerUse("formality", "formality_f", "formality F 1"))
    )
    assert {finding.id.rpartition(".")[2] for finding in found} == {"main_effect", "interaction"}
    assert all(map(scorer_error, found))
    other = crossed_style(table, "formality", StyleScores(shares, ScorerUse("formality", "column", "as given")))
    assert not any(map(scorer_error, other))
