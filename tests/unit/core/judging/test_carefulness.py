"""Flags of raters against independent sums, and how often careful raters get one."""

import random
from dataclasses import replace
from itertools import pairwise, product

import pytest
from scipy.stats import binomtest
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.proportion import proportion_confint

from biasprint.core.judging.carefulness import (
    FASTEST,
    GivenChoice,
    ReadToEnd,
    failed_checks,
    low_agreement,
    one_side,
    read_to_end,
    run_chance,
    same_answer,
    tail,
    too_quick,
    unread_ends,
    with_others,
)
from biasprint.core.judging.known import CheckResult


def said(number: int, place: int | None = 0, *, seconds: float = 20.0, words: int = 60, cards: int = 2) -> GivenChoice:
    outcome = "tie" if place is None else "choice"
    identity = "" if place is None else ("woman", "man", "other")[place]
    return GivenChoice(f"c{number}", "gender", outcome, identity, place, cards, words, seconds)


def test_forty_two_comparisons_in_half_a_minute_are_flagged_by_the_words_on_the_cards():
    hasty = [said(number, number % 2, seconds=32 / 42, words=36) for number in range(42)]
    flag = too_quick(hasty)
    assert flag is not None
    assert flag.said.startswith("42 of 42 answers came sooner than the texts can be read (95 % interval 92 to 100 %)")
    assert too_quick([said(number, seconds=60 / 4, words=60) for number in range(42)]) is None
    at_the_limit = [said(number, seconds=60 / FASTEST, words=60) for number in range(42)]
    assert too_quick(at_the_limit) is None


def test_a_slow_rater_with_a_few_quick_answers_or_too_few_to_tell_is_not_flagged():
    few = [said(number, seconds=0.5 if number < 3 else 30.0) for number in range(30)]
    assert too_quick(few) is None
    assert too_quick([said(number, seconds=0.5) for number in range(4)]) is None
    assert too_quick([said(number, seconds=0.0) for number in range(40)]) is None, "no time was recorded"


def test_answers_before_the_end_was_on_the_screen_are_counted_and_flagged_where_they_are_more_than_slips():
    given = [replace(said(number), read=number >= 12) for number in range(40)]
    given += [replace(said(40, None), read=None), replace(said(41), outcome="skip", read=False)]
    reading = read_to_end(given)
    assert (reading.unread, reading.n, reading.unrecorded) == (12, 40, 1)
    low, high = proportion_confint(12, 40, method="wilson")
    assert (reading.interval.low, reading.interval.high) == (pytest.approx(low), pytest.approx(high))
    flag = unread_ends(reading)
    assert flag is not None
    assert flag.said.startswith("12 of 40 answers came before the end of every text was on the screen")
    assert unread_ends(ReadToEnd(unread=3, n=40)) is None, "slips"
    assert unread_ends(ReadToEnd(unread=4, n=4)) is None, "too few to tell"
    assert unread_ends(ReadToEnd(unread=0, n=0, unrecorded=40)) is None


@pytest.mark.parametrize(("length", "n", "cards"), [(3, 6, 2), (2, 5, 3), (4, 9, 2), (3, 8, 3), (5, 5, 2)])
def test_the_chance_of_a_run_is_that_of_counting_every_sequence(length: int, n: int, cards: int):
    def longest(sequence: tuple[int, ...]) -> int:
        best = run = 1
        for before, after in pairwise(sequence):
            run = run + 1 if before == after else 1
            best = max(best, run)
        return best

    every = list(product(range(cards), repeat=n))
    counted = sum(longest(sequence) >= length for sequence in every) / len(every)
    assert run_chance(length, n, cards) == pytest.approx(counted)


def test_one_card_again_and_again_is_flagged_and_chance_is_not():
    flag = same_answer([said(number, 0) for number in range(20)])
    assert flag is not None
    assert flag.said.startswith("Card A was chosen 20 times in a row of 20 answers")
    assert same_answer([said(number, None) for number in range(12)]) is not None
    rng = random.Random(4)
    flagged = sum(same_answer([said(n, rng.randrange(2)) for n in range(40)]) is not None for _ in range(2_000))
    assert flagged <= 8, "at most .1 % by chance, and 8 of 2,000 is four times as many"


@pytest.mark.parametrize(("many", "n", "share"), [(9, 10, 0.5), (20, 30, 1 / 3), (0, 5, 0.5), (40, 42, 0.5)])
def test_the_tail_is_that_of_scipy(many: int, n: int, share: float):
    assert tail(many, n, share) == pytest.approx(binomtest(many, n, share, alternative="greater").pvalue)


def test_a_side_that_is_chosen_too_often_is_flagged_and_repeats_do_not_count():
    left = [said(number, 0 if number % 5 else 1) for number in range(40)]
    flag = one_side(left)
    assert flag is not None
    assert flag.said.startswith("Card A of 2 was chosen 32 of 40 times")
    rng = random.Random(5)
    flagged = sum(one_side([said(n, rng.randrange(3), cards=3) for n in range(60)]) is not None for _ in range(1_000))
    assert flagged <= 20, "at most 1 % by chance, and 20 of 1,000 is twice as many"


def test_one_failed_check_may_be_a_slip_and_two_are_a_flag_where_they_are_more_than_a_few_of_many():
    assert failed_checks(CheckResult(0, 0)) is None
    assert failed_checks(CheckResult(1, 0)) is None
    assert failed_checks(CheckResult(30, 28)) is None
    flag = failed_checks(CheckResult(4, 2))
    assert flag is not None
    assert flag.said.startswith("2 of 4 hidden checks were failed")


def raters(number: int, comparisons: int, alike: float, rng: random.Random) -> dict[str, dict[str, str]]:
    """Raters who take the same identity with the chance `alike`, and any of the two otherwise."""
    best = [rng.choice(("woman", "man")) for _ in range(comparisons)]
    return {
        f"R{rater}": {
            f"c{at}": best[at] if rng.random() < alike else rng.choice(("woman", "man")) for at in range(comparisons)
        }
        for rater in range(number)
    }


def axes(chosen: dict[str, dict[str, str]]) -> dict[str, str]:
    return {comparison: "gender" for own in chosen.values() for comparison in own}


def test_with_one_other_rater_it_is_cohens_kappa():
    chosen = raters(2, 40, 0.5, random.Random(1))
    names = ("woman", "man")
    table = [[sum(chosen["R0"][c] == a and chosen["R1"][c] == b for c in chosen["R0"]) for b in names] for a in names]
    found = with_others("R0", chosen, axes(chosen))
    assert found.n == 40
    assert found.kappa == pytest.approx(cohens_kappa(table, return_results=False))
    assert found.interval is not None
    lines = [[chosen[name][c] for name in ("R0", "R1")] for c in chosen["R0"]]
    left_out = [_kappa(lines[:at] + lines[at + 1 :]) for at in range(40)]
    error = (39 / 40 * sum((one - sum(left_out) / 40) ** 2 for one in left_out)) ** 0.5 * (40 / 37) ** 0.5
    assert found.interval.low == pytest.approx(found.kappa - 1.959964 * error)
    assert found.interval.high == pytest.approx(found.kappa + 1.959964 * error)


def _kappa(pairs: list[list[str]]) -> float:
    names = ("woman", "man")
    table = [[sum(pair == [a, b] for pair in pairs) for b in names] for a in names]
    return float(cohens_kappa(table, return_results=False))


def test_somebody_who_answers_at_random_among_raters_who_agree_is_flagged_and_hardly_anybody_of_equals_is():
    rng = random.Random(2)
    caught = by_chance = 0
    for _ in range(100):
        chosen = raters(5, 60, 0.8, rng)
        by_chance += sum(low_agreement(with_others(name, chosen, axes(chosen))) is not None for name in chosen)
        chosen["R0"] = {comparison: rng.choice(("woman", "man")) for comparison in chosen["R0"]}
        caught += low_agreement(with_others("R0", chosen, axes(chosen))) is not None
    assert caught >= 95
    assert by_chance <= 10, "500 raters of equal care"


def test_agreement_that_cannot_be_told_says_why():
    assert with_others("R0", {"R0": {"c0": "woman"}}, {"c0": "gender"}).reason == (
        "nobody else chose in the same comparisons"
    )
    same = {name: {"c0": "woman", "c1": "woman"} for name in ("R0", "R1")}
    assert with_others("R0", same, axes(same)).reason == "every choice fell on the same identity"
    few = raters(3, 8, 0.2, random.Random(3))
    found = with_others("R0", few, axes(few))
    assert (found.interval, found.below) == (None, None)
