"""Piles that are kept: gone on with on another day, by one window at a time, and reported as somebody left them."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from inline_compute import Inline
from letter_files import PARAGRAPHS, docx, txt

from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.letters.files import read_bytes
from biasprint.core.letters.pile import FilePlace, PileRow
from biasprint.core.letters.pile.kept import PileFolder, PileWork, kept_for, listed_piles, opened_pile
from biasprint.core.letters.pile.read import open_row, read_pile, read_with_cvs, report_of, report_pile, row_of_kept
from biasprint.core.letters.reading import read_letter
from biasprint.core.letters.request import ReadingRequest
from biasprint.core.letters.values import Document, KeptLetter
from biasprint.core.machine.storage import Busy, home

CV = Document("cv.txt", "txt", ("Kelly Moreno. Led the lithography press, 2021.",))
FAMILY = "As a mother of two, Kelly balances the studio and her family."
EDITED = Document("kelly.txt", "txt", ("Kelly Moreno paints with us.", FAMILY, "She led the studio for six years."))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "pile").mkdir()
    (tmp_path / "pile" / "kelly.txt").write_bytes(txt())
    (tmp_path / "pile" / "own.docx").write_bytes(docx())
    return tmp_path / "pile"


def read(folder: Path) -> PileWork:
    pile = read_pile(JobContext(), folder, Inline(), ReadingRequest())  # type: ignore[arg-type]
    return PileWork(pile, (folder,), {"kelly.txt": ("person",)}, ("formality",))


def row(work: PileWork, path: str = "kelly.txt") -> PileRow:
    return next(row for row in work.pile.rows if row.path_in_pile == path)


def test_a_pile_is_gone_on_with_as_it_was_left(own_home: Path, folder: Path) -> None:
    work, letter = read(folder), KeptLetter(EDITED, "Letter for Kelly", CV, dismissed=("family:mother:1",))
    held = PileFolder()
    held.write(work, 1)
    held.write_letter("kelly.txt", letter, 2)
    held.write_letter("kelly.txt", replace(letter, dismissed=()), 1)  # a late thread with what was before
    with pytest.raises(Busy):
        PileFolder(held.key).hold()  # another window
    held.let_go()
    held.write_letter("kelly.txt", replace(letter, title="late"), 3)
    found = opened_pile(held.key)
    assert (found.work, found.letters, found.damaged) == (work, {"kelly.txt": letter}, 0)
    (entry,) = listed_piles()
    assert (entry.name, entry.rows, entry.letters) == ("pile", 2, 1)
    assert kept_for([folder]) == entry
    assert kept_for([folder.parent]) is None
    PileFolder(held.key).remove()
    assert listed_piles() == ()
    with pytest.raises(AppError, match="not here any more"):
        opened_pile(held.key)


def test_a_damaged_letter_takes_no_other_with_it(own_home: Path, folder: Path) -> None:
    held = PileFolder()
    held.write(read(folder), 1)
    for path in ("kelly.txt", "own.docx"):
        held.write_letter(path, KeptLetter(EDITED, path), 2)
    place = home() / "letters" / "piles" / held.key
    letter_files = sorted(place.glob("*.json"))
    letter_files[0].write_text('{"path": "kelly.txt", "lett', "utf-8")
    found = opened_pile(held.key)
    assert (len(found.letters), found.damaged) == (1, 1)
    text = (place / "pile.jsonl").read_text("utf-8")
    (place / "pile.jsonl").write_text(text.splitlines()[0] + "\n", "utf-8")
    assert not opened_pile(held.key).work.whole
    (place / "pile.jsonl").write_text("{", "utf-8")
    with pytest.raises(AppError, match="The table of this pile cannot be read"):
        opened_pile(held.key)
    assert listed_piles() == ()


def test_a_letter_is_opened_as_it_was_left_with_a_word_on_its_file(folder: Path) -> None:
    work = read(folder)
    fresh, remark = open_row(JobContext(), folder, row(work))
    assert (fresh.document.paragraphs, fresh.context, remark) == (PARAGRAPHS, None, "")
    own, _ = open_row(JobContext(), folder, row(work, "own.docx"))
    assert own.source is not None
    assert own.source.data == (folder / "own.docx").read_bytes(), "what goes back into its own Word file needs it"
    kept = replace(fresh, document=EDITED, context=CV)
    assert open_row(JobContext(), folder, row(work), kept) == (kept, "")
    (folder / "kelly.txt").write_text("Another text of somebody else.", "utf-8")
    letter, remark = open_row(JobContext(), folder, row(work), kept)
    assert letter == kept
    assert "was changed elsewhere since you opened it" in remark
    shutil.rmtree(folder)
    letter, remark = open_row(JobContext(), folder, row(work), kept)
    assert letter == kept
    assert remark == "“kelly.txt” cannot be read any more: your version of it is shown."
    with pytest.raises(AppError):
        open_row(JobContext(), folder, row(work))


def test_the_row_and_the_report_are_of_the_letter_as_it_was_left(folder: Path, tmp_path: Path) -> None:
    work = read(folder)
    kept = KeptLetter(EDITED, "kelly", CV)
    request, compute = ReadingRequest(), Inline()
    now = row_of_kept(JobContext(), row(work), kept, compute, request)  # type: ignore[arg-type]
    assert now.marks["family"] > 0
    assert now.cv == FilePlace(Path("cv.txt"))
    gone = replace(kept, dismissed=tuple(_keys(kept)))
    assert "family" not in row_of_kept(JobContext(), row(work), gone, compute, request).marks  # type: ignore[arg-type]
    target = tmp_path / "all.docx"
    pile = replace(work.pile, rows=(now,))
    kept_letters = {"kelly.txt": kept}
    lost = report_pile(
        JobContext(),
        folder,
        target,
        report_of(pile, (), None),
        compute,
        request,
        kept_letters,  # type: ignore[arg-type]
    )
    assert lost == ()
    assert FAMILY in " ".join(read_bytes(target.read_bytes(), target.name).text.split())


def _keys(kept: KeptLetter) -> list[str]:
    reading = read_letter(kept.document, ReadingRequest())
    return [mark.key(reading.sentence(mark.sentence).text) for mark in reading.marks if mark.category == "family"]


def test_a_cv_that_is_chosen_in_the_table_is_read_beside_the_letter_as_it_was_left(folder: Path) -> None:
    work, kept = read(folder), KeptLetter(EDITED, "kelly")
    (folder.parent / "kelly cv.txt").write_text("Kelly Moreno. Led the press.", "utf-8")
    place = FilePlace(folder.parent / "kelly cv.txt")
    found = read_with_cvs(
        JobContext(), [folder], work.pile.rows, Inline(), ReadingRequest(),  # type: ignore[arg-type]
        chosen={"kelly.txt": place}, kept={"kelly.txt": kept},
    )  # fmt: skip
    (again,) = found.rows
    assert again.cv == place
    assert again.marks["family"] > 0


def test_a_letter_in_place_of_a_cv_is_said(folder: Path) -> None:
    letter = Document("other.txt", "txt", PARAGRAPHS)
    said = [one.said for one in read_letter(EDITED, ReadingRequest(context=letter)).suspicions]
    assert "“other.txt” looks like a letter, not a CV: see that it is the file you mean." in said
    assert not any(
        "looks like a letter" in one.said for one in read_letter(EDITED, ReadingRequest(context=CV)).suspicions
    )


def test_a_pile_of_five_hundred_with_twenty_broken_files(tmp_path: Path) -> None:
    pile = tmp_path / "many"
    pile.mkdir()
    for number in range(480):
        text = f"Ann Weber{number} led the studio for {number % 9 + 2} years. She is kind, and her family lives nearby."
        (pile / f"{number:03}.txt").write_text(text, "utf-8")
    for number in range(20):
        ending = ("pdf", "docx", "txt", "odt", "jpg")[number % 5]
        (pile / f"broken {number:02}.{ending}").write_bytes(
            (b"", b"%PDF-1.4 x", b"PK\x03\x04 x", b"\xff\xd8\xff\xe0")[number % 4]
        )
    work = read(pile)
    assert len(work.pile.rows) == 500
    assert sum(row.read for row in work.pile.rows) == 480
    assert all(row.reason for row in work.pile.rows if row.name.startswith("broken"))
