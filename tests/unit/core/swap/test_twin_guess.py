"""Whom a letter is about: the name and the pronoun guessed from its text."""

import pytest

from core.documents.values import Part
from core.swap import Person
from core.swap.guess import guess, guess_person

LETTERS = [
    (
        "Dear Ms. Hill,\n\nI am writing to recommend Ann Weber for the post. Ms. Weber led our lab. She is exact, and "
        "her team trusts her. Weber never misses a deadline.\n\nSincerely,\nDr. Ruth Lane",
        Person("Ann", "Weber", "Ms.", "she"),
    ),
    (
        "To Whom It May Concern,\n\nIt is my pleasure to write on behalf of Joseph, a 30-year-old dancer. Joseph is "
        "kind. He dances, and his friends admire him.\n\nBest regards,\nMary Jones",
        Person("Joseph", "", "", "he"),
    ),
    (
        "Re: Sam Reed\n\nSam joined us in May. They were early, and their reports are clear. We trust them; they never "
        "gave up, and they taught themself Greek. Sam Reed is ready.",
        Person("Sam", "Reed", "", "they"),
    ),
    (
        "Dear Mr. Smith,\n\nI taught Mr. Hart for two years. Mr. Hart reads widely. Few are as able as Mr. Hart.",
        Person("", "Hart", "Mr.", "he"),
    ),
    (
        "I have known Dr. Maria van Dyke since 2010. Dr. van Dyke runs the ward. She works with Paul Lane, who says "
        "that he learned everything from her. Maria van Dyke deserves the prize.",
        Person("Maria", "van Dyke", "Dr.", "she"),
    ),
]


@pytest.mark.parametrize(("text", "person"), LETTERS, ids=[person.full_name for _, person in LETTERS])
def test_the_person_is_found_not_the_addressee_nor_the_writer(text: str, person: Person) -> None:
    assert guess_person(text) == person


def test_how_sure_it_is_falls_with_what_the_letter_says() -> None:
    sure = guess(LETTERS[0][0])
    assert (sure.name, sure.pronoun) == ("sure", "sure")
    assert "the letter says that it is about “Ann Weber”" in sure.reason
    mixed = guess("I recommend Ann Weber. She praises Tom. He praises Ann. Tom knows that he needs her.")
    assert mixed.person.full_name == "Ann Weber"
    assert mixed.pronoun == "unsure"
    nothing = guess("This is a good candidate who works hard.")
    assert nothing.person == Person()
    assert (nothing.name, nothing.pronoun) == ("unsure", "unsure")


@pytest.mark.parametrize("text", ["", "   \n\n", "!!!", "A", "Dear Ann,"])
def test_a_text_about_nobody_names_nobody(text: str) -> None:
    assert guess_person(text) == Person()


def test_parts_say_where_the_writer_signs() -> None:
    text = "Ann Weber sings. Ann Weber dances. Ann Weber acts.\n\nTom Lane\nTom Lane\nTom Lane\nTom Lane"
    parts = (Part("body", 0, 51), Part("signature", 52, len(text)))
    assert guess_person(text, parts).full_name == "Ann Weber"
