"""Piles: every file of a folder or zip is a row, hostile and broken ones with their reason."""

import io
import os
import sys
import threading
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from inline_compute import Inline
from letter_files import PARAGRAPHS, docx, pdf, txt

from biasprint.core.compute import ComputeProcess
from biasprint.core.errors import AppError, JobCancelled
from biasprint.core.jobs import JobContext, Progress
from biasprint.core.letters.pile import FilePlace, PileRow
from biasprint.core.letters.pile import files as pile_files
from biasprint.core.letters.pile.files import again, files_of, is_pile
from biasprint.core.letters.pile.read import open_row, read_pile, read_with_cvs
from biasprint.core.letters.reference_sets import make_reference_from_pile
from biasprint.core.letters.references import reference
from biasprint.core.letters.request import ReadingRequest

LIGHT = {"formality": "formality_f", "positivity": "positivity_lexicon"}
GERMAN = "Ich empfehle Ihnen Herrn Field sehr, denn er ist klug und hat mit uns in der Werkstatt gearbeitet. " * 4


def other_letter() -> tuple[str, ...]:
    swaps = (("Kelly Moreno", "Peter Quint"), ("She", "He"), ("she", "he"), ("Her ", "His "), ("her ", "his "))
    found = PARAGRAPHS
    for old, new in swaps:
        found = tuple(one.replace(old, new) for one in found)
    return found


def zipped(entries: Mapping[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return stream.getvalue()


def read(path: Path, cvs: Path | None = None, **given: Any) -> Any:
    return read_pile(JobContext(), path, Inline(), ReadingRequest(LIGHT, **given), cvs=cvs)  # type: ignore[arg-type]


def rows_of(path: Path) -> dict[str, PileRow]:
    return {row.path_in_pile: row for row in read(path).rows}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    pile = tmp_path / "letters"
    (pile / "2024" / "spring").mkdir(parents=True)
    (pile / "a.docx").write_bytes(docx())
    (pile / "2024" / "b.pdf").write_bytes(pdf(other_letter()))
    (pile / "2024" / "spring" / "copy.txt").write_bytes(txt())
    (pile / "photo.jpg").write_bytes(b"\xff\xd8\xff\xe0 a photo")
    (pile / "empty.txt").write_bytes(b"")
    (pile / "german.txt").write_text(GERMAN, encoding="utf-8")
    (pile / ".DS_Store").write_bytes(b"x")
    (pile / "~$a.docx").write_bytes(b"x")
    return pile


def test_every_file_of_a_folder_is_a_row_in_the_order_of_paths(folder: Path) -> None:
    pile = read(folder)
    assert [row.path_in_pile for row in pile.rows] == [
        "2024/b.pdf", "2024/spring/copy.txt", "a.docx", "empty.txt", "german.txt", "photo.jpg",
    ]  # fmt: skip
    rows = {row.path_in_pile: row for row in pile.rows}
    assert (rows["a.docx"].person.full_name, rows["a.docx"].group) == ("Kelly Moreno", "female")
    assert (rows["2024/b.pdf"].person.full_name, rows["2024/b.pdf"].group) == ("Peter Quint", "male")
    assert rows["a.docx"].figures["words"] == rows["2024/b.pdf"].figures["words"]
    assert rows["a.docx"].same_as == "2024/spring/copy.txt"
    assert rows["empty.txt"].reason == "“empty.txt” is empty."
    assert "picture" in rows["photo.jpg"].reason
    assert "German" in rows["german.txt"].reason
    assert rows["german.txt"].figures == {}
    assert pile.passed_over == 2
    assert [column.name for column in pile.columns][:2] == ["words", "superlatives"]
    assert {use.role for use in pile.scorers} == {"formality", "positivity"}


def test_a_row_keeps_no_text_and_is_opened_again_from_its_file(folder: Path) -> None:
    row = next(row for row in read(folder).rows if row.path_in_pile == "2024/b.pdf")
    assert "lithography" not in repr(row)
    assert open_row(JobContext(), folder, row)[0].document.paragraphs == other_letter()
    (folder / "2024" / "b.pdf").unlink()
    with pytest.raises(AppError, match="is no longer in “letters”"):
        open_row(JobContext(), folder, row)


def test_a_zip_gives_what_the_folder_gives(folder: Path, tmp_path: Path) -> None:
    entries = {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }
    archive = tmp_path / "letters.zip"
    archive.write_bytes(zipped({**entries, "__MACOSX/a.docx": b"x"}))
    from_zip, from_folder = read(archive), read(folder)
    assert from_zip.rows == from_folder.rows
    assert from_zip.passed_over == 3
    row = next(row for row in from_zip.rows if row.name == "a.docx")
    assert open_row(JobContext(), archive, row)[0].document.paragraphs == PARAGRAPHS


def test_what_a_pile_is(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "pile.zip").write_bytes(zipped({"a.txt": txt()}))
    (tmp_path / "broken.zip").write_bytes(zipped({"a.txt": txt()})[:40])
    assert is_pile(folder)
    assert is_pile(tmp_path / "pile.zip")
    for other in (folder / "a.docx", folder / "empty.txt", tmp_path / "nothing", tmp_path / "broken.zip"):
        assert not is_pile(other), other


def test_hostile_entries_of_a_zip_are_rows_with_their_reason_and_write_nothing(tmp_path: Path) -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("good.txt", txt())
        archive.writestr("../outside.txt", txt())
        archive.writestr("/etc/absolute.txt", txt())
        archive.writestr("C:\\windows.txt", txt())
        archive.writestr("bomb.txt", b"a" * 20_000_000)
        archive.writestr("huge.txt", b"a" * 30_000_001)
        archive.writestr("inner.zip", zipped({"a.txt": txt()}))
        link = zipfile.ZipInfo("link.txt")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
    place = tmp_path / "in" / "hostile.zip"
    place.parent.mkdir()
    place.write_bytes(stream.getvalue())
    rows = rows_of(place)
    assert rows["good.txt"].read
    assert "leads out of the zip" in rows["../outside.txt"].reason
    assert "leads out of the zip" in rows["/etc/absolute.txt"].reason
    assert sum("leads out" in row.reason for row in rows.values()) >= 2
    assert "unpacks to far more" in rows["bomb.txt"].reason
    assert rows["huge.txt"].reason == "“huge.txt” has 30 MB: a letter has far less."
    assert "is an archive" in rows["inner.zip"].reason
    assert "is a link" in rows["link.txt"].reason
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["hostile.zip", "in"]


def encrypted(data: bytes) -> bytes:
    """The same zip with the flag of encryption on its only entry, in both of its headers."""
    changed = bytearray(data)
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        changed[data.index(signature) + offset] |= 1
    return bytes(changed)


def test_an_encrypted_entry_is_said(tmp_path: Path) -> None:
    (tmp_path / "secret.zip").write_bytes(encrypted(zipped({"a.txt": txt()})))
    assert rows_of(tmp_path / "secret.zip")["a.txt"].reason == "“a.txt” is protected by a password."


def test_a_damaged_entry_stops_no_other(tmp_path: Path) -> None:
    data = bytearray(zipped({"a.txt": txt(), "b.txt": txt(other_letter())}, zipfile.ZIP_STORED))
    place = data.index(b"lithography")
    data[place : place + 4] = b"XXXX"
    (tmp_path / "damaged.zip").write_bytes(bytes(data))
    rows = rows_of(tmp_path / "damaged.zip")
    assert rows["a.txt"].reason == "“a.txt” is damaged in the zip."
    assert rows["b.txt"].read


def test_what_is_no_pile_at_all_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "none").mkdir()
    (tmp_path / "broken.zip").write_bytes(zipped({"a.txt": txt()})[:40])
    (tmp_path / "many").mkdir()
    for name in "abc":
        (tmp_path / "many" / f"{name}.txt").write_bytes(txt())
    monkeypatch.setattr(pile_files, "MOST_FILES", 2)
    for name, says in (
        ("none", "holds no files"), ("broken.zip", "is damaged"), ("missing.zip", "There is no file"),
        ("many", "holds more than 2 files"),
    ):  # fmt: skip
        with pytest.raises(AppError, match=says):
            read(tmp_path / name)


@pytest.mark.skipif(os.name == "nt", reason="links and pipes need rights there")
def test_links_and_pipes_are_not_opened(tmp_path: Path) -> None:
    (tmp_path / "real.txt").write_bytes(txt())
    pile = tmp_path / "pile"
    pile.mkdir()
    (pile / "link.txt").symlink_to(tmp_path / "real.txt")
    (pile / "loop").symlink_to(pile)
    os.mkfifo(pile / "pipe.txt")
    named = read_pile(JobContext(), [pile / "link.txt", pile / "pipe.txt"], Inline(), ReadingRequest(LIGHT))  # type: ignore[arg-type]
    assert [row.reason for row in named.rows] == ["", "“pipe.txt” is no ordinary file."]
    rows = rows_of(pile)
    assert "is a link" in rows["link.txt"].reason
    assert rows["pipe.txt"].reason == "“pipe.txt” is no ordinary file."
    assert set(rows) == {"link.txt", "pipe.txt"}


def test_files_named_one_by_one_are_a_pile_too(folder: Path) -> None:
    pile = read_pile(
        JobContext(), [folder / "a.docx", folder, folder / "missing.txt"], Inline(), ReadingRequest(LIGHT)  # type: ignore[arg-type]
    )  # fmt: skip
    assert [row.read for row in pile.rows] == [True, False, False]
    assert "is a folder" in pile.rows[1].reason
    assert "There is no file" in pile.rows[2].reason


def test_every_row_is_reported_when_it_is_there(folder: Path) -> None:
    seen: list[Progress] = []
    read_pile(JobContext(seen.append), folder, Inline(), ReadingRequest(LIGHT))  # type: ignore[arg-type]
    rows = [one.partial for one in seen if isinstance(one.partial, PileRow)]
    assert [row.path_in_pile for row in rows] == [one.note for one in seen if one.partial]
    assert (seen[-1].done, seen[-1].total, len(rows)) == (6, 6, 6)


def test_a_cancelled_pile_ends_after_at_most_a_few_letters_more(tmp_path: Path) -> None:
    for number in range(200):
        (tmp_path / f"{number:03}.txt").write_text(f"Kelly wrote letter {number}. " * 300, encoding="utf-8")
    compute = ComputeProcess()
    began, read, at_cancel = threading.Event(), 0, 0

    def listen(progress: Progress) -> None:
        nonlocal read
        if progress.done:
            read = progress.done
            began.set()

    ctx = JobContext(listen)

    def cancel() -> None:
        nonlocal at_cancel
        began.wait(60)
        at_cancel = read
        ctx.cancel()

    waiting = threading.Thread(target=cancel)
    waiting.start()
    try:
        with pytest.raises(JobCancelled):
            read_pile(ctx, tmp_path, compute, ReadingRequest(LIGHT))
        # Counted in letters, not in seconds: other programs share this machine. Two seconds are about ten letters.
        assert read <= at_cancel + 20
    finally:
        waiting.join()
        compute.close()


def test_a_file_of_the_pile_that_must_not_be_read_is_not_opened_again(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(zipped({"../a.txt": txt()}))
    with pytest.raises(AppError, match="leads out"):
        again(tmp_path / "a.zip", "../a.txt")


def test_a_mistake_while_a_pile_is_open_is_not_taken_for_a_damaged_zip(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(zipped({"a.txt": txt()}))

    def make_it() -> None:
        with files_of(tmp_path / "a.zip") as found:
            assert len(found.files) == 1
            raise ValueError("a mistake")

    with pytest.raises(ValueError, match="a mistake"):
        make_it()


@pytest.mark.skipif(os.name == "nt" or sys.platform == "darwin", reason="names are Unicode there")
def test_a_name_that_is_no_text_is_a_row_all_the_same(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"caf\xe9.txt")).write_bytes(txt())
    (row,) = read(tmp_path).rows
    assert row.read
    assert open_row(JobContext(), tmp_path, row)[0].document.paragraphs == PARAGRAPHS


CV_TEXT = "Kelly Moreno\n\nKelly Moreno led the restoration of the lithography press in 2021."


def test_each_letter_is_held_against_the_cv_whose_name_fits(tmp_path: Path) -> None:
    pile, cvs = tmp_path / "letters", tmp_path / "cvs"
    pile.mkdir()
    cvs.mkdir()
    (pile / "Moreno_Kelly_letter.txt").write_bytes(txt())
    (pile / "quint.txt").write_bytes(txt(other_letter()))
    (cvs / "KellyMoreno-CV.txt").write_text(CV_TEXT, encoding="utf-8")
    (cvs / "quint.txt").write_bytes(b"")
    (cvs / "nobody.txt").write_text(CV_TEXT, encoding="utf-8")
    found = read(pile, cvs=cvs)
    kelly, quint = found.rows
    assert kelly.cv == FilePlace(cvs, "KellyMoreno-CV.txt")
    assert sum(kelly.claims.values()) > 0
    assert (quint.cv, quint.claims, quint.read) == (None, {}, True)
    assert quint.notes == ("Its CV was not used: “quint.txt” is empty. Choose the file that holds the letter.",)
    assert found.remarks == ("A CV fits no letter by its name: “nobody.txt”.",)
    assert "unsupported" in {column.name for column in found.columns}
    letter, remark = open_row(JobContext(), pile, kelly)
    assert letter.document.paragraphs == PARAGRAPHS
    assert letter.context is not None
    assert (letter.context.text, remark) == (CV_TEXT, "")


def test_a_cv_beside_its_letter_is_no_row_and_one_that_fits_none_says_so(tmp_path: Path) -> None:
    (tmp_path / "moreno").mkdir()
    (tmp_path / "moreno" / "letter.txt").write_bytes(txt())
    (tmp_path / "moreno" / "CV.txt").write_text(CV_TEXT, encoding="utf-8")
    (tmp_path / "resume quint.txt").write_text(CV_TEXT, encoding="utf-8")
    found = {row.path_in_pile: row for row in read(tmp_path).rows}
    assert set(found) == {"moreno/letter.txt", "resume quint.txt"}
    assert found["moreno/letter.txt"].cv == FilePlace(tmp_path, "moreno/CV.txt")
    assert "It is named like a CV, and fits no letter here." in found["resume quint.txt"].notes


def test_a_cv_is_chosen_later_and_what_was_set_right_stays(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(txt())
    (tmp_path / "b.txt").write_bytes(txt(other_letter()))
    (tmp_path / "cv.txt").write_text(CV_TEXT, encoding="utf-8")
    paths = [tmp_path / "a.txt", tmp_path / "b.txt"]
    first, second = read_pile(JobContext(), paths, Inline(), ReadingRequest(LIGHT)).rows  # type: ignore[arg-type]
    set_right = replace(first, occupation="printer", group="", outcome=True)

    def again(rows: Sequence[PileRow], chosen: Mapping[str, FilePlace | None]) -> tuple[PileRow, ...]:
        return read_with_cvs(JobContext(), paths, rows, Inline(), ReadingRequest(LIGHT), chosen=chosen).rows  # type: ignore[arg-type]

    place = FilePlace(tmp_path / "cv.txt")
    (with_cv,) = again([set_right, second], {first.path_in_pile: place})
    assert (with_cv.cv, with_cv.occupation, with_cv.group, with_cv.outcome) == (place, "printer", "", True)
    assert sum(with_cv.claims.values()) > 0
    (without,) = again([with_cv], {first.path_in_pile: None})
    assert without == replace(set_right, figures=without.figures)
    assert "unsupported" not in without.figures
    (as_it_was,) = again([with_cv], {first.path_in_pile: FilePlace(tmp_path / "gone.txt")})
    assert as_it_was == replace(with_cv, notes=as_it_was.notes)
    assert "There is no file" in as_it_was.notes[-1]


def test_a_folder_becomes_a_reference_of_ones_own(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BIASPRINT_HOME", str(tmp_path / "home"))
    made = make_reference_from_pile(
        JobContext(),
        folder,
        "ours",
        Inline(),
        ReadingRequest(LIGHT, occupation="printer"),  # type: ignore[arg-type]
    )
    assert made.dropped == {"a copy": 1, "not read": 3}
    kept = reference("ours")
    assert kept == made.reference
    assert (len(kept.letters), kept.occupations, kept.groups, kept.stand_in) == (
        2, ("printer",), ("female", "male"), False,
    )  # fmt: skip
    assert kept.made_from == "letters of “letters”, 2 imported, by whoever wrote them."
    rows = {row.path_in_pile: row for row in read(folder).rows}
    assert kept.letters[0].figures["words"] == rows["2024/b.pdf"].figures["words"]
    assert "lithography" not in (tmp_path / "home" / "references" / "ours.json").read_text("utf-8")
