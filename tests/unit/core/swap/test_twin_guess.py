"""Whom a letter is about: the name and the pronoun guessed from its text."""

import pytest

from biasprint.core.letters.values import Part
from biasprint.core.swap import Person
from biasprint.core.swap.engine import swap
from biasprint.core.swap.guess import guess, guess_person

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


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Two hours later Priya Raman had found it. She listens.", "Priya Raman"),
        (
            "I have had the pleasure of managing Margaret Ellison. It was Margaret who rewrote the rota.",
            "Margaret Ellison",
        ),
        ("You asked me about Tomás Herrera, who drove for us. His wife is a midwife.", "Tomás Herrera"),
        ("This letter concerns Oluwaseun Adebayo, whom I supervised for three years.", "Oluwaseun Adebayo"),
        ("Between 2018 and 2021 I had Elena Popescu on my staff. She ran the terrace.", "Elena Popescu"),
        ("I support the application of Wei Zhang. Mr Collins, our director, agrees.", "Wei Zhang"),
        ("To help us out we found Tove Mattsson. She knew dogs. Herr Lind told my husband so.", "Tove Mattsson"),
        (
            "This confirms that Lindiwe Khoza was our clerk. Driver Paul Rees helped a guest.",
            "Lindiwe Khoza",
        ),
        (
            "Just ask Min-ah Seo. I sent her our filings. Our attorney, Bill Rasmussen, agreed.",
            "Min-ah Seo",
        ),
        ("I am to describe one, Tito Quispe Mamani. He guides. A judge named Pat Lowell fell.", "Tito Quispe Mamani"),
        ("Re Odile Marchand for your opening. Odile hired well. She left us in May.", "Odile Marchand"),
        ("Subject: Service record, Anders Vik\n\nMr. Vik was with us from 2014 on.", "Anders Vik"),
        ("REFERENCE – TOBY MARSH\n\nToby learned his trade with us. Toby is steady.", "Toby Marsh"),
        ("Dr. Yun-ah Cho is our best fellow. She came in 2016 and ran the unit in Lyon.", "Yun-ah Cho"),
        ("Nguyễn Thị Lan came to us in May. Lan asked where the flour was, and Lan found it.", "Nguyễn Thị Lan"),
        (
            "I have been asked to write for María del Carmen Ibáñez Rojo. My husband Walter was ill, and Carmen came "
            "every day. Walter liked her. She kept notes.",
            "María del Carmen Ibáñez Rojo",
        ),
        (
            "Dominic, our manager, knew. Will Sandoval was on my team. Dominic hired Will, and Will left.",
            "Will Sandoval",
        ),
        ("Yusuf ibn Khalid al-Harbi drove for us. Mr al-Harbi never complained.", "Yusuf ibn Khalid al-Harbi"),
        ("The desk was kept by Thaddeus “Buck” O’Shea. Buck was early. Buck is kind.", "Thaddeus “Buck” O’Shea"),
        ("REFERENCE: Mr W. Baker\n\nDear Sir,\n\nMr\nBaker has been our caretaker.", "W. Baker"),
        ("Thank you for your call about Milena. She taught Oscar to swim. We miss Milena.", "Milena"),
    ],
)
def test_a_name_in_ordinary_prose_is_found_where_no_sentence_begins_with_it(text: str, name: str) -> None:
    assert guess_person(text).full_name == name


@pytest.mark.parametrize(
    "text",
    [
        "The candidate worked in San Francisco. She ran the payroll, and Mr Collins, our director, relied on her.",
        "Professor Ann Lee, who examined the thesis, called it brilliant. The applicant taught at Oxford University.",
        "They handled Microsoft Excel and Adobe Photoshop with ease. They looked after the Manchester branch.",
        "Before that she was at Lloyds Bank. I recommend her without hesitation.",
        "She can cook Omani and Indian dishes, and she taught my daughter Maha to bake.",
        "You have the name on the form, and it is to be kept off this page. Connie Petrakis, my supervisor, wept.",
        "I write of the candidate. It took Sjoerd two days; Sjoerd is our programmer. The candidate needed one.",
    ],
)
def test_places_houses_and_people_beside_the_candidate_are_not_taken_for_the_candidate(text: str) -> None:
    assert guess_person(text).full_name == ""


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


@pytest.mark.parametrize(
    ("text", "pronoun"),
    [
        ("Thembi Dlamini ran the desk. A professor wrote that the welcome was the best of his stay.", ""),
        ("Ashley Reed came to us from Wales. They had a method, and they kept it. Ashley gave him the book. "
         "They wrote the guide.", "they"),
        ("I support Mx. Ash Nakamura. They teach well. They won us over. When one of us was on leave, they taught her "
         "class. They are kind.", "they"),
        ("I recommend Ms. Osei. There was a father who had threatened others; she met him, and he calmed down.", "she"),
    ],
)  # fmt: skip
def test_what_is_said_of_others_is_not_the_candidates_pronoun(text: str, pronoun: str) -> None:
    assert guess_person(text).pronoun == pronoun


@pytest.mark.parametrize(
    ("letter", "twin"),
    [
        (
            "I recommend Dr. Thomas José García Moreno. Dr. García Moreno came to us from Madrid. García Moreno's work "
            "is known. Thomas José is kind. Dr. Moreno leads. He left. T. J. García Moreno wrote. His colleague José "
            "García is here.",
            "I recommend Dr. Anna Berg. Dr. Berg came to us from Madrid. Berg's work is known. Anna is kind. Dr. Berg "
            "leads. She left. A. Berg wrote. Her colleague José García is here.",
        ),
        (
            "I recommend Carter Min-jun. Carter Min-jun's sister works here. Mr. Carter leads. He left.",
            "I recommend Anna Berg. Anna Berg's sister works here. Ms. Berg leads. She left.",
        ),
    ],
)
def test_two_family_names_and_a_family_name_first_are_swapped_whole(letter: str, twin: str) -> None:
    person = guess_person(letter)
    assert swap(letter, person, Person("Anna", "Berg", "", "she")).text == twin
