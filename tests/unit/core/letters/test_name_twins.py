"""One letter under a name of every group: what differs between the names is said of the scorer, and nothing else."""

from dataclasses import replace
from typing import Any

import pytest

from biasprint.core.letters import twins
from biasprint.core.letters.files import read_pasted
from biasprint.core.letters.request import ReadingRequest
from biasprint.core.letters.twins import read_under_names, twin_of
from biasprint.core.letters.values import SentenceDifference, TwinDifference
from biasprint.core.prompts.name_sets import load_name_set
from biasprint.core.swap import Person
from biasprint.core.swap.name_groups import group_of_name, groups_of, name_groups

KELLY = Person("Kelly", "Moreno", "", "she")
LETTER = (
    "Kelly Moreno led the kitchen for four years and never missed a delivery. She is remarkably articulate. "
    "I recommend Ms. Moreno to every kitchen that has a post, because she keeps her word."
)


def test_the_letter_is_read_under_a_name_of_every_group_and_nothing_else_changes() -> None:
    found = read_under_names(read_pasted(LETTER), ReadingRequest({}, person=KELLY))
    assert [one.group for one in found.twins] == [group.key for group in name_groups()]
    for one in found.twins:
        other = one.twin.other
        assert other.pronoun == "she"
        group = group_of_name(other)
        assert group is not None
        assert group.key == one.group
        text = one.twin.twin_reading.document.text
        assert text.replace(other.full_name, "Kelly Moreno").replace(other.last_name, "Moreno") == LETTER
        assert [asked.sentence for asked in one.twin.asked] == [1]
    assert found.figures == ()
    assert any("No score of a sentence and no figure" in said for said in found.findings)
    assert found.findings[-1].startswith("One name stands for no group")


def test_the_groups_of_a_set_of_names_are_each_race_and_gender() -> None:
    groups = groups_of(load_name_set("us"))
    found = read_under_names(read_pasted(LETTER), ReadingRequest({}, person=KELLY), groups)
    assert [one.group for one in found.twins][:4] == ["white-woman", "white-man", "black-woman", "black-man"]
    assert len(found.twins) == 8
    cells = {"-".join(of[0] for of in cell.of.values()): cell.all_names for cell in load_name_set("us").cells}
    for one in found.twins:
        other, text = one.twin.other, one.twin.twin_reading.document.text
        assert other.first_name in cells[one.group]
        assert other.last_name == "Moreno"  # a set has given names alone
        woman = one.group.endswith("-woman")
        assert other.pronoun == ("she" if woman else "he")
        assert f"I recommend {'Ms.' if woman else 'Mr.'} Moreno" in text
        assert (" her word" in text) == woman


def test_what_a_scorer_makes_of_the_names_is_said_with_the_names_that_it_is_between(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The letter's own value counts as that of a name that changes nothing: 0.50, 0.50, 0.62 and 0.45 here."""
    values = iter([None, None, 0.62, 0.45])

    def moved(*given: Any, **more: Any) -> TwinDifference:
        twin, value = twin_of(*given, **more), next(values)
        if value is None:
            return twin
        one = SentenceDifference(0, 0, "agency", "a scorer", 0.5, value, turned=False)
        return replace(twin, sentences=(one,))

    monkeypatch.setattr(twins, "twin_of", moved)
    found = read_under_names(read_pasted(LETTER), ReadingRequest({}, person=KELLY))
    (said,) = [one for one in found.findings if "The scorer of" in one]
    assert "1 sentence another value" in said
    assert "up to 0.17 (sentence 1, Asian American lowest, Hispanic American highest)" in said
    assert "finding about the scorer" in said


def test_a_letter_without_a_name_has_none_to_change_and_says_so() -> None:
    found = read_under_names(read_pasted("She led the kitchen for four years. I recommend her."), ReadingRequest({}))
    assert found.findings == ("No name was found in this letter, so that none changes. Set the candidate's name.",)


def test_a_letter_that_is_not_read_has_nothing_to_compare() -> None:
    german = "Frau Moreno hat die Küche vier Jahre lang geleitet und war immer pünktlich und sehr freundlich. " * 6
    assert read_under_names(read_pasted(german), ReadingRequest({})).findings[0].startswith("Nothing was scored")
