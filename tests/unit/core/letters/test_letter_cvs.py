"""Which CV is whose, by the names of files alone."""

import time

import pytest

from biasprint.core.letters.pile.files import cvs_among, match_cvs, named_like_a_cv


@pytest.mark.parametrize(
    ("letter", "cv"),
    [
        ("Moreno_Kelly_letter.docx", "KellyMoreno-CV.pdf"),
        ("2024/spring/reference for José Núñez.docx", "jose nunez resume.pdf"),
        ("letter_0123.pdf", "cv_0123.pdf"),
        ("Smith 2 letter 2024.docx", "smith_2.pdf"),
        ("moreno.docx", "Kelly Moreno.pdf"),
        ("moreno letter 2024.docx", "moreno cv 2023.pdf"),
        ("moreno_by_field.docx", "moreno.pdf"),
        ("candidate 7/letter.docx", "candidate 7/CV.pdf"),
    ],
)
def test_names_that_tell_the_same_candidate_fit(letter: str, cv: str) -> None:
    found = match_cvs([letter], [cv, "Zoe Novak CV.pdf", "CV.pdf", "0999.pdf"])
    assert (found.by_letter, found.unclear) == ({letter: cv}, ())


@pytest.mark.parametrize(
    ("letter", "cv"),
    [
        ("spring/kelly.docx", "spring/thomas_cv.pdf"),
        ("letter.docx", "CV.pdf"),
        ("Anna Smith.docx", "Bob Smith.pdf"),
        ("letter 1.docx", "cv 2.pdf"),
        ("moreno 2024.docx", "field 2024.pdf"),
        ("physics 0001 letter.docx", "physics 0002 cv.pdf"),
    ],
)
def test_names_of_others_do_not_fit(letter: str, cv: str) -> None:
    assert match_cvs([letter], [cv]).by_letter == {}


def test_of_several_the_one_with_most_in_common_is_taken_and_of_equal_ones_none() -> None:
    cvs = ["Smith CV.pdf", "Anna Smith CV.pdf", "Smith Bob.pdf"]
    found = match_cvs(["anna smith letter.docx", "Smith.docx"], cvs)
    assert found.by_letter == {"anna smith letter.docx": "Anna Smith CV.pdf", "Smith.docx": "Smith CV.pdf"}
    two = match_cvs(["Smith.docx"], cvs[1:])
    assert (two.by_letter, two.unclear) == ({}, ("Smith.docx",))


def test_what_all_letters_share_tells_nothing() -> None:
    letters = [f"Acme printers {name}.docx" for name in ("kelly", "thomas", "zoe")]
    found = match_cvs(letters, ["acme.pdf", "Acme Kelly.pdf"])
    assert found.by_letter == {"Acme printers kelly.docx": "Acme Kelly.pdf"}


def test_a_cv_in_the_pile_is_told_by_its_name() -> None:
    assert named_like_a_cv("Kelly_CV.pdf")
    assert named_like_a_cv("cvs/kelly.pdf")
    assert named_like_a_cv("Résumé Kelly.docx")
    assert not named_like_a_cv("recovery.docx")
    found = cvs_among(["letters/kelly.docx", "cvs/kelly.pdf", "cvs/zoe.pdf", "letters/thomas.docx"])
    assert (found.by_letter, found.used) == ({"letters/kelly.docx": "cvs/kelly.pdf"}, {"cvs/kelly.pdf"})


def test_many_of_each_are_matched_without_looking_at_every_pair() -> None:
    letters = [f"faculty/anna{place} {'smith' if place % 2 else 'field'} letter.docx" for place in range(1_000)]
    cvs = [f"{'smith' if place % 2 else 'field'} anna {place} cv.pdf" for place in range(1_000)]
    begun = time.process_time()
    found = match_cvs([*letters, "faculty/bob.docx"], [*cvs, "bob.pdf"])
    assert found.by_letter["faculty/bob.docx"] == "bob.pdf"
    assert time.process_time() - begun < 5
