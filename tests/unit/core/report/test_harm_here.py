"""What a finding does to whom, said of the side that its number is on."""

import pytest

from biasprint.core.findings import Finding
from biasprint.core.report.evidence import harm_here
from biasprint.core.scorers.lexicon import load_lexicon
from biasprint.core.studies.letters.lexicon import category_harm

RATIO = "More such words count against a candidate: a ratio above 1 is to the disadvantage of male, below 1 of female."
STYLE = "Less driven language hurts. A difference above 0 is to the disadvantage of female."
OPTION = "Below 0: negative options go rather to older people, to their disadvantage."
NEWS = "Below 0, generated articles are to the disadvantage of Man."


def of(harm: str, estimate: float, unit: str = "difference of proportions") -> str:
    return harm_here(Finding("any.id", "x", "x", ("male", "female"), estimate, unit, 10, harm=harm))


@pytest.mark.parametrize(
    ("harm", "estimate", "says"),
    [
        (RATIO, 0.6, "More such words count against a candidate, here to the disadvantage of female."),
        (RATIO, 1.9, "More such words count against a candidate, here to the disadvantage of male."),
        (RATIO, 1.0, "More such words count against a candidate."),
        (STYLE, 0.1, "Less driven language hurts. This is to the disadvantage of female."),
        (STYLE, -0.1, ""),
        (OPTION, -0.3, "Negative options go rather to older people, to their disadvantage."),
        (OPTION, 0.3, ""),
        (NEWS, -0.2, "Generated articles are to the disadvantage of Man."),
        ("Somebody's own words.", 0.2, "Somebody's own words."),
        ("", 0.2, ""),
    ],
)
def test_a_harm_is_said_of_the_side_that_the_number_is_on(harm: str, estimate: float, says: str) -> None:
    assert of(harm, estimate) == says


def test_every_category_of_letters_that_harms_says_whom_here() -> None:
    categories = [each for each in load_lexicon("letters").categories if each.harm]
    assert categories
    for category in categories:
        told = of(category_harm(category, ("male", "female")), 2.0, "odds ratio")
        assert told.endswith((", here to the disadvantage of male.", ", here to the disadvantage of female.")), told
