"""Categories whose marks are too often wrong: no person is shown a number of them, reports say how many are right."""

import re
from pathlib import Path

import pytest

from biasprint.core.cli.letter_output import letter_json, tell_letter
from biasprint.core.letters.categories import categories, precisions, uncounted
from biasprint.core.letters.files import read_pasted
from biasprint.core.letters.occupations import guess_occupation
from biasprint.core.letters.pile import PileRow, kind_written, kinds_written, look_written
from biasprint.core.letters.reading import read_letter
from biasprint.core.letters.report import write_note, write_report
from biasprint.core.letters.report.full import full_report
from biasprint.core.letters.request import ReadingRequest
from biasprint.core.letters.values import CATEGORIES, Reading
from biasprint.core.report.blocks import ReportParagraph

FIGURES = Path(__file__).parents[4] / "docs" / "explanation" / "letter-marks.md"
LETTER = (
    "Dear Committee,\n\nI write about Kelly Moreno. She led the studio for six years. She is a mother of two, and her "
    "husband works nearby. Her reports were adequate. She is 52 years old. She may become a good manager.\n\nSincerely,"
    "\nA. Reader"
)
NAMES = {"grindstone": "hard-working", "personal_life": "personal life"}


@pytest.fixture(scope="module")
def reading() -> Reading:
    return read_letter(read_pasted(LETTER), ReadingRequest())


def test_one_rule_says_which_categories_are_not_counted() -> None:
    assert uncounted() == ("doubt", "personal_life", "gender", "age")
    assert sum(one.right for one in precisions().values()) == 298
    assert sum(one.judged for one in precisions().values()) == 357


@pytest.mark.parametrize("key", CATEGORIES)
def test_the_published_table_says_what_the_program_shows(key: str) -> None:
    one = precisions()[key]  # type: ignore[index]
    shown = "may be worth a look" if one.uncounted else "with a count"
    row = rf"\| {NAMES.get(key, key)} \| {one.right} of {one.judged} \| {one.right / one.judged:.2f} \| .*? \| {shown} "
    assert re.search(row, FIGURES.read_text("utf-8"))


def test_the_command_line_has_words_in_place_of_the_number(
    reading: Reading, capsys: pytest.CaptureFixture[str]
) -> None:
    assert {"doubt", "age", "family"} <= {mark.category for mark in reading.marks}
    tell_letter(reading, "", guess_occupation(LETTER, reading.parts, reading.person), None)
    told = capsys.readouterr().out
    assert "Doubt-raising, may be worth a look: “" in told
    assert "In test letters 28 of 38 such marks were right (58 to 85 %)." in told
    assert re.search(r"Family \(\d\): “", told)
    assert not re.search(r"(Doubt-raising|Age|Gender|Personal life)( \(\d|\s+\d)", told)


def test_json_keeps_every_mark_and_names_the_categories(reading: Reading) -> None:
    found = letter_json(reading, "", guess_occupation(LETTER, reading.parts, reading.person), None)
    assert found["uncounted"] == ["doubt", "personal_life", "gender", "age"]
    assert len(found["marks"]) == len(reading.marks)
    assert "doubt" in {figure["name"] for figure in found["figures"]}


def test_the_full_report_says_how_many_such_marks_are_right(reading: Reading, tmp_path: Path) -> None:
    blocks = list(full_report(reading, None, None, "now", 0, edited=False))
    titles = [block.runs[0].text for block in blocks if isinstance(block, ReportParagraph)]
    assert "Doubt-raising, may be worth a look: " in titles
    assert any(title.startswith("Family, ") and "place" in title for title in titles)
    told = ["".join(run.text for run in block.runs) for block in blocks if isinstance(block, ReportParagraph)]
    assert any(categories()["doubt"].precision.said in text for text in told)
    write_report(tmp_path / "report.pdf", reading)
    write_note(tmp_path / "note.pdf", reading)


def test_a_pile_counts_the_others_alone() -> None:
    row = PileRow("a.txt", "a.txt", marks={"doubt": 2, "family": 3, "ability": 9})
    assert look_written(row) == "3 + maybe"
    assert look_written(PileRow("a.txt", "a.txt", marks={"age": 1})) == "maybe"
    assert look_written(PileRow("a.txt", "a.txt", marks={"ability": 1})) == "0"
    assert look_written(PileRow("a.txt", "a.txt", reason="A picture.")) == ""
    assert [kind_written(kind) for kind in ("doubt", "family")] == ["doubt (may be worth a look)", "family"]
    row = PileRow("a", "a", figures={"words": 1.0}, marks={"doubt": 2, "family": 3, "age": 1, "health": 1})
    assert kinds_written(row, str.upper) == "FAMILY 3, HEALTH 1; may be worth a look: AGE, DOUBT"
