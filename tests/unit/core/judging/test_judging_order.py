"""The order of the cards: fixed, hidden from guessing, and balanced over identities, positions and raters.

Within one rater's run that is so by chance where the plan has a key, and exactly where it has none.
"""

import dataclasses
from collections import Counter
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biasprint.core.judging.card_order import CardOrder, rater_number
from biasprint.core.project.rows import ComparisonItem, ComparisonRow, PlanRow

IDENTITIES = {2: ("queer", "straight"), 3: ("asian", "black", "white")}


def rows(number: int, cards: int) -> list[ComparisonRow]:
    """Comparisons whose items are stored in a different order each, as merged files may have them."""
    stored = list(permutations(IDENTITIES[cards]))
    return [
        ComparisonRow(
            id=f"c{index}",
            plan_id="p",
            position=index,
            axis="axis",
            task="t",
            theme="x",
            items=tuple(
                ComparisonItem(100 * index + IDENTITIES[cards].index(name), name)
                for name in stored[index % len(stored)]
            ),
            texts_sha256="0" * 64,
            repeat_of=None,
        )
        for index in range(number)
    ]


def of_seed(plan: list[ComparisonRow], seed: int, code: str) -> CardOrder:
    """Of a plan that was drawn before plans had keys."""
    return CardOrder(plan, plan=PlanRow("p", 1, "", "axis", seed, {}, ""), rater_code=code)


def of_key(plan: list[ComparisonRow], number: int, code: str) -> CardOrder:
    key = number.to_bytes(16, "big").hex()
    return CardOrder(plan, plan=PlanRow("p", 1, "", "axis", 1, {"order_key": key}, ""), rater_code=code)


WAYS = pytest.mark.parametrize("ordered", [of_seed, of_key])


def shown(order: CardOrder, row: ComparisonRow) -> tuple[str, ...]:
    return tuple(row.items[index].identity for index in order.of(row.id))


@pytest.mark.parametrize("number", [12, 36, 60])
@pytest.mark.parametrize("cards", [2, 3])
@pytest.mark.parametrize("code", ["R01", "R02", "R03", "Ada", "évaluateur", ""])
def test_without_a_key_each_identity_stands_equally_often_in_each_position_within_a_run(number, cards, code):
    plan = rows(number, cards)
    order = of_seed(plan, 11, code)
    counts = Counter((identity, place) for row in plan for place, identity in enumerate(shown(order, row)))
    assert counts == {(identity, place): number // cards for identity in IDENTITIES[cards] for place in range(cards)}


@pytest.mark.parametrize("cards", [2, 3])
def test_whoever_stops_early_is_balanced_up_to_one_block(cards):
    plan = rows(60, cards)
    order = of_seed(plan, 5, "R09")
    for stop in range(1, 60):
        first = Counter(shown(order, row)[0] for row in plan[:stop])
        assert max(first.values()) - min(first[name] for name in IDENTITIES[cards]) <= 1


@WAYS
@pytest.mark.parametrize("cards", [2, 3])
def test_over_numbered_raters_each_comparison_is_balanced(cards, ordered):
    plan = rows(12, cards)
    orders = [ordered(plan, 7, f"R{number:02d}") for number in range(1, cards + 1)]
    for row in plan:
        for place in range(cards):
            assert sorted(shown(order, row)[place] for order in orders) == sorted(IDENTITIES[cards])


@WAYS
def test_six_numbered_raters_see_all_six_orders_of_three_cards(ordered):
    plan = rows(12, 3)
    orders = [ordered(plan, 7, f"R{number}") for number in range(6)]
    for row in plan:
        assert {shown(order, row) for order in orders} == set(permutations(IDENTITIES[3]))


def test_three_cards_use_all_six_orders_within_a_run_of_six():
    plan = rows(6, 3)
    order = of_seed(plan, 1, "R01")
    assert {shown(order, row) for row in plan} == set(permutations(IDENTITIES[3]))


@WAYS
def test_the_order_is_fixed_for_rater_and_comparison_and_differs_between_seeds(ordered):
    plan = rows(36, 3)
    mixed = plan[::-1]

    def all_orders(rows_given, seed):
        order = ordered(rows_given, seed, "R04")
        return [shown(order, row) for row in plan]

    assert all_orders(plan, 3) == all_orders(mixed, 3)
    assert all_orders(plan, 3) != all_orders(plan, 4)


def test_the_sequence_of_positions_cannot_be_guessed_from_a_simple_cycle():
    plan = rows(60, 2)
    order = of_seed(plan, 3, "R01")
    firsts = [shown(order, row)[0] for row in plan]
    assert firsts[::2] != firsts[:1] * 30, "the first card must not simply alternate"


@WAYS
@pytest.mark.parametrize("cards", [2, 3])
def test_a_hidden_repeat_puts_no_output_where_it_stood_the_first_time(cards, ordered):
    plan = rows(30, cards)
    again = [
        ComparisonRow(f"again{one.id}", "p", 30 + one.position, one.axis, "t", "x", one.items[::-1], "0" * 64, one.id)
        for one in plan[:10]
    ]
    order = ordered([*plan, *again], 2, "R05")
    for original, repeat in zip(plan, again, strict=False):
        first = [original.items[index].output for index in order.of(original.id)]
        second = [repeat.items[index].output for index in order.of(repeat.id)]
        assert sorted(first) == sorted(second)
        assert all(one != other for one, other in zip(first, second, strict=True))


def test_each_axis_is_balanced_by_itself_when_axes_alternate():
    two, three = rows(24, 2), rows(24, 3)
    mixed = [
        ComparisonRow(f"{axis}{row.id}", "p", 2 * row.position + offset, axis, "t", "x", row.items, "0" * 64, None)
        for axis, offset, plan in (("orientation", 0, two), ("race", 1, three))
        for row in plan
    ]
    order = of_seed(mixed, 8, "R01")
    for axis, cards in (("orientation", 2), ("race", 3)):
        firsts = Counter(shown(order, row)[0] for row in mixed if row.axis == axis)
        assert set(firsts.values()) == {24 // cards}


def test_a_number_in_the_code_is_the_raters_number():
    assert [rater_number(code) for code in ("R07", "rater 12", "2024-R3", "R007b")] == [7, 12, 3, 7]
    assert rater_number("Ada") == rater_number("Ada") != rater_number("Bob")


def sources(plan: list[ComparisonRow]) -> list[ComparisonRow]:
    """The same comparisons with one card, and then every card, being a source."""
    return [
        dataclasses.replace(
            row,
            items=tuple(
                ComparisonItem(None, item.identity, item.output) if place == 0 or row.position % 2 else item
                for place, item in enumerate(row.items)
            ),
        )
        for row in plan
    ]


@given(
    st.integers(0, 2**40),
    st.sampled_from([2, 3]),
    st.integers(1, 40),
    st.integers(0, 500),
    st.booleans(),
    st.integers(1, 3),
)
@settings(max_examples=60, deadline=None)
def test_over_raters_one_to_k_every_identity_stands_equally_often_in_each_position(
    seed, cards, number, first, of_sources, rounds
):
    plan = sources(rows(number, cards)) if of_sources else rows(number, cards)
    raters = range(first * cards + 1, (first + rounds) * cards + 1)
    orders = [of_key(plan, seed, f"R{rater:03d}") for rater in raters]
    for row in plan:
        places = Counter((identity, place) for order in orders for place, identity in enumerate(shown(order, row)))
        assert set(places.values()) == {rounds}, "each identity, each place: once a round of k raters"
        assert len(places) == cards * cards


@WAYS
@pytest.mark.parametrize("cards", [2, 3])
def test_a_hidden_repeat_of_sources_moves_every_card(cards, ordered):
    plan = sources(rows(20, cards))
    again = [
        dataclasses.replace(
            one, id=f"again{one.id}", position=20 + one.position, items=one.items[::-1], repeat_of=one.id
        )
        for one in plan
    ]
    order = ordered([*plan, *again], 9, "R02")
    for original, repeat in zip(plan, again, strict=True):
        first = [original.items[index].key for index in order.of(original.id)]
        second = [repeat.items[index].key for index in order.of(repeat.id)]
        assert sorted(first) == sorted(second)
        assert all(one != other for one, other in zip(first, second, strict=True))
