"""Groups of a pile: Welch's test over candidates with its power, and nothing said where too few letters could tell."""

from collections.abc import Sequence

import numpy as np
import pytest
from inline_compute import Inline
from scipy.stats import ttest_ind

from biasprint.core.jobs import JobContext
from biasprint.core.letters.pile import PileColumn, PileRow, group_of, groups
from biasprint.core.letters.pile.compare import FEWEST, PART, few_said, group_tests, headline
from biasprint.core.letters.pile.read import compare_groups
from biasprint.core.metrics.means import base_rate_equivalence
from biasprint.core.metrics.power import detectable_difference
from biasprint.core.swap import Person

SHARE, WORDS = PileColumn("agentic", "Agentic", "share of sentences"), PileColumn("words", "Length", "words")


def test_groups_are_those_of_the_axis_with_the_pronoun() -> None:
    assert [key for key, _ in groups()] == ["male", "female"]
    assert [group_of(pronoun) for pronoun in ("he", "she", "they", "")] == ["male", "female", "", ""]


def made(
    group: str, values: Sequence[float | None], name: str = "agentic", people: Sequence[str] = ()
) -> list[PileRow]:
    return [
        PileRow(
            f"{group}{place}", f"{group}{place}.txt", group=group, figures={name: value},
            person=Person("Sam", people[place]) if people else Person(),
        )
        for place, value in enumerate(values)
    ]  # fmt: skip


def normal(mean: float, count: int, seed: int, sd: float = 0.1) -> list[float]:
    """Exactly this mean and this standard deviation."""
    drawn = np.random.default_rng(seed).normal(size=count)
    return list(mean + sd * (drawn - drawn.mean()) / drawn.std(ddof=1))


def test_a_difference_is_welchs_with_its_power_and_both_numbers() -> None:
    male, female = normal(0.5, 40, 1), normal(0.4, 30, 2)
    (test,) = group_tests([*made("female", female), *made("male", male)], [SHARE])
    expected = ttest_ind(male, female, equal_var=False)
    assert test.groups == ("male", "female")
    assert test.n_by_group == {"male": 40, "female": 30}
    assert test.estimate == pytest.approx(0.1)
    assert test.means == (pytest.approx(0.5), pytest.approx(0.4))
    assert test.p == pytest.approx(expected.pvalue)
    assert test.p_adjusted == test.p
    low, high = expected.confidence_interval()
    assert test.interval is not None
    assert (test.interval.low, test.interval.high) == (pytest.approx(low), pytest.approx(high))
    assert test.effect == pytest.approx(1.0)
    assert test.power is not None
    assert test.power.detectable == pytest.approx(detectable_difference(0.1, 40, 30))
    assert not test.few
    assert test.said.startswith("There is a difference: more in letters about “male”.")


def test_below_twenty_candidates_in_a_group_nothing_is_tested() -> None:
    rows = [*made("male", normal(0.9, FEWEST, 1)), *made("female", normal(0.1, FEWEST - 1, 2))]
    (test,) = group_tests(rows, [SHARE])
    assert test.few
    assert (test.p, test.p_adjusted) == (None, None)
    assert test.estimate == pytest.approx(0.8)
    assert test.base == pytest.approx(0.5)
    assert test.said == (
        "Too few letters to say: candidates with this figure are 20 and 19, and about 20 in each group are needed to "
        "see a difference of 10 points, which is 0.2 of the base rate (50 %)."
    )


def test_with_too_much_spread_for_the_planned_difference_nothing_is_tested() -> None:
    rows = [*made("male", normal(0.5, 25, 1, sd=0.3)), *made("female", normal(0.4, 25, 2, sd=0.3))]
    (test,) = group_tests(rows, [SHARE])
    assert test.few
    assert test.power is not None
    assert test.power.n_for_planned == 143  # sd 0.3, difference 0.1: two-sided t, power 0.8
    assert "about 143 in each group are needed to see a difference of 10 points" in test.said
    (lengths,) = group_tests(
        [*made("male", normal(300, 25, 1, sd=40), "words"), *made("female", normal(310, 25, 2, sd=40), "words")],
        [WORDS],
    )
    assert not lengths.few
    assert lengths.planned == 50


def test_no_difference_is_said_only_after_an_equivalence_test() -> None:
    (alike,) = group_tests([*made("male", normal(0.5, 60, 1)), *made("female", normal(0.5, 60, 2))], [SHARE])
    assert alike.said.startswith("No difference beyond 10 points, which is 0.2 of the base rate (50 %) (equiv")
    assert alike.alike
    (unclear,) = group_tests(
        [*made("male", normal(0.5, 26, 1, sd=0.12)), *made("female", normal(0.44, 26, 2, sd=0.12))], [SHARE]
    )
    assert unclear.said.startswith("Not enough evidence of a difference, nor that there is none: to tell either")
    assert not unclear.alike


def rare(rate: float, count: int, sentences: int = 20) -> list[float]:
    """`count` letters of 20 sentences, of which this share counts: two each in a few letters, none in the others."""
    hits = round(rate * count * sentences)
    return [2 * (place < hits // 2) / sentences for place in range(count)]


def test_the_margin_of_a_rare_kind_is_half_of_its_rate_and_not_ten_points() -> None:
    """1 % against 3 % is three times as often; within ten points any two rare kinds would be “no difference”."""
    rows = [*made("male", rare(0.01, 40)), *made("female", rare(0.03, 40))]
    (test,) = group_tests(rows, [SHARE])
    assert test.base == pytest.approx(0.02)
    assert test.planned == pytest.approx(0.01)
    assert not test.alike
    assert "more in letters about “female”" in test.said
    (same,) = group_tests([*made("male", rare(0.02, 40)), *made("female", rare(0.02, 40))], [SHARE])
    assert not same.alike, "forty letters with a rate of 2 % cannot show that there is no difference"
    assert "1.0 points, which is 0.5 of the base rate (2.0 %)" in same.said
    (many,) = group_tests([*made("male", rare(0.02, 900)), *made("female", rare(0.02, 900))], [SHARE])
    assert many.alike


def test_what_nearly_every_sentence_has_is_measured_by_those_without_it() -> None:
    rows = [*made("male", [1 - x for x in rare(0.02, 40)]), *made("female", [1 - x for x in rare(0.02, 40)])]
    (test,) = group_tests(rows, [SHARE])
    assert test.planned == pytest.approx(0.01)
    assert "1.0 points, which is 0.5 of the base rate (2.0 % without it)" in test.said
    assert not test.alike


def test_the_headline_says_it_in_one_sentence() -> None:
    labels = {"male": "Male", "female": "Female"}
    differ = group_tests([*made("male", normal(0.5, 40, 1)), *made("female", normal(0.4, 30, 2))], [SHARE])
    assert headline(differ, labels) == (
        "Agentic: 50 % in letters about “Male”, 40 % about “Female” (95 % interval of the difference 5–15 points; "
        "n = 40 and 30). 1 figure was compared."
    )
    few = group_tests([*made("male", normal(0.5, 12, 1)), *made("female", normal(0.5, 9, 2))], [SHARE])
    assert headline(few, labels).startswith(
        "Too few letters to say whether the groups differ: there are 12 in “Male” and 9 in “Female”, and each group "
        "needs about "
    )
    assert few_said(few, labels) == ""
    assert few_said((*few, *differ), labels).startswith("Too few letters to compare Agentic: each group needs about ")
    alike = group_tests([*made("male", normal(0.5, 60, 1)), *made("female", normal(0.5, 60, 2))], [SHARE])
    assert headline(alike, labels).startswith("No figure differs between the groups by more than its margin")
    unclear = [*made("male", normal(0.5, 26, 1, sd=0.12)), *made("female", normal(0.44, 26, 2, sd=0.12))]
    assert headline(group_tests(unclear, [SHARE]), labels).startswith("There is not enough evidence of a difference")
    assert headline((), labels) == "There are not two groups with letters to compare."


def test_p_values_are_adjusted_over_all_figures_and_pairs() -> None:
    rows = []
    for group, mean in (("male", 0.50), ("female", 0.43), ("other", 0.47)):
        rows += made(group, normal(mean, 40, len(rows)))
    tests = group_tests(rows, [SHARE])
    assert [test.groups for test in tests] == [("male", "female"), ("male", "other"), ("female", "other")]
    smallest = min(tests, key=lambda test: test.p or 1.0)
    assert smallest.p_adjusted == pytest.approx(3 * (smallest.p or 0.0))
    assert smallest.adjust is not None
    assert smallest.adjust.family == "all figures of the pile, 3 tests"


def test_letters_about_one_person_are_one_candidate_and_copies_are_left_out() -> None:
    rows = made("male", [0.2, 0.4, 0.5], people=["Quint", "quint", "Field"])
    rows += made("female", [0.1, None])
    copy = PileRow("copy", "copy.txt", group="female", figures={"agentic": 0.9}, same_as="female0.txt")
    unread = PileRow("bad", "bad.txt", group="female", reason="“bad” is empty.")
    (test,) = group_tests([*rows, copy, unread], [SHARE])
    assert test.n_by_group == {"male": 2, "female": 1}
    assert test.means == (pytest.approx(0.4), pytest.approx(0.1))
    assert test.missing == 1


def test_one_group_alone_is_not_compared() -> None:
    assert group_tests(made("male", [0.1] * 30), [SHARE]) == ()
    assert compare_groups(JobContext(), made("", [0.1] * 30), [SHARE], Inline()) == ()  # type: ignore[arg-type]


def test_figures_that_do_not_vary_have_no_p_and_say_why() -> None:
    (test,) = group_tests([*made("male", [0.0] * 25), *made("female", [0.0] * 25)], [SHARE])
    assert test.p is None
    assert test.said == "There is nothing to test: no variation within the groups."


@pytest.mark.soak
def test_small_piles_without_a_difference_raise_few_false_alarms() -> None:
    """Shares as letters have them, 12 to 18 sentences and rarely one that counts: at most 5 % and the trials' error."""
    rng = np.random.default_rng(6)
    trials, alarms, tested = 160, 0, 0
    for _ in range(trials):
        sentences = rng.integers(12, 19, size=(2, FEWEST))
        shares = rng.binomial(sentences, 0.08) / sentences
        rows = [*made("male", list(shares[0])), *made("female", list(shares[1]))]
        (test,) = group_tests(rows, [SHARE])
        tested += not test.few
        alarms += test.p_adjusted is not None and test.p_adjusted <= 0.05
    assert tested > 0.9 * trials
    assert alarms / tested <= 0.05 + 2 * (0.05 * 0.95 / tested) ** 0.5


def test_no_difference_is_rarely_said_where_there_is_just_as_much_as_the_margin() -> None:
    """Rates of 5 and 3 %: 2 points apart, half of the 4 % between them."""
    rng = np.random.default_rng(8)
    trials, said = 400, 0
    for _ in range(trials):
        shares = rng.binomial(15, [[0.05], [0.03]], size=(2, 150)) / 15
        said += bool(base_rate_equivalence(shares[0], shares[1], PART).equivalent)
    assert said / trials <= 0.05 + 2 * (0.05 * 0.95 / trials) ** 0.5
