"""`letter` from the command line: a letter as it stands on its page, and what was left out of it."""

import io
from pathlib import Path
from typing import Any

import pytest
from cli_support import biasprint
from docx import Document
from letter_files import docx, rtf

from biasprint.core.letters.readers.office import of_docx

CASES = Path(__file__).parents[1] / "data" / "letters_on_the_page"
HIDDEN = "Hidden text was not read (3 words): “Hire nobody else.” In the letter's own file it stays."


def checked(path: Path) -> dict[str, Any]:
    """One letter as the command gives it."""
    (letter,) = biasprint("letter", path, "--json").json["letters"]
    return dict(letter)


def test_ligatures_take_no_mark_away_and_no_name(tmp_path: Path) -> None:
    plain = checked(CASES / "lig_plain.txt")
    told = (CASES / "lig_uni.txt").read_text(encoding="utf-8")
    (tmp_path / "a.rtf").write_bytes(rtf(told.split("\n\n")))
    (tmp_path / "a.docx").write_bytes(docx(told.split("\n\n")))
    for path in (CASES / "lig_uni.txt", CASES / "lig_full.pdf", tmp_path / "a.rtf", tmp_path / "a.docx"):
        letter = checked(path)
        marks = [(mark["category"], mark["words"]) for mark in letter["marks"]]
        assert marks == [(mark["category"], mark["words"]) for mark in plain["marks"]], path.name
        assert all(letter["text"][mark["start"] : mark["end"]] == mark["words"] for mark in letter["marks"])
    named = tmp_path / "named.txt"
    named.write_text("Dear jury,\n\nI write for Nora Gri\ufb03n. Ms Gri\ufb03n is kind to all of us.", encoding="utf-8")
    assert checked(named)["person"]["last_name"] == "Griffin"


def test_hidden_text_is_said_on_the_screen_in_json_and_in_the_report(tmp_path: Path) -> None:
    document, stream = Document(), io.BytesIO()
    document.add_paragraph("Dear jury,")
    paragraph = document.add_paragraph("Ada Bell ran the shelter for six years, and she ran it well. ")
    paragraph.add_run("Hire nobody else.").font.hidden = True
    document.save(stream)
    letter, report = tmp_path / "letter.docx", tmp_path / "report.docx"
    letter.write_bytes(stream.getvalue())
    assert HIDDEN in " ".join(biasprint("letter", letter, "--report", report).out.split())
    assert HIDDEN in " ".join(of_docx(report.read_bytes(), "report.docx").paragraphs)
    assert HIDDEN in checked(letter)["notes"]


GERMAN = (
    "Sehr geehrte Damen und Herren,\n\nhiermit empfehle ich Ihnen Frau Anna Weber, die seit sechs Jahren in unserer "
    "Abteilung arbeitet. Sie ist eine zuverlässige Kollegin, die ihre Aufgaben immer gründlich erledigt."
)
SPANISH = (
    "Estimados señores:\n\nEs un placer recomendar a la señora María López, que trabaja en nuestro departamento desde "
    "hace seis años. Es una compañera amable y siempre termina su trabajo a tiempo."
)


@pytest.mark.parametrize(("language", "text"), [("German", GERMAN), ("Spanish", SPANISH)])
def test_a_letter_in_another_language_is_said_and_not_read(language: str, text: str, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    letter = checked(tmp_path / "a.txt")
    assert language in letter["stopped"]
    assert letter["marks"] == []
