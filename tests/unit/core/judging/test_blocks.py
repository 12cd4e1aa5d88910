"""More identities than a comparison shows: who meets whom how often, and what a plan of them looks like."""

import random
from collections import Counter
from dataclasses import replace
from itertools import product

import pytest

from biasprint.core.judging.blocks import balanced_blocks, meetings
from biasprint.core.judging.plan import Candidate, draw_plan
from biasprint.core.text import sha256_text

MANY = ("a", "b", "c", "d", "e", "f", "g")


def candidates(identities=MANY, tasks=("t", "u"), themes=("x", "y", "z")) -> list[Candidate]:
    every = product(tasks, themes, identities)
    return [
        Candidate(number, "model", identity, task, theme, sha256_text(f"text {number}"))
        for number, (task, theme, identity) in enumerate(every, start=1)
    ]


@pytest.mark.parametrize("wanted", [7, 21, 30, 42])
def test_every_two_meet_equally_often_in_pairs_up_to_one(wanted: int) -> None:
    drawn = balanced_blocks([MANY] * 12, MANY, 2, wanted, random.Random(1))
    least, most = meetings([block for _, block in drawn], MANY)
    assert len(drawn) == wanted
    assert most - least <= 1


@pytest.mark.parametrize(("identities", "wanted"), [(4, 4), (5, 10), (6, 20), (7, 35), (9, 84)])
def test_threes_are_exactly_balanced_where_every_three_meets(identities: int, wanted: int) -> None:
    """A prompt that gives every block gives each pair k − 2 times: the complete design."""
    some = "abcdefghi"[:identities]
    drawn = balanced_blocks([some], some, 3, wanted, random.Random(2))
    assert meetings([block for _, block in drawn], some) == (identities - 2, identities - 2)


@pytest.mark.parametrize("wanted", [14, 28, 60])
def test_threes_differ_by_at_most_two_meetings_on_the_way(wanted: int) -> None:
    drawn = balanced_blocks([MANY] * 20, MANY, 3, wanted, random.Random(3))
    least, most = meetings([block for _, block in drawn], MANY)
    assert most - least <= 2
    assert least >= 1


def test_no_cell_gives_a_block_twice_and_none_that_it_lacks_a_text_for() -> None:
    drawn = balanced_blocks([MANY, "abc", "ab", "a"], MANY, 2, None, random.Random(4))
    assert max(Counter(drawn).values()) == 1
    assert all(set(block) <= set((MANY, "abc", "ab", "a")[cell]) for cell, block in drawn)
    # All of the texts of a cell about once: four pairs of seven, two of three, one of two, none of one.
    assert Counter(cell for cell, _ in drawn) == {0: 4, 1: 2, 2: 1}


def test_a_plan_shows_some_of_an_axis_and_counts_what_it_leaves_out() -> None:
    axes = {"model": MANY}
    ones = candidates()
    twin = next(one for one in ones if one.identity == "b")
    ones.remove(twin)
    drawn = draw_plan(ones, axes, per_axis=42, seed=5, cards=3, repeat_share=0.1)
    originals = [one for one in drawn.comparisons if one.repeat_of is None]
    assert len(originals) == 42
    assert {len(one.items) for one in originals} == {3}
    least, most = meetings([[item.identity for item in one.items] for one in originals], MANY)
    assert most - least <= 2
    by_text = {one.output: one for one in ones}
    for one in originals:
        cards = [by_text[item.output] for item in one.items]
        assert len({(card.task, card.theme, card.sample) for card in cards}) == 1
    assert drawn == draw_plan(ones[::-1], axes, per_axis=42, seed=5, cards=3, repeat_share=0.1)
    assert set(drawn.reasons) <= {"not drawn: enough comparisons"}
    assert draw_plan(ones, axes, per_axis=5, seed=5, cards=7) == draw_plan(ones, axes, per_axis=5, seed=5)


def test_equal_texts_are_left_out_of_their_cell_alone() -> None:
    axes = {"model": MANY[:4]}
    ones = candidates(MANY[:4], ["t"], ["x", "y"])
    ones[1] = replace(ones[1], text_sha256=ones[0].text_sha256)
    drawn = draw_plan(ones, axes, cards=2)
    assert drawn.reasons["two of the texts to compare are identical"] == 2
    assert drawn.comparisons
