"""The parts of a letter, found and set by hand; and what is no letter."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from letter_files import PARAGRAPHS

from biasprint.core.letters.files import read_pasted
from biasprint.core.letters.parts import lines_of, parts_of, suspicions
from biasprint.core.letters.request import with_kind
from biasprint.core.letters.values import Document, Part

BODY = (
    "I have worked with Kelly Moreno for four years at the print studio, and I can recommend her without reservation.",
    "She led the restoration of the press. Her prints were shown in three solo exhibitions in this city and abroad.",
)
HEAD = "Print Studio\n12 Mill Lane\nLeeds LS1 4AB\nTel: 0113 555 0100"


def kinds(*paragraphs: str) -> list[tuple[str, str]]:
    document = Document("a", "pasted", paragraphs)
    return [(part.kind, document.text[part.start : part.end]) for part in parts_of(document)]


def test_a_letter_falls_into_its_parts() -> None:
    found = kinds(
        HEAD, "3 May 2021", "Re: Kelly Moreno", "Dear Committee,", *BODY, "Kind regards,", "Dr. Jonas Field\nHead"
    )
    assert [kind for kind, _ in found] == ["letterhead", "salutation", "body", "closing", "signature"]
    assert found[0][1] == f"{HEAD}\n\n3 May 2021\n\nRe: Kelly Moreno"
    assert found[2][1] == "\n\n".join(BODY)
    assert found[4][1] == "Dr. Jonas Field\nHead"


def test_a_letter_without_greeting_and_closing_has_a_body_and_perhaps_a_name() -> None:
    assert kinds(*BODY) == [("body", "\n\n".join(BODY))]
    assert kinds("Letter of Recommendation", *BODY, "Jonas Field")[0][0] == "letterhead"
    assert kinds("Letter of Recommendation", *BODY, "Jonas Field")[-1] == ("signature", "Jonas Field")


def test_words_of_a_closing_within_the_text_end_nothing() -> None:
    body = "Respectfully, I disagree with those who call her work slight; it is the best that this town has ever seen."
    assert [kind for kind, _ in kinds("Dear all,", body, *BODY, "Sincerely,", "J. F.")] == [
        "salutation", "body", "closing", "signature",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "quoted",
    [
        "> Led the studio 2019 to 2021\n> Taught in Lyon",
        "From her CV:\n- Led the studio, 2019 to 2021\n- Taught in Lyon",
        "Experience\n- Led the studio, 2019 to 2021\n- Taught in Lyon\n- Prints shown in Leeds",
    ],
)
def test_what_was_quoted_from_a_cv_is_set_apart(quoted: str) -> None:
    found = kinds("Dear Committee,", BODY[0], quoted, BODY[1], "Sincerely,", "Jonas Field")
    assert ("quoted_cv", quoted) in found
    assert [kind for kind, _ in found].count("body") == 2


def test_a_person_can_set_a_part() -> None:
    document = Document("a", "pasted", ("Dear all,", *BODY, "Sincerely,", "J. F."))
    parts = parts_of(document)
    first = lines_of(document)[1]
    changed = with_kind(parts, first.start, first.end, "letterhead")
    assert [part.kind for part in changed] == ["salutation", "letterhead", "body", "closing", "signature"]
    back = with_kind(changed, first.start, first.end, "body")
    assert [part.kind for part in back] == [part.kind for part in parts]


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\n\r"), min_size=1, max_size=120), min_size=1))
def test_parts_cover_every_line_in_order_whatever_the_text(paragraphs: list[str]) -> None:
    document = Document("a", "pasted", tuple(paragraphs))
    parts = parts_of(document)
    assert all(one.end <= other.start for one, other in pairwise(parts))
    for line in lines_of(document):
        assert document.text[line.start : line.end] == line.text
        assert sum(part.start <= line.start and line.end <= part.end for part in parts) == 1


def said_of(*paragraphs: str) -> dict[str, str]:
    document = Document("a", "pasted", paragraphs)
    return {one.what: one.said for one in suspicions(document, parts_of(document))}


CV = (
    "Kelly Moreno", "Education\nBA Fine Art, Leeds, 2012", "Experience\nPrint Studio, 2015 to 2021\nTaught in Lyon",
    "Awards\nNational prize for graphic art", "Languages\nEnglish, French", "References\nOn request",
)  # fmt: skip


def test_a_letter_raises_no_suspicion() -> None:
    assert said_of(*PARAGRAPHS) == {}


def test_a_cv_in_place_of_the_letter_is_said() -> None:
    assert set(said_of(*CV)) == {"cv", "too short"}


def test_two_letters_in_one_file_are_said() -> None:
    letter = ("Dear Committee,", *BODY, "Sincerely,", "Jonas Field")
    assert set(said_of(*letter, *letter)) == {"two letters"}


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (
            "Sehr geehrte Damen und Herren, ich habe mit Frau Moreno vier Jahre in der Werkstatt gearbeitet, und sie "
            "ist eine sehr zuverlässige Kollegin, die immer gern hilft und die wir nur ungern gehen lassen.",
            "German",
        ),
        (
            "Madame, Monsieur, j’ai travaillé avec Kelly Moreno pendant quatre ans dans cet atelier, et elle est une "
            "collègue très chaleureuse qui aide toujours les autres ; je la recommande vivement pour ce poste.",
            "French",
        ),
    ],
)
def test_another_language_is_named_and_stops_the_reading(text: str, language: str) -> None:
    document = read_pasted(text)
    found = suspicions(document, parts_of(document))
    assert found[0].what == "language"
    assert found[0].stops
    assert language in found[0].said


def test_parts_are_frozen_values() -> None:
    assert parts_of(Document("a", "pasted", BODY)) == (Part("body", 0, len("\n\n".join(BODY))),)
