"""The note to a letter's writer: one page, before and after with reasons, and nothing that was put aside."""

import io
import re
from pathlib import Path

import pytest
from docx import Document as WordDocument
from pdfminer.high_level import extract_text
from pdfminer.pdfpage import PDFPage

from biasprint.core import language
from biasprint.core.errors import UsageError
from biasprint.core.letters.categories import categories
from biasprint.core.letters.reading import read_letter
from biasprint.core.letters.report import changes_made, suggestions_left, write_note, write_report
from biasprint.core.letters.report.full import full_report
from biasprint.core.letters.request import HouseEntry, HouseList, ReadingRequest
from biasprint.core.letters.values import Document, Reading
from biasprint.core.report.blocks import Cell, ReportParagraph, ReportTable, Run, in_language, runs_of
from biasprint.core.report.pdf import pdf_bytes
from biasprint.core.text import sha256_text

TEXT = (
    "Dear Committee,",
    "I have known Dr. Kelly Moreno for four years. She is a 34-year-old mother of two and a very warm colleague. She "
    "seems to be reliable. She has recovered from cancer.",
    "She is a female engineer who led the move of the archive. She somewhat exceeded what we asked. She was bossy at "
    "first. I recommend her.",
    "Sincerely,",
    "Jonas Field",
)
OPENED = Document("Moreno final.docx", "docx", TEXT)
EDITED = Document(
    OPENED.name,
    "docx",
    tuple(one.replace("a 34-year-old mother of two and ", "").replace("seems to be", "is") for one in TEXT),
)


@pytest.fixture(scope="module")
def reading() -> Reading:
    return read_letter(EDITED, ReadingRequest({}))


def plain(cell: Cell) -> str:
    return "".join(run.text for run in runs_of(cell))


def bold(cell: Cell) -> str:
    return "".join(run.text for run in runs_of(cell) if run.bold)


def rows_of(path: Path) -> list[list[str]]:
    """The rows of a docx's tables, without the headers."""
    return [[cell.text for cell in row.cells] for table in WordDocument(str(path)).tables for row in table.rows[1:]]


def pages_of(data: bytes) -> list[str]:
    count = sum(1 for _ in PDFPage.get_pages(io.BytesIO(data)))
    return [" ".join(extract_text(io.BytesIO(data), page_numbers=[one]).split()) for one in range(count)]


def test_changes_are_told_before_and_after_with_the_reason_of_the_mark_they_mend(reading: Reading) -> None:
    family, doubt = changes_made(OPENED, reading, None)
    assert plain(family.before) == "“She is a 34-year-old mother of two and a very warm colleague.”"
    assert plain(family.after) == "“She is a very warm colleague.”"
    assert family.reason.startswith("It is private")
    assert (bold(doubt.before), bold(doubt.after)) == ("seems to be", "is")
    assert (plain(doubt.before), plain(doubt.after)) == ("“She seems to be reliable.”", "“She is reliable.”")
    assert doubt.reason.startswith("Plain instead of weakened.")


def test_what_was_changed_without_a_mark_has_no_reason_and_what_came_or_went_is_said() -> None:
    before = Document("l.txt", "txt", ("She led the archive. She left in May.", "Yours,"))
    after = Document("l.txt", "txt", ("She led the archive.", "Yours,", "Ann"))
    rows = changes_made(before, read_letter(after, ReadingRequest({})), None)
    assert [(plain(row.before), plain(row.after), row.reason) for row in rows] == [
        ("“She left in May.”", "(left out)", ""),
        ("“Yours,”", "“Yours, Ann”", ""),
    ]


def test_suggestions_stand_by_weight_and_as_the_sentence_would_read(reading: Reading) -> None:
    rows = suggestions_left(reading, ())
    assert [(plain(row.before), plain(row.after)) for row in rows] == [
        ("“She has recovered from cancer.”", "Leave the sentence out"),
        ("“She is a female engineer who led the …”", "“She is an engineer who led the …”"),
        ("“She was bossy at first.”", "Leave it out."),
        ("“She somewhat exceeded what we …”", "“She exceeded what we …”"),
    ]
    assert all(row.reason for row in rows)
    assert [bold(row.before) for row in rows][:3] == ["She has recovered from cancer.", "a female engineer", "bossy"]


def test_what_was_put_aside_and_what_the_house_list_ignores_is_in_neither_list(reading: Reading) -> None:
    bossy = next(mark for mark in reading.marks if mark.words == "bossy")
    key = bossy.key(reading.sentence(bossy.sentence).text)
    assert not any("bossy" in plain(row.before) for row in suggestions_left(reading, [key]))
    house = HouseList((HouseEntry("seems", "ignore", None, "we say so"), HouseEntry("somewhat", "ignore", None, "")))
    strict = read_letter(EDITED, ReadingRequest({}, house=house))
    assert not any("somewhat" in plain(row.before) for row in suggestions_left(strict, ()))
    assert [row.reason for row in changes_made(OPENED, strict, house)][1] == ""


def test_words_that_the_house_list_always_marks_have_its_reason_and_no_studys() -> None:
    house = HouseList((HouseEntry("deliveries", "mark", "doubt", "name what was delivered"),))
    letter = Document("letter.txt", "txt", ("Kelly was on time for deliveries.",))
    read = read_letter(letter, ReadingRequest({}, house=house))
    (row,) = (row for row in suggestions_left(read, ()) if "deliveries" in plain(row.before))
    assert (row.after, row.reason) == ("", "name what was delivered")
    told = " ".join(map(str, full_report(read, None, None, "today", 0, edited=False)))
    assert "house list: name what was delivered" in told
    assert categories()["doubt"].known_for not in told


def test_the_note_is_one_page_with_the_files_name_and_that_it_was_edited(tmp_path: Path, reading: Reading) -> None:
    path = tmp_path / "note.pdf"
    write_note(path, reading, original=OPENED)
    (page,) = pages_of(path.read_bytes())
    for words in (
        "A note on your letter for Kelly Moreno",
        "Moreno final.docx, edited since it was opened",
        "Changed already",
        "To consider",
        "“She is reliable.”",
        "Leave the sentence out",
    ):
        assert words in page, words
    for name in ("SHA-256", "Biasprint 0"):
        assert name not in page
    write_note(path, reading, original=EDITED)
    (page,) = pages_of(path.read_bytes())
    assert "as it was opened" in page
    assert "Changed already" not in page


def test_versions_and_hashes_stand_on_a_page_of_their_own_where_they_are_asked_for(
    tmp_path: Path, reading: Reading
) -> None:
    path = tmp_path / "note.pdf"
    write_note(path, reading, original=OPENED, appendix=True)
    first, second = pages_of(path.read_bytes())
    assert "SHA-256" not in first
    hashes = "".join(second.split())  # a hash may go on in the next line
    assert sha256_text(OPENED.text) in hashes
    assert sha256_text(EDITED.text) in hashes
    assert reading.versions["marks"] in second


def test_however_much_there_is_to_say_the_note_is_one_page_and_tells_what_it_leaves_out(tmp_path: Path) -> None:
    many = Document("l.docx", "docx", tuple(f"{TEXT[2]} {TEXT[1]} Room {one}." for one in range(6)))
    was = Document("l.docx", "docx", tuple(one.replace("exceeded", "met") for one in many.paragraphs))
    read = read_letter(many, ReadingRequest({}))
    total = len(changes_made(was, read, None)) + len(suggestions_left(read, ()))
    for ending in ("pdf", "docx"):
        write_note(tmp_path / f"note.{ending}", read, original=was)
    (page,) = pages_of((tmp_path / "note.pdf").read_bytes())
    told = len(rows_of(tmp_path / "note.docx"))
    assert f"Not on this page: {total - told:,} more." in page
    assert told >= 10
    assert "To consider" in page, "the changes leave room for suggestions"


def test_a_letter_with_nothing_to_say_of_it_and_one_that_was_not_read_give_a_note_too(tmp_path: Path) -> None:
    path = tmp_path / "note.pdf"
    plain = "I have known Ann Ray for four years. She led the archive and wrote the catalogue that we use today. "
    write_note(path, read_letter(Document("l.txt", "txt", (plain * 3,)), ReadingRequest({})))
    assert "o place asks for a second look" in pages_of(path.read_bytes())[0]
    german = "Sehr geehrte Damen und Herren, ich habe mit Frau Moreno vier Jahre in der Werkstatt gearbeitet, und sie "
    write_note(
        path,
        read_letter(
            Document("l.txt", "txt", (f"{german}ist eine zuverlässige Kollegin, die immer gern hilft.",)),
            ReadingRequest({}),
        ),
    )
    assert "This seems to be German." in pages_of(path.read_bytes())[0]
    with pytest.raises(UsageError, match=r"A report is a \.pdf or a \.docx file"):
        write_note(tmp_path / "note.txt", read_letter(OPENED, ReadingRequest({})))


def test_the_full_report_leaves_out_what_was_put_aside_and_says_so(tmp_path: Path, reading: Reading) -> None:
    bossy = next(mark for mark in reading.marks if mark.words == "bossy")
    path = tmp_path / "report.pdf"
    write_report(path, reading, original=OPENED, dismissed=[bossy.key(reading.sentence(bossy.sentence).text)])
    text = " ".join(pages_of(path.read_bytes()))
    assert "1 mark put aside by whoever read the letter" in text
    assert "“bossy”" not in text
    assert "Moreno final.docx, edited since it was opened" in text


def test_words_stay_whole_at_the_end_of_a_line() -> None:
    """Written run by run, a marked word was broken where it met the margin: “agr/eeable”."""
    marked = [
        ReportParagraph((Run("a " * many), Run("agreeable", category="communal", tag="communal"), Run(" colleague")))
        for many in range(30, 65)
    ]
    words = " ".join(pages_of(pdf_bytes(marked, "T"))).split()
    assert words.count("agreeable") == len(marked)
    assert words.count("colleague") == len(marked)


def test_no_page_of_the_full_report_is_left_blank_but_for_its_last(tmp_path: Path) -> None:
    """The methods began a page of their own: of this letter one page held a single word, and nothing else."""
    said = (
        "She is a warm and caring colleague who tries hard.", "She seems to be reliable.",
        "She led the move of the archive to Lyon.", "I have known Kelly Moreno for four years.",
        "She somewhat exceeded what we asked.", "The report was written in May and read by all.",
    )  # fmt: skip
    body = (" ".join(said[(one + more) % 6] for more in range(3 + one % 3)) for one in range(20))
    letter = Document("l.txt", "txt", ("Dear all,", *body, "Sincerely,", "Jo Field"))
    cv = Document("cv.txt", "txt", ("She led the archive.",))
    path = tmp_path / "report.pdf"
    for context in (None, cv):
        write_report(path, read_letter(letter, ReadingRequest({}, context=context)))
        *whole, _ = pages_of(path.read_bytes())
        assert min(len(page.split()) for page in whole) > 100


def test_nothing_in_a_letter_is_read_as_mark_up() -> None:
    odd = r"She led **all** -- and __more__ ~~than~~ [this](that) {nb} \\**x"
    table = ReportTable(("A", "B"), ((odd, (Run("She "), Run("led", bold=True))),), (0.7, 0.3))
    text = " ".join(pages_of(pdf_bytes([table, ReportParagraph((Run(odd),))], "T")))
    assert text.count(odd) == 2
    assert "She led" in text.replace(odd, "")
    assert "1 / 1" in text


def test_a_sentence_has_a_hint_once() -> None:
    twice = Document(
        "l.txt", "txt", ("I have known Ann Ray for four years. She is married with two kids and still finds the time.",)
    )
    rows = suggestions_left(read_letter(twice, ReadingRequest({})), ())
    told = [row.reason for row in rows if row.after == "Leave it out."]
    assert any("private" in reason for reason in told)
    assert len(told) == len(set(told))


def test_a_letter_s_own_words_stay_as_they_are_in_a_german_report_and_note(tmp_path: Path, reading: Reading) -> None:
    language.choose("de")
    made = in_language(full_report(reading, None, None, "30 November 2026", 0, edited=False))
    said = ["".join(run.text for run in block.runs) for block in made if isinstance(block, ReportParagraph)]
    assert "30. November 2026" in said[0]
    assert [paragraph for paragraph in EDITED.paragraphs if paragraph not in said] == []
    write_note(tmp_path / "note.docx", reading)
    before, after, why = next(row for row in rows_of(tmp_path / "note.docx") if "somewhat" in row[0])
    assert before == "“She somewhat exceeded what we …”"
    assert "exceeded" in after
    assert not re.search(r"\b(the|and|it|of)\b", why)
