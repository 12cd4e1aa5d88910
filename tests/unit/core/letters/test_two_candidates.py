"""A letter about two candidates is read, and swapped, for one of them."""

import pytest

from biasprint.core.letters import ReadingRequest, candidate_called, candidate_of, read_pasted
from biasprint.core.letters.reading import read_letter
from biasprint.core.letters.twins import read_with_twin, twin_text
from biasprint.core.swap import Person
from biasprint.core.swap.guess import guess
from biasprint.core.swap.told import SEVERAL_UNNAMED, several_said

LETTER = """To the committee,

I am glad to recommend Peter Novak and Laura Stein, who finished their degrees with us this year. Peter is a brilliant
analyst, and his thesis won a prize. Laura is a caring and helpful colleague; she runs our tutorials. Always patient,
Laura explains twice. Peter writes fast, while Laura checks her figures. Both are ambitious.

Sincerely,
Ann Berg"""


def marked(name: str) -> set[str]:
    document = read_pasted(LETTER)
    person = candidate_called(document, name) if name else None
    return {mark.words for mark in read_letter(document, ReadingRequest(person=person)).marks}


def test_nobody_is_credited_with_the_others_praise() -> None:
    assert {"brilliant", "ambitious"} <= marked("Peter Novak")
    assert not {"caring", "helpful"} & marked("Peter Novak")
    assert {"caring", "helpful", "ambitious"} <= marked("Laura Stein")
    assert "brilliant" not in marked("Laura Stein")


def test_the_letter_says_that_it_recommends_two_and_whom_it_is_read_for() -> None:
    reading = read_letter(read_pasted(LETTER), ReadingRequest())
    assert [person.full_name for person in reading.beside] == ["Laura Stein"]
    assert [suspicion.what for suspicion in reading.suspicions] == ["candidates"]
    assert reading.suspicions[0].said.endswith("It is read for Peter Novak alone.")
    assert candidate_of(read_pasted(LETTER)).pronoun == "he"
    laura = candidate_called(read_pasted(LETTER), "Laura Stein")
    assert laura.pronoun == "she"
    chosen = read_letter(read_pasted(LETTER), ReadingRequest(person=laura))
    assert chosen.suspicions[0].said.endswith("It is read for Laura Stein alone.")


def test_the_twin_is_of_the_chosen_one_alone() -> None:
    made = twin_text(read_pasted(LETTER), ("Laura Stein", ""), Person("Tom", "Reed", "", "he"))
    text = " ".join(made.twin.text.split())
    assert "recommend Peter Novak and Tom Reed" in text
    assert "Peter is a brilliant analyst, and his thesis" in text
    assert "Tom is a caring and helpful colleague; he runs" in text
    assert "Peter writes fast, while Tom checks his figures" in text
    assert made.remarks == ()


def test_of_two_candidates_of_one_gender_the_others_pronoun_stays() -> None:
    letter = "I recommend Anna Weiss and Laura Stein. Anna teaches well. Laura said that she helps her. Laura left."
    twin = twin_text(read_pasted(letter), ("Laura Stein", "she"), Person("Tom", "Reed", "", "he")).twin
    listed = {change.old for change in twin.left_alone}
    assert "her" in listed
    assert "Anna Weiss and Tom Reed" in twin.text


@pytest.mark.parametrize(
    "letter",
    [
        "I recommend Ann Weber. Her colleague Tom Hill praises her. Tom Hill leads our team.",
        "I recommend Ann Weber and her work. Tom Hill supervised Ann; Tom Hill is kind.",
        "On behalf of Tom Hill I recommend Ann Weber. Tom Hill taught her, and Ann sang.",
        "I recommend Ann Weber, and Tom Hill agrees. Tom Hill taught her.",
    ],
)
def test_who_stands_beside_the_candidate_is_no_second_one(letter: str) -> None:
    assert guess(letter).beside == ()


@pytest.mark.parametrize(
    "body",
    [
        "I recommend both of our residents for the post. She is the better surgeon, and he is the better teacher.",
        "Two of my students apply. The first is quick and she writes well. The second never gives up.",
        "My two assistants apply for your post. One of them led the project, and she did it well.",
        "I write for the two candidates from our ward. She came in 2019. He came in 2020.",
        "I am glad to recommend the applicant and her colleague, who apply together. She is brilliant.",
    ],
)
def test_two_candidates_that_are_not_named_are_said_before_and_with_the_twin(body: str) -> None:
    letter = read_pasted(f"Dear Committee,\n\n{body}\n\nSincerely,\nJonas Field")
    assert SEVERAL_UNNAMED in [suspicion.said for suspicion in read_letter(letter, ReadingRequest()).suspicions]
    twin = read_with_twin(letter, Person("Daniel", "Hill", "", "he"), ReadingRequest())
    assert SEVERAL_UNNAMED in twin.findings


@pytest.mark.parametrize(
    "says",
    ["I recommend two of our nurses, Ann Hill and Eve Berg.", "I recommend the brothers Jon and Eli Stern."],
)
def test_two_of_whom_one_is_found_are_said(says: str) -> None:
    assert "more than one person, and is read as if for Ann Hill alone" in several_said(says, Person("Ann", "Hill"), ())


@pytest.mark.parametrize(
    "sentence",
    [
        "I recommend her to both of you.",
        "I recommend her both for her skill and her warmth.",
        "Both of our residents praised her.",
        "She led two teams, and both applied the method.",
    ],
)
def test_two_others_are_no_candidates(sentence: str) -> None:
    assert several_said(sentence, Person(), ()) == ""
