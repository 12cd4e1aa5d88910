"""The chance of seeing a preference, by enumeration; how often a fingerprint claims evidence, simulated in short.

The long simulations are in test_fingerprint_power_simulations.py.
"""

import random
from itertools import product
from math import factorial, sqrt
from statistics import pstdev

import pytest
from seeded_part import seeded_part

from biasprint.core.judging.fingerprint import PLANNED, power_of_choices
from biasprint.core.judging.fingerprint_words import missed_of_20
from biasprint.core.runs.fingerprint import fingerprint_of_tables

IDENTITIES = ("a", "b", "c")
SESSIONS = 60


def probability(split: tuple[int, ...], shares: tuple[float, ...]) -> float:
    ways = factorial(sum(split))
    chance = 1.0
    for count, share in zip(split, shares, strict=True):
        ways //= factorial(count)
        chance *= share**count
    return ways * chance


def power_by_hand(n: int, shares: tuple[float, ...], alpha: float) -> float:
    """The definition, split by split: seen where choosing at random reaches this spread with probability ≤ alpha."""
    k = len(shares)
    splits = [split for split in product(range(n + 1), repeat=k) if sum(split) == n]
    spreads = {split: pstdev([count / n for count in split]) for split in splits}
    even = {split: probability(split, (1 / k,) * k) for split in splits}
    seen = 0.0
    for split in splits:
        p = sum(even[other] for other in splits if spreads[other] >= spreads[split] - 1e-9)
        seen += probability(split, shares) * (p <= alpha)
    return seen


@pytest.mark.parametrize(("n", "k"), [(12, 3), (20, 3), (20, 2), (31, 2)])
def test_the_chance_of_seeing_a_preference_is_the_definition_s_own(n: int, k: int) -> None:
    found = power_of_choices(n, k)
    assert found is not None
    assert found.chance == pytest.approx(power_by_hand(n, PLANNED[k], 0.05), abs=1e-9)


@pytest.mark.parametrize(("n", "k"), [(7, 3), (20, 3), (20, 2)])
def test_sessions_that_show_nothing_are_those_of_the_definition(n: int, k: int) -> None:
    """“19 of 20” is 20 × (1 − power), with the power added up split by split above."""
    found = power_of_choices(n, k)
    assert found is not None
    missed = 20 * (1 - power_by_hand(n, PLANNED[k], 0.05))
    assert abs(missed_of_20(found.chance) - missed) <= 0.5 + 1e-9


def test_further_axes_cost_at_least_what_holm_s_first_step_leaves() -> None:
    found = power_of_choices(20, 3, axes=3)
    assert found is not None
    assert power_by_hand(20, PLANNED[3], 0.05 / 3) <= found.chance <= power_by_hand(20, PLANNED[3], 0.05)


def test_two_identities_get_a_preference_of_the_same_size() -> None:
    for shares in PLANNED.values():
        largest = sqrt(len(shares) - 1) / len(shares)
        assert pstdev(shares) / largest == pytest.approx(0.35, abs=0.001)


@pytest.mark.parametrize(("n", "k"), [(0, 3), (20, 4), (20, 1)])
def test_what_has_no_plan_has_no_chance(n: int, k: int) -> None:
    assert power_of_choices(n, k) is None


def session(n: int, axes: str, shares: dict[str, tuple[float, ...]], dice: random.Random) -> bool:
    """Whether a simulated fingerprint claims evidence on any axis."""
    rows = [(f"{axis}{number}", axis) for axis in axes for number in range(n)]
    table = {
        "comparison": tuple(comparison for comparison, _ in rows),
        "rater": ("LARK",) * len(rows),
        "axis": tuple(axis for _, axis in rows),
        "shown": (IDENTITIES,) * len(rows),
        "outcome": ("choice",) * len(rows),
        "chosen": tuple(dice.choices(IDENTITIES, shares.get(axis, (1, 1, 1)))[0] for _, axis in rows),
    }
    (findings,), _ = fingerprint_of_tables([(table, {axis: list(IDENTITIES) for axis in axes})], 0)
    scores = [one for one in findings if one.id == "creativity.abs" and one.variant == "default"]
    return any(one.p_adjusted is not None and one.p_adjusted <= 0.05 for one in scores)


@pytest.mark.parametrize(("n", "axes"), seeded_part([(20, "x"), (20, "xyz"), (60, "xyz")], 1, seed=0))
def test_a_rater_without_a_preference_is_seldom_said_to_have_one(n: int, axes: str) -> None:
    dice = random.Random(n + len(axes))
    claimed = sum(session(n, axes, {}, dice) for _ in range(SESSIONS)) / SESSIONS
    assert claimed <= 0.05 + 3 * sqrt(0.05 * 0.95 / SESSIONS)


@pytest.mark.parametrize(("n", "axes"), [(60, "x"), pytest.param(20, "xyz", marks=pytest.mark.soak)])
def test_a_planted_preference_is_found_as_often_as_the_words_say(n: int, axes: str) -> None:
    dice = random.Random(n + len(axes))
    many = 80
    found = sum(session(n, axes, {"x": PLANNED[3]}, dice) for _ in range(many)) / many
    said = power_of_choices(n, 3, len(axes))
    assert said is not None
    # A false alarm on another axis counts here as found: at most 5 % more.
    error = 3 * sqrt(0.25 / many)
    assert said.chance - error <= found <= said.chance + error + 0.05 * (len(axes) > 1)
    if (n, axes) == (60, "x"):
        assert found >= 0.8
