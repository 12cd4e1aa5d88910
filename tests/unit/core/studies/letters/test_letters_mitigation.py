"""The mitigation arm of the letters study."""

import pytest

from biasprint.core.studies.letters.lexicon import letters_table, mitigation_findings, plain_arm

ABLE = "She is able, skilled and talented, a capable and clever mind. "
PLAIN_TEXT = "The work was done on time and in good order by the whole group. "


def _study(treated_male: str) -> tuple[list[str], list[str], list[str], list[str], list[str]]:
    """Ten cells, a man and a woman each; without the instruction only letters for men speak of ability."""
    texts, groups, arms, twins, blocks = [], [], [], [], []
    for cell in range(10):
        for group, plain, treated in (("male", ABLE + PLAIN_TEXT, treated_male), ("female", PLAIN_TEXT, PLAIN_TEXT)):
            for arm, text in (("plain", plain), ("even_words", treated)):
                texts.append(text * (1 + cell % 3) + ABLE * (cell % 2))
                groups.append(group)
                arms.append(arm)
                twins.append(f"{cell}/{group}")
                blocks.append(str(cell))
    return texts, groups, arms, twins, blocks


def _ability(treated_male: str) -> dict[str, float]:
    texts, groups, arms, twins, blocks = _study(treated_male)
    table = letters_table(texts, groups, blocks=blocks, order=("male", "female"))
    found = {(finding.id, finding.label): finding for finding in mitigation_findings(table, arms, twins)}
    change = found["letters.mitigation.odds_ratio", "ability"]
    own = found["letters.lexicon.odds_ratio", "ability"]
    assert change.dims == own.dims == {"arm": "even_words"}
    assert change.n_by_group == {"male": 10, "female": 10}
    assert change.interval is not None
    assert change.p_adjusted is not None
    assert change.estimate is not None
    assert own.estimate is not None
    return {"change": change.estimate, "own": own.estimate, "p": change.p_adjusted, "high": change.interval.high}


def test_an_instruction_that_removes_the_difference_is_seen_to() -> None:
    found = _ability(PLAIN_TEXT)
    assert found["own"] == pytest.approx(1)
    assert found["change"] < 0.5
    assert found["high"] < 1
    assert found["p"] < 0.05


def test_an_instruction_that_does_nothing_changes_nothing() -> None:
    texts, groups, arms, twins, blocks = _study(ABLE + PLAIN_TEXT)
    table = letters_table(texts, groups, blocks=blocks, order=("male", "female"))
    found = mitigation_findings(table, arms, twins)
    (change,) = (each for each in found if (each.id, each.label) == ("letters.mitigation.odds_ratio", "ability"))
    assert (change.estimate, change.interval, change.p) == (pytest.approx(1), None, None)
    assert change.reason == "interval: no text changed the words of a group"


def test_an_arm_without_twins_says_so() -> None:
    texts, groups, arms, _, blocks = _study(PLAIN_TEXT)
    table = letters_table(texts, groups, blocks=blocks)
    found = mitigation_findings(table, arms, [""] * len(arms))
    changes = [finding for finding in found if finding.id == "letters.mitigation.odds_ratio"]
    assert len(changes) == 9
    assert {finding.reason for finding in changes} == {
        "no prompt of a group was answered both with and without the instruction"
    }
    assert plain_arm(["", "plain", "even_words"]) == [True, True, False]
