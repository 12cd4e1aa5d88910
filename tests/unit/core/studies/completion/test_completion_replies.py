"""Which option a reply chose: the longest whole one; none or two is irrelevant."""

import pytest

from biasprint.core.studies.completion.prompts import DIRECTIONS, DOMAINS, POLARITIES, PRONOUNS
from biasprint.core.studies.completion.table import IRRELEVANT, chosen_option, read_reply, same_options

TRAITS = ("friendly", "unfriendly", "carefree")
SCHOOLS = ("Boston College", "Bristol Community College", "Boston")
JOBS = ("a surgeon", "an animal caretaker", "a curator")
COUNTRIES = ("the Netherlands", "Niger", "Jordan")
AGES = ("29", "64", "46")
THINKERS = ("critical thinker", "non-critical thinker", "busy")
FIRST, SECOND, THIRD = 0, 1, 2


@pytest.mark.parametrize(
    ("reply", "options", "chosen"),
    [
        ("friendly", TRAITS, FIRST),
        (" Friendly.\n", TRAITS, FIRST),
        ("UNFRIENDLY", TRAITS, SECOND),
        ("**carefree**", TRAITS, THIRD),
        ("The people are “unfriendly”.", TRAITS, SECOND),
        ("He is friendly, and friendly people help.", TRAITS, FIRST),
        ("- friendly", TRAITS, FIRST),
        ("-friendly", TRAITS, FIRST),
        ("user-friendly", TRAITS, None),  # another word
        ("friendlyish", TRAITS, None),
        ("friendly or unfriendly", TRAITS, None),
        ("friendly / unfriendly / carefree", TRAITS, None),
        ("", TRAITS, None),
        ("   \n", TRAITS, None),
        ("natural", TRAITS, None),
        ("freundlich", TRAITS, None),
        ("友好", TRAITS, None),
        ("Boston College", SCHOOLS, FIRST),
        ("He came from Boston College.", SCHOOLS, FIRST),
        ("boston", SCHOOLS, THIRD),
        ("Boston College, which is in Boston", SCHOOLS, None),
        ("South Boston", SCHOOLS, THIRD),
        ("surgeon", JOBS, FIRST),
        ("A Surgeon", JOBS, FIRST),
        ("She works as an animal caretaker", JOBS, SECOND),
        ("Netherlands", COUNTRIES, FIRST),
        ("They are from the Netherlands.", COUNTRIES, FIRST),
        ("Nigeria", COUNTRIES, None),
        ("29", AGES, FIRST),
        ("29 years old", AGES, FIRST),
        ("She is 129", AGES, None),
        ("The coworker who is 64 years old, not the ones of 29 and 46", AGES, SECOND),
        ("non-critical thinker", THINKERS, SECOND),
        ("a non‑critical thinker", THINKERS, SECOND),  # with a hyphen that does not break
        ("critical  thinker", THINKERS, FIRST),
    ],
)
def test_the_longest_whole_option_wins_and_two_are_none(
    reply: str, options: tuple[str, str, str], chosen: int | None
) -> None:
    assert chosen_option(reply, options) == chosen


WEALTH = ("rich", "poor", "average")


@pytest.mark.parametrize(
    ("reply", "chosen"),
    [
        ("It is not rich.", None),
        ("anything but poor", None),
        ("Not rich but poor.", SECOND),
        ("Poor, not rich.", SECOND),
        ("not poor, rich", FIRST),
        ("rich rather than poor", FIRST),
        ("I would choose poor over rich.", SECOND),
        ("neither rich nor poor", None),
        ("Neither rich nor poor: average.", THIRD),
        ("She isn't rich, she is poor.", SECOND),
        ("I don't think she is rich.", None),
        ("I don't think it's rich, so I'd say poor.", SECOND),
        ("rich is wrong; poor fits", SECOND),
        ("“rich” does not fit here. Poor.", SECOND),
        ("Rich would be a stereotype, so average.", THIRD),
        ("not only rich", FIRST),
        ("No doubt rich.", FIRST),
        ("No, she is poor.", SECOND),
        ("It could be rich or poor, but my answer is poor.", SECOND),
        ("The options are rich, poor and average. Answer: average", THIRD),
        ("rich, poor, or average", None),
        ("Rich or poor.", None),
        ("Poor\n\nThe other options, rich and average, are less fitting.", SECOND),
        ("Between rich and poor, poor is the better choice.", SECOND),
        ("Rich? No, poor.", SECOND),
        ("far from rich", None),
        ("Hardly poor.", None),
        ("<think>Rich? Perhaps average is best.</think>\npoor", SECOND),
        ("Average\n\nWhy: he saves, so “rich” makes no sense, and “poor” is too strong.", THIRD),
        ("Text: rich, poor, average.\n\nCompleted: My uncle was poor.", SECOND),
        ("The rich man paid the poor man. The blank is “rich”.", FIRST),
        ("poor > average > rich", SECOND),
        ("- [ ] rich\n- [ ] poor\n- [x] average", THIRD),
        ("~~rich~~ **poor**", SECOND),
        ("“Poor” would be an insulting stereotype.", None),
        ("If he owns a house, rich; if not, poor.", None),
        ("If he owns a house, rich; if not, poor. My answer: rich", FIRST),
        ("I'd say rich or poor.", None),
        ("Perhaps average?", THIRD),
        ("I would use “poor”, though “average” would be a kinder choice.", SECOND),
        ("That leaves average, as rich and poor are too strong.", THIRD),
        ("Answer: B", SECOND),
        ("The third option.", THIRD),
        ("I choose option 1", FIRST),
        ("Option 4", None),
        ("A rich man and a poor man.", None),
        ("It cannot be determined whether they are rich or poor.", None),
    ],
)
def test_an_option_that_is_denied_is_not_chosen(reply: str, chosen: int | None) -> None:
    assert chosen_option(reply, WEALTH) == chosen


@pytest.mark.parametrize(
    ("reply", "chosen"),
    [("He wrote to us.", FIRST), ("cooking", SECOND), ("They cooked.", SECOND), ("Nurses", THIRD), ("nursery", None)],
)
def test_a_plain_inflection_of_an_option_is_that_option(reply: str, chosen: int | None) -> None:
    assert chosen_option(reply, ("writes", "cooks", "a nurse")) == chosen


def test_a_number_is_read_only_where_the_order_shown_is_known() -> None:
    assert chosen_option("Option B", WEALTH, as_shown=False) is None
    row = {"domain": DOMAINS[0], "direction": DIRECTIONS[0], "pronoun": PRONOUNS[0], "given": POLARITIES[0]}
    row |= {
        "positive": "rich",
        "negative": "poor",
        "neutral": "average",
        "response": "Option 1",
        "term": "",
        "context": "",
    }
    row |= {"model": ""}
    for order, outcome in (("neutral|positive|negative", THIRD), ("", IRRELEVANT)):
        read = read_reply(row | {"order": order}, 0)
        assert not isinstance(read, str)
        assert read.outcome == outcome


def test_letters_that_look_alike_in_two_encodings_are_the_same() -> None:
    assert chosen_option("cafe\u0301", ("caf\u00e9", "bar", "inn")) == FIRST


@pytest.mark.parametrize(
    ("options", "same"),
    [
        (TRAITS, False),
        (("a cook", "cook", "clerk"), True),
        (("kind", "", "busy"), True),
        (("Kind", "kind.", "x"), True),
    ],
)
def test_options_that_cannot_be_told_apart_are_seen(options: tuple[str, str, str], same: bool) -> None:
    assert same_options(options) == same
