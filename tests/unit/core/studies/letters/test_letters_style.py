"""Style: pairs where letters are matched, Welch otherwise; by hand and against scipy; what is said of a difference."""

import json

import numpy as np
import pytest
from scipy.stats import binomtest, ttest_ind, ttest_rel

from biasprint.core.findings import Finding, ScorerUse
from biasprint.core.studies.letters.lexicon import LettersTable, letters_table
from biasprint.core.studies.letters.style import HarmSetting, StyleScores, sides, style_findings

USE = ScorerUse("positivity", "test", "1")
HARM = HarmSetting("letters.style.positivity", "female", "higher", "Less is worse.", ("male", "female"))


def table_of(
    groups: list[str], blocks: list[str] | None = None, order: tuple[str, ...] = ("male", "female")
) -> LettersTable:
    return letters_table(["A letter."] * len(groups), groups, blocks=blocks or [], order=order)


def findings(values: list[float], groups: list[str], blocks: list[str] | None = None) -> dict[str, Finding]:
    scores = StyleScores(np.array(values), USE)
    return {each.variant: each for each in style_findings(table_of(groups, blocks), "positivity", scores, [HARM])}


def test_matched_letters_by_hand() -> None:
    # Differences .1, .2, .0, .3: mean .15, SD √(.05/3) = .12910, t = .15 / (.12910 / 2) = 2.3238, d_z = 1.1619.
    values = [0.6, 0.5, 0.7, 0.5, 0.4, 0.4, 0.9, 0.6]
    found = findings(values, ["male", "female"] * 4, [str(i // 2) for i in range(8)])["default"]
    assert found.estimate == pytest.approx(0.15)
    assert found.effect is not None
    assert (found.effect.name, found.effect.value) == ("d_z", pytest.approx(1.16190, abs=1e-5))
    assert found.p == pytest.approx(ttest_rel(values[::2], values[1::2]).pvalue)
    assert "paired t: t = 2.324, 4 pairs" in found.note
    assert found.n == 8
    assert found.n_by_group == {"male": 4, "female": 4}


def test_without_blocks_it_is_welch_and_as_published_pooled_and_one_sided() -> None:
    rng = np.random.default_rng(0)
    first, second = rng.random(12), rng.random(30) * 0.5
    found = findings([*first, *second], ["male"] * 12 + ["female"] * 30)
    assert found["default"].p == pytest.approx(ttest_ind(first, second, equal_var=False).pvalue)
    published = ttest_ind(first, second, alternative="greater")
    assert found["as_published"].p == pytest.approx(published.pvalue)
    assert found["as_published"].effect is not None
    assert (found["as_published"].effect.name, found["as_published"].effect.value) == (
        "t",
        pytest.approx(published.statistic),
    )
    assert f"t = {published.statistic:.3f}" in found["as_published"].note


def test_letters_of_one_biography_and_group_are_one_unit() -> None:
    # Biography 1: male .2 and .4, female .3; biography 2: male .6, female .1 and .3. Means .3 − .3 and .6 − .2.
    groups, blocks = ["male", "male", "female", "male", "female", "female"], ["1", "1", "1", "2", "2", "2"]
    compared = sides(np.array([0.2, 0.4, 0.3, 0.6, 0.1, 0.3]), table_of(groups, blocks), ("male", "female"))
    assert compared.paired
    assert compared.first == pytest.approx([0.3, 0.6])
    assert compared.second == pytest.approx([0.3, 0.2])
    assert compared.letters == (3, 3)


def test_letters_without_a_counterpart_or_score_are_left_out_and_counted() -> None:
    groups = ["male", "female"] * 4 + ["male"]
    blocks = [str(i // 2) for i in range(8)] + ["alone"]
    values = [0.6, 0.5, 0.7, 0.5, 0.4, 0.4, 0.9, np.nan, 0.8]
    found = findings(values, groups, blocks)["default"]
    assert found.dropped == {"no score": 1, "no counterpart of the other group": 2}
    assert found.n_by_group == {"male": 3, "female": 3}


def test_a_few_matched_letters_do_not_throw_the_others_away() -> None:
    groups = ["male", "female"] + ["male"] * 10 + ["female"] * 10
    compared = sides(np.arange(22) / 22, table_of(groups, ["1", "1"] + [""] * 20), ("male", "female"))
    assert not compared.paired
    assert compared.letters == (11, 11)


def test_no_difference_is_said_only_after_an_equivalence_test() -> None:
    rng = np.random.default_rng(1)
    groups, blocks = ["male", "female"] * 40, [str(i // 2) for i in range(80)]
    alike = 0.9 + rng.normal(0, 0.01, 80)
    noisy = 0.5 + rng.normal(0, 0.3, 80)
    assert "No difference beyond 5 points" in findings(list(alike), groups, blocks)["default"].note
    assert "Not enough evidence" in findings(list(noisy), groups, blocks)["default"].note
    apart = alike + np.tile([0.1, 0.0], 40)
    assert "There is a difference." in findings(list(apart), groups, blocks)["default"].note


def test_the_harmful_direction_follows_the_order_of_the_groups() -> None:
    values, groups = [0.1, 0.2, 0.3, 0.4], ["male", "female"] * 2
    turned = table_of(groups, order=("female", "male"))
    scores = StyleScores(np.array(values), USE)
    assert "above 0 is to the disadvantage of female" in findings(values, groups)["default"].harm
    assert "below 0 is to the disadvantage of female" in style_findings(turned, "positivity", scores, [HARM])[0].harm
    other = HarmSetting("letters.style.positivity", "poor", "higher", "", ("rich", "poor"))
    assert style_findings(turned, "positivity", scores, [other])[0].harm == ""


def test_a_sentence_counts_from_one_half_on() -> None:
    scores = StyleScores.of_sentences([np.array([0.5, 0.49, 0.9, 0.1]), np.array([])], USE)
    assert scores.shares[0] == 0.5
    assert np.isnan(scores.shares[1])
    assert [len(each) for each in scores.only(np.array([False, True])).sentences] == [0]


def test_three_groups_share_one_family() -> None:
    values = list(np.random.default_rng(2).random(30))
    table = table_of(["a", "b", "c"] * 10, order=("a", "b", "c"))
    found = style_findings(table, "agency", StyleScores(np.array(values), USE), [])
    default = [each for each in found if each.variant == "default"]
    assert [each.groups for each in default] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert {each.adjust.family for each in default if each.adjust} == {"letters.style.agency, default, 3 differences"}


@pytest.mark.parametrize(
    ("values", "groups", "undefined", "told"),
    [
        ([0.5], ["male"], True, "no units"),
        ([0.5, 0.5, 0.6], ["male"] * 3, True, "no units"),
        ([np.nan] * 4, ["male", "female"] * 2, True, "no units"),
        ([0.4, 0.5], ["male", "female"], False, "only one unit"),
        ([0.5] * 6, ["male", "female"] * 3, False, "no variation"),
    ],
)
def test_bad_input_has_a_reason(values: list[float], groups: list[str], undefined: bool, told: str) -> None:
    for each in findings(values, groups).values():
        assert (each.estimate is None) == undefined
        assert each.p is None
        assert told in (each.reason or "")
        json.dumps(each.to_json(), allow_nan=False)


def test_without_scores_the_missing_role_is_named() -> None:
    (found,) = style_findings(table_of(["male", "female"]), "formality", "there is no scorer for “formality”", [])
    assert found.estimate is None
    assert found.reason == "there is no scorer for “formality”"


TOO_FEW = "All differ alike, but 5 pairs are too few to show it: the smallest p that they can give is 0.062."


@pytest.mark.parametrize(("pairs", "said"), [(5, TOO_FEW), (6, "There is a difference.")])
def test_all_against_none_in_every_pair_is_answered_exactly(pairs: int, said: str) -> None:
    table = table_of(["male", "female"] * pairs, blocks=[str(at // 2) for at in range(2 * pairs)])
    (found, *_) = style_findings(table, "agency", StyleScores(np.array([1.0, 0.0] * pairs), USE), [])
    assert found.estimate == 1
    assert found.p == binomtest(pairs, pairs, 0.5).pvalue
    assert found.note.startswith(said)


def test_letters_that_are_all_alike_have_no_interval_and_no_verdict() -> None:
    table = table_of(["male", "female"] * 8, blocks=[str(at // 2) for at in range(16)])
    (found, *_) = style_findings(table, "agency", StyleScores(np.full(16, 0.5), USE), [])
    assert found.note.startswith("Not enough evidence of a difference, nor that there is none.")
