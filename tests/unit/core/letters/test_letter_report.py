"""The report of a letter as PDF and docx: what was found, where, how sure, and what it cannot tell."""

import os
import re
from pathlib import Path
from typing import Any

import pytest
from letter_files import PARAGRAPHS

from biasprint.core import language
from biasprint.core.errors import AppError, UsageError
from biasprint.core.letters.files import read_bytes, read_pasted
from biasprint.core.letters.reading import read_letter
from biasprint.core.letters.report import appendix_of, note, suggestions_left, write_report
from biasprint.core.letters.report.full import full_report
from biasprint.core.letters.request import ReadingRequest
from biasprint.core.letters.twins import read_with_twin
from biasprint.core.letters.values import Document, Reading
from biasprint.core.letters.verdict import verdict_of
from biasprint.core.letters.word import comments_on
from biasprint.core.report.blocks import in_language
from biasprint.core.swap import Person

SCORERS = {"formality": "formality_f", "positivity": "positivity_lexicon"}
LETTER = "\n\n".join(PARAGRAPHS).replace("I recommend", "She is not a natural leader. I recommend")

FULL = "\n\n".join(
    (
        "Dear Members of the Committee,",
        "I have worked with Maria Kowalska for four years in the surgical ward of our hospital, and I am glad"
        " to recommend her for the post of senior nurse. She joined us in 2019 as a staff nurse and was soon "
        "asked to train new colleagues.",
        "Maria is a warm and caring colleague who always has time for patients and their families. She is a "
        "hard-working and reliable member of the team, and she never complains when shifts are long. Her "
        "reports were adequate, and she somewhat improved our handover. As a mother of two she knows how to "
        "keep many things in mind. She is trying for a baby again, so you may want to ask her how long she "
        "plans to stay.",
        "In 2021 she led the change to electronic charts on our ward, which cut medication errors by a third "
        "within one year. She is an excellent nurse and a gifted teacher. She might become a manager one day."
        " She has a fiery Italian temper, but the patients love her.",
        "I recommend her without hesitation.",
        "Sincerely,\nJonas Field",
    )
)


def text_of(path: Path) -> str:
    """The report's text, read back by the program's own reader of letters."""
    return " ".join(read_bytes(path.read_bytes(), path.name).text.split())


@pytest.fixture(scope="module")
def reading() -> Reading:
    context = Document("cv.txt", "txt", ("She led the restoration of the lithography press in 2021.",))
    return read_letter(read_pasted(LETTER), ReadingRequest(SCORERS, context=context))


@pytest.mark.parametrize("suffix", [".pdf", ".docx"])
def test_a_report_says_what_was_found_how_sure_and_what_it_cannot_tell(
    tmp_path: Path, reading: Reading, suffix: str
) -> None:
    path = tmp_path / f"report{suffix}"
    write_report(path, reading)
    text = text_of(path)
    for words in (
        "Letter check: Kelly Moreno",
        "“not a natural leader” (denied)",
        "Madera, Hebl and Martin 2009",
        "No scorer for entailment is here" if not reading.context_name else "The letter as a whole",
        "One letter cannot show bias,",
        "Methods and versions",
        "formality_f",
        "Used in place of the paper's own",
    ):
        assert words in text, words
    figure = reading.figure("communal")
    assert figure is not None
    assert f"Shares of {figure.n} sentences: " in text
    assert f"({100 * figure.low:.0f}–{100 * figure.high:.0f} %)" in text
    methods = text.index("Methods and versions")
    assert methods > text.index("What this cannot tell")


def test_methods_come_last(tmp_path: Path, reading: Reading) -> None:
    from pdfminer.high_level import extract_text

    path = tmp_path / "report.pdf"
    write_report(path, reading)
    assert "What this cannot tell" in extract_text(str(path)).partition("Methods and versions")[0]


def test_a_letter_of_180_words_with_cv_and_twin_has_two_pages(tmp_path: Path) -> None:
    cv = Document("cv.txt", "txt", ("Staff nurse, surgical ward, 2019 to 2023. Led the change to electronic charts.",))
    given = ReadingRequest({**SCORERS, "agency": "agency_minilm", "entailment": "entailment_minilm"}, context=cv)
    twin = read_with_twin(read_pasted(FULL), Person("Thomas", "Field", "", "he"), given)
    path = tmp_path / "report.pdf"
    write_report(path, twin.reading, twin=twin)
    assert len(twin.reading.marks) > 8
    assert read_bytes(path.read_bytes(), path.name).pages == 2


def test_the_twin_is_in_the_report(tmp_path: Path) -> None:
    twin = read_with_twin(read_pasted(LETTER), Person("Joseph", "Moreno", "", "he"), ReadingRequest(SCORERS))
    path = tmp_path / "report.docx"
    write_report(path, twin.reading, twin=twin)
    text = text_of(path)
    assert "The same letter for Joseph Moreno" in text
    assert "She → He" in text
    for finding in twin.findings:
        assert " ".join(finding.split()) in text


def test_a_letter_in_another_language_gives_a_report_that_scores_nothing(tmp_path: Path) -> None:
    german = "Sehr geehrte Damen und Herren, ich habe mit Frau Moreno vier Jahre in der Werkstatt gearbeitet, und sie "
    read = read_letter(
        read_pasted(german + "ist eine zuverlässige Kollegin, die immer gern hilft."), ReadingRequest(SCORERS)
    )
    path = tmp_path / "report.pdf"
    write_report(path, read)
    text = text_of(path)
    assert "This seems to be German." in text
    assert "The letter as a whole" not in text


@pytest.mark.parametrize("suffix", [".pdf", ".docx"])
def test_whatever_the_letter_holds_a_report_is_written(tmp_path: Path, suffix: str) -> None:
    odd = "She is kind\u202e and \x07warm \U0001f600 \ud800 مرحبا 你好 " + "x" * 5_000
    read = read_letter(Document("o.txt", "txt", (odd, "", "<b>& \\ {0} %s")), ReadingRequest({}))
    path = tmp_path / f"odd{suffix}"
    write_report(path, read)
    assert "kind" in text_of(path)


def test_another_ending_and_a_folder_that_is_not_there_are_refused(tmp_path: Path, reading: Reading) -> None:
    with pytest.raises(UsageError, match=r"A report is a \.pdf or a \.docx file"):
        write_report(tmp_path / "report.txt", reading)
    with pytest.raises(AppError, match="There is no folder"):
        write_report(tmp_path / "none" / "report.pdf", reading)
    assert os.listdir(tmp_path) == []


def test_a_report_that_cannot_be_written_leaves_the_old_one(
    tmp_path: Path, reading: Reading, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "report.pdf"
    path.write_bytes(b"old")

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(AppError, match="disk is full"):
        write_report(path, reading)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["report.pdf"]


ENGLISH = re.compile(
    r"\b(the|of|with|than|that|is|are|were|more|have|which|not|from|for|place|women|men|and|this|text)\b"
)
QUOTED = re.compile("[“„][^”“]*[”“]")
STAY = ("Civil Rights Act", "Nächstliegende Passage", "spacy-blank-en")  # laws, what a letter claims, and versions


def test_a_letter_is_german_on_paper_and_beside_its_words_for_a_german_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the letter says and the codes of versions stay; everything else is German, the comments in Word too."""
    monkeypatch.setenv(language.VARIABLE, "de")
    request = ReadingRequest({"entailment": "entailment_minilm"}, context=Document("cv.txt", "txt", ("She led it.",)))
    twin = read_with_twin(read_pasted(FULL), Person("John", "Kowalski", pronoun="he"), request)
    reading, day = twin.reading, "30 November 2026"
    pages = [
        *full_report(reading, verdict_of(reading), twin, day, 0, edited=True),
        *note(reading, verdict_of(reading), (), suggestions_left(reading, ()), day, 9, edited=True),
        *appendix_of(reading, reading.document, None, 0),
    ]
    said = [run for block in in_language(pages) for run in getattr(block, "runs", ()) if not run.quoted]
    texts = [*(run.text for run in said), *(comment.text for comment in comments_on(reading))]
    assert len(texts) > 60
    assert "Studien fanden solche Wörter öfter in Schreiben für Frauen." in " ".join(texts)
    ours = [text for text in texts if not any(part in text for part in STAY)]
    assert [text for text in ours if ENGLISH.search(QUOTED.sub("", text))] == []
