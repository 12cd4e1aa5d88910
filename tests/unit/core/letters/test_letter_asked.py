"""“Would you have written this of him?”: which sentences of a letter are asked about, and what is warned of."""

from dataclasses import replace

import pytest

from biasprint.core.letters.files import read_pasted
from biasprint.core.letters.reading import read_letter
from biasprint.core.letters.request import HouseEntry, HouseList, ReadingRequest
from biasprint.core.letters.twins import asked_sentences, read_with_twin, without_dismissed
from biasprint.core.letters.values import TwinDifference
from biasprint.core.swap import Person
from biasprint.core.swap.name_groups import name_group, named_in

KELLY, THOMAS = Person("Kelly", "Moreno", "", "she"), Person("Thomas", "Moreno", "", "he")
REST = (
    "We have worked together for four years in the same kitchen, and I recommend {} to every kitchen that has a post."
)


def twin(sentence: str, person: Person = KELLY, other: Person = THOMAS) -> TwinDifference:
    letter = read_pasted(f"{sentence} {REST.format('her' if person.pronoun == 'she' else 'him')}")
    return read_with_twin(letter, other, ReadingRequest({}, person=person))


@pytest.mark.parametrize(
    ("sentence", "word"),
    [
        ("She has a lovely smile.", "smile"),
        ("Although she has two small children, she came early.", "children"),
        ("She is motherly to the trainees.", "motherly"),
        ("Kelly is bubbly and quick.", "bubbly"),
        ("She is always a sweet colleague.", "sweet"),
        ("Kelly's charming and affable personality won the street.", "charming"),
    ],
)
def test_what_is_said_of_the_person_is_asked_about(sentence: str, word: str) -> None:
    found = twin(sentence)
    (asked,) = found.asked
    assert asked.sentence == 0
    assert any(word in one for one in asked.words)
    assert asked.why
    assert found.question.startswith("Would you have written this of him? 1 sentence names")


@pytest.mark.parametrize(
    "sentence",
    [
        "She led the kitchen and never missed a delivery.",
        "Her beautiful paintings hang in the hall.",
        "The lovely old building is hers to run.",
        "She makes sweet and savoury dishes.",
        "Kelly's works often feature beautiful broad strokes.",
    ],
)
def test_what_is_said_of_the_work_is_not(sentence: str) -> None:
    found = twin(sentence)
    assert found.asked == ()
    assert found.question.startswith("No sentences name gender, looks or family, or have words said mostly of women.")


def test_a_passage_that_a_model_marked_says_so() -> None:
    found = twin("She has a lovely smile.")
    (smile,) = found.asked[0].marks
    marked = replace(found.reading, marks=(replace(smile, passage=True),))
    assert found.twin is not None
    (asked,) = asked_sentences(marked, {0: 0}, found.twin, found.other)
    assert asked.why == "marked for appearance (a model's reading)"
    assert found.asked[0].why == "marked for appearance"


def test_a_mark_that_was_put_aside_asks_nothing() -> None:
    found = twin("She is dainty, has a lovely smile and two small children.")
    (asked,) = found.asked
    own = found.reading.sentence(0).text
    assert asked.said_of == ("dainty",)
    smile, *rest = asked.marks
    (left,) = without_dismissed(found, {smile.key(own)}).asked
    assert left.marks == tuple(rest)
    assert not any("smile" in word for word in left.words)
    assert "appearance" not in left.why
    (words_only,) = without_dismissed(found, {mark.key(own) for mark in asked.marks}).asked
    assert words_only.words == ("dainty",)
    assert without_dismissed(found, ()) is found


def test_where_every_mark_was_put_aside_nothing_is_asked() -> None:
    found = twin("She has a lovely smile. She is a kind and caring colleague.")
    own = found.reading
    assert "more" in found.question
    aside = {mark.key(own.sentence(mark.sentence).text) for mark in own.marks}
    left = without_dismissed(found, aside)
    assert left.asked == ()
    assert left.question == "No sentences name gender, looks or family, or have words said mostly of women."


def test_what_the_house_list_ignores_asks_nothing() -> None:
    ignored = HouseList((HouseEntry("smile", "ignore"), HouseEntry("dainty", "ignore", "communal")))
    text = f"She is dainty and has a lovely smile. {REST.format('her')}"
    found = read_with_twin(read_pasted(text), THOMAS, ReadingRequest({}, person=KELLY, house=ignored))
    assert found.asked == ()


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("Her husband cooks too.", "“husband” became “wife”, so that the couple reads as before"),
        ("Her husband, Mark, cooks too.", "“husband” stays, because the letter says more of this partner"),
    ],
)
def test_what_became_of_a_couple_is_said(sentence: str, said: str) -> None:
    assert any(said in one for one in twin(sentence).findings)
    same_gender = twin(sentence, other=named_in(name_group("white"), KELLY))
    assert not any("husband" in one for one in same_gender.findings)


def test_a_couple_changes_in_letter_and_cv_or_in_neither() -> None:
    letter = read_pasted(f"Her husband cooks too. {REST.format('her')}")
    for cv, partner in (("She trained in Bern.", "wife"), ("Her husband, Mark, cooks.", "husband")):
        found = read_with_twin(letter, THOMAS, ReadingRequest({}, person=KELLY, context=read_pasted(cv)))
        assert found.twin_reading.document.text.startswith(f"His {partner} cooks too.")


def test_under_another_name_alone_only_origin_is_asked_about() -> None:
    found = twin("She is surprisingly articulate, and has a lovely smile.", other=named_in(name_group("white"), KELLY))
    (asked,) = found.asked
    assert {mark.category for mark in asked.marks} == {"origin"}
    assert found.question == "Would you have written this of Emily Walsh? 1 sentence is marked for origin."
    assert any("Bertrand and Mullainathan" in one and "nothing about who bears it" in one for one in found.findings)


def test_a_twin_whose_name_contradicts_its_pronoun_is_warned_of() -> None:
    mixed = twin("She led the kitchen.", other=Person("Jamal", "Moreno", "", "she"))
    assert any("The twin is called Jamal" in one for one in mixed.findings)
    assert not any("is called" in one for one in twin("She led the kitchen.").findings)


def test_a_name_that_stays_in_the_twin_is_said() -> None:
    quoted = twin("She led the kitchen, and guests ask for “Kelly” by name.")
    assert any("“Kelly” stays in 1 place" in one for one in quoted.findings)
    katherine = Person("Katherine", "Moreno", "", "she")
    short = twin("Katherine Moreno led the kitchen. Kate is steady, and her sister Beth is too.", katherine)
    assert any("“Kate” stays" in one for one in short.findings)
    assert not any("Beth" in one for one in short.findings)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("I recommend Jamal Carter. She led the team, and I trust her. Her reports are clear.", "mostly a name of men"),
        (
            "I recommend Sam Carter. She led the team. He is kind. She came early, and he left late.",
            "both “he” and “she”",
        ),
    ],
)
def test_a_letter_that_contradicts_itself_about_the_candidate_is_warned_of(text: str, said: str) -> None:
    assert any(said in one.said for one in read_letter(read_pasted(text), ReadingRequest({})).suspicions)
    sure = read_letter(
        read_pasted(text.replace("She", "He").replace("her", "him").replace("Her", "His")), ReadingRequest({})
    )
    assert not any(one.what == "candidate" for one in sure.suspicions)
    by_hand = read_letter(read_pasted(text), ReadingRequest({}, person=Person("Jamal", "Carter", "", "she")))
    assert not any(one.what == "candidate" for one in by_hand.suspicions)
