"""Letters written from the categories' names alone: planted passages are found, and traps are passed by."""

from collections import Counter

import pytest
from letters_by_hand import HandCount, counted, letters_by_hand

from biasprint.core.letters.values import CATEGORIES


@pytest.fixture(scope="module")
def counts() -> dict[bool, HandCount]:
    """By whether the letters are held out."""
    letters = letters_by_hand()
    return {held: counted([letter for letter in letters if letter.held_out == held]) for held in (False, True)}


def total(*each: Counter[str]) -> int:
    return sum(sum(one.values()) for one in each)


def test_the_letters_are_marked_up_as_they_say() -> None:
    letters = letters_by_hand()
    assert [letter.number for letter in letters] == list(range(1, 25))
    for letter in letters:
        assert "[" not in letter.text
        for passage in (*letter.planted, *letter.traps):
            assert passage.category in CATEGORIES
            assert letter.text[passage.start : passage.end] == passage.words


@pytest.mark.parametrize("held", [False, True])
def test_most_planted_passages_are_found_and_most_traps_passed_by(held: bool, counts: dict[bool, HandCount]) -> None:
    count = counts[held]
    assert total(count.planted) >= 180
    assert total(count.found) / total(count.planted) >= 0.85
    assert total(count.caught) / total(count.traps) <= 0.2


@pytest.mark.parametrize("category", CATEGORIES)
def test_no_category_is_found_seldom(category: str, counts: dict[bool, HandCount]) -> None:
    found = sum(count.found[category] for count in counts.values())
    planted = sum(count.planted[category] for count in counts.values())
    assert planted >= 15
    assert found / planted >= 0.75
