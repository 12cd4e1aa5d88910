"""Facts of a letter beside those of a CV: another year, number, name or outcome is never supported."""

import time

import pytest

from biasprint.core.letters.support import support_of
from biasprint.core.letters.values import Sentence, Support
from biasprint.core.scorers import facts
from biasprint.core.swap import Person

STAND_IN = "entailment_minilm"
CV = """Nadia Brandt
Civil engineer

Employment
2017 – present  Senior engineer, Fellmoor Water, Kendal
  Inlet works of the Fellmoor treatment plant, 4.1 million pounds
  In charge of four sites and a staff of 21
  Handed over on 3 May 2024
2011 – 2017  Assistant engineer, Locke Partners, Derby

Education
MEng Civil Engineering, University of Sheffield, 2011

Chartered review: failed 2020, passed 2022
Second prize, Young Engineers' Award, 2015"""


def judged(claim: str, cv: str = CV) -> Support:
    (support,), _ = support_of([Sentence(0, 0, len(claim), claim, "body")], cv, STAND_IN, Person("Nadia", "Brandt"))
    return support


@pytest.mark.parametrize(
    ("claim", "reason"),
    [
        ("She has worked at Fellmoor Water as a senior engineer from June 2014.", "June 2014, CV says 2017"),
        (
            "The works of the Fellmoor treatment plant cost 9.8 million pounds.",
            "9.8 million pounds, CV says 4.1 million",
        ),
        ("The Fellmoor plant was handed over on 3 May 2021.", "3 May 2021, CV says 3 May 2024"),
        ("She is in charge of nine sites.", "nine sites, CV says four sites"),
        ("She built the outlet works of the Fellmoor treatment plant.", "outlet, CV says Inlet"),
        ("She passed her chartered review at the first attempt.", "at the first attempt, CV says failed 2020"),
        ("She won first prize at the Young Engineers' Award.", "first prize, CV says Second prize"),
        ("She holds a doctorate in civil engineering from Sheffield.", "doctorate, CV says MEng"),
        ("She failed her chartered review in 2021.", "2021, CV says 2020 and 2022"),
        ("She was senior engineer at Locke Partners until 2019.", "2019, CV says 2017"),
    ],
)
def test_another_fact_than_the_cv_has_is_never_supported(claim: str, reason: str) -> None:
    support = judged(claim)
    assert support.verdict == "unsupported"
    assert support.reason.startswith(f"Differs from the CV: {reason}")


@pytest.mark.parametrize(
    ("claim", "reason"),
    [
        ("She built the inlet works of the plant at Ullswater.", "Ullswater"),
        ("She holds a degree in civil engineering from Leeds.", "Leeds"),
    ],
)
def test_a_name_that_the_cv_lacks_is_said(claim: str, reason: str) -> None:
    support = judged(claim)
    assert (support.verdict, support.reason) == ("unsupported", f"Not in the CV: {reason}.")


@pytest.mark.parametrize(
    "claim",
    [
        "She has been with Fellmoor Water in Kendal since 2017.",
        "She built the inlet works of the Fellmoor treatment plant, a job of over four million pounds.",
        "She is in charge of 4 sites and twenty-one people.",
        "The plant was handed over in May 2024.",
        "Before that she was an assistant engineer at Locke Partners for six years.",
        "She passed her chartered review in 2022.",
        "She holds a master's degree in civil engineering from Sheffield.",
    ],
)
def test_the_same_fact_in_other_words_is_supported(claim: str) -> None:
    assert judged(claim).verdict == "grounded"


@pytest.mark.parametrize(
    "claim",
    [
        "I would employ her again.",
        "We would appoint them tomorrow.",
        "I would not want to lose her.",
        "I'd employ her.",
    ],
)
def test_what_the_writer_would_do_is_no_claim(claim: str) -> None:
    assert judged(claim).verdict == "not a claim"


def test_what_the_writer_would_report_is_a_claim() -> None:
    assert judged("I would add that she was in charge of nine sites.").verdict == "unsupported"


@pytest.mark.parametrize(
    ("claimed", "given", "differs"),
    [
        ("a kitchen of nine", "kitchen of 9, 64 covers", False),
        ("a kitchen of nineteen", "kitchen of 9, 64 covers", True),
        ("nineteen cases", "26 cases, 19 of them won", False),
        ("nine sites", "nine staff and four sites", True),  # the number is there, of something else
        ("about a third less", "falls down by 35 per cent", False),
        ("more than half less", "falls down by 35 per cent", True),
        ("three languages", "English, Dutch and Igbo", False),  # what is listed needs no number
        ("12 000 pounds", "£12,000 raised", False),
        ("12,000 pounds", "$12,000 raised", True),  # another currency
        ("a yacht of forty-two metres", "M/Y Halcyon (42 m)", False),
        ("for the better part of two decades", "1999–2017 Volunteer", False),
        ("for three decades", "1999–2017 Volunteer", True),
        ("150 hours a year", "90 hours a year", True),
        ("ninety hours a year", "90 hours a year", False),
        ("since 03/2015", "March 2015 – present", False),
        ("since April 2015", "March 2015 – present", True),
        ("in 2016", "2015–18", False),
        ("in 2019", "2015–18", True),
        ("in the mid-1950s", "shown in 1953 and 1955", False),
        ("she won the Tony Award", "a Tony in 1950", False),
        ("a show at the U.S. Embassy", "Embassy of the US, shows", False),
    ],
)
def test_numbers_are_compared_with_what_they_count(claimed: str, given: str, differs: bool) -> None:
    assert (facts.difference(given, claimed) is not None) == differs


@pytest.mark.parametrize(
    "text",
    ["", " \n ", "9" * 3_000, "2014 " * 3_000, "first " * 3_000, "£" * 3_000, "A" + " " * 3_000 + "b", "½ ² ٣ 三 😀",
     "2017-03-01", "99/2019", "half of half", "1/2/3/4/2015", "Prof. " * 500, "1,000,000,000,000,000,000,000 sites"],
)  # fmt: skip
def test_odd_texts_are_compared_in_bounded_time(text: str) -> None:
    began = time.process_time()
    for context, claim in ((text, "She ran nine sites in 2014."), (CV, text), (text, text)):
        facts.difference(context, claim)
    assert time.process_time() - began < 5


def test_what_a_text_says_never_differs_from_itself() -> None:
    for line in CV.split("\n"):
        assert facts.difference(CV, line) is None, line


def test_a_year_of_another_post_confirms_nothing() -> None:
    cv = "2014–2016 Nurse, Leeds\n2019–present Ward sister, Hull"
    assert facts.difference(cv, "She has been ward sister in Hull since 2014.") is not None
    assert facts.difference(cv, "She nursed in Leeds from 2014.") is None


def test_the_version_of_the_facts_is_with_the_verdicts() -> None:
    _, (use,) = support_of([Sentence(0, 0, 0, "She ran the night shift.", "body")], "2010 Nurse, Leeds", STAND_IN)
    assert facts.version() in use.version
