"""A letter: opened, a mark dismissed, a CV added, a Word file out."""

from pathlib import Path

import docx
import numpy as np
from person import NewPerson, Person, cut

LETTER = (
    "Dear committee,",
    "I recommend Emily Stone for the post of engineer. She is a warm and caring colleague, always helpful.",
    "She built the control system of our bridge in 2019 and led a team of four.",
    "Sincerely,",
    "John Field",
)
CV = ("Emily Stone", "Engineer, Field Bridges, 2016 to 2024", "Built the control system of the harbour bridge, 2019")
COLOURFUL = 40  # of 255, between a colour's strongest and weakest part: the underlines are, black letters are not


def write_word(file: Path, paragraphs: tuple[str, ...]) -> Path:
    document = docx.Document()
    for paragraph in paragraphs:
        document.add_paragraph(paragraph)
    document.save(str(file))
    return file


def is_marked(person: Person, word: str) -> bool:
    """Whether a coloured line stands below a word of the letter."""
    left, top, width, height = person.place_of(word, within="The letter")
    below = cut(person.picture(), (left, top + height - 8, width, 10)).astype(int)
    return bool(np.any((below.max(axis=2) - below.min(axis=2) > COLOURFUL).sum(axis=1) > width // 2))


def test_a_letter_is_opened_a_mark_dismissed_a_cv_added_and_a_word_file_saved(new_person: NewPerson) -> None:
    person = new_person()
    letter = write_word(person.folder / "Letter.docx", LETTER)
    cv, saved = write_word(person.folder / "CV.docx", CV), person.folder / "Checked.docx"
    person.start()
    person.click("Check a letter")
    person.click("Choose a file…")
    person.choose_file(letter)
    person.sees("Communal: 3 marks")
    assert is_marked(person, "caring")
    assert not is_marked(person, "colleague")

    person.click_word("caring", within="The letter")
    person.sees("Communal: “caring”")
    person.click("Dismiss")
    person.sees("Communal: 2 marks")
    assert not is_marked(person, "caring")
    assert is_marked(person, "warm")

    person.click("CV", role="page tab")
    person.click("Choose a file…", within="The CV")
    person.choose_file(cv)
    assert "harbour bridge" in person.find("The CV", role="text").text
    person.sees("entailment", seconds=60)  # every claim was looked up in the CV

    person.do("Save as Word, with changes and comments…")
    person.choose_file(saved)
    person.sees("Written to “Checked.docx”.")
    text = "\n".join(paragraph.text for paragraph in docx.Document(str(saved)).paragraphs)
    assert all(paragraph in text for paragraph in LETTER)
