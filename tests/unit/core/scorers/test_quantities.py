"""Numbers as letters tell them, and what a CV holds: lengths of its spans of years, lists of years."""

import pytest

from biasprint.core.scorers.entailment_minilm import Quantity, held, told


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("a crew of forty-two", 42),
        ("a hundred and fifty drivers", 150),
        ("twelve thousand three hundred children", 12_300),
        ("EUR 1.9 m", 1_900_000),
        ("12,300 children", 12_300),
        ("champions twice", 2),
        ("half a dozen prizes", 6),
        ("a fifth of the power", 20),
        ("in March 04/2015", 2015),
    ],
)
def test_a_number_in_digits_and_in_words(text: str, number: float) -> None:
    assert told(text) == (Quantity(number, number),)


@pytest.mark.parametrize(
    ("text", "meant", "not_meant"),
    [
        ("more than a hundred and fifty drivers", 160, 149),
        ("nearly seventy thousand miles", 68_000, 71_000),
        ("some forty acres", 38, 11),
        ("thirty-odd cars", 32, 40),
        ("for about two decades", 19, 12),
        ("in 2013", 2013, 2012),
    ],
)
def test_how_a_number_is_meant(text: str, meant: float, not_meant: float) -> None:
    (quantity,) = told(text)
    assert quantity.low <= meant <= quantity.high
    assert not quantity.low <= not_meant <= quantity.high


def test_one_of_the_best_counts_nothing() -> None:
    assert told("one of the best nurses, once") == ()
    assert told("") == ()


CV = [
    "2010–2014 Electrician",
    "2014–2020 Shift leader, crew of 8",
    "2020 – present Supervisor",
    "Prizes 2011, 2015, 2022",
]


@pytest.mark.parametrize(
    ("text", "is_held"),
    [
        ("He led shifts for six years.", True),
        ("He was there for ten years.", True),  # two spans, one after the other
        ("He has been a supervisor for three years.", True),  # the latest year that is told is 2022
        ("He has been a supervisor for thirty years.", False),
        ("He has won three prizes.", True),
        ("A crew of six.", False),  # six years are no six people
        ("In 2015 he won.", True),
        ("In 2016 he won.", False),
    ],
)
def test_what_a_cv_holds(text: str, is_held: bool) -> None:
    (quantity,) = told(text)
    assert quantity.among(held(CV)) == is_held


@pytest.mark.parametrize("text", ["1," * 30_000, "9" * 10_000, "one hundred " * 5_000, "2010–" * 5_000, "٣ ½ ²"])
def test_odd_numbers_raise_nothing(text: str) -> None:
    told(text)
    held([text])
