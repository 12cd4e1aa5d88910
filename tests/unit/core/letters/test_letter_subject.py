"""Doubts and private things of a clause that is about somebody or something else are no marks of the candidate's."""

import pytest

from biasprint.core.letters.marks import marks_of
from biasprint.core.letters.values import Sentence
from biasprint.core.swap import Person

DENISE = Person("Denise", "Okafor", "", "she")


def found(text: str, person: Person | None = DENISE) -> set[str]:
    return {mark.category for mark in marks_of([Sentence(0, 0, len(text), text, "body")], person)}


@pytest.mark.parametrize(
    ("says", "category"),
    [
        ("The pay here is adequate, no better, and I do not blame her for looking elsewhere.", "doubt"),
        ("The school hall has a decent stage and a leaking roof.", "doubt"),
        ("Some of our machines can be difficult to reach.", "doubt"),
        ("Our patients are poor, frail, and often diabetic.", "health"),
        ("My sommelier was in hospital for two months and she learned the cellar.", "health"),
        ("We treat stroke, amputations, burns.", "health"),
        ("Her patients were frail.", "health"),
        ("The facade is attractive and the client has asked for two more.", "appearance"),
        ("I was pregnant myself in that year.", "health"),
        ("She rebuilt the rota over loud objections from people twice her age.", "age"),
        ("I'm the team leader at the hospital.", "agentic"),
        ("They are out with the independent living team.", "agentic"),
        ("He began at the warm starters, then the fish.", "communal"),
    ],
)
def test_what_is_said_of_something_or_somebody_else_is_no_mark(says: str, category: str) -> None:
    assert category not in found(says)


@pytest.mark.parametrize(
    ("says", "category"),
    [
        ("Her work was adequate.", "doubt"),
        ("The work was adequate, and the reports were mediocre.", "doubt"),
        ("The results of the placement were mediocre.", "doubt"),
        ("We had some concerns.", "doubt"),
        ("There were several mistakes.", "doubt"),
        ("The pay is good but she was only adequate.", "doubt"),
        ("We never discussed it, but she is Orthodox.", "origin"),
        ("Her parents are both teachers.", "family"),
        ("Since the spring Denise has been in hospital twice.", "health"),
        ("Our receptionist is deaf, and Denise is frail.", "health"),
        ("She is the team leader at the hospital.", "agentic"),
    ],
)
def test_what_is_said_of_the_candidate_stays_marked(says: str, category: str) -> None:
    assert category in found(says)


def test_they_are_the_candidate_unless_the_candidate_is_he_or_she() -> None:
    assert "health" in found("The shift was long and they were frail.", Person("Denise", "Okafor", "", "they"))
    assert "health" not in found("Some of our people work late; they were frail.")
